package facts

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// parseProcArgs reads what macOS gives for kern.procargs2: the number of arguments (32 bits of this
// machine), the executable's path, padding by NUL, then the arguments. The environment after them is
// not read. It stands here, not beside its only caller, so that its test runs everywhere.
func parseProcArgs(raw []byte) (exe string, args []string) {
	if len(raw) < 4 {
		return "", nil
	}
	n := int(binary.NativeEndian.Uint32(raw))
	path, rest, _ := bytes.Cut(raw[4:], []byte{0})
	parts := strings.Split(string(bytes.TrimLeft(rest, "\x00")), "\x00")
	if n < 0 || n > len(parts) {
		n = len(parts)
	}
	return string(path), parts[:n]
}

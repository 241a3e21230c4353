package facts

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// Fields of /proc/<pid>/stat, counted from the one after the command (proc(5): 3, 4 and 22).
const (
	statState  = 0
	statParent = 1
	statStart  = 19
)

func probe(pid int) (start int64, alive bool) {
	fields, err := procStat(pid)
	if err != nil {
		return 0, signalable(pid) // /proc may hide the processes of others (hidepid)
	}
	if s := fields[statState]; s == "Z" || s == "X" || s == "x" {
		return 0, false
	}
	start, _ = strconv.ParseInt(fields[statStart], 10, 64)
	return start, true
}

func inspect(pid int) (running, bool) {
	fields, err := procStat(pid)
	if err != nil {
		return running{}, false
	}
	dir := procDir(pid)
	var r running
	r.parent, _ = strconv.Atoi(fields[statParent])
	if exe, err := os.Readlink(dir + "exe"); err == nil {
		r.exe = strings.TrimSuffix(exe, " (deleted)") // the client replaced itself while running
	}
	if line, err := readSmall(dir+"cmdline", maxCommandLine); err == nil {
		r.args = strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
	}
	return r, true
}

// maxCommandLine is the system's own default limit of arguments and environment.
const maxCommandLine = 2 << 20

// procStat splits /proc/<pid>/stat after the command, which may itself hold blanks and parentheses.
func procStat(pid int) ([]string, error) {
	b, err := readSmall(procDir(pid)+"stat", 4<<10)
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(fields) <= statStart {
		return nil, os.ErrInvalid
	}
	return fields, nil
}

func procDir(pid int) string { return "/proc/" + strconv.Itoa(pid) + "/" }

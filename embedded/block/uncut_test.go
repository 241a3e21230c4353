package block

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// bounds are the offsets of a block's records, its end included.
func bounds(t *testing.T, b []byte) []int {
	t.Helper()
	at := []int{0}
	for len(b) > at[len(at)-1] {
		r, ok := frame(b[at[len(at)-1]:])
		if !ok {
			t.Fatal("not a record")
		}
		at = append(at, at[len(at)-1]+len(r.b))
	}
	return at
}

// What a server has cut off comes back with what it has appended since, once; where both have a sequence nothing changes.
func TestUncut(t *testing.T) {
	dir := store(t, n, size, small)
	live := filepath.Join(msgsOf(dir), "2.blk")
	b := read1(t, live)
	at := bounds(t, b)
	last := len(at) - 1
	old := bytes.Clone(b[:at[last-1]])
	copy(old[at[3]:], []byte{0xff, 0xff, 0xff, 0x7f}) // the length of the fourth record
	whole := filepath.Join(t.TempDir(), "2.blk")
	write1(t, whole, old)
	tail := b[at[last-1]:]
	for name, c := range map[string]struct {
		left, want []byte
		err        error
	}{
		"cut off":               {left: b[:at[3]], want: old},
		"and gone on":           {left: append(bytes.Clone(b[:at[3]]), tail...), want: append(bytes.Clone(old), tail...)},
		"put back already":      {left: append(bytes.Clone(old), tail...), want: append(bytes.Clone(old), tail...)},
		"gone":                  {want: old},
		"a sequence used again": {left: append(bytes.Clone(b[:at[3]]), b[at[4]:at[5]]...), want: append(bytes.Clone(b[:at[3]]), b[at[4]:at[5]]...), err: ErrPresent},
	} {
		write1(t, live, c.left)
		if c.left == nil {
			if err := os.Remove(live); err != nil {
				t.Fatal(err)
			}
		}
		if err := Uncut(whole, live, stream); !errors.Is(err, c.err) {
			t.Errorf("%s: %v", name, err)
		}
		if got := read1(t, live); !bytes.Equal(got, c.want) {
			t.Errorf("%s: %d bytes, want %d", name, len(got), len(c.want))
		}
	}
}

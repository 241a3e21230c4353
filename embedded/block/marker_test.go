package block

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"hookline/expect"
)

func TestMarker(t *testing.T) {
	dir := store(t, n, size, small)
	msgs := msgsOf(dir)
	if _, err := ReadMarker(dir); !errors.Is(err, ErrNoMarker) {
		t.Errorf("before: %v", err)
	}
	expect.OK(t, WriteMarker(dir, msgs, n))
	m, err := ReadMarker(dir)
	if err != nil || m.Version != 1 || m.LastSeq != n || len(m.Blocks) != 4 || len(m.Index) != 64 {
		t.Fatalf("marker %+v, %v", m, err)
	}
	newest := filepath.Join(msgs, "4.blk")
	b := read1(t, newest)
	write1(t, newest, append(b, b[:900]...)) // it is read in any case
	for what, do := range map[string]func(path func(string) string) error{
		"":                func(func(string) string) error { return nil },
		"a shorter block": func(path func(string) string) error { return os.Truncate(path("1.blk"), 900) },
		"another block":   func(path func(string) string) error { return os.WriteFile(path("5.blk"), nil, 0o600) },
		"a missing block": func(path func(string) string) error { return os.Remove(path("4.blk")) },
		"no index":        func(path func(string) string) error { return os.Remove(path(indexFile)) },
	} {
		in := duplicate(t, msgs)
		expect.OK(t, do(func(name string) string { return filepath.Join(in, name) }))
		if got := m.Vouches(in, expect.Value(List(in))(t)); got != (what == "") {
			t.Errorf("%s: vouches %v", what, got)
		}
	}
	if err := errors.Join(RemoveMarker(dir), RemoveMarker(dir)); err != nil {
		t.Error(err)
	}
	if _, err := ReadMarker(dir); !errors.Is(err, ErrNoMarker) {
		t.Errorf("after: %v", err)
	}
}

// A marker with any byte changed, or cut anywhere, is no marker.
func TestDamagedMarker(t *testing.T) {
	dir := store(t, 2, 60, small)
	expect.OK(t, WriteMarker(dir, msgsOf(dir), 2))
	path := filepath.Join(dir, MarkerFile)
	whole := read1(t, path)
	for i := range whole {
		bad := append([]byte(nil), whole...)
		bad[i] ^= 1
		for _, b := range [][]byte{bad, whole[:i]} {
			write1(t, path, b)
			if m, err := ReadMarker(dir); !errors.Is(err, ErrNoMarker) {
				t.Fatalf("byte %d: %+v, %v", i, m, err)
			}
		}
	}
}

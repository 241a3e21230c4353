package embedded

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"hookline/embedded/block"
	"hookline/expect"
)

// breakLength makes the length of the record behind n others in a block senseless, in place.
func breakLength(t *testing.T, path string, n int) {
	t.Helper()
	f := expect.Value(os.OpenFile(path, os.O_RDWR, 0))(t)
	defer f.Close()
	var at int64
	for range n {
		var head [4]byte
		expect.Value(f.ReadAt(head[:], at))(t)
		at += int64(binary.LittleEndian.Uint32(head[:]) &^ (1 << 31))
	}
	expect.Value(f.WriteAt([]byte{1, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, at))(t)
}

// A running server that meets a senseless length in a block cuts off everything behind it, from the archive's link too.
// Nothing is appended after that, and the next opening puts the block back and loses the damaged record only.
func TestServersCutIsUndone(t *testing.T) {
	s := filled(t, 60, 512<<10) // 30 MiB: four blocks
	dir := s.opts.Dir
	s = open(t, dir)
	path := filepath.Join(s.opts.msgsDir(), "1.blk")
	was := expect.Value(os.Stat(path))(t)
	breakLength(t, path, 2)
	if _, err := s.stream.handle.GetMsg(t.Context(), 5); err == nil {
		t.Error("the server gives a message behind the damage")
	}
	if st, err := os.Stat(path); err != nil || st.Size() >= was.Size() {
		t.Fatalf("the server did not cut the block off: %v %v; without that, keepWhole is not needed any more", st, err)
	}
	if _, err := s.Stream().Append(t.Context(), event(61)); !errors.Is(err, ErrWriteStuck) {
		t.Errorf("append behind the cut: %v", err)
	}
	if err := s.Health(); !errors.Is(err, ErrWriteStuck) {
		t.Errorf("health: %v", err)
	}
	s.archive.round() // it keeps the copy
	s = reopen(t, s)
	wantLost(t, s, []block.Range{{First: 3, Last: 3}}, 61)
	expect.Equal(t, count(t, s, 1, 61), 60, "events, want 60")
}

func TestAboutToCut(t *testing.T) {
	for line, want := range map[string]string{
		"Filestore [EVENTS] indexCacheBuf corrupt record state in /a b/msgs/1.blk: dlen 5 slen 6 index 7 rl 8 lbuf 9": "/a b/msgs/1.blk",
		"Filestore [EVENTS] indexCacheBuf corrupt state in /in x/2.blk: mb.first 9 mb.last 1":                         "/in x/2.blk",
		"Filestore [KV_latest] indexCacheBuf corrupt record state in /a/1.blk: dlen 5":                                "",
	} {
		if got := aboutToCut(line); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

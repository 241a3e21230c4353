package block

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"hookline/expect"
)

func TestMarker(t *testing.T) {
	dir := store(t, n, size, small)
	msgs := msgsOf(dir)
	if _, err := ReadMarker(dir); !errors.Is(err, ErrNoMarker) {
		t.Errorf("before: %v", err)
	}
	at := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	expect.OK(t, WriteMarker(dir, msgs, Marker{Time: at, LastSeq: n, LastID: "01"}))
	m, err := ReadMarker(dir)
	if err != nil || m.Version != 1 || !m.Time.Equal(at) || m.LastSeq != n || m.LastID != "01" || len(m.Blocks) != 4 || len(m.Index) != 64 {
		t.Fatalf("marker %+v, %v", m, err)
	}
	for _, info := range mustCheck(t, msgs).Blocks {
		if !m.Vouches(info) {
			t.Errorf("no word for %+v", info)
		}
	}
	newest := filepath.Join(msgs, "4.blk")
	b := read1(t, newest)
	write1(t, newest, append(b, b[:900]...))
	blocks, err := List(msgs)
	if err != nil || !m.Vouches(blocks[0]) || m.Vouches(blocks[3]) {
		t.Errorf("after a write: %v, %v", blocks, err)
	}
	if m.Vouches(Info{Name: "5.blk"}) || !m.VouchesIndex(msgs) {
		t.Error("wrong word for a new block or the index")
	}
	if err := os.Remove(filepath.Join(msgs, indexFile)); err != nil || m.VouchesIndex(msgs) {
		t.Errorf("word for a missing index, %v", err)
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
	expect.OK(t, WriteMarker(dir, msgsOf(dir), Marker{LastSeq: 2}))
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

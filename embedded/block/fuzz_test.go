package block

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Any bytes are read without a panic, and a repair of them leaves a block that reads without damage and keeps every good
// record.
func FuzzRead(f *testing.F) {
	golden := filepath.Join("testdata", "2.15.2", "1.blk")
	seed, err := os.ReadFile(golden)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Add(seed[:len(seed)-3])
	f.Add(append(seed[:100:100], seed[120:]...))
	f.Add(bytes.Repeat([]byte{0}, 100))
	f.Add([]byte("cmp\x01\x10abc"))
	f.Fuzz(func(t *testing.T, b []byte) {
		dir := t.TempDir()
		path := filepath.Join(dir, "1.blk")
		write1(t, path, b)
		good := map[uint64]bool{}
		err := Read(path, stream, func(r Record) error {
			if len(r.Subject)+len(r.Header)+len(r.Data) > len(b) {
				t.Errorf("record %d is larger than its block", r.Seq)
			}
			good[r.Seq] = true
			return nil
		})
		o := Options{Stream: stream}
		rep, checked := Check(dir, o)
		if errors.Is(err, ErrCompressed) && errors.Is(checked, ErrCompressed) {
			return
		}
		if checked != nil || errors.Is(err, ErrDamaged) != (len(rep.Damage) > 0) {
			t.Fatalf("read %v, check %v, report %+v", err, checked, rep)
		}
		if _, err := Repair(dir, o, rep); err != nil {
			t.Fatal(err)
		}
		if err := Read(path, stream, func(r Record) error { delete(good, r.Seq); return nil }); err != nil || len(good) > 0 {
			t.Fatalf("after repair: %v, lost %v", err, good)
		}
	})
}

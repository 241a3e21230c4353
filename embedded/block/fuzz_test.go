package block

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"hookline/expect"
)

// Any bytes are read without a panic, and a repair of them leaves a block that reads without damage and keeps every good
// record. New inputs are best minimised little: go test -fuzz=FuzzRead -fuzzminimizetime=5x.
func FuzzRead(f *testing.F) {
	golden := filepath.Join("testdata", "2.15.2", "1.blk")
	seed := expect.Value(os.ReadFile(golden))(f)
	f.Add(seed)
	f.Add(seed[:len(seed)-3])
	f.Add(append(seed[:100:100], seed[120:]...))
	f.Add(bytes.Repeat([]byte{0}, 100))
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "1.blk")
		write1(t, path, b)
		good := map[uint64]bool{}
		err := Read(path, stream, func(r Record) error {
			if len(r.Subject)+len(r.Header)+len(r.Data) > len(b) {
				t.Errorf("record %d is larger than its block", r.Seq)
			}
			good[r.Seq] = true
			return nil
		})
		out, rep, _ := inMemory(t, b)
		if errors.Is(err, ErrDamaged) != (len(rep.Damage) > 0) {
			t.Fatalf("read %v, report %+v", err, rep)
		}
		write1(t, path, out)
		if err := Read(path, stream, func(r Record) error { delete(good, r.Seq); return nil }); err != nil || len(good) > 0 {
			t.Fatalf("after repair: %v, lost %v", err, good)
		}
	})
}

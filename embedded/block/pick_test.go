package block

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Walk tells places, and Pick finds the same records there, near and far ones.
func TestPick(t *testing.T) {
	path := filepath.Join(msgsOf(store(t, 60, 300, small)), "1.blk")
	var places []Place
	var all []string
	err := Walk(path, stream, func(p Place, r Record) error {
		places, all = append(places, p), append(all, fmt.Sprint(r.Seq, r.Subject, string(r.Header), string(r.Data)))
		return nil
	})
	if err != nil || len(places) < 50 || places[0].Off != 0 || places[1].Off != int64(places[0].Size) {
		t.Fatalf("%d places, first %v: %v", len(places), places[:2], err)
	}
	for _, chosen := range [][]int{{}, {0}, {3, 4, 5}, {1, 30}, {0, 2, 40, 41, len(places) - 1}} {
		var at []Place
		var want, got []string
		for _, i := range chosen {
			at, want = append(at, places[i]), append(want, all[i])
		}
		err := Pick(path, stream, at, func(r Record) error {
			got = append(got, fmt.Sprint(r.Seq, r.Subject, string(r.Header), string(r.Data)))
			return nil
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%v: %q, %v; want %q", chosen, got, err, want)
		}
	}
	if seq, err := First(path, stream); seq != 1 || err != nil {
		t.Errorf("first is %d, %v; want 1", seq, err)
	}
}

// A place that is no record's is damage, and so is a record that has changed.
func TestPickRefuses(t *testing.T) {
	path := filepath.Join(msgsOf(store(t, 20, 300, small)), "1.blk")
	var last Place
	if err := Walk(path, stream, func(p Place, _ Record) error { last = p; return nil }); err != nil {
		t.Fatal(err)
	}
	pick := func(p Place) error { return Pick(path, stream, []Place{p}, func(Record) error { return nil }) }
	for name, p := range map[string]Place{
		"between":  {Off: last.Off - 7, Size: last.Size},
		"short":    {Off: last.Off, Size: last.Size - 1},
		"tiny":     {Off: last.Off, Size: 3},
		"behind":   {Off: last.Off + 1<<20, Size: last.Size},
		"negative": {Off: -8, Size: last.Size},
		"nothing":  {},
	} {
		if err := pick(p); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v, want ErrDamaged", name, err)
		}
	}
	b := read1(t, path)
	b[last.Off+int64(last.Size)/2] ^= 1
	write1(t, path, b)
	if err := pick(last); !errors.Is(err, ErrDamaged) {
		t.Errorf("a flipped bit: %v, want ErrDamaged", err)
	}
	if seq, err := First(path, stream); seq != 1 || err != nil {
		t.Errorf("first is %d, %v; want 1 in spite of damage behind it", seq, err)
	}
	if err := os.Truncate(path, 10); err != nil {
		t.Fatal(err)
	}
	if _, err := First(path, stream); !errors.Is(err, ErrDamaged) {
		t.Errorf("first of a torn block: %v, want ErrDamaged", err)
	}
}

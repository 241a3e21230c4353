package embedded

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"hookline/expect"
	"hookline/projector"
)

// scanned is what Scan gives, each key once.
func scanned(t *testing.T, s *Server, bucket, prefix string) map[string]string {
	t.Helper()
	got := map[string]string{}
	expect.OK(t, s.buckets.Scan(t.Context(), bucket, prefix, func(key string, value []byte) error {
		if _, twice := got[key]; twice {
			t.Errorf("%q came twice", key)
		}
		got[key] = string(value)
		return nil
	}))
	return got
}

func save(t *testing.T, s *Server, bucket string, cells ...projector.Cell) {
	t.Helper()
	expect.OK(t, s.Store().Save(t.Context(), bucket, cells))
}

func TestScanCells(t *testing.T) {
	s := open(t, storeDir(t))
	for _, bucket := range []string{projector.BucketSnapshot, projector.BucketLatest, projector.BucketCache} {
		if got := scanned(t, s, bucket, ""); len(got) != 0 {
			t.Errorf("%s is new and has %v", bucket, got)
		}
		long := strings.Repeat(`{"facet":0.2774}`, 100) // stored compressed
		save(t, s, bucket, projector.Cell{Key: "session.v1.b", Value: []byte("old")}, projector.Cell{Key: "session.v1.a", Value: []byte(long)},
			projector.Cell{Key: "session.v10.a", Value: []byte("other version")}, projector.Cell{Key: "session.v1.x y.*", Value: []byte("odd")},
			projector.Cell{Key: "session.v1.", Value: []byte("no name")}, projector.Cell{Key: "session.v1..c", Value: []byte("two dots")},
			projector.Cell{Key: "session", Value: []byte("short")}, projector.Cell{Key: "session.v1.gone", Value: []byte("x")})
		save(t, s, bucket, projector.Cell{Key: "session.v1.gone"}, projector.Cell{Key: "session.v1.b", Value: []byte("new")})
		want := map[string]string{"session.v1.a": long, "session.v1.b": "new", "session.v1.x y.*": "odd", "session.v1.": "no name", "session.v1..c": "two dots"}
		if got := scanned(t, s, bucket, "session.v1."); !maps.Equal(got, want) {
			t.Errorf("%s: %.300q", bucket, got)
		}
		for prefix, n := range map[string]int{"session.v1.x": 1, "session.v1..": 1, "session.": 6, "*.c": 0} { // parts of a name, and what is no border of tokens
			expect.Equal(t, len(scanned(t, s, bucket, prefix)), n, bucket, prefix)
		}
		if got := scanned(t, s, bucket, ""); len(got) != 7 {
			t.Errorf("%s has %d cells: %.300q", bucket, len(got), got)
		}
	}
	if err := s.buckets.Scan(t.Context(), "nothing", "", nil); err != nil {
		t.Errorf("a bucket that is not there has no cells: %v", err)
	}
}

// More cells than one request asks for.
func TestScanGoesOn(t *testing.T) {
	s := open(t, storeDir(t))
	cells := make([]projector.Cell, pullSize+1)
	for i := range cells {
		cells[i] = projector.Cell{Key: fmt.Sprintf("n.v1.%05d", i), Value: []byte(fmt.Sprint(i))}
	}
	save(t, s, projector.BucketSnapshot, cells...)
	got := scanned(t, s, projector.BucketSnapshot, "n.v1.")
	for i := range cells {
		if key := fmt.Sprintf("n.v1.%05d", i); got[key] != fmt.Sprint(i) {
			t.Fatalf("%s = %q", key, got[key])
		}
	}
	expect.Equal(t, len(got), 5001, "cells")
}

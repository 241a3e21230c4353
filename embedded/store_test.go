package embedded_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"hookline/embedded"
	"hookline/expect"
	"hookline/projector"
)

// Buckets that every store has.
var buckets = []string{projector.BucketSnapshot, projector.BucketLatest, projector.BucketCache}

// Each implementation of [projector.Store] keeps the same contract, so that the engine behaves on all of them as it does
// in its own tests.
func TestStores(t *testing.T) {
	for name, open := range map[string]func(*testing.T) projector.Store{"memory": inMemory, "buckets": inBuckets} {
		for contract, test := range map[string]func(*testing.T, projector.Store){
			"MissingCell": missingCell, "RoundTrip": roundTrip, "Overwrite": overwrite, "Delete": deletes,
			"Buckets": separateBuckets, "WeirdKeys": weirdKeys, "Keys": prefixes, "Order": order,
			"Cancelled": cancelled, "Large": large, "ManyKeys": manyKeys, "Concurrent": concurrent, "Ownership": ownership,
		} {
			t.Run(name+"/"+contract, func(t *testing.T) { test(t, open(t)) })
		}
	}
}

func inMemory(*testing.T) projector.Store { return projector.NewMemory() }

func inBuckets(t *testing.T) projector.Store {
	s := expect.Value(embedded.Open(t.Context(), embedded.Options{Dir: filepath.Join(t.TempDir(), "store"), Holder: "test"}))(t)
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	return s.Store()
}

func save(t *testing.T, s projector.Store, bucket string, cells ...projector.Cell) {
	t.Helper()
	if err := s.Save(t.Context(), bucket, cells); err != nil {
		t.Fatalf("save in %s: %v", bucket, err)
	}
}

func cell(key, value string) projector.Cell { return projector.Cell{Key: key, Value: []byte(value)} }

func wantCell(t *testing.T, s projector.Store, bucket, key, want string) {
	t.Helper()
	got, err := s.Load(t.Context(), bucket, key)
	if err != nil || string(got) != want {
		t.Errorf("load %q of %s = %.60q, %v; want %.60q", key, bucket, got, err, want)
	}
}

func wantNone(t *testing.T, s projector.Store, bucket, key string) {
	t.Helper()
	if got, err := s.Load(t.Context(), bucket, key); !errors.Is(err, projector.ErrNoCell) {
		t.Errorf("load %q of %s = %.60q, %v; want ErrNoCell", key, bucket, got, err)
	}
}

func wantKeys(t *testing.T, s projector.Store, bucket, prefix string, want ...string) {
	t.Helper()
	got, err := s.Keys(t.Context(), bucket, prefix)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("keys of %s with %q = %.300q, %v; want %.300q", bucket, prefix, got, err, want)
	}
}

func missingCell(t *testing.T, s projector.Store) {
	for _, b := range buckets {
		wantNone(t, s, b, "nothing")
		wantKeys(t, s, b, "")
	}
}

func roundTrip(t *testing.T, s projector.Store) {
	values := map[string]string{
		"json": `{"a":1}`, "empty": "", "nul": "\x00", "binary": "\xff\xfe\x00\x28\xb5\x2f\xfd", "frame": "\x28\xb5\x2f\xfd not a frame",
		"long": strings.Repeat(`{"facet":0.2774,"theta":1.5708}`, 400), "newline": "a\nb\r\n",
	}
	for _, b := range buckets {
		for k, v := range values {
			save(t, s, b, cell(k, v))
		}
		for k, v := range values {
			wantCell(t, s, b, k, v)
		}
	}
}

func overwrite(t *testing.T, s projector.Store) {
	save(t, s, projector.BucketSnapshot, cell("k", "one"), cell("other", "x"), cell("k", "two"))
	wantCell(t, s, projector.BucketSnapshot, "k", "two")
	save(t, s, projector.BucketSnapshot, cell("k", "three"))
	wantCell(t, s, projector.BucketSnapshot, "k", "three")
	wantKeys(t, s, projector.BucketSnapshot, "", "k", "other")
}

func deletes(t *testing.T, s projector.Store) {
	b := projector.BucketLatest
	save(t, s, b, cell("a", "1"), cell("b", "2"), cell("c", "3"))
	save(t, s, b, projector.Cell{Key: "b"}, projector.Cell{Key: "never.there"})
	wantNone(t, s, b, "b")
	wantNone(t, s, b, "never.there")
	wantKeys(t, s, b, "", "a", "c")
	save(t, s, b, cell("b", "again"), projector.Cell{Key: "a"}, cell("a", "new"), cell("c", "x"), projector.Cell{Key: "c"})
	wantCell(t, s, b, "b", "again")
	wantCell(t, s, b, "a", "new")
	wantNone(t, s, b, "c")
	wantKeys(t, s, b, "", "a", "b")
}

func separateBuckets(t *testing.T, s projector.Store) {
	for _, b := range buckets {
		save(t, s, b, cell("same", b))
	}
	for _, b := range buckets {
		wantCell(t, s, b, "same", b)
		wantKeys(t, s, b, "", "same")
	}
}

// weird are keys of which one or the other store forbids something; all are different.
var weird = []string{
	"", ".", "..", "a.", ".a", "a..b", "a.b", "a=2Eb", "=", "==", "=2E", "*", ">", "a.*", "a.>", "a b", "\t", "\n", "\x00", "$KV.x",
	"ü", "日本", "\xff\xfe", "/", "a/b", "A", "a", "gate.v1.feature/x", "gate.v1.feature=2Fx", "gate.v1.feature%2Fx", "t.0001766289600000.s",
	strings.Repeat("k", 300), "c:\\x", "\"", "identity.v1.c68c8a51-e89d-45af-bd06-f5c764bc3b27", "_", "-",
}

func weirdKeys(t *testing.T, s projector.Store) {
	for _, b := range buckets {
		for i, k := range weird {
			save(t, s, b, cell(k, fmt.Sprint(i)))
		}
		for i, k := range weird {
			wantCell(t, s, b, k, fmt.Sprint(i))
		}
		want := slices.Clone(weird)
		slices.Sort(want)
		wantKeys(t, s, b, "", want...)
		save(t, s, b, projector.Cell{Key: "a.>"}, projector.Cell{Key: "*"}) // names, not patterns
		wantCell(t, s, b, "a.b", fmt.Sprint(slices.Index(weird, "a.b")))
		wantNone(t, s, b, "*")
	}
}

func prefixes(t *testing.T, s projector.Store) {
	b := projector.BucketSnapshot
	save(t, s, b, cell("identity.v1.b", ""), cell("identity.v1.a", ""), cell("identity.v10.a", ""), cell("gate.v1.x.y", ""), cell("gate", ""))
	wantKeys(t, s, b, "", "gate", "gate.v1.x.y", "identity.v1.a", "identity.v1.b", "identity.v10.a")
	wantKeys(t, s, b, "identity.v1.", "identity.v1.a", "identity.v1.b")
	wantKeys(t, s, b, "identity.v1", "identity.v1.a", "identity.v1.b", "identity.v10.a")
	wantKeys(t, s, b, "ga", "gate", "gate.v1.x.y")
	wantKeys(t, s, b, "gate.v1.x.y.", []string{}...)
}

// order: whatever a reader sees while cells are saved is a prefix of them, as after a crash.
func order(t *testing.T, s projector.Store) {
	const n, rounds = 40, 20
	b := projector.BucketSnapshot
	done := make(chan error, 1)
	go func() {
		for r := range rounds {
			cells := make([]projector.Cell, 0, n)
			for i := range n {
				cells = append(cells, cell(fmt.Sprintf("v.%02d", i), fmt.Sprintf("%04d", r)))
			}
			if err := s.Save(t.Context(), b, append(cells, cell("position", fmt.Sprintf("%04d", r)))); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for saving := true; saving; {
		select {
		case err := <-done:
			expect.OK(t, err)
			saving = false
		default:
		}
		position, err := s.Load(t.Context(), b, "position")
		if errors.Is(err, projector.ErrNoCell) {
			continue
		}
		expect.OK(t, err)
		for _, i := range []int{0, n / 2, n - 1} {
			value, err := s.Load(t.Context(), b, fmt.Sprintf("v.%02d", i))
			if err != nil || bytes.Compare(value, position) < 0 {
				t.Fatalf("position %s is newer than value %d: %s, %v", position, i, value, err)
			}
		}
	}
	wantCell(t, s, b, "position", fmt.Sprintf("%04d", rounds-1))
}

func cancelled(t *testing.T, s projector.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Save(ctx, projector.BucketSnapshot, []projector.Cell{cell("a", "1")}); !errors.Is(err, context.Canceled) {
		t.Errorf("save with a cancelled context: %v", err)
	}
	if _, err := s.Load(ctx, projector.BucketSnapshot, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("load with a cancelled context: %v", err)
	}
	wantNone(t, s, projector.BucketSnapshot, "a")
	if err := s.Save(t.Context(), projector.BucketSnapshot, nil); err != nil {
		t.Errorf("save of no cells: %v", err)
	}
}

func large(t *testing.T, s projector.Store) {
	value := bytes.Repeat([]byte("0123456789abcdef"), 64<<10) // 1 MiB
	save(t, s, projector.BucketSnapshot, projector.Cell{Key: "large", Value: value}, cell("after", "x"))
	wantCell(t, s, projector.BucketSnapshot, "large", string(value))
	wantCell(t, s, projector.BucketSnapshot, "after", "x")
}

func manyKeys(t *testing.T, s projector.Store) {
	const n = 10_000
	b := projector.BucketLatest
	cells, want := make([]projector.Cell, n), make([]string, n)
	for i := range cells {
		want[i] = fmt.Sprintf("t.%013d.s-%d", 1_766_289_600_000+i, i%7)
		cells[n-1-i] = cell(want[i], fmt.Sprint(i))
	}
	save(t, s, b, cells...)
	wantKeys(t, s, b, "t.", want...)
	for _, i := range []int{0, 511, 512, 513, n - 1} {
		wantCell(t, s, b, want[i], fmt.Sprint(i))
	}
}

func concurrent(t *testing.T, s projector.Store) {
	const writers, rounds = 8, 25
	b := projector.BucketSnapshot
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for r := range rounds {
				mine := fmt.Sprintf("w.%d", w)
				if err := s.Save(t.Context(), b, []projector.Cell{cell(mine, fmt.Sprint(r)), cell("shared", mine)}); err != nil {
					t.Error(err)
					return
				}
				if got, err := s.Load(t.Context(), b, mine); err != nil || string(got) != fmt.Sprint(r) {
					t.Errorf("own write %d of %s reads %q, %v", r, mine, got, err)
				}
				if _, err := s.Keys(t.Context(), b, "w."); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	keys, err := s.Keys(t.Context(), b, "w.")
	if err != nil || len(keys) != writers {
		t.Errorf("keys = %v, %v", keys, err)
	}
}

// ownership: neither side sees what the other does with its slice afterwards.
func ownership(t *testing.T, s projector.Store) {
	value := []byte("before")
	save(t, s, projector.BucketCache, projector.Cell{Key: "k", Value: value})
	copy(value, "after!")
	got, err := s.Load(t.Context(), projector.BucketCache, "k")
	if err != nil || string(got) != "before" {
		t.Fatalf("load = %q, %v", got, err)
	}
	copy(got, "after!")
	wantCell(t, s, projector.BucketCache, "k", "before")
}

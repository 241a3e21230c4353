package projector_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
)

// counted is a projection whose meaning changes with its version, and which writes to bucket latest.
func counted(version int, bucketKey string) []*projector.Table {
	return []*projector.Table{projector.New(projector.Spec[map[string]int]{
		Name: "counted", Former: []string{"older"}, Version: version, Buckets: []string{projector.BucketLatest},
		Scope: projector.BySession,
		On: projector.Handlers(projector.OnAny(func(s *map[string]int, _ events.Record) {
			(*s)["n"] += version
		})),
		Start: func(string) map[string]int { return map[string]int{} },
		Views: func(key string, _ map[string]int) []projector.ViewCell {
			return []projector.ViewCell{{Bucket: projector.BucketLatest, Key: bucketKey + key, Value: []byte("1")}}
		},
	})}
}

// An upgrade that changes what a state means leaves nothing of the old one behind.
func TestAnotherVersionIsFoldedAnew(t *testing.T) {
	ctx, store := context.Background(), projector.NewMemory()
	log := logOf([]events.Record{sessionRecord(1, "s-1", "SessionStart"), sessionRecord(2, "s-2", "SessionStart")})
	for _, c := range []struct {
		version int
		views   string
		want    string
	}{{1, "old.", `{"n":1}`}, {2, "new.", `{"n":2}`}, {10, "newer.", `{"n":10}`}, {1, "old.", `{"n":1}`}} { // the last is a step back
		expect.OK(t, store.Save(ctx, projector.BucketSnapshot, []projector.Cell{{Key: "older.v1.s-1", Value: []byte("{}")}}))
		v, err := projector.OpenView(ctx, store, counted(c.version, c.views))
		expect.OK(t, err)
		left, err := store.Keys(ctx, projector.BucketSnapshot, "older.")
		expect.OK(t, err)
		expect.Equal(t, len(left), 0, "version", c.version, "cells of a projection of before")
		expect.Equal(t, v.Position().Seq, 0, "version", c.version, "resumes at")
		expect.OK(t, log(ctx, 1, 0, func(r events.Record) error { return v.Apply(ctx, r) }))
		if _, diffs, err := v.Verify(ctx, log, nil); err != nil || len(diffs) > 0 {
			t.Errorf("version %d: %v %v", c.version, diffs, err)
		}
		_ = v.Read(ctx, func(r projector.Reader) error {
			if raw, _, _ := r.Raw("counted", "s-1"); string(raw) != c.want {
				t.Errorf("version %d: %s", c.version, raw)
			}
			return nil
		})
		keys, err := store.Keys(ctx, projector.BucketLatest, "")
		if err != nil || len(keys) != 2 || keys[0] != c.views+"s-1" {
			t.Errorf("version %d: bucket latest has %v (%v)", c.version, keys, err)
		}
	}
}

// breaking is a store that refuses every cell after some.
type breaking struct {
	projector.Store
	left int
}

var errRefused = errors.New("no space left on device")

func (b *breaking) Save(ctx context.Context, bucket string, cells []projector.Cell) error {
	for _, c := range cells {
		if b.left--; b.left < 0 {
			return errRefused
		}
		if err := b.Store.Save(ctx, bucket, []projector.Cell{c}); err != nil {
			return err
		}
	}
	return nil
}

// Wherever a Forget breaks off, the next opening folds what is missing.
func TestForgetBrokenOff(t *testing.T) {
	recs := []events.Record{sessionRecord(1, "s-1", "SessionStart"), sessionRecord(2, "s-2", "SessionStart"), sessionRecord(3, "s-2", "SessionEnd")}
	straight := projector.NewMemory()
	fold(t, straight, recs, 0)
	want := dump(t, straight)

	for n := 0; ; n++ {
		mem := projector.NewMemory()
		fold(t, mem, recs, 0)
		v := open(t, &breaking{mem, n})
		err := v.Forget(t.Context())
		if err != nil && !errors.Is(err, errRefused) {
			t.Fatal(err)
		}

		next := open(t, mem)
		for _, r := range recs[next.Position().Seq:] {
			expect.OK(t, next.Apply(t.Context(), r))
		}
		flush(t, next)
		same(t, fmt.Sprintf("broken off after %d cells", n), want, dump(t, mem))
		if err == nil {
			return
		}
	}
}

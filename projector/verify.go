package projector

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// maxComparedStates is the number of changed cells that a comparison keeps as states, which take some times the memory
// of their JSON: those of some thousand sessions.
const maxComparedStates = 20_000

// Verify flushes the view, folds the log again up to the position that was written and compares
// every cell of every bucket. While it runs nothing is written behind; folding goes on.
func (v *View) Verify(ctx context.Context, log Source, progress func(seq uint64)) (Position, []Diff, error) {
	v.flushing.Lock()
	defer v.flushing.Unlock()

	again, err := v.refold(ctx, log, refoldOptions{progress: progress, maxStates: maxComparedStates})
	return again.position, again.diffs, err
}

// refoldOptions say what is folded again.
type refoldOptions struct {
	only      string // name of a projection; "" for all
	progress  func(seq uint64)
	maxStates int // how many changed cells stay in memory as states; 0 for all
}

// refolded is the log folded again.
type refolded struct {
	view     *View    // of the chosen projections
	position Position // that was written before, and up to which the log was folded
	diffs    []Diff   // what the stored cells have otherwise
}

// refold writes the view, folds the log up to there into a second view, and compares the cells of both. The caller
// holds flushing. Where it fails the position may be known and the rest is not.
func (v *View) refold(ctx context.Context, log Source, o refoldOptions) (refolded, error) {
	tables, err := v.chosen(o.only)
	if err != nil {
		return refolded{}, err
	}
	position, err := v.flush(ctx)
	if err != nil {
		return refolded{position: position}, err
	}
	again := refolded{position: position}

	v.mu.Lock()
	retracted := v.retracted.upTo(position.Seq)
	v.mu.Unlock()

	fresh, err := FoldLog(ctx, log, FoldOptions{
		Tables:     tables,
		To:         position.Seq,
		Progress:   o.progress,
		retracted:  retracted,
		maxChanged: o.maxStates,
	})
	if err != nil {
		return again, fmt.Errorf("fold the log again: %w", err)
	}
	if _, err := fresh.Flush(ctx); err != nil {
		return again, fmt.Errorf("encode what was folded again: %w", err)
	}

	again.view = fresh
	again.diffs, err = v.compare(ctx, fresh)
	return again, err
}

// compare returns the differences of the stored cells from the fresh view's. Cells of projections that the fresh view
// does not have are left out.
func (v *View) compare(ctx context.Context, fresh *View) ([]Diff, error) {
	var out []Diff
	for _, bucket := range []string{BucketSnapshot, BucketLatest, BucketCache} {
		differ, err := v.differences(ctx, fresh, bucket)
		if err != nil {
			return nil, err
		}

		for _, key := range slices.Sorted(maps.Keys(differ)) {
			d := Diff{Projection: ownerOf(v.tables, bucket, key), Bucket: bucket, Key: key}
			leftOut := v.table(d.Projection) != nil && fresh.table(d.Projection) == nil
			if !leftOut {
				out = append(out, Explain(d, differ[key].want, differ[key].got)...)
			}
		}
	}
	return out, nil
}

// difference is a cell that two buckets have otherwise, nil where one lacks it.
type difference struct {
	want, got []byte
}

// differences compares a bucket with the fresh view's, cell by cell: all of them together may be larger than the
// memory.
func (v *View) differences(ctx context.Context, fresh *View, bucket string) (map[string]difference, error) {
	keys, err := fresh.store.Keys(ctx, bucket, "")
	if err != nil {
		return nil, fmt.Errorf("list bucket %s: %w", bucket, err)
	}
	lacking := map[string]bool{}
	for _, key := range keys {
		lacking[key] = true
	}

	wanted := func(key string) ([]byte, error) {
		want, err := fresh.store.Load(ctx, bucket, key)
		if errors.Is(err, ErrNoCell) {
			return nil, nil
		}
		return want, err
	}

	differ := map[string]difference{}
	err = v.store.Scan(ctx, bucket, "", func(key string, got []byte) error {
		if strings.HasPrefix(key, ProbePrefix) {
			return nil
		}
		delete(lacking, key)

		want, err := wanted(key)
		if err != nil {
			return err
		}
		if bytes.Equal(want, got) {
			delete(differ, key) // a cell that is written meanwhile comes again
			return nil
		}
		differ[key] = difference{want, got}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read bucket %s: %w", bucket, err)
	}

	for key := range lacking {
		want, err := wanted(key)
		if err != nil {
			return nil, err
		}
		differ[key] = difference{want: want}
	}
	return differ, nil
}

// Owner returns the name and the version of the projection that a stored cell belongs to: of pointers and cache that whose
// views they are; "" where no projection of this build wrote it.
func (v *View) Owner(bucket, key string) (name string, version int) {
	t := v.table(ownerOf(v.tables, bucket, key))
	if t == nil || bucket == BucketSnapshot && key != t.positionKey() && !strings.HasPrefix(key, t.prefix()) {
		return "", 0
	}
	return t.name, t.version
}

// CellSeq returns the sequence that a stored value of bucket snapshot was folded at: of a position the sequence that it
// names. It is 0 of everything else.
func CellSeq(value []byte) uint64 {
	stored, err := readCell(value)
	if err != nil {
		return 0
	}
	return stored.Seq
}

// ownerOf returns the name of the projection that a cell belongs to: of pointers and cache the one whose views they
// are.
func ownerOf(tables []*tableView, bucket, key string) string {
	for _, t := range tables {
		if slices.Contains(t.buckets, bucket) {
			return t.name
		}
		if bucket == BucketSnapshot && (strings.HasPrefix(key, t.prefix()) || key == t.positionKey()) {
			return t.name
		}
	}
	name, _, _ := strings.Cut(key, ".")
	return name
}

package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"hookline/embedded"
	"hookline/hookctl/api"
	"hookline/hookctl/problem"
	"hookline/projector"
	"hookline/projector/tables"
)

// The buckets as they are stored: which keys there are, their values, and what changes. Nothing is written here.

// buckets returns what buckets there are, and how far each projection is written.
func (ep *stateEndpoints) buckets(ctx context.Context, _ api.None) (out api.Buckets, err error) {
	out.Seq, _ = ep.stream.Last()
	for _, name := range embedded.BucketNames {
		info, err := ep.server.Bucket(ctx, name)
		if err != nil {
			return out, err
		}
		out.Buckets = append(out.Buckets, api.Bucket(info))
	}

	positions := ep.view.Positions()
	for _, t := range tables.All() {
		seq := positions[t.Name()].Seq
		lag := out.Seq - min(out.Seq, seq)
		out.Projections = append(out.Projections, api.BucketProjection{Name: t.Name(), Version: t.Version(), Seq: seq, Lag: lag})
	}
	return out, nil
}

// bucketCells sends the values of a bucket without their contents, in the order of their keys; one value with its content;
// or what changes.
func (ep *stateEndpoints) bucketCells(ctx context.Context, r api.BucketRequest, out api.Lines[api.BucketCell]) error {
	if err := knownBucket(r.Bucket, r.Watch); err != nil {
		return err
	}
	if r.Watch {
		return ep.watchBuckets(ctx, r, out)
	}
	if r.Key != "" {
		return ep.bucketValue(ctx, r, out)
	}

	cells := map[string]api.BucketCell{} // by key: one that is written meanwhile comes twice
	err := ep.server.BucketEntries(ctx, r.Bucket, 0, func(e embedded.BucketEntry) error {
		cells[e.Key] = ep.bucketCell(r.Bucket, e)
		return nil
	})
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(cells)) {
		if out.Send(cells[key]) != nil {
			return nil // the reader is gone
		}
	}
	return nil
}

// knownBucket refuses a bucket that is none, with the names of those that are.
func knownBucket(name string, all bool) error {
	if slices.Contains(embedded.BucketNames, name) || name == "" && all {
		return nil
	}
	refused := problem.Missing("no bucket is called %q", name)
	if near := problem.Nearest(name, embedded.BucketNames); near != "" {
		return refused.Advise("did you mean " + near + "?")
	}
	return refused.Advise("buckets: " + strings.Join(embedded.BucketNames, ", "))
}

// bucketValue sends the value of a key.
func (ep *stateEndpoints) bucketValue(ctx context.Context, r api.BucketRequest, out api.Lines[api.BucketCell]) error {
	key, err := ep.bucketKey(ctx, r.Bucket, r.Key)
	if err != nil {
		return err
	}
	entry, err := ep.server.BucketEntry(ctx, r.Bucket, key)
	if err != nil {
		return err
	}

	cell := ep.bucketCell(r.Bucket, entry)
	if json.Valid(entry.Value) {
		cell.Value = entry.Value
	} else {
		cell.Text = string(entry.Value)
	}
	_ = out.Send(cell) // a reader that is gone wants no error
	return nil
}

// keysTold is how many keys a hint names.
const keysTold = 5

// bucketKey returns the key that is meant: the word itself, else the only key that has the word in it.
func (ep *stateEndpoints) bucketKey(ctx context.Context, bucket, word string) (string, error) {
	keys, err := ep.server.Store().Keys(ctx, bucket, "")
	if err != nil {
		return "", err
	}
	if slices.Contains(keys, word) {
		return word, nil
	}

	var having []string
	for _, key := range keys {
		if strings.Contains(key, word) {
			having = append(having, key)
		}
	}
	if len(having) == 1 {
		return having[0], nil
	}
	if len(having) > 1 {
		told := strings.Join(having[:min(keysTold, len(having))], ", ")
		if more := len(having) - keysTold; more > 0 {
			told += fmt.Sprintf(" and %d more", more)
		}
		return "", problem.Conflict("%d keys of bucket %s have %q in them", len(having), bucket, word).Advise("one of: " + told)
	}

	missing := problem.Missing("bucket %s has no key %q", bucket, word)
	if near := problem.Nearest(word, keys); near != "" {
		return "", missing.Advise("did you mean " + near + "?")
	}
	return "", missing.Advise(fmt.Sprintf("`replay bucket %s` lists what it has: %d in all", bucket, len(keys)))
}

// bucketCell returns an entry without its content.
func (ep *stateEndpoints) bucketCell(bucket string, e embedded.BucketEntry) api.BucketCell {
	cell := api.BucketCell{Bucket: bucket, Key: e.Key, Revision: e.Revision, Bytes: len(e.Value), Time: e.Time}
	cell.Projection, cell.Version = ep.view.Owner(bucket, e.Key)
	cell.Position = ep.view.Positions()[cell.Projection].Seq
	if bucket == projector.BucketSnapshot && cell.Projection != "" {
		cell.Seq = projector.CellSeq(e.Value)
	}
	return cell
}

// watchBuckets sends what is written to the buckets, and which keys go, until the reader or the daemon is gone.
func (ep *stateEndpoints) watchBuckets(ctx context.Context, r api.BucketRequest, out api.Lines[api.BucketCell]) error {
	names := embedded.BucketNames
	if r.Bucket != "" {
		names = []string{r.Bucket}
	}
	wanted := func(c api.BucketCell) error {
		if r.Key != "" && !strings.Contains(c.Key, r.Key) {
			return nil
		}
		return out.Send(c)
	}

	seen := map[string]*bucketSeen{}
	written := ep.server.BucketsWritten()
	for _, name := range names {
		keys, err := ep.server.Store().Keys(ctx, name, "")
		if err != nil {
			return err
		}
		info, err := ep.server.Bucket(ctx, name)
		if err != nil {
			return err
		}
		seen[name] = newBucketSeen(info.Revision, keys)
	}

	for {
		if out.Flush() != nil || !ep.awaitWrite(ctx, written, out) {
			return nil
		}
		written = ep.server.BucketsWritten() // before they are read: nothing is written unseen
		for _, name := range names {
			if err := ep.changed(ctx, name, seen[name], wanted); err != nil {
				return nil // an error is a watcher that is gone, or the end of the daemon
			}
		}
	}
}

// awaitWrite waits for a write to a bucket, and reports whether there was one. An empty line every few seconds tells the
// reader that the daemon is there.
func (ep *stateEndpoints) awaitWrite(ctx context.Context, written <-chan struct{}, out api.Lines[api.BucketCell]) bool {
	for {
		select {
		case <-ctx.Done():
			return false
		case <-ep.life.Done():
			return false
		case <-written:
			return true
		case <-time.After(heartbeat):
			if out.Heartbeat() != nil || out.Flush() != nil {
				return false
			}
		}
	}
}

// bucketSeen is what a watcher knows of a bucket.
type bucketSeen struct {
	revision uint64
	keys     map[string]bool
}

func newBucketSeen(revision uint64, keys []string) *bucketSeen {
	seen := &bucketSeen{revision: revision, keys: map[string]bool{}}
	for _, key := range keys {
		seen.keys[key] = true
	}
	return seen
}

// changed sends what a bucket has that a watcher does not know, and the keys that are gone. Keys are listed only where their
// number says that some are.
func (ep *stateEndpoints) changed(ctx context.Context, bucket string, seen *bucketSeen, send func(api.BucketCell) error) error {
	err := ep.server.BucketEntries(ctx, bucket, seen.revision, func(e embedded.BucketEntry) error {
		seen.revision = max(seen.revision, e.Revision)
		seen.keys[e.Key] = true
		return send(ep.bucketCell(bucket, e))
	})
	if err != nil {
		return err
	}

	info, err := ep.server.Bucket(ctx, bucket)
	if err != nil || info.Keys == uint64(len(seen.keys)) {
		return err
	}
	keys, err := ep.server.Store().Keys(ctx, bucket, "")
	if err != nil {
		return err
	}
	there := newBucketSeen(0, keys).keys
	for _, key := range slices.Sorted(maps.Keys(seen.keys)) {
		if there[key] {
			continue
		}
		delete(seen.keys, key)
		gone := ep.bucketCell(bucket, embedded.BucketEntry{Key: key, Revision: info.Revision})
		gone.Deleted = true
		if err := send(gone); err != nil {
			return err
		}
	}
	return nil
}

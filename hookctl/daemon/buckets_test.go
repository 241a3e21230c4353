//go:build unix

package daemon

import (
	"context"
	"errors"
	"testing"

	"hookline/expect"
	"hookline/hookctl/api"
	"hookline/hookctl/client"
	"hookline/projector"
)

// errSeen ends a watch.
var errSeen = errors.New("seen")

// watched watches the buckets, calls write each time the watch has nothing to tell, and returns what came until stop says so.
func watched(t *testing.T, d *Daemon, r api.BucketRequest, write func(), stop func(api.BucketCell) bool) (cells []api.BucketCell) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c := client.InProcess(client.Local{Handler: d.Handler()})

	written := make(chan struct{})
	go func() { // a watch begins at an unknown moment: what is written again comes at last
		defer close(written)
		for ctx.Err() == nil {
			write()
		}
	}()
	err := api.BucketCells.Each(ctx, c, r, func(cell api.BucketCell) error {
		cells = append(cells, cell)
		if stop(cell) {
			return errSeen
		}
		return nil
	})
	cancel()
	<-written
	if !errors.Is(err, errSeen) {
		t.Fatalf("the watch ended with %v after %d cells", err, len(cells))
	}
	return cells
}

// A watch tells what is written and what goes, in the bucket and of the key that is asked for.
func TestWatchBuckets(t *testing.T) {
	d := opened(t)
	take(t, d, startOf("s-1"))
	save := func(bucket, key string, value []byte) {
		expect.OK(t, d.server.Store().Save(context.Background(), bucket, []projector.Cell{{Key: key, Value: value}}))
	}

	write := func() {
		save(projector.BucketCache, "brief.other", []byte("other"))
		save(projector.BucketLatest, "brief.watched", []byte("elsewhere"))
		save(projector.BucketCache, "brief.watched", []byte("now"))
		save(projector.BucketCache, "brief.watched", nil)
	}
	request := api.BucketRequest{Bucket: projector.BucketCache, Key: "brief.watched", Watch: true}
	cells := watched(t, d, request, write, func(c api.BucketCell) bool { return c.Deleted })
	for _, c := range cells {
		expect.Equal(t, c.Bucket+" "+c.Key, "cache brief.watched", "what the watch was asked for")
	}
	expect.Equal(t, cells[len(cells)-1].Projection, "identity", "owner of a brief")
}

// What the projections write is told with the sequence that it was folded at.
func TestWatchSnapshots(t *testing.T) {
	d := opened(t)
	take(t, d, startOf("s-1"))
	i := 0
	write := func() {
		i++
		take(t, d, bashOf("s-1", i))
		_, err := d.view.Flush(context.Background())
		expect.OK(t, err)
	}
	cells := watched(t, d, api.BucketRequest{Watch: true, Key: "session.v"}, write, func(c api.BucketCell) bool {
		return c.Projection == "session" && c.Seq > 0
	})
	last := cells[len(cells)-1]
	expect.Equal(t, last.Bucket, "snapshot", "bucket")
	if last.Revision == 0 || last.Bytes == 0 || last.Version == 0 {
		t.Errorf("revision, size and version of %s: %d, %d, %d", last.Key, last.Revision, last.Bytes, last.Version)
	}
}

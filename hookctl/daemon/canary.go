package daemon

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"hookline/events"
	"hookline/hookctl/client"
	"hookline/hookctl/wire"
	"hookline/projector"
)

func (d *Daemon) canary(ctx context.Context) client.Canary {
	c := client.Canary{OK: true}
	nonce := wire.NewID(d.opts.Now().UnixMilli())
	step := func(name string, fn func() (string, error)) {
		begin := time.Now()
		detail, err := fn()
		s := client.CanaryStep{Name: name, OK: err == nil, Detail: detail, MS: float64(time.Since(begin).Microseconds()) / 1000}
		if err != nil {
			s.Detail, c.OK = err.Error(), false
		}
		c.Steps = append(c.Steps, s)
	}
	step("append, fold and sync", func() (string, error) {
		rec, err := d.Emit(ctx, events.Envelope{Type: events.TypeCanarySent, Data: []byte(`{"nonce":"` + nonce + `"}`)})
		c.Seq, c.ID = rec.Seq, rec.ID
		return fmt.Sprintf("sequence %d", rec.Seq), err
	})
	step("read back from the log", func() (string, error) {
		rec, err := d.stream.Get(ctx, c.Seq)
		if e, ok := rec.Event.(*events.CanarySent); err == nil && (!ok || e.Nonce != nonce || rec.ID != c.ID) {
			err = fmt.Errorf("sequence %d holds %s %s", c.Seq, rec.Type, rec.ID)
		}
		return "", err
	})
	step("projections written", func() (string, error) {
		pos, err := d.view.Flush(ctx)
		if err == nil && pos.Seq < c.Seq {
			err = fmt.Errorf("written up to %d only", pos.Seq)
		}
		return fmt.Sprintf("position %d", pos.Seq), err
	})
	for _, bucket := range []string{projector.BucketSnapshot, projector.BucketLatest, projector.BucketCache} {
		step("bucket "+bucket, func() (string, error) { return "", d.roundTrip(ctx, bucket, nonce) })
	}
	step("blob store", func() (string, error) {
		digest, err := d.ground.Blobs().Put([]byte("canary"))
		if err != nil {
			return "", err
		}
		got, err := d.ground.Blobs().Get(digest)
		if err == nil && string(got) != "canary" {
			err = fmt.Errorf("%s came back changed", digest)
		}
		return "", err
	})
	return c
}

// roundTrip writes, reads and deletes one cell that belongs to no projection.
func (d *Daemon) roundTrip(ctx context.Context, bucket, nonce string) error {
	key := projector.ProbePrefix + nonce
	store := d.ground.Store()
	if err := store.Save(ctx, bucket, []projector.Cell{{Key: key, Value: []byte(nonce)}}); err != nil {
		return err
	}
	got, err := store.Load(ctx, bucket, key)
	if err == nil && !bytes.Equal(got, []byte(nonce)) {
		err = fmt.Errorf("cell came back as %q", got)
	}
	if err != nil {
		return err
	}
	return store.Save(ctx, bucket, []projector.Cell{{Key: key}})
}

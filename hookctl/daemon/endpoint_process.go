package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/wire"
	"hookline/projector"
	"hookline/projector/session"
	"hookline/projector/tables"
	"hookline/replay/check"
)

// status gathers the daemon's state.
func (ep *processEndpoints) status() api.Status {
	pid := os.Getpid()
	last, _ := ep.stream.Last()
	rep := ep.server.Report()
	s := api.Status{
		PID:         &pid,
		Version:     wire.Build,
		Protocol:    wire.Protocol,
		UptimeS:     ep.opts.Now().Sub(ep.started).Seconds(),
		Seq:         last,
		Fsync:       cmp.Or(ep.opts.Fsync, "shared"),
		Home:        ep.opts.Home,
		Socket:      ep.socket(),
		Listen:      ep.feed(),
		CleanStart:  rep.Clean,
		Spool:       ep.spool.Count(),
		Warnings:    []string{},
		Damage:      check.Status(rep),
		Projections: []api.ProjectionStatus{},
	}
	for _, l := range ep.sessionsBy(ep.life, session.Alive) {
		s.Live = append(s.Live, api.LiveSession{ID: l.ID, Title: l.Title, Standing: l.Standing()})
	}
	s.LiveSessions = len(s.Live)
	pos := ep.view.Positions()
	for _, name := range tables.Names() {
		s.Projections = append(s.Projections, api.ProjectionStatus{Name: name, Seq: pos[name].Seq, Lag: last - min(last, pos[name].Seq)})
	}
	ep.intake.counts.addTo(&s)
	s.FreeBytes, s.TotalBytes, _ = ep.server.Free()
	for _, w := range rep.Warnings {
		s.Warnings = append(s.Warnings, w.Time.UTC().Format(time.RFC3339)+" "+w.Text)
	}
	return s
}

// canary sends an event through the whole line, and writes and reads one cell of each bucket and one large content.
func (ep *processEndpoints) canary(ctx context.Context) api.Canary {
	c := api.Canary{OK: true}
	nonce := wire.NewID(ep.opts.Now().UnixMilli())
	step := func(name string, fn func() error) {
		begin := time.Now()
		err := fn()
		s := api.CanaryStep{Name: name, OK: err == nil, MS: float64(time.Since(begin).Microseconds()) / 1000}
		if err != nil {
			s.Detail, c.OK = err.Error(), false
		}
		c.Steps = append(c.Steps, s)
	}
	same := func(got []byte, want string, err error) error {
		if err == nil && string(got) != want {
			err = fmt.Errorf("it came back as %q", got)
		}
		return err
	}
	step("append, fold and sync", func() error {
		recs, err := ep.rec.Note(ctx, events.Envelope{}, &events.CanarySent{Nonce: nonce})
		if err == nil {
			c.Seq, c.ID = recs[0].Seq, recs[0].ID
		}
		return err
	})
	step("read back from the log", func() error {
		rec, err := ep.stream.Get(ctx, c.Seq)
		return same([]byte(rec.ID), c.ID, err)
	})
	step("projections written", func() error {
		pos, err := ep.view.Flush(ctx)
		if err == nil && pos.Seq < c.Seq {
			err = fmt.Errorf("written up to %d only", pos.Seq)
		}
		return err
	})
	for _, bucket := range []string{projector.BucketSnapshot, projector.BucketLatest, projector.BucketCache} {
		step("bucket "+bucket, func() error { // the cell belongs to no projection
			key, store := projector.ProbePrefix+nonce, ep.server.Store()
			if err := store.Save(ctx, bucket, []projector.Cell{{Key: key, Value: []byte(nonce)}}); err != nil {
				return err
			}
			got, err := store.Load(ctx, bucket, key)
			return errors.Join(same(got, nonce, err), store.Save(ctx, bucket, []projector.Cell{{Key: key}}))
		})
	}
	step("blob store", func() error {
		digest, err := ep.server.Blobs().Put([]byte("canary"))
		if err != nil {
			return err
		}
		got, err := ep.server.Blobs().Get(digest)
		return same(got, "canary", err)
	})
	return c
}

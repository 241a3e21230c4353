package recorder

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/hook"
	"hookline/projector"
	"hookline/projector/session"
	"hookline/projector/tables"
)

// openAt opens the store in a folder.
func openAt(t *testing.T, dir string) *Recorder {
	t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	return expect.Value(Open(t.Context(), Options{Store: embedded.Options{Dir: dir, Log: quiet, Now: time.Now}, Log: quiet, Now: time.Now}))(t)
}

// tampered has a store with an event, changes its buckets, and returns what the next opening folded again.
func tampered(t *testing.T, tamper func(t *testing.T, s *embedded.Server)) *events.BucketRebuilt {
	t.Helper()
	dir := t.TempDir()
	r := openAt(t, dir)
	_, err := r.Record(t.Context(), bash(1), hook.World{}, "a")
	expect.OK(t, err)
	expect.OK(t, r.Close(context.Background()))

	s := expect.Value(embedded.Open(t.Context(), embedded.Options{Dir: dir}))(t)
	tamper(t, s)
	expect.OK(t, s.Close(context.Background()))
	r = openAt(t, dir)
	defer func() { expect.OK(t, r.Close(context.Background())) }()
	return r.Rebuilt()
}

// The opening knows why it folded anew, and which projections; where it went on from what was stored that is nothing.
func TestRebuiltAtOpening(t *testing.T) {
	save := func(t *testing.T, s *embedded.Server, key, value string) {
		cell := projector.Cell{Key: key}
		if value != "" {
			cell.Value = []byte(value)
		}
		expect.OK(t, s.Store().Save(t.Context(), projector.BucketSnapshot, []projector.Cell{cell}))
	}
	position := fmt.Sprintf("position.%s.v%d", session.Name, session.Table.Version())

	got := tampered(t, func(*testing.T, *embedded.Server) {})
	if got != nil {
		t.Errorf("nothing was changed, and the opening rebuilt %+v", got)
	}

	all := len(tables.All())
	for name, c := range map[string]struct {
		tamper      func(*testing.T, *embedded.Server)
		cause       string
		projections int
	}{
		"a former version": {func(t *testing.T, s *embedded.Server) {
			save(t, s, position, "")
			save(t, s, "position.session.v1", `{"seq":1,"id":"x"}`)
		}, events.RebuiltVersion, 1},
		"a broken position": {func(t *testing.T, s *embedded.Server) {
			save(t, s, position, "{")
		}, events.RebuiltUnreadable, 1},
		"another log": {func(t *testing.T, s *embedded.Server) {
			save(t, s, position, `{"seq":1,"id":"01KAJ3Z8T0V9Q4XW2N6M5R7S1C","words":{}}`)
		}, events.RebuiltOtherLog, all},
	} {
		t.Run(name, func(t *testing.T) {
			got := tampered(t, c.tamper)
			if got == nil {
				t.Fatal("the opening says that it rebuilt nothing")
			}
			expect.Equal(t, got.Cause, c.cause, "cause")
			expect.Equal(t, len(got.Projections), c.projections, "projections")
			expect.Equal(t, got.Seq, uint64(1), "sequence")
			expect.Equal(t, got.Buckets[0], projector.BucketSnapshot, "first bucket")
			if got.Cells == 0 {
				t.Error("no cells were counted")
			}
		})
	}
}

// Buckets that are gone are told from those that are damaged.
func TestRebuiltBuckets(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(t *testing.T, streams string)
		cause string
	}{
		"one is gone": {func(t *testing.T, streams string) {
			expect.OK(t, os.RemoveAll(filepath.Join(streams, "KV_latest")))
		}, events.RebuiltLost},
		"both are gone": {func(t *testing.T, streams string) {
			expect.OK(t, os.RemoveAll(filepath.Join(streams, "KV_latest")))
			expect.OK(t, os.RemoveAll(filepath.Join(streams, "KV_snapshot")))
		}, events.RebuiltLost},
		"one is damaged": {func(t *testing.T, streams string) {
			blocks := expect.Value(filepath.Glob(filepath.Join(streams, "KV_snapshot", "msgs", "*.blk")))(t)
			b := expect.Value(os.ReadFile(blocks[0]))(t)
			b[len(b)/2] ^= 0xff
			expect.OK(t, os.WriteFile(blocks[0], b, 0o600))
		}, events.RebuiltDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			r := openAt(t, dir)
			_, err := r.Record(t.Context(), bash(1), hook.World{}, "a")
			expect.OK(t, err)
			expect.OK(t, r.Close(context.Background()))
			c.spoil(t, filepath.Join(dir, "jetstream", "$G", "streams"))

			r = openAt(t, dir)
			defer func() { expect.OK(t, r.Close(context.Background())) }()
			got := r.Rebuilt()
			if got == nil {
				t.Fatal("the opening says that it rebuilt nothing")
			}
			expect.Equal(t, got.Cause, c.cause, "cause")
			expect.Equal(t, len(got.Projections), len(tables.All()), "projections")
		})
	}
}

// Cells that cannot be read are folded anew, and the log says so.
func TestHealIsRecorded(t *testing.T) {
	dir := t.TempDir()
	r := openAt(t, dir)
	_, err := r.Record(t.Context(), bash(1), hook.World{}, "a")
	expect.OK(t, err)
	expect.OK(t, r.Close(context.Background()))
	s := expect.Value(embedded.Open(t.Context(), embedded.Options{Dir: dir}))(t)
	key := fmt.Sprintf("%s.v%d.s", session.Name, session.Table.Version())
	expect.OK(t, s.Store().Save(t.Context(), projector.BucketSnapshot, []projector.Cell{{Key: key, Value: []byte("{")}}))
	expect.OK(t, s.Close(context.Background()))

	r = openAt(t, dir)
	defer func() { expect.OK(t, r.Close(context.Background())) }()
	expect.Equal(t, stateOf(t, r).Events, 0, "hooks in the cell that cannot be read")
	r.Heal(t.Context())
	expect.Equal(t, stateOf(t, r).Events, 1, "hooks in the healed cell")

	last, _ := r.stream.Last()
	rec := expect.Value(r.stream.Get(t.Context(), last))(t)
	e, is := rec.Event.(*events.BucketRebuilt)
	if !is {
		t.Fatalf("the newest event is %s, want bucket.rebuilt", rec.Type)
	}
	expect.Equal(t, e.Cause, events.RebuiltUnreadable, "cause")
	expect.Equal(t, e.Detail, "cells that cannot be read: "+key, "detail")
}

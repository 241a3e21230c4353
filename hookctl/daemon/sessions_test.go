//go:build unix

package daemon

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"hookline/expect"
	"hookline/hookctl/hook"
	"hookline/hookctl/wire"
	"hookline/projector"
)

// frames are the hooks of the recorded session, six seconds apart: two alike hooks of one session are not one.
func frames(t *testing.T) (out []wire.Frame) {
	t.Helper()
	text := expect.Value(os.ReadFile(filepath.Join("..", "..", "demo", "session.ndjson")))(t)
	at := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	for line := range bytes.Lines(text) {
		at = at.Add(6 * time.Second)
		f := hookFrame(string(line))
		f.ID, f.Time = wire.NewID(at.UnixMilli()), at.UnixMilli()
		out = append(out, f)
	}
	return out
}

func open(t *testing.T, home string) *Daemon {
	t.Helper()
	return expect.Value(Open(t.Context(), Options{Home: home}))(t)
}

// opened is a daemon of a home of its own that is closed when the test is over.
func opened(t *testing.T) *Daemon {
	t.Helper()
	d := open(t, newHome(t))
	t.Cleanup(func() { shut(t, d) })
	return d
}

func take(t *testing.T, d *Daemon, f wire.Frame) hook.Answer {
	t.Helper()
	a := expect.Value(d.Take(t.Context(), f))(t)
	settled(t, d)
	return a
}

// settled waits for the effects of hooks.
func settled(t *testing.T, d *Daemon) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := d.Settle(ctx); err != nil {
		t.Fatalf("Settle = %v: an effect does not end", err)
	}
}

func shut(t *testing.T, d *Daemon) {
	t.Helper()
	expect.OK(t, d.Close(context.Background()))
}

// cells is everything that a daemon's buckets hold, after a flush.
func cells(t *testing.T, d *Daemon) map[string]string {
	t.Helper()
	expect.Value(d.view.Flush(t.Context()))(t)
	expect.OK(t, d.view.WarmCache(t.Context()))
	out := map[string]string{}
	s := d.server.Store()
	for _, b := range []string{projector.BucketSnapshot, projector.BucketLatest, projector.BucketCache} {
		keys := expect.Value(s.Keys(t.Context(), b, ""))(t)
		for _, k := range keys {
			v := expect.Value(s.Load(t.Context(), b, k))(t)
			out[b+"/"+k] = string(v)
		}
	}
	return out
}

func sameCells(t *testing.T, what string, want, got map[string]string) {
	t.Helper()
	for k, w := range want {
		expect.EqualNow(t, got[k], w, what, k)
	}
	expect.EqualNow(t, len(want), len(got), what, "cells")
}

// copyHome is what a crash leaves: the files as they are while the daemon runs.
func copyHome(t *testing.T, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	expect.OK(t, os.CopyFS(to, os.DirFS(from)))
	return to
}

// A recorded session gives the same cells by the running daemon, by a fold of the log, and after a crash.
func TestRecordedSessionsFoldTheSame(t *testing.T) {
	home := newHome(t)
	d := open(t, home)
	all := frames(t)
	for i, f := range all {
		take(t, d, f)
		if i == len(all)/2 {
			expect.Value(d.view.Flush(t.Context()))(t)
		}
	}
	crashed := copyHome(t, home)
	want := cells(t, d)
	if recs := allOf(t, d); len(recs) < len(all) {
		t.Fatalf("%d records of %d frames", len(recs), len(all))
	}
	mustVerify(t, d)
	shut(t, d)

	again := open(t, crashed)
	defer shut(t, again)
	sameCells(t, "after a crash", want, cells(t, again))
	mustVerify(t, again)
}

//go:build unix

package daemon

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/hook"
	"hookline/hookctl/wire"
	"hookline/projector"
)

// recorded lists the recorded sessions: the committed one, and those that HOOKLINE_SESSIONS names by
// a glob (hook payloads, one JSON object a line; a member _ts or _at is the driver's).
func recorded(t *testing.T) []string {
	t.Helper()
	files := []string{filepath.Join("..", "..", "demo", "session.ndjson")}
	if glob := os.Getenv("HOOKLINE_SESSIONS"); glob != "" {
		more := expect.Value(filepath.Glob(glob))(t)
		files = append(files, more...)
	}
	return files
}

// frames turns a recorded session into frames, a second apart.
func frames(t *testing.T, file string) []wire.Frame {
	t.Helper()
	f := expect.Value(os.Open(file))(t)
	defer f.Close()
	var out []wire.Frame
	at := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var m map[string]json.RawMessage
		expect.OK(t, json.Unmarshal(lines.Bytes(), &m))
		delete(m, "_ts")
		delete(m, "_at")
		body := expect.Value(json.Marshal(m))(t)
		at = at.Add(6 * time.Second) // two alike hooks of one session are not one
		out = append(out, wire.Frame{ID: wire.NewID(at.UnixMilli()), Args: []string{"hook", "X"}, Time: at.UnixMilli(), Complete: true,
			Size: int64(len(body)), Body: body})
	}
	expect.OK(t, lines.Err())
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
	for until := time.Now().Add(patience); d.following.Load() > 0; {
		if time.Now().After(until) {
			t.Fatal("an effect does not end")
		}
		runtime.Gosched()
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
	return stored(t, d.ground.Store())
}

func stored(t *testing.T, s projector.Store) map[string]string {
	t.Helper()
	out := map[string]string{}
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

// Recorded sessions give the same cells by the running daemon, by a straight fold of the log, resumed
// at every 50th record, applied twice, and after a crash.
func TestRecordedSessionsFoldTheSame(t *testing.T) {
	for _, file := range recorded(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			ctx, home := t.Context(), filepath.Join(t.TempDir(), "home")
			d := open(t, home)
			all := frames(t, file)
			for i, f := range all {
				take(t, d, f)
				if i == len(all)/2 {
					expect.Value(d.view.Flush(ctx))(t)
				}
			}
			crashed := copyHome(t, home)
			want := cells(t, d)
			var recs []events.Record
			expect.OK(t, d.stream.Read(ctx, 1, 0, func(r events.Record) error { recs = append(recs, r); return nil }))
			shut(t, d)
			if len(recs) < len(all) {
				t.Fatalf("%d records of %d frames", len(recs), len(all))
			}

			source := func(_ context.Context, from, to uint64, fn func(events.Record) error) error {
				for _, r := range recs[from-1 : to] {
					if err := fn(r); err != nil {
						return err
					}
				}
				return nil
			}
			straight, err := projector.Straight(ctx, projector.Tables(), source, uint64(len(recs)), nil)
			expect.OK(t, err)
			if _, diffs, err := straight.Verify(ctx, source, nil); err != nil || len(diffs) != 0 {
				t.Fatalf("straight: %v %v", diffs, err)
			}

			mem := projector.NewMemory()
			for cut := 0; cut <= len(recs); cut += 50 {
				v := expect.Value(projector.OpenView(ctx, mem, projector.Tables()))(t)
				for _, r := range recs[max(0, cut-10):min(cut+50, len(recs))] { // ten of them again
					expect.OK(t, v.Apply(ctx, r))
				}
				expect.Value(v.Flush(ctx))(t)
			}
			sameCells(t, "resumed at every 50th", want, stored(t, mem))

			again := open(t, crashed)
			sameCells(t, "after a crash", want, cells(t, again))
			v, err := again.Verify(ctx, nil)
			if err != nil || !v.Clean {
				t.Fatalf("verify after a crash: %+v %v", v, err)
			}
			shut(t, again)
		})
	}
}

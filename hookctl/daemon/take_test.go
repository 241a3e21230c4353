//go:build unix

package daemon

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/hook"
)

// One frame, delivered 64 times at once: it counts once, and every answer says the same and comes
// after its events are on disk.
func TestOneFrameManyTimes(t *testing.T) {
	d := opened(t)
	f := startOf("s-1")
	answers := make([]hook.Answer, 64)
	together(64, func(i int) {
		a, err := d.Take(context.Background(), f)
		if err != nil {
			t.Error(err)
		}
		answers[i] = a
	})
	want := `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"New session initialized"}}` + "\n"
	for i, a := range answers {
		expect.Equal(t, string(a.Stdout), want, i)
	}
	expect.Equal(t, strings.Join(typesOf(logOf(t, d)), " "), "session.started identity.restored")
	if s := d.Status(); s.Again != 63 || s.Hooks["SessionStart"].Count != 1 {
		t.Errorf("again %d, counted %d", s.Again, s.Hooks["SessionStart"].Count)
	}
}

// Two installs that send every hook at the same time: each hook counts once.
func TestTwoInstallsAtOnce(t *testing.T) {
	d := opened(t)
	dir := t.TempDir()
	together(64, func(i int) {
		f := bashOf("s-1", i/2)
		f.Binary = []string{"/a/hookctl", "/b/hookctl"}[i%2]
		f.Env["CLAUDE_PROJECT_DIR"] = dir
		if _, err := d.Take(context.Background(), f); err != nil {
			t.Error(err)
		}
	})
	n := counts(t, d)
	if n["tool.succeeded"] != 32 || n["project.seen"] != 1 || n["frame.duplicated"] < 1 || n["frame.duplicated"] > 2 || len(n) != 3 {
		t.Errorf("%v", n)
	}
	if s := d.Status(); s.Hooks["PostToolUse"].Count != 32 {
		t.Errorf("%+v", s.Hooks)
	}
	mustVerify(t, d)
}

// Callers that leave in the middle lose no fold.
func TestCancelledCallersLoseNoFold(t *testing.T) {
	d := opened(t)
	take(t, d, startOf("s-1"))
	for i := range 150 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.IntN(1500))*time.Microsecond)
		_, _ = d.intake.take(ctx, bashOf("s-1", i), fromSpool)
		cancel()
		if i%10 == 0 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.IntN(1500))*time.Microsecond)
			_, _ = d.rec.Note(ctx, events.Envelope{Session: "s-1"}, &events.IdentityPersisted{Reason: "command"})
			cancel()
		}
	}
	take(t, d, bashOf("s-1", 1000))
	mustVerify(t, d)
}

// A capture time that no calendar has must not make the log unreadable.
func TestTakeStrangeTimes(t *testing.T) {
	home := newHome(t)
	d := open(t, home)
	for i, ms := range []int64{-1, 1 << 60} {
		f := bashOf("s-1", i)
		f.Time = ms
		take(t, d, f)
	}
	shut(t, d)
	d = open(t, home)
	defer shut(t, d)
	expect.Equal(t, strings.Count(inJSON(t, logOf(t, d)), "capture time"), 2)
	mustVerify(t, d)
}

// A capture that is ahead of the daemon's clock has the daemon's time, and keeps its own; the log says so once an hour.
func TestCaptureAheadOfTheClock(t *testing.T) {
	c := &clock{time.Now()}
	d := openAt(t, newHome(t), c)
	defer shut(t, d)
	month := c.at.Add(30 * 24 * time.Hour).UnixMilli()
	for i, ms := range []int64{month, month + 1000, c.at.Add(time.Minute).UnixMilli()} {
		f := bashOf("s-1", i)
		f.Time = ms
		take(t, d, f)
	}

	var times, captured []int64
	for _, r := range logOf(t, d) {
		if _, ok := r.Event.(*events.ToolSucceeded); !ok {
			continue
		}
		times = append(times, r.Time.UnixMilli())
		at := int64(0)
		if r.Facts != nil {
			at = r.Facts.Captured
		}
		captured = append(captured, at)
	}
	now := c.at.UnixMilli()
	expect.Equal(t, fmt.Sprint(times), fmt.Sprint([]int64{now, now, now + 60_000}), "times of the hooks")
	expect.Equal(t, fmt.Sprint(captured), fmt.Sprint([]int64{month, month + 1000, 0}), "captures that were corrected")
	corrected := found[*events.ClockCorrected](t, d)
	if len(corrected) != 1 || corrected[0].AheadMS != month-now {
		t.Errorf("corrections in the log = %+v, want one of %d ms", corrected, month-now)
	}
	mustVerify(t, d)
}

// A clock that went back is recorded once, and nothing else changes.
func TestClockWentBack(t *testing.T) {
	c := &clock{time.Now()}
	d := openAt(t, newHome(t), c)
	defer shut(t, d)
	take(t, d, startOf("s-1"))
	c.at = c.at.Add(-2 * time.Hour)
	for i := range 3 {
		f := bashOf("s-1", i)
		f.Time = c.at.UnixMilli()
		take(t, d, f)
	}
	jumps := found[*events.ClockJumped](t, d)
	if len(jumps) != 1 || jumps[0].BackMS < 7_199_000 || jumps[0].BackMS > 7_300_000 {
		t.Errorf("%+v", jumps)
	}
	mustVerify(t, d)
}

package recorder

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"hookline/events"
	"hookline/expect"
)

var zero = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

// env is a hook's envelope, ms milliseconds after zero.
func env(id, session, hook, call string, ms int) *events.Envelope {
	return &events.Envelope{ID: id, Session: session, Hook: hook, ToolUseID: call, Time: zero.Add(time.Duration(ms) * time.Millisecond)}
}

var (
	one   = digestOf([]byte("one"))
	other = digestOf([]byte("other"))
)

// After one frame "a" of install /x, what is the next one?
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name    string
		first   *events.Envelope
		next    *events.Envelope
		digest  digest
		install string
		want    Verdict
	}{
		{"same id, same content", env("a", "s", "Stop", "", 0), env("a", "s", "Stop", "", 0), one, "/x", Again},
		{"same id, other content", env("a", "s", "Stop", "", 0), env("a", "s", "Stop", "", 0), other, "/x", Conflict},
		{"another install, same call", env("a", "s", "PreToolUse", "t1", 0), env("b", "s", "PreToolUse", "t1", 0), one, "/y", SecondHit},
		{"another install, same call, other content", env("a", "s", "PreToolUse", "t1", 0), env("b", "s", "PreToolUse", "t1", 60_000), other, "/y", SecondHit},
		{"another call", env("a", "s", "PreToolUse", "t1", 0), env("b", "s", "PreToolUse", "t2", 0), one, "/y", Fresh},
		{"without a call, within 5 s", env("a", "s", "Stop", "", 0), env("b", "s", "Stop", "", 5000), one, "/y", SecondHit},
		{"without a call, after 5 s", env("a", "s", "Stop", "", 0), env("b", "s", "Stop", "", 5001), one, "/y", Fresh},
		{"without a call, long before", env("a", "s", "Stop", "", 5001), env("b", "s", "Stop", "", 0), one, "/y", Fresh},
		{"without a call, other content", env("a", "s", "Stop", "", 0), env("b", "s", "Stop", "", 0), other, "/y", Fresh},
		{"the same install really sent it twice", env("a", "s", "Stop", "", 0), env("b", "s", "Stop", "", 1000), one, "/x", Fresh},
		{"no hook, no key", env("a", "s", "", "", 0), env("b", "s", "", "", 0), one, "/y", Fresh},
	} {
		w := newWindow(8)
		w.Add(c.first, 1, zero, one, "/x")
		got, e := w.Judge(c.next, c.digest, c.install)
		expect.Equal(t, got, c.want, c.name)
		if got != Fresh && (e.ID != "a" || e.Seq != 1 || e.Install != "/x") || got == Fresh && e.ID != "" {
			t.Errorf("%s: %+v", c.name, e)
		}
	}
}

// A key that came again outlives the entry it came with first.
func TestWindowKeepsTheNewestOfAKey(t *testing.T) {
	w := newWindow(3)
	w.Add(env("a", "s", "Stop", "", 0), 1, zero, one, "/x")
	w.Add(env("b", "s", "Stop", "", 10_000), 2, zero, one, "/x")
	w.Add(env("c", "z", "Stop", "", 0), 3, zero, one, "/x")
	w.Add(env("d", "z", "Stop", "", 9_000), 4, zero, one, "/x") // a goes
	if v, e := w.Judge(env("e", "s", "Stop", "", 11_000), one, "/y"); v != SecondHit || e.ID != "b" {
		t.Error(v, e.ID)
	}
}

// Against a model that keeps everything: within the window the verdict on an id is the model's, and
// a frame is never called Again or Conflict that did not come.
func TestWindowProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 12).Draw(t, "size")
		w := newWindow(size)
		model := map[string]digest{}
		var order []string
		for i := range rapid.IntRange(1, 60).Draw(t, "n") {
			id := fmt.Sprint(rapid.IntRange(0, 20).Draw(t, "id"))
			digest := rapid.SampledFrom([]digest{one, other}).Draw(t, "digest")
			e := env(id, "s", "Stop", "", i*10_000)
			v, entry := w.Judge(e, digest, "/x")
			known, ok := model[id]
			inside := false
			for _, x := range order[max(0, len(order)-size):] {
				inside = inside || x == id
			}
			switch {
			case inside && known == digest && v != Again, inside && known != digest && v != Conflict:
				t.Fatalf("%s: %d", id, v)
			case !ok && v != Fresh:
				t.Fatalf("%s never came: %d", id, v)
			case v != Fresh && entry.ID != id:
				t.Fatalf("%s: entry of %s", id, entry.ID)
			}
			if v == Fresh && !ok {
				w.Add(e, uint64(len(order)+1), e.Time, digest, "/x")
				model[id] = digest
				order = append(order, id)
			}
			if seq, _ := w.Oldest(); len(order) > 0 && seq != uint64(max(1, len(order)-size+1)) {
				t.Fatalf("oldest %d of %d in %d", seq, len(order), size)
			}
		}
	})
}

// After a restart the log tells what was recorded, not who sent it: nothing may be lost for that.
func TestJudgeAfterRestart(t *testing.T) {
	for _, c := range []struct {
		call string
		want Verdict
	}{{"", Fresh}, {"t1", SecondHit}} {
		w := newWindow(8)
		w.Add(env("a", "s", "PreToolUse", c.call, 0), 1, zero, one, "")
		if got, _ := w.Judge(env("b", "s", "PreToolUse", c.call, 1000), one, "/x"); got != c.want {
			t.Errorf("call %q: %d", c.call, got)
		}
	}
}

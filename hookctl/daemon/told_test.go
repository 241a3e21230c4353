//go:build unix

package daemon

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"hookline/expect"
)

// What is told is appended with the cause it has, and only for a hook that counts: not for its retry, nor for a second
// install, nor where the client has gone.
func TestToldIsAnEvent(t *testing.T) {
	d := opened(t)
	f := startOf("s-1")
	f.Binary = "/a/hookctl"
	take(t, d, f)
	take(t, d, f)
	second := startOf("s-1")
	second.Binary = "/b/hookctl"
	take(t, d, second)
	take(t, d, bashOf("s-1", 1))

	told := toldOf(t, d)
	if len(told) != 1 || told[0].Causation != f.ID || told[0].Session != "s-1" || told[0].Phase != "SESSION_START" {
		t.Fatalf("%+v", told)
	}
	if s := sessionState(t, d, "s-1"); len(s.Told) != 1 || s.Told["identity.start"] == "" {
		t.Errorf("%+v", s.Told)
	}
	mustVerify(t, d)
}

// What the answer of one hook told is in the log before the next is decided, however soon that comes.
func TestToldBeforeTheNextHook(t *testing.T) {
	d := opened(t)
	var want []string
	for i := range 50 {
		f := hookFrame(fmt.Sprintf(`{"hook_event_name":"SessionStart","session_id":"s-1","source":"resume","number":%d}`, i))
		expect.Value(d.Take(t.Context(), f))(t)
		want = append(want, "session.started", "identity.restored", "context.injected")
	}
	settled(t, d)
	if got := typesOf(allOf(t, d)); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// BenchmarkTakeTelling: the worst case, every hook tells something and the next follows at once; apart, it follows
// after the 3 ms that a client's process takes at least. The goal: what was told costs no hook a second fsync.
func BenchmarkTakeTelling(b *testing.B) {
	for name, gap := range map[string]time.Duration{"at-once": 0, "apart": 3 * time.Millisecond} {
		b.Run(name, func(b *testing.B) {
			d := expect.Value(Open(b.Context(), Options{Home: filepath.Join(b.TempDir(), "home")}))(b)
			defer d.Close(context.Background())

			var took []time.Duration
			for b.Loop() {
				f := hookFrame(fmt.Sprintf(`{"hook_event_name":"SessionStart","session_id":"s-1","source":"resume","number":%d}`, len(took)))
				begin := time.Now()
				expect.Value(d.Take(b.Context(), f))(b)
				took = append(took, time.Since(begin))
				for time.Since(begin) < gap {
					time.Sleep(100 * time.Microsecond)
				}
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs/median")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "µs/p99")
		})
	}
}

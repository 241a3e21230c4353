//go:build unix

package daemon

import (
	"fmt"
	"slices"
	"testing"

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
	if s := sessionState(t, d, "s-1"); len(s.Injected) != 1 || s.Injected["identity.start"] == "" {
		t.Errorf("%+v", s.Injected)
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

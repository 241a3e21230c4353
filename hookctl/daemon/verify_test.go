//go:build unix

package daemon

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/wire"
	"hookline/projector/identity"
)

// identityCell is the key of the stored identity of session s-1.
var identityCell = fmt.Sprintf("identity.v%d.s-1", identity.Version)

// fat is an event with 192 KiB that hardly compress: digits, in which no rule of redaction sees a token.
func fat(session string, n int) events.Envelope {
	at := time.Now().UTC().Truncate(time.Millisecond)
	noise := make([]byte, 96<<10)
	_, _ = rand.NewChaCha8([32]byte{byte(n), byte(at.UnixMilli()), byte(at.UnixMilli() >> 8)}).Read(noise)
	data := fmt.Sprintf(`{"hook_event_name":"PreToolUse","session_id":%q,"tool_name":"Bash","tool_use_id":"toolu_%d","tool_input":{"command":"echo %x"}}`,
		session, n, noise)
	return events.Envelope{ID: wire.NewID(at.UnixMilli()), Type: events.TypeToolRequested, Version: 1, Time: at, Session: session, Correlation: session,
		Hook: "PreToolUse", Data: []byte(data)}
}

// thick is a home whose log has a block for every 43 events.
func thick(t *testing.T, n int) string {
	t.Helper()
	home := newHome(t)
	d := open(t, home)
	for i := range n {
		expect.Value(d.stream.Append(t.Context(), fat(fmt.Sprint("s-", i%3), i)))(t)
	}
	shut(t, d)
	return home
}

// Every kind of record that is not as it should be is named; kinds that a later build knows are counted.
func TestVerifyNamesFaults(t *testing.T) {
	home := newHome(t)
	d := open(t, home)
	for i := range 5 {
		take(t, d, bashOf("s-1", i))
	}
	at := time.Now().UTC()
	for i, env := range []events.Envelope{
		{Type: "later.kind", Version: 1, Data: []byte(`{"x":1}`)},
		{Type: events.TypeTurnStopped, Version: 99, Data: []byte(`{}`)},
		{Type: events.TypeTurnStopped, Version: 1, Data: []byte(`{"broken`)},
	} {
		env.ID, env.Time, env.Session = fmt.Sprint("made-", i), at, "s-1"
		expect.Value(d.stream.Append(t.Context(), env))(t)
	}
	shut(t, d)
	d = open(t, home)
	defer shut(t, d)
	v := expect.Value(d.Verify(t.Context(), nil))(t)
	want := []string{"sequence 8: the data of turn.stopped cannot be read: unexpected end of JSON input"}
	if v.Exit != 2 || v.Read != 8 || v.Holes != 0 || v.Unknown != 2 || !slices.Equal(v.Damage, want) || len(v.Diffs) != 0 {
		t.Errorf("%+v\nwant %q", v, want)
	}
}

// Long tasks that overlap leave the collector as it was.
func TestGarbageAfterTasks(t *testing.T) {
	var m memory
	one := m.task()
	two := m.task()
	one()
	two()
	if percent := debug.SetGCPercent(100); percent != 100 {
		t.Errorf("garbage may be %d percent", percent)
	}
}

//go:build unix

package daemon

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/api"
	"hookline/hookctl/hook"
	"hookline/projector"
	"hookline/projector/identity"
)

// What goes wrong with an identity, and what the user hears of it.

// EC-SESSION-06, ERR-SESSION-05: a dream that fails holds nothing up; the next check says so, once.
func TestEC_SESSION_06_ERR_SESSION_05_DreamFails(t *testing.T) {
	d := opened(t)
	d.intake.dreams.consolidate = func(identity.State, []identity.State, string) (events.DreamCompleted, error) {
		return events.DreamCompleted{}, errors.New("no entries to replay")
	}
	take(t, d, startOf("s-1"))
	check := func(n int) hook.Answer {
		f := hookFrame(fmt.Sprintf(`{"session_id":"s-1","tool_name":"Bash","tool_use_id":"t%d","error":"exit 1"}`, n))
		f.Args = strings.Fields("consciousness check-identity --auto-dream")
		return take(t, d, f)
	}
	for n := range 5 {
		take(t, d, hookFrame(fmt.Sprintf(`{"hook_event_name":"PostToolUseFailure","session_id":"s-1","tool_name":"Bash","tool_use_id":"f%d","tool_input":{"command":"make %d"}}`, n, n)))
	}
	d.effects.Wait()
	if failed := found[*events.DreamFailed](t, d); len(failed) != 1 || failed[0].Error != "no entries to replay" || failed[0].Phase != "full" || failed[0].IC >= .5 {
		t.Fatalf("%+v of %q", failed, typesOf(logOf(t, d)))
	}
	if a := check(1); !strings.HasPrefix(string(a.Stderr), "Dream trigger failed: no entries to replay. IC remains at 0.") || a.Exit != 0 || len(a.Stdout) != 0 {
		t.Errorf("exit %d, %q, %q", a.Exit, a.Stdout, a.Stderr)
	}
	if a := check(2); strings.Contains(string(a.Stderr), "Dream trigger failed") || a.Exit != 0 {
		t.Errorf("told twice: %q", a.Stderr)
	}
	if _, err := d.endpoints.commands.dream(t.Context(), api.DreamRequest{Session: "s-1", Phase: "full"}); err != nil { // the recovery: by hand
		t.Error(err)
	}
}

// ERR-SESSION-08: phases that are not finite are reset, by an event; the verb warns by exit 1, the hook by a message.
func TestERR_SESSION_08_UnstablePhases(t *testing.T) {
	const words = "Kuramoto instability detected: NaN in oscillator phases"
	d := opened(t)
	spoil := func(session string) {
		take(t, d, startOf(session))
		e := &events.IdentityRestored{Outcome: "restored", Carry: &events.Carry{Phases: []float64{1}}}
		expect.Value(d.rec.Note(t.Context(), events.Envelope{Session: session}, e))(t)
	}
	spoil("s-1")
	if got := answerOf(t, string(take(t, d, bashOf("s-1", 1)).Stdout)).SystemMessage; !strings.HasPrefix(got, "hookline: "+words) {
		t.Errorf("%q", got)
	}
	if resets := found[*events.PhasesReset](t, d); len(resets) != 1 || resets[0].Reason != words {
		t.Errorf("%+v in %q", resets, typesOf(logOf(t, d)))
	}
	if got := answerOf(t, string(take(t, d, bashOf("s-1", 2)).Stdout)).SystemMessage; strings.Contains(got, words) {
		t.Errorf("told again: %q", got)
	}
	spoil("s-2")
	f := hookFrame(`{"session_id":"s-2","reason":"other"}`)
	f.Args = []string{"session", "persist-identity"}
	if a := take(t, d, f); string(a.Stderr) != words+"\n" || a.Exit != 1 {
		t.Errorf("exit %d, %q", a.Exit, a.Stderr)
	}
	mustVerify(t, d)
}

// identityOf returns the identity that the view has of a session.
func identityOf(t *testing.T, d *Daemon, id string) (identity.State, bool) {
	t.Helper()
	s, found := stateOf[identity.State](t.Context(), d.core, identity.Name, id)
	return s, found && !s.Deleted
}

// ERR-SESSION-02: a snapshot that cannot be read is told in the daemon's log and folded again from the
// events, which is the whole recovery; deleting the session is the other one.
func TestERR_SESSION_02_CorruptedSnapshot(t *testing.T) {
	home := newHome(t)
	d := open(t, home)
	take(t, d, startOf("s-1"))
	take(t, d, bashOf("s-1", 1))
	expect.Value(d.view.Flush(t.Context()))(t)
	expect.OK(t, d.server.Store().Save(t.Context(), projector.BucketSnapshot, []projector.Cell{{Key: identityCell, Value: []byte("{broken")}}))
	shut(t, d)
	var log bytes.Buffer
	d = expect.Value(Open(t.Context(), Options{Home: home, Log: slog.New(slog.NewTextHandler(&log, nil))}))(t)
	defer shut(t, d)
	_, _ = identityOf(t, d, "s-1")
	d.rec.Heal(t.Context())
	if !strings.Contains(log.String(), `msg="Corrupted identity snapshot: cannot deserialize session s-1"`) {
		t.Errorf("%s", log.String())
	}
	if s, ok := identityOf(t, d, "s-1"); !ok || s.FacetEvents != 1 {
		t.Errorf("%v %+v", ok, s)
	}
	emit(t, d, `{"type":"session.deleted","session":"s-1","data":{}}`)
	if _, ok := identityOf(t, d, "s-1"); ok {
		t.Error("the session is still there")
	}
	f := hookFrame(`{"hook_event_name":"SessionStart","session_id":"s-1","source":"resume"}`)
	f.Args = []string{"session", "restore-identity"}
	if a := take(t, d, f); string(a.Stdout) != "New session initialized\n" || string(a.Stderr) != "Session s-1 not found, initializing new session\n" || a.Exit != 0 {
		t.Errorf("%q %q", a.Stdout, a.Stderr)
	}
	mustVerify(t, d)
}

package hook

import (
	"context"
	"strings"
	"testing"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
	"hookline/projector/identity"
	"hookline/projector/tables"
)

const defaultsWords = "Invalid hook input JSON, using defaults"

// EC-SESSION-08, ERR-SESSION-07: a session's start whose input is no hook goes on with source=startup, by
// the verb and by the hook, and what came instead stands beside it.
func TestEC_SESSION_08_StartWithoutItsInput(t *testing.T) {
	for _, args := range []string{"hook SessionStart", "session restore-identity"} {
		for body, reason := range map[string]string{`nope`: "invalid_json", `[]`: "not_an_object", `{"session_id":"tr","source":"sta`: "truncated"} {
			f := frameOf(args, body)
			f.Complete = reason != "truncated"
			in := Decode(f, f.Body, 0).By("s")
			was := past{Latest: identity.State{SessionID: "before", Born: true, LastIC: 1}}
			expect.Equal(t, decided(t, Decide(in, World{}, was.reader(t))), "session.started< hook.refused<F identity.restored<F", args, body)
			e, _ := in.Event.(*events.SessionStarted)
			if e == nil || e.Source != "startup" || in.Session != "s" || in.Name() != "SessionStart" || !strings.HasPrefix(in.Warnings[0], defaultsWords) {
				t.Errorf("%s %s: %+v", args, body, in)
			}
			if r := in.Found[0].(*events.HookRefused); r.Reason != reason || r.Head != body || r.Given != "SessionStart" {
				t.Errorf("%s %s: %+v", args, body, r)
			}
		}
	}
	if in := decode("hook Stop", `nope`); in.Refused == nil || in.Starts() {
		t.Error("another hook goes on without its input")
	}
}

// What could not be read may have been the resume of a session that lives.
func TestDefaultsDoNotReplaceALiveIdentity(t *testing.T) {
	in := decode("hook SessionStart", `nope`).By("s")
	e := restored(in, in.Event.(*events.SessionStarted), true, identity.State{SessionID: "other", Born: true})
	if e.Outcome != "continued" || e.Previous != "s" || e.Carry != nil {
		t.Errorf("%+v", e)
	}
}

// TC-SESSION-22: CorruptedIdentity 2, NotFound 0, SerializationError 1. IoError is the delivery's
// (TestTC_SESSION_22_IoError).
func TestTC_SESSION_22_ExitCodes(t *testing.T) {
	start, end := `{"hook_event_name":"SessionStart","session_id":"s","source":"resume"}`, `{"hook_event_name":"SessionEnd","session_id":"s"}`
	outcome := func(o string) past { return past{Decided: []events.Event{&events.IdentityRestored{Outcome: o}}} }
	broken := past{Identity: identity.State{Born: true, PhasesUnstable: true}}
	words := "Database corruption detected in session identity store: sequences lost: 3\nRun \"hookctl repair --cf session_identity\" or restore from backup\n"
	for _, c := range []struct {
		name, args, body string
		past             past
		damage           string
		exit             int
		stderr           string
	}{
		{"CorruptedIdentity", "session restore-identity", start, outcome("new"), "sequences lost: 3", 2, words},
		{"CorruptedIdentity, by the hook", "hook SessionStart", start, outcome("new"), "sequences lost: 3", 2, words},
		{"CorruptedIdentity, at another hook", "hook SessionEnd", end, past{}, "x", 0, ""},
		{"NotFound", "session restore-identity", start, outcome("not_found"), "", 0, "Session s not found, initializing new session\n"},
		{"SerializationError", "session persist-identity", end, broken, "", 1, unstable + "\n"},
		{"SerializationError, by the hook", "hook SessionEnd", end, broken, "", 0, ""},
		{"all is well", "session persist-identity", end, past{}, "", 0, ""},
	} {
		in := decode(c.args, c.body)
		if got, _ := Compose(in, Verdict{}, Tell(in, World{}, c.past.reader(t), false), c.damage); got.Exit != c.exit || string(got.Stderr) != c.stderr {
			t.Errorf("%s: exit %d, %q", c.name, got.Exit, got.Stderr)
		}
	}
}

// EC-SESSION-10, ERR-SESSION-01: hook and verb say the same, and the model gets its line from the hook
// whatever the client does with it.
func TestEC_SESSION_10_HookAndVerbAgree(t *testing.T) {
	body := `{"hook_event_name":"SessionStart","session_id":"s","source":"startup"}`
	p := past{Decided: []events.Event{&events.IdentityRestored{Outcome: "new"}}}
	answer := func(in Input) Answer {
		a, _ := Compose(in, Verdict{}, Tell(in, World{}, p.reader(t), false), "the log was damaged")
		return a
	}
	byHook, byVerb := answer(decode("hook", body)), answer(decode("session restore-identity", body))
	if byHook.Exit != 2 || byVerb.Exit != 2 || string(byHook.Stderr) != string(byVerb.Stderr) {
		t.Errorf("%d %q\n%d %q", byHook.Exit, byHook.Stderr, byVerb.Exit, byVerb.Stderr)
	}
	expect.Equal(t, string(byHook.Stdout), `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"New session initialized"}}`+"\n")
}

// counted counts how often the keys of a bucket are listed.
type counted struct {
	projector.Store
	lists int
}

func (c *counted) Keys(ctx context.Context, bucket, prefix string) ([]string, error) {
	c.lists++
	return c.Store.Keys(ctx, bucket, prefix)
}

// The start of a project's first session does not search the sessions of other projects: with 120,000 of them that took
// minutes, and the hook's time was over.
func TestStartInANewProject(t *testing.T) {
	store := &counted{Store: projector.NewMemory()}
	view := expect.Value(projector.OpenView(t.Context(), store, tables.All()))(t)
	persisted := events.Envelope{ID: "01", Type: (&events.IdentityPersisted{}).Type(), Version: 1, Session: "s", Project: "other", Data: []byte(`{"reason":"session_end"}`)}
	expect.OK(t, view.Apply(t.Context(), events.NewRecord(1, persisted)))

	expect.OK(t, view.Read(t.Context(), func(r projector.Reader) error {
		opened := store.lists
		got := latest(Reader{Reader: r}, "new", "s-2")
		expect.Equal(t, got.Born, false, "an identity is found")
		expect.Equal(t, store.lists-opened, 0, "lists of keys")
		return nil
	}))
}

// Nobody's start: no event has an empty session but the one that says what came, and the answer is the
// verb's all the same.
func TestStartOfNobody(t *testing.T) {
	was := past{Latest: projector.Fold(identity.Table, identity.State{}, events.Record{
		Envelope: events.Envelope{Session: "before"}, Event: &events.IdentityRestored{Outcome: "new"}})}
	for args, want := range map[string]Answer{
		"hook SessionStart": JSON("SessionStart", "Identity restored from before. IC: 1.00 (healthy)",
			"hookline: "+defaultsWords+": the hook's input was no JSON; recorded as hook.refused\nhookline: "+NoSession),
		"session restore-identity": Plain("Identity restored from before. IC: 1.00 (healthy)", defaultsWords+"\n"+NoSession, 0),
	} {
		in := decode(args, `nope`).Nameless()
		expect.Equal(t, decided(t, Decide(in, World{}, was.reader(t))), "hook.refused<", args)
		if got := said(t, in, World{}, was); string(got.Stdout) != string(want.Stdout) || string(got.Stderr) != string(want.Stderr) || got.Exit != 0 {
			t.Errorf("%s: %d\n%s%s", args, got.Exit, got.Stdout, got.Stderr)
		}
	}
	in := decode("hook", `{"hook_event_name":"SessionStart","source":"resume"}`)
	if e, _, _ := startedFrom(in, World{}, was.reader(t)); e.Outcome != "not_found" || e.Source != "resume" {
		t.Errorf("%+v", e)
	}
}

package hook

import (
	"strings"
	"testing"

	"hookline/events"
	"hookline/projector/working"
)

// unfinished is a task whose code was changed and that nothing has proved.
func unfinished() working.State {
	return working.State{ID: "s", Worktree: "/w", Goal: &working.Note{Text: "Add retries", Event: "e1"},
		Contract: &working.Contract{Goal: "Add retries", Event: "e1"}, Unproved: &working.Note{Text: "/w/up/client.go", Event: "e2"},
		Files: []working.File{{Path: "/w/up/client.go", Edited: 1, Event: "e2"}}}
}

const stopBody = `{"session_id":"s","hook_event_name":"Stop","stop_hook_active":false}`

// stopped is what the end of a turn gives: the event, nil for none, and the answer.
func stopped(t *testing.T, body string, s working.State, w World) (*events.TurnWarned, []events.Event, string) {
	t.Helper()
	p := worked(s)
	in := decode("hook Stop", body)
	list := decideWorking(in, w, p.reader(t))
	p.Decided = list
	answer := string(said(t, in, w, p).Stdout)
	if len(list) == 0 {
		return nil, nil, answer
	}
	return list[0].(*events.TurnWarned), list, answer
}

// S2 "Ralph evidence gate": strict blocks, normal warns, loose does neither.
func TestS2EvidenceGate(t *testing.T) {
	const words = "no test or build has passed since up/client.go was changed (confidence 75, done at 80)"
	asked := unfinished()
	asked.Contract = nil
	for _, c := range []struct {
		name, strictness, body string
		s                      working.State
		held, warns            bool
	}{
		{"strict holds", "strict", stopBody, unfinished(), true, true},
		{"normal warns", "normal", stopBody, unfinished(), false, true},
		{"loose", "loose", stopBody, unfinished(), false, false},
		{"a question has no contract", "strict", stopBody, asked, false, false},
		{"stuck", "strict", strings.Replace(stopBody, "{", `{"last_assistant_message":"I'm stuck: the host is down",`, 1), unfinished(), false, false},
		{"prompts of a schedule are not the end", "strict", strings.Replace(stopBody, "{", `{"session_crons":[{"id":"a"}],`, 1), unfinished(), false, false},
		{"none of them", "strict", strings.Replace(stopBody, "{", `{"session_crons":[],`, 1), unfinished(), true, true},
		{"a subagent", "strict", strings.Replace(stopBody, "{", `{"agent_id":"a",`, 1), unfinished(), false, false},
	} {
		e, _, answer := stopped(t, c.body, c.s, World{Evidence: c.strictness})
		if (e != nil) != c.warns || e != nil && e.Held != c.held {
			t.Errorf("%s: %+v", c.name, e)
		}
		want := ""
		switch {
		case c.held:
			want = `{"decision":"block","reason":"Before you stop: ` + words + `. Do it now, or say why it cannot be done."`
		case c.warns:
			want = `{"systemMessage":"hookline: ` + words + `"}`
		}
		if !strings.HasPrefix(answer, want) || want == "" && answer != "" {
			t.Errorf("%s: %s", c.name, answer)
		}
		if strings.Contains(answer, "additionalContext") {
			t.Errorf("%s: a context would force a turn: %s", c.name, answer)
		}
	}
}

// S2 "Context exhaustion check (150K tokens)": at 75 % of the window, once a session, with a handoff.
func TestS2ContextExhaustion(t *testing.T) {
	s := unfinished()
	s.Steps = &working.Steps{Texts: []string{"run the smoke tests"}, Event: "e3"}
	at := func(tokens int64) World {
		return World{Evidence: "loose", Use: &Use{Tokens: tokens, Window: 200_000, Source: "transcript"}}
	}
	e, list, answer := stopped(t, stopBody, s, at(150_000))
	if e == nil || e.Causes[0].Cause != "context" || len(list) != 2 {
		t.Fatalf("%+v", list)
	}
	h := list[1].(*events.HandoffWritten)
	if h.By != "stop" || h.Text != "Add retries" || h.NextSteps[0] != "run the smoke tests" || h.Files[0] != "/w/up/client.go" {
		t.Errorf("%+v", h)
	}
	if !strings.HasPrefix(answer, `{"systemMessage":"hookline: the context is 75 % full (150000 of 200000 tokens); a handoff is prepared`) {
		t.Error(answer)
	}
	if e, _, _ := stopped(t, stopBody, s, at(149_999)); e != nil {
		t.Errorf("below: %+v", e)
	}
}

// S2 "Close protocol (bd sync, next steps)".
func TestS2CloseProtocol(t *testing.T) {
	s := unfinished()
	s.Unsynced = &working.Note{Text: "bd close X-1", Event: "e7"}
	w := World{Evidence: "normal", Use: &Use{Tokens: 160_000, Window: 200_000}}
	e, _, answer := stopped(t, stopBody, s, w)
	if e == nil || e.Summary() != "context, evidence, sync, next_steps" {
		t.Fatalf("%+v", e)
	}
	for _, want := range []string{"`bd sync` has not been run since `bd close X-1`", "no next steps are kept"} {
		if !strings.Contains(answer, want) {
			t.Errorf("no %q in %s", want, answer)
		}
	}
}

package hook

import (
	"strings"
	"testing"

	"hookline/events"
	"hookline/expect"
	"hookline/projector/session"
)

// Phases VERBOSE < 40 % <= CONDENSED < 70 % <= SIGNALS < 85 % <= CRITICAL (DECISIONS S2, origins 2.1: the lower bound belongs to the phase).
func TestS2PhasesOfTheWindow(t *testing.T) {
	for used, want := range map[int64]string{0: "VERBOSE", 79_999: "VERBOSE", 80_000: "CONDENSED", 139_999: "CONDENSED", 140_000: "SIGNALS",
		169_999: "SIGNALS", 170_000: "CRITICAL", 250_000: "CRITICAL"} {
		expect.Equal(t, session.PhaseOf(used, 200_000), want, used, "of 200000")
	}
	expect.Equal(t, session.PhaseOf(1000, 0), "VERBOSE", "an unknown window")
}

// Windows by model, as the client 2.1.330 has them.
func TestWindowOf(t *testing.T) {
	for model, want := range map[string]int64{"claude-opus-5-5": 1_000_000, "claude-haiku-5-5": 1_000_000, "claude-opus-4-8": 1_000_000, "claude-opus-4-7": 1_000_000,
		"claude-opus-4-6": 200_000, "claude-sonnet-4-5-20250929": 200_000, "claude-sonnet-4-20250514": 200_000, "claude-3-7-sonnet-20250219": 200_000,
		"claude-fable-5": 1_000_000, "": 200_000, "another": 200_000} {
		expect.Equal(t, WindowOf(model, 1000), want, model)
	}
	expect.Equal(t, WindowOf("claude-opus-4-6", 200_001), 1_000_000, "more than fits")
}

func TestPhaseChange(t *testing.T) {
	used := func(tokens, window int64) Use {
		return Use{Tokens: tokens, Window: window, Model: "claude-opus-4-6", Source: "transcript"}
	}
	in := func(phase string, window int64, stated bool) session.State {
		return session.State{ID: "s", Context: &session.Context{Phase: phase, Window: window, Stated: stated}}
	}
	for _, c := range []struct {
		name   string
		s      session.State
		u      Use
		want   string // "" for no event
		from   string
		window int64
	}{
		{"a session begins verbose", session.State{ID: "s"}, used(10_000, 0), "", "", 0},
		{"condensed", session.State{ID: "s"}, used(80_000, 0), "CONDENSED", "", 200_000},
		{"the status line said the window", in("VERBOSE", 1_000_000, true), used(90_000, 0), "", "", 0},
		{"it says another window", in("CONDENSED", 200_000, false), used(90_000, 1_000_000), "VERBOSE", "CONDENSED", 1_000_000},
	} {
		list := PhaseChange(past{Session: c.s}.reader(t), "s", c.u)
		if (len(list) == 1) != (c.want != "") {
			t.Errorf("%s: %+v", c.name, list)
			continue
		}
		if c.want == "" {
			continue
		}
		if e := list[0].(*events.ContextPhaseChanged); e.Phase != c.want || e.From != c.from || e.Window != c.window {
			t.Errorf("%s: %+v", c.name, e)
		}
	}
	if list := PhaseChange(past{}.reader(t), "another", used(190_000, 0)); list != nil {
		t.Errorf("an unknown session: %+v", list)
	}
}

// Budget multipliers 1, .5, .2, 0 and cuts at 500, 200, 100 characters; a start has neither (DECISIONS S2).
func TestS2MultipliersAndCuts(t *testing.T) {
	prompt := decode("hook UserPromptSubmit", `{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"p"}`)
	start := decode("hook SessionStart", `{"session_id":"s","hook_event_name":"SessionStart","source":"compact"}`)
	tool := decode("hook PostToolBatch", `{"session_id":"s","hook_event_name":"PostToolBatch"}`) // 200 tokens
	long := strings.Repeat("x", 600)
	for _, c := range []struct {
		in    Input
		phase string
		chars int
		told  bool
	}{
		{tool, "VERBOSE", 600, true}, {tool, "CONDENSED", 340, true}, {tool, "CONDENSED", 600, false}, // 100 tokens are 350 characters
		{tool, "SIGNALS", 140, true}, {tool, "SIGNALS", 160, false}, {tool, "CRITICAL", 1, false},
		{start, "CRITICAL", 600, true}, {prompt, "CONDENSED", 104, true}, {prompt, "CONDENSED", 109, false},
	} {
		it := Item{ID: "a", Rank: RankRest, Text: strings.Repeat("x", c.chars)}
		out := inPhase(c.in, session.State{Context: &session.Context{Phase: c.phase}}, []Item{it})
		if (len(out) == 1) != c.told || c.told && out[0].Text != it.Text {
			t.Errorf("%s at %s: %d characters, told %v", c.in.Name(), c.phase, c.chars, c.told)
		}
	}

	user := inPhase(tool, session.State{Context: &session.Context{Phase: "CRITICAL"}}, []Item{{ID: "u", Text: long, User: true}, {ID: itemPhase, Text: long}})
	if len(user) != 2 || len(user[0].Text) != 600 || len(user[1].Text) != 100 {
		t.Errorf("what the user sees is whole, the phase is told: %+v", user)
	}
}

// The phase is told with a prompt, once it is not the first.
func TestS2PhaseMarker(t *testing.T) {
	in := decode("hook UserPromptSubmit", `{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"p"}`)
	at := func(phase string) past {
		return past{Session: session.State{ID: "s", Context: &session.Context{Phase: phase, Used: 880_000, Window: 1_000_000, Event: "e"}}}
	}
	items := tellContext(in, World{}, at("CRITICAL").reader(t))
	if len(items) != 1 || items[0].Text != "[PHASE: SESSION_RUNNING | CRITICAL] The context is at least 88 % full." || items[0].Event != "e" {
		t.Errorf("%+v", items)
	}
	if items := tellContext(in, World{}, at("VERBOSE").reader(t)); items != nil {
		t.Errorf("%+v", items)
	}
}

package hook

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/gates"
	"hookline/projector/gate"
	"hookline/projector/session"
)

func rulesOf(t *testing.T, yaml string) gates.Rules {
	t.Helper()
	r := gates.Load(gates.Options{Root: "/repo", Read: func(name string) ([]byte, error) {
		if name != "/repo/.claude/requirements.yaml" {
			return nil, fs.ErrNotExist
		}
		return []byte(yaml), nil
	}})
	if list := r.Invalid(); len(list) > 0 {
		t.Fatal(list)
	}
	return r
}

var gatesAt = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// judged decides on a hook of session "aaaaaaaa-1" on branch feature/x.
func judged(t *testing.T, body string, g *Gates, p GatesPast) (Input, Judgement) {
	t.Helper()
	in := decode("hook", strings.Replace(body, "{", `{"session_id":"aaaaaaaa-1",`, 1))
	in.Time = gatesAt
	g.Project, g.Branch = "p", "feature/x"
	return in, Judge(in, g, p)
}

func typesIn(list []events.Event) string {
	var out []string
	for _, e := range list {
		out = append(out, e.Type())
	}
	return strings.Join(out, " ")
}

func satisfiedState(names ...string) gate.State {
	s := gate.State{Gates: map[string]gate.Gate{}}
	for _, n := range names {
		s.Gates[n] = gate.Gate{Sessions: map[string]gate.Entry{"aaaaaaaa-1": {Satisfied: &gate.Mark{At: gatesAt, Event: "E", By: "cli"},
			Triggered: &gate.Mark{At: gatesAt, Event: "E"}}}}
	}
	return s
}

const (
	preEdit  = `{"hook_event_name":"PreToolUse","tool_name":"Edit","tool_input":{"file_path":"/repo/a"}}`
	stopTurn = `{"hook_event_name":"Stop"}`
)

func TestJudgeWithoutGates(t *testing.T) {
	g := &Gates{Rules: rulesOf(t, "requirements: {plan: {enabled: true}}")}
	for name, g := range map[string]*Gates{"no gates": nil, "no branch": {Project: "p", Rules: g.Rules}, "no project": {Branch: "b", Rules: g.Rules}} {
		if v := Judge(decode("hook", preEdit), g, GatesPast{}); v.Deny != "" || v.Events != nil {
			t.Errorf("%s: %+v", name, v)
		}
	}
	g.Project, g.Branch = "p", "b"
	expect.Equal(t, Judge(decode("consciousness brief --hook", preEdit), g, GatesPast{}).Deny, "", "an identity verb is gated")
	if v := Judge(decode("hook", "[]"), g, GatesPast{}); v.Events != nil {
		t.Error("refused input is judged")
	}
}

func TestComposeRefusals(t *testing.T) {
	answer := func(in Input, v Verdict) Answer {
		a, told := Compose(in, v, Tell(in, World{}, past{Identity: state(.84, .95, .92)}.reader(t), false), "")
		if told != nil {
			t.Errorf("told %+v with a refusal", told)
		}
		return a
	}
	in := decode("hook", preEdit)
	in.Warnings = []string{"odd"}
	want := `{"systemMessage":"hookline: odd","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no \u0026 \u003cwhy\u003e"}}` + "\n"
	expect.Equal(t, string(answer(in, Verdict{Deny: "no & <why>"}).Stdout), want)
	expect.Equal(t, string(answer(decode("hook", stopTurn), Verdict{Block: "not yet"}).Stdout), `{"decision":"block","reason":"not yet"}`+"\n")
}

func TestJudgePermission(t *testing.T) {
	const ask = `{"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"rm -rf /srv"}}`
	g := &Gates{Rules: rulesOf(t, "requirements: {}")}
	in, v := judged(t, ask, g, GatesPast{})
	if typesIn(v.Events) != "permission.auto_denied" || !strings.HasPrefix(v.Deny, "**Blocked by requirement gates**: Destructive rm outside of the work tree\n\nCommand: `rm -rf /srv`\n") {
		t.Errorf("%+v", v)
	}
	expect.Equal(t, Repeat(in, g, v.Events[0]), v.Verdict)
	got := string(refusal(in.Name(), Verdict{Deny: "no"}, "").Stdout)
	if got != `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no"}}}`+"\n" {
		t.Error(got)
	}
	for name, other := range map[string]*Gates{"late": {Rules: g.Rules, Late: true}, "skipped": {Rules: g.Rules, Skip: true}, "no file": {Rules: gates.Rules{Enabled: true}},
		"off": {Rules: rulesOf(t, "hooks: {permission_request: {auto_deny_dangerous: false}}")}} {
		if _, v := judged(t, ask, other, GatesPast{}); v.Deny != "" || v.Events != nil {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

func TestJudgeValues(t *testing.T) {
	rules := rulesOf(t, `requirements:
  size: {enabled: true, type: dynamic, calculator: branch_size_calculator, thresholds: {warn: 5, block: 10}, blocking_message: "{value} of {total}, {summary}, since {base_branch}, limit {block_threshold}"}
`)
	size := gates.Size{Committed: gates.Changed{Insertions: 8, Deletions: 1}, Unstaged: gates.Changed{Insertions: 1}, Base: "origin/main"}
	g := &Gates{Rules: rules, Sizes: map[string]gates.Size{"size": size}}
	_, v := judged(t, preEdit, g, GatesPast{})
	if !strings.HasPrefix(v.Deny, "10 of 10, committed: 8+/1- | unstaged: 1+/0-, since origin/main, limit 10\n\n---\n") {
		t.Error(v.Deny)
	}
	e := v.Events[0].(*events.GateBlocked)
	if e.Values["size"]["value"] != "10" || e.Values["size"]["base_branch"] != "origin/main" || e.Values["size"]["committed"] != "8+/1-" || e.Tool != "Edit" {
		t.Errorf("%+v", e)
	}
	size.Unstaged.Insertions = 0
	g.Sizes["size"] = size
	if _, v := judged(t, preEdit, g, GatesPast{}); v.Deny != "" || typesIn(v.Events) != "gate.triggered" {
		t.Errorf("below the threshold: %+v", v)
	}
	delete(g.Sizes, "size")
	if _, v := judged(t, preEdit, g, GatesPast{}); v.Deny != "" {
		t.Error("what is not known closes no gate")
	}
}

func TestJudgeTriggersOnce(t *testing.T) {
	g := &Gates{Rules: rulesOf(t, "requirements: {plan: {enabled: true}, adr: {enabled: true}}")}
	if _, v := judged(t, preEdit, g, GatesPast{State: satisfiedState("plan", "adr")}); len(v.Events) != 0 {
		t.Errorf("triggered before: %s", typesIn(v.Events))
	}
}

func TestJudgeStopScopes(t *testing.T) {
	p := GatesPast{State: satisfiedState("once")}
	p.State.Gates["once"].Sessions["aaaaaaaa-1"] = gate.Entry{Triggered: &gate.Mark{At: gatesAt, Event: "E"}}
	yaml := "requirements: {once: {enabled: true, scope: single_use}}\n"
	if _, v := judged(t, stopTurn, &Gates{Rules: rulesOf(t, yaml)}, p); v.Block != "" {
		t.Errorf("single_use is not verified by default: %s", v.Block)
	}
	if _, v := judged(t, stopTurn, &Gates{Rules: rulesOf(t, yaml+"hooks: {stop: {verify_scopes: [session, single_use]}}\n")}, p); !strings.Contains(v.Block, "| once |") || typesIn(v.Events) != "gate.stop_blocked" {
		t.Errorf("%+v", v)
	}
}

func TestRepeat(t *testing.T) {
	g := &Gates{Rules: rulesOf(t, "requirements: {plan: {enabled: true, message: 'on {branch}: plan'}}"), Dir: "/repo"}
	in, first := judged(t, preEdit, g, GatesPast{})
	if again := Repeat(in, g, first.Events[0]); again.Deny != first.Deny || !strings.HasPrefix(first.Deny, "on feature/x: plan") {
		t.Errorf("%q then %q", first.Deny, again.Deny)
	}
	if v := Repeat(in, g, &events.GateBlocked{Names: []string{"gone"}}); !strings.HasPrefix(v.Deny, "## Blocked: gone") {
		t.Errorf("a requirement that the file has no more: %q", v.Deny)
	}
	if v := Repeat(in, g, &events.GateStopBlocked{Names: []string{"plan"}}); !strings.HasPrefix(v.Block, "## Cannot Complete") {
		t.Error(v.Block)
	}
	expect.Equal(t, Repeat(in, nil, first.Events[0]).Deny, "", "without gates")
}

// A reason that the client would replace by a preview is cut, and says so.
func TestLongReasons(t *testing.T) {
	g := &Gates{Rules: rulesOf(t, "requirements: {plan: {enabled: true, message: '"+strings.Repeat("é", 20000)+"'}}")}
	_, v := judged(t, preEdit, g, GatesPast{})
	if n := len([]rune(v.Deny)); n != 9500 || !strings.HasSuffix(v.Deny, "\n… (`hookctl req status` shows all)") {
		t.Errorf("%d characters", n)
	}
}

// The status is told in the largest form that fits beside the rest of a session's start.
func TestStatusFits(t *testing.T) {
	for n, head := range map[int]string{16: "## Requirements Framework Active", 60: "## Requirements: 0/60 satisfied"} {
		yaml := "requirements:\n"
		for i := range n {
			yaml += fmt.Sprintf("  requirement_number_%02d: {enabled: true}\n", i)
		}
		in := decode("hook", `{"session_id":"s","hook_event_name":"SessionStart","source":"startup"}`)
		w := World{Project: "p", Branch: "feature/x", Gates: &Gates{Project: "p", Branch: "feature/x", Rules: rulesOf(t, yaml), Dir: "/repo"}}
		Decide(in, w, past{}.reader(t))
		a := said(t, in, w, past{Decided: []events.Event{&events.IdentityRestored{Outcome: "new"}}})

		var out struct {
			HookSpecificOutput struct{ HookEventName, AdditionalContext string }
		}
		err := json.Unmarshal(a.Stdout, &out)
		text := out.HookSpecificOutput.AdditionalContext
		if err != nil || !strings.HasPrefix(text, "New session initialized\n"+head) || Tokens(text) > 1500 {
			t.Errorf("%d: %v, %d tokens, %.90q", n, err, Tokens(text), text)
		}
	}
	_, v := judged(t, `{"hook_event_name":"SessionStart","source":"compact"}`, &Gates{Rules: rulesOf(t, "requirements: {plan: {enabled: true}}")}, GatesPast{})
	if len(v.Context) != 1 || len(v.Context[0]) >= 500 || strings.Contains(v.Context[0], "\n\n") {
		t.Errorf("%q", v.Context)
	}
}

func TestBoard(t *testing.T) {
	g := &Gates{Rules: rulesOf(t, "requirements:\n  plan: {enabled: true}\n  adr: {enabled: true}\n  off: {enabled: false}\n  guard: {enabled: true, type: guard, guard_type: protected_branch}\n  alone: {enabled: true, type: guard, guard_type: single_session}\n")}
	p := GatesPast{State: satisfiedState("plan"), Session: session.State{}}
	var got []string
	for _, b := range Board("aaaaaaaa-1", gatesAt, &Gates{Rules: g.Rules, Branch: "feature/x", Others: []gates.Other{{Session: "b"}}}, p) {
		got = append(got, fmt.Sprint(b.Requirement.Name, b.Satisfied, b.Note))
	}
	expect.Equal(t, strings.Join(got, "|"), "plantrue|adrfalse|guardtruenot on protected branch|alonefalse1 other session")
}

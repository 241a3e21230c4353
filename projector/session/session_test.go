package session_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
	"hookline/projector/session"
)

var zero = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

// hook is the record of a hook, n seconds after zero; its id is E<n>.
func hook(n int, data string) events.Record {
	var head struct {
		Name string `json:"hook_event_name"`
		Call string `json:"tool_use_id"`
	}
	if err := json.Unmarshal([]byte(data), &head); err != nil {
		panic(err)
	}
	k := events.OfHook(head.Name)
	return events.NewRecord(uint64(n), events.Envelope{ID: fmt.Sprintf("E%d", n), Type: k.Type, Version: 1, Time: zero.Add(time.Duration(n) * time.Second),
		Session: "s", Project: "p", Worktree: "/w", Branch: "main", Phase: "SESSION_RUNNING", Hook: head.Name, ToolUseID: head.Call, Data: []byte(data)})
}

// derived is the record of an event that no hook delivered.
func derived(n int, e events.Event) events.Record {
	data, _ := json.Marshal(e)
	return events.NewRecord(uint64(n), events.Envelope{ID: fmt.Sprintf("E%d", n), Type: e.Type(), Version: 1, Time: zero.Add(time.Duration(n) * time.Second),
		Session: "s", Project: "p", Data: data})
}

func fold(recs ...events.Record) session.State {
	var s session.State
	for _, r := range recs {
		s = projector.Fold(session.Table, s, r)
	}
	return s
}

func start(n int) events.Record {
	return hook(n, `{"hook_event_name":"SessionStart","session_id":"s","cwd":"/w/a","transcript_path":"/t.jsonl","source":"startup","model":"m-1"}`)
}

func TestKeys(t *testing.T) {
	if got := session.Table.Keys(start(1)); len(got) != 1 || got[0] != "s" {
		t.Errorf("%q", got)
	}
	r := start(1)
	r.Session = ""
	if got := session.Table.Keys(r); len(got) != 0 {
		t.Errorf("cells of a record without a session = %q, want none", got)
	}
}

// Given these records, the session is in this state.
func TestStatus(t *testing.T) {
	end := hook(2, `{"hook_event_name":"SessionEnd","reason":"prompt_input_exit"}`)
	late := hook(3, `{"hook_event_name":"PostToolUse","tool_use_id":"x"}`)
	reaped := derived(2, &events.SessionReaped{Reason: "process_gone", PID: 7})
	deleted := derived(4, &events.SessionDeleted{})
	for _, c := range []struct {
		name  string
		given []events.Record
		want  string // status, reason, ended after seconds, events
	}{
		{"revived after the reaper", []events.Record{start(1), reaped, late}, "live  - 2"},
		{"a tombstone is not revived", []events.Record{start(1), deleted, hook(5, `{"hook_event_name":"Stop"}`), reaped}, "deleted  - 0"},
		{"nor by a start before it, or by a compaction", []events.Record{start(1), deleted, start(3), hook(5, `{"hook_event_name":"SessionStart","source":"compact"}`)}, "deleted  - 0"},
		{"resumed after the deletion", []events.Record{start(1), end, deleted, hook(5, `{"hook_event_name":"SessionStart","source":"resume"}`), hook(6, `{"hook_event_name":"Stop"}`)}, "live  - 2"},
		{"a derived event does not revive", []events.Record{start(1), end, derived(3, &events.IdentityPersisted{Reason: "command"})}, "ended prompt_input_exit 2 2"},
		{"first heard of in the middle", []events.Record{late}, "live  - 1"},
	} {
		s := fold(c.given...)
		ended := "-"
		if s.Ended != nil {
			ended = fmt.Sprint(s.Ended.Sub(zero).Seconds())
		}
		expect.Equal(t, fmt.Sprintf("%s %s %s %d", s.Status, s.EndReason, ended, s.Events), c.want, c.name)
	}
}

func TestCounts(t *testing.T) {
	s := fold(start(1), hook(2, `{"hook_event_name":"UserPromptSubmit","prompt":"x"}`), hook(3, `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"a"}`),
		hook(4, `{"hook_event_name":"PreToolUse","tool_name":"Edit","tool_use_id":"b"}`), hook(5, `{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_use_id":"a"}`),
		hook(6, `{"hook_event_name":"PostToolUseFailure","tool_name":"Edit","tool_use_id":"b"}`), hook(7, `{"hook_event_name":"PostCompact"}`),
		hook(8, `{"hook_event_name":"PostModelSwitch","to_model":"m-2"}`), hook(9, `{"hook_event_name":"Stop"}`), hook(10, `{"hook_event_name":"Brandnew"}`))
	if s.Events != 10 || s.Prompts != 1 || s.Turns != 1 || s.Failures != 1 || s.Compacted != 1 || s.Prompt != "E2" || s.Model != "m-2" || len(s.Open) != 0 {
		t.Errorf("%+v", s)
	}
	if !reflect.DeepEqual(s.Models, []string{"m-1", "m-2"}) || !reflect.DeepEqual(s.Tools, map[string]int{"Bash": 1, "Edit": 1}) || s.Hooks["PreToolUse"] != 2 || s.Hooks["Brandnew"] != 1 {
		t.Errorf("%v %v %v", s.Models, s.Tools, s.Hooks)
	}
}

func TestRequests(t *testing.T) {
	s := fold(start(1), hook(2, `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"a"}`), hook(3, `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"b"}`),
		hook(4, `{"hook_event_name":"PreToolUse","tool_name":"Bash"}`))
	if s.Request("a") != "E2" || s.Request("b") != "E3" || s.Request("c") != "" || len(s.Open) != 2 {
		t.Errorf("%+v", s.Open)
	}
}

// Subagents point to the Agent call that started them; the call's answer corrects a wrong guess.
func TestAgents(t *testing.T) {
	call := func(n int, id, kind string) events.Record {
		return hook(n, fmt.Sprintf(`{"hook_event_name":"PreToolUse","tool_name":"Agent","tool_use_id":%q,"tool_input":{"subagent_type":%q}}`, id, kind))
	}
	began := func(n int, id, kind, cause string) events.Record {
		r := hook(n, fmt.Sprintf(`{"hook_event_name":"SubagentStart","agent_id":%q,"agent_type":%q}`, id, kind))
		r.Causation = cause
		return r
	}
	s := fold(start(1), call(2, "a", "Explore"), call(3, "b", "Explore"), call(4, "c", "Plan"))
	for _, c := range [][3]string{{"x", "Explore", "E2"}, {"x", "Plan", "E4"}, {"x", "Other", "E2"}, {"x", "", ""}} {
		expect.Equal(t, s.AgentCause(c[0], c[1]), c[2], c)
	}
	s = projector.Fold(session.Table, s, began(5, "one", "Explore", "E2"))
	if s.AgentCause("one", "") != "E2" || s.AgentCause("two", "Explore") != "E3" {
		t.Errorf("%+v %+v", s.Agents, s.Open)
	}
	launched := hook(6, `{"hook_event_name":"PostToolUse","tool_name":"Agent","tool_use_id":"b","tool_response":{"agentId":"one","status":"async_launched"}}`)
	launched.Causation = "E3"
	s = projector.Fold(session.Table, s, launched)
	if s.AgentCause("one", "Explore") != "E3" {
		t.Errorf("%+v", s.Agents)
	}
	s = projector.Fold(session.Table, s, hook(7, `{"hook_event_name":"SubagentStop","agent_id":"one","agent_type":"Explore"}`))
	if a := s.Agents["one"]; a.Stopped == nil || a.Stopped.Sub(zero) != 7*time.Second || a.Kind != "Explore" {
		t.Errorf("%+v", a)
	}
	before := len(s.Agents)
	if s = projector.Fold(session.Table, s, hook(8, `{"hook_event_name":"SubagentStop","agent_id":"nobody","agent_type":""}`)); len(s.Agents) != before {
		t.Errorf("%+v", s.Agents)
	}
}

// One cell is bounded whatever a session does.
func TestBounds(t *testing.T) {
	s := fold(start(1))
	long := strings.Repeat("n", 5000)
	for i := range 1000 {
		n := i + 2
		s = projector.Fold(session.Table, s, hook(n, fmt.Sprintf(`{"hook_event_name":"PreToolUse","tool_name":"T%d%s","tool_use_id":"c%d%s"}`, i, long, i, long)))
		s = projector.Fold(session.Table, s, hook(n, fmt.Sprintf(`{"hook_event_name":"SubagentStart","agent_id":"a%d%s"}`, i, long)))
		s = projector.Fold(session.Table, s, hook(n, fmt.Sprintf(`{"hook_event_name":"PostModelSwitch","to_model":"m%d%s"}`, i, long)))
		s = projector.Fold(session.Table, s, hook(n, fmt.Sprintf(`{"hook_event_name":"New%d%s"}`, i, long)))
	}
	if len(s.Open) != 256 || len(s.Agents) != 64 || len(s.Models) != 16 || len(s.Tools) != 65 || len(s.Hooks) != 65 {
		t.Errorf("%d open, %d agents, %d models, %d tools, %d hooks", len(s.Open), len(s.Agents), len(s.Models), len(s.Tools), len(s.Hooks))
	}
	if s.Tools["(other)"] != 1000-64 || s.Events != 4001 {
		t.Errorf("%d others, %d events", s.Tools["(other)"], s.Events)
	}
	if b, err := json.Marshal(s); err != nil || len(b) > 256<<10 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if _, ok := s.Agents["a999"+strings.Repeat("n", 196)]; !ok {
		t.Error("the newest subagent is gone")
	}
}

// Late events neither move time back nor lose what was known.
func TestOutOfOrder(t *testing.T) {
	s := fold(start(10), hook(5, `{"hook_event_name":"Stop"}`))
	if s.LastActive.Sub(zero) != 10*time.Second || s.Cwd != "/w/a" || s.Started.Sub(zero) != 10*time.Second {
		t.Errorf("%+v", s)
	}
	r := hook(11, `{"hook_event_name":"Stop"}`)
	r.Project, r.Worktree, r.Branch = "", "", ""
	if s = projector.Fold(session.Table, s, r); s.Project != "p" || s.Worktree != "/w" || s.Branch != "" {
		t.Errorf("%+v", s) // a detached HEAD has no branch
	}
}

func randomRecord(t *rapid.T, n int) events.Record {
	name := rapid.SampledFrom([]string{"SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "SubagentStart", "SubagentStop",
		"PostModelSwitch", "PostCompact", "Brandnew"}).Draw(t, "hook")
	r := hook(n, fmt.Sprintf(`{"hook_event_name":%q,"tool_name":%q,"tool_use_id":"c%d","agent_id":%q,"agent_type":"Explore","to_model":"m%d","tool_input":{"subagent_type":"Explore"},"tool_response":{"agentId":"a2"}}`,
		name, rapid.SampledFrom([]string{"Bash", "Agent", "Task"}).Draw(t, "tool"), rapid.IntRange(0, 5).Draw(t, "call"), rapid.SampledFrom([]string{"", "a1", "a2"}).Draw(t, "agent"), n%3))
	switch rapid.IntRange(0, 12).Draw(t, "derived") {
	case 0:
		return derived(n, &events.SessionReaped{Reason: "silent"})
	case 1:
		return derived(n, &events.SessionDeleted{})
	case 2:
		r.Facts = &events.Facts{PID: rapid.IntRange(1, 20).Draw(t, "pid")}
	}
	return r
}

// Folding is deterministic and survives JSON at any point; a state that was given away is not needed again.
func TestFoldProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 80).Draw(t, "n")
		cut := rapid.IntRange(0, n).Draw(t, "cut")
		var a, b session.State
		for i := range n {
			r := randomRecord(t, i+1)
			if i == cut {
				data := expect.Value(json.Marshal(b))(t)
				b = session.State{}
				expect.OK(t, json.Unmarshal(data, &b))
			}
			a, b = projector.Fold(session.Table, a, r), projector.Fold(session.Table, b, r)
			if a.Status != "live" && len(a.Open) != 0 {
				t.Fatalf("%s with open calls", a.Status)
			}
			if (a.Ended != nil) != (a.Status == "ended" || a.Status == "reaped") {
				t.Fatalf("%s, ended %v", a.Status, a.Ended)
			}
		}
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(b)
		if string(x) != string(y) {
			t.Fatalf("straight %s\nresumed  %s", x, y)
		}
	})
}

// Metrics count calls: a skill when it came to its end, a refusal once whatever number of gates it names.
func TestGateCounts(t *testing.T) {
	skill := func(n int) events.Record {
		return hook(n, fmt.Sprintf(`{"hook_event_name":"PostToolUse","session_id":"s","tool_name":"Skill","tool_use_id":"t%d","tool_input":{"skill":"x"}}`, n))
	}
	s := fold(start(1), skill(2), skill(3), derived(4, &events.GateBlocked{Names: []string{"a", "b"}}), derived(5, &events.GateStopBlocked{Names: []string{"a"}}))
	if s.Skills != 2 || s.Blocked != 1 || s.Held != 1 {
		t.Errorf("%+v", s)
	}
	for _, e := range []events.Event{&events.GateSatisfied{Name: "a"}, &events.GateCleared{Name: "a"}} {
		if keys := session.Table.Keys(derived(6, e)); keys != nil {
			t.Errorf("%s makes a session of whom it is said of: %q", e.Type(), keys)
		}
	}
}

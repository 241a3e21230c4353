package hook

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"hookline/events"
	"hookline/expect"
	"hookline/projector/identity"
	"hookline/projector/session"
)

// decided gives the events as "type<cause" with the id of the frame written as F and its derived ids as F+n.
func decided(t *testing.T, envs []events.Envelope) string {
	t.Helper()
	words := make([]string, 0, len(envs))
	for i, e := range envs {
		want := frameID
		if i > 0 {
			want = events.DerivedID(frameID, i)
		}
		expect.Equal(t, e.ID, want, "event", i, "has id")
		words = append(words, e.Type+"<"+strings.ReplaceAll(e.Causation, frameID, "F"))
	}
	return strings.Join(words, " ")
}

func TestDecideEvents(t *testing.T) {
	open := session.State{Open: []session.Call{
		{ToolUseID: "toolu_1", Event: "E1", Tool: "Bash"},
		{ToolUseID: "toolu_2", Event: "E2", Tool: "Agent", AgentKind: "Explore"},
	}, Agents: map[string]session.Agent{"a1": {Cause: "E9"}}, Context: &session.Context{Phase: session.Critical}}
	for _, c := range []struct{ name, body, want string }{
		{"start", `{"session_id":"s","hook_event_name":"SessionStart","source":"startup"}`, "session.started< identity.restored<F"},
		{"end", `{"session_id":"s","hook_event_name":"SessionEnd"}`, "session.ended< identity.persisted<F"},
		{"start of nobody", `{"hook_event_name":"SessionStart","source":"startup"}`, "session.started<"},
		{"request", `{"hook_event_name":"PreToolUse","tool_use_id":"toolu_3"}`, "tool.requested<"},
		{"success", `{"hook_event_name":"PostToolUse","tool_use_id":"toolu_1"}`, "tool.succeeded<E1"},
		{"known subagent", `{"hook_event_name":"PreToolUse","tool_use_id":"x","agent_id":"a1","agent_type":"Explore"}`, "tool.requested<E9"},
		{"new subagent of that type", `{"hook_event_name":"SubagentStart","agent_id":"a2","agent_type":"Explore"}`, "subagent.started<E2"},
		{"the compaction's subagent", `{"hook_event_name":"SubagentStop","agent_id":"a3","agent_type":""}`, "subagent.stopped<"},
		{"in a subagent, its own request wins", `{"hook_event_name":"PostToolUse","tool_use_id":"toolu_1","agent_id":"a1"}`, "tool.succeeded<E1"},
		{"compaction", `{"hook_event_name":"PreCompact"}`, "compaction.started< context.phase_changed<F checkpoint.created<F"},
		{"refused", `[]`, "hook.refused<"},
	} {
		if !strings.Contains(c.name, "nobody") {
			c.body = strings.Replace(c.body, "{", `{"session_id":"s",`, 1)
		}
		in := decode("hook", c.body)
		expect.Equal(t, decided(t, Decide(in, World{}, past{Session: open, Identity: identity.State{Born: true}}.reader(t))), c.want, c.name)
	}

	end := decode("hook", `{"session_id":"s","hook_event_name":"SessionEnd"}`)
	expect.Equal(t, decided(t, Decide(end, World{}, past{}.reader(t))), "session.ended<", "end of a session that never began")
}

func TestDecideFoundComesSecond(t *testing.T) {
	in := decode("session restore-identity", `nope`).By("s")
	w := World{Project: "p1", Worktree: "/w", Branch: "main", Seen: &Sighting{Project: "p1", Seen: events.ProjectSeen{Path: "/w/.git"}}}
	envs := Decide(in, w, past{}.reader(t))
	expect.EqualNow(t, decided(t, envs), "session.started< hook.refused<F project.seen<F identity.restored<F")
	for _, e := range envs {
		if e.Project != "p1" || e.Worktree != "/w" || e.Branch != "main" || e.Phase != "SESSION_START" || e.Version != 1 {
			t.Errorf("%+v", e)
		}
	}
}

// Facts hold what the session does not know yet.
func TestDecideFacts(t *testing.T) {
	known := session.State{Processes: []session.Process{{PID: 7, Start: 70}}, Client: "2.1.329", Entrypoint: "cli", LaunchDir: "/p"}
	all := events.Facts{PID: 7, PIDStart: 70, Client: "2.1.329", Entrypoint: "cli", LaunchDir: "/p"}
	for _, c := range []struct {
		name string
		args string
		past session.State
		w    events.Facts
		want string
	}{
		{"first", "hook", session.State{}, all, `{"pid":7,"pid_start":70,"client":"2.1.329","entrypoint":"cli","launch_dir":"/p"}`},
		{"nothing new", "hook", known, all, "null"},
		{"spooled", "hook", known, events.Facts{PID: 7, PIDStart: 70, Spooled: true}, `{"spooled":true}`},
		{"by a verb", "consciousness check-identity", known, all, `{"profile":"consciousness check-identity"}`},
	} {
		in := decode(c.args, `{"hook_event_name":"PostToolUse","session_id":"s"}`)
		got, _ := json.Marshal(Decide(in, World{Facts: c.w}, past{Session: c.past}.reader(t))[0].Facts)
		expect.Equal(t, string(got), c.want, c.name)
	}
}

// S0 REQ-12 and DECISIONS "source": from what an identity starts.
func TestREQ_SESSION_12_Sources(t *testing.T) {
	born := identity.State{Born: true, SessionID: "s"}
	latest := identity.State{SessionID: "old", Born: true, TimestampMS: frameMS - 3600_000}
	for _, c := range []struct {
		source string
		past   past
		want   string
	}{
		{"startup", past{}, "new - 0"},
		{"startup", past{Latest: latest}, "restored old 3600000"},
		{"startup", past{Latest: identity.State{SessionID: "ahead", Born: true, TimestampMS: frameMS + 5000}}, "restored ahead 0"},
		{"fork", past{Latest: latest}, "restored old 3600000"},
		{"brandnew", past{Latest: latest}, "restored old 3600000"},
		{"clear", past{Latest: latest, Identity: born}, "fresh - 0"},
		{"resume", past{Latest: latest, Identity: born}, "resumed s 0"},
		{"resume", past{Latest: latest}, "not_found s 0"},
		{"compact", past{Latest: latest, Identity: born}, "continued s 0"},
	} {
		in := decode("hook", `{"hook_event_name":"SessionStart","session_id":"s","source":"`+c.source+`"}`)
		envs := Decide(in, World{}, c.past.reader(t))
		e := events.Decode(envs[1].Type, 1, envs[1].Data).(*events.IdentityRestored)
		prev := e.Previous
		if prev == "" {
			prev = "-"
		}
		if got := fmt.Sprintf("%s %s %d", e.Outcome, prev, e.GapMS); got != c.want || (e.Outcome == "restored") != (e.Carry != nil) {
			t.Errorf("%q: %s, carry %v", c.source, got, e.Carry != nil)
		}
	}
}

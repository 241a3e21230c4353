package hook

import (
	"encoding/json"
	"strings"
	"testing"

	"hookline/events"
	"hookline/expect"
	"hookline/projector/session"
)

// overdue returns what a hook tells of a start that was not told, and composes its answer.
func (l *recording) overdue(name, session string, members map[string]any) (late string, injected *events.ContextInjected) {
	l.t.Helper()
	in := l.input(name, session, members)
	var items []Item
	l.read(func(r Reader) { items = Overdue(in, l.world, r) })
	var lines []string
	for _, it := range items {
		if it.Text != "" {
			lines = append(lines, it.Text)
		}
	}

	for _, env := range l.decide(in) {
		l.append(env)
	}
	l.read(func(r Reader) {
		_, injected = Compose(in, Verdict{}, append(items, Tell(in, l.world, r, false)...), "")
	})
	return strings.Join(lines, "\n"), injected
}

// told records that the model was told something with a hook.
func (l *recording) told(session, cause string, e *events.ContextInjected) {
	l.t.Helper()
	env := events.Envelope{Type: e.Type(), Version: 1, Session: session, Project: "p", Time: l.now, Causation: cause}
	env.ID = events.DerivedID(cause, 60)
	env.Data = expect.Value(json.Marshal(e))(l.t)
	l.append(env)
}

// A start that was not told is told with the next prompt, as it would have been, and not again.
func TestStartIsToldWithTheNextPrompt(t *testing.T) {
	l := newRecording(t)
	l.parser("parser-1")
	l.end("parser-1")
	l.start("late-1", "startup") // whose answer nobody heard

	late, injected := l.overdue("UserPromptSubmit", "late-1", map[string]any{"prompt": "Go on with what we did yesterday"})
	holds(t, "what is told late", late, "Identity restored from parser-1.", "From session parser1, ", "Goal: Write the parser", "fix TestParse", "Not mended", not, "what we did yesterday")
	start := ""
	l.read(func(r Reader) { start = sessionOf(r, "late-1").Start.Event })
	if injected == nil || injected.Start != start || injected.Hook != "UserPromptSubmit" {
		t.Fatalf("event of what was told = %+v, want one of UserPromptSubmit for the start %s", injected, start)
	}

	again, _ := l.overdue("PreToolUse", "late-1", map[string]any{"tool_name": "Bash", "tool_use_id": "t1", "tool_input": map[string]any{"command": "ls"}})
	holds(t, "a call while nothing says that it was told", again, "Goal: Write the parser")
	l.told("late-1", "01KAJ3V2V00000000000000001", injected)
	again, _ = l.overdue("PreToolUse", "late-1", map[string]any{"tool_name": "Bash", "tool_use_id": "t2", "tool_input": map[string]any{"command": "ls"}})
	expect.Equal(t, again, "", "what is told late after that")
}

// An answer that reached the client is not told again, unless the client says that it had none.
func TestStartThatWasTold(t *testing.T) {
	l := newRecording(t)
	l.start("told-1", "startup")
	id := ""
	l.read(func(r Reader) { id = sessionOf(r, "told-1").Start.Event })
	l.told("told-1", id, &events.ContextInjected{Hook: "SessionStart", Items: []events.InjectedItem{{ID: "identity.start"}}})
	late, _ := l.overdue("UserPromptSubmit", "told-1", map[string]any{"prompt": "hello there"})
	expect.Equal(t, late, "", "what is told late")

	missed := events.Envelope{ID: "missed", Type: events.TypeAnswerMissed, Version: 1, Time: l.now, Session: "told-1", Project: "p", Data: []byte(`{"start":"` + id + `"}`)}
	l.append(missed)
	late, _ = l.overdue("PostToolUse", "told-1", map[string]any{"tool_name": "Bash", "tool_use_id": "t1", "tool_input": map[string]any{"command": "ls"}})
	holds(t, "what is told late after the answer was missed", late, "New session initialized")
}

// A compaction that had nothing to say makes nothing up of what came since.
func TestStartThatHadNothingToSay(t *testing.T) {
	l := newRecording(t)
	l.start("small-1", "startup")
	in := l.input("SessionStart", "small-1", map[string]any{"source": "compact"})
	for _, env := range l.decide(in) {
		l.append(env)
	}
	l.read(func(r Reader) {
		_, injected := Compose(in, Verdict{}, Tell(in, l.world, r, false), "")
		if injected == nil || len(injected.Items) != 0 {
			t.Errorf("event of a start that had nothing to say = %+v, want one without items", injected)
		}
	})

	late, injected := l.overdue("UserPromptSubmit", "small-1", map[string]any{"prompt": "Write the parser for the config file"})
	expect.Equal(t, late, "", "what is told late")
	if injected == nil || injected.Start != in.Frame {
		t.Errorf("event of what was told = %+v, want one that names the start", injected)
	}
}

// What no answer to the session itself is, and what came after other hooks, tells no start.
func TestHooksThatTellNoStart(t *testing.T) {
	l := newRecording(t)
	l.start("late-1", "startup")
	call := map[string]any{"tool_name": "Bash", "tool_use_id": "t1", "tool_input": map[string]any{"command": "ls"}}
	for _, c := range []struct {
		name    string
		members map[string]any
	}{
		{"Stop", nil},
		{"Notification", nil},
		{"SessionEnd", nil},
		{"PreToolUse", map[string]any{"tool_name": "Bash", "tool_use_id": "t0", "agent_id": "a1", "tool_input": map[string]any{}}},
	} {
		late, _ := l.overdue(c.name, "late-1", c.members)
		expect.Equal(t, late, "", "what", c.name, "tells of the start")
	}
	for range session.StartHooks {
		late, _ := l.overdue("PostToolUse", "late-1", call)
		holds(t, "a call", late, "New session initialized")
	}
	late, _ := l.overdue("PostToolUse", "late-1", call)
	expect.Equal(t, late, "", "what a call tells after so many that could have told it")
}

// The identity profile's verbs say what they always said.
func TestVerbsTellNoStart(t *testing.T) {
	l := newRecording(t)
	l.start("late-1", "startup")
	in := l.input("UserPromptSubmit", "late-1", map[string]any{"prompt": "hello"})
	in.Call = ParseCall([]string{"consciousness", "inject-context"})
	l.read(func(r Reader) {
		if items := Overdue(in, l.world, r); items != nil {
			t.Errorf("a verb tells of the start %+v, want nothing", items)
		}
	})
}

// What is told late has the room of a start, beside that of the hook.
func TestOverdueHasTheRoomOfAStart(t *testing.T) {
	l := newRecording(t)
	l.start("before-1", "startup")
	l.prompt("before-1", "Write the parser for the config file of the gateway")
	for range 200 {
		l.write("before-1", "/w/some/long/folder/file"+strings.Repeat("x", int(l.seq%40))+".go")
	}
	l.start("late-1", "startup")
	in := l.input("UserPromptSubmit", "late-1", map[string]any{"prompt": "hello there, go on please with it"})
	var items []Item
	l.read(func(r Reader) { items = Overdue(in, l.world, r) })
	answer, injected := Compose(in, Verdict{}, items, "")
	if injected.Tokens <= 120 || injected.Tokens > 1000 {
		t.Errorf("tokens that are told late = %d, want more than a prompt has and at most 1,000", injected.Tokens)
	}
	if len(answer.Stdout) > maxChars {
		t.Errorf("answer of %d bytes, want at most %d", len(answer.Stdout), maxChars)
	}
}

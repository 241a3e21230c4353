package hook

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/wire"
	"hookline/projector"
	"hookline/projector/tables"
	"hookline/projector/working"
)

// recording takes hooks as the recorder does: decided, appended, folded, told. Each is captured a minute after the one before.
type recording struct {
	t     *testing.T
	view  *projector.View
	seq   uint64
	now   time.Time
	world World // of the next hooks
}

func newRecording(t *testing.T) *recording {
	t.Helper()
	view := expect.Value(projector.OpenView(context.Background(), projector.NewMemory(), tables.All()))(t)
	return &recording{t: t, view: view, now: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC), world: World{Project: "p", Worktree: "/w"}}
}

// hook takes a hook of a session and returns what the model is told, a line each.
func (l *recording) hook(name, session string, members map[string]any) string {
	l.t.Helper()
	in := l.input(name, session, members)
	var decided []events.Event
	for i, env := range l.decide(in) {
		l.append(env)
		if i > 0 {
			decided = append(decided, events.Decode(env.Type, env.Version, env.Data))
		}
	}

	var told []string
	l.read(func(r Reader) {
		r.Decided = decided
		for _, it := range Tell(in, l.world, r, false) {
			if !it.User {
				told = append(told, it.Text)
			}
		}
	})
	return strings.Join(told, "\n")
}

// input decodes a hook that is captured a minute after the one before.
func (l *recording) input(name, session string, members map[string]any) Input {
	l.t.Helper()
	l.now = l.now.Add(time.Minute)
	all := map[string]any{"session_id": session, "hook_event_name": name, "cwd": "/w"}
	maps.Copy(all, members)
	body := expect.Value(json.Marshal(all))(l.t)
	f := wire.Frame{ID: wire.NewID(l.now.UnixMilli()), Args: []string{"hook", name}, Cwd: "/w", Time: l.now.UnixMilli(), Complete: true, Size: int64(len(body)), Body: body}
	return Decode(f, body, 0)
}

func (l *recording) decide(in Input) (envs []events.Envelope) {
	l.read(func(r Reader) { envs = Decide(in, l.world, r) })
	return envs
}

func (l *recording) append(env events.Envelope) {
	l.t.Helper()
	l.seq++
	expect.OK(l.t, l.view.Apply(context.Background(), events.NewRecord(l.seq, env)))
}

func (l *recording) read(fn func(Reader)) {
	l.t.Helper()
	expect.OK(l.t, l.view.Read(context.Background(), func(r projector.Reader) error {
		fn(Reader{Reader: r})
		return nil
	}))
}

func (l *recording) start(session, source string) string {
	l.t.Helper()
	return l.hook("SessionStart", session, map[string]any{"source": source})
}

func (l *recording) headless(session string) string {
	l.t.Helper()
	l.world.Facts.Entrypoint = "sdk-cli"
	defer func() { l.world.Facts.Entrypoint = "" }()
	return l.start(session, "startup")
}

func (l *recording) prompt(session, text string) string {
	l.t.Helper()
	return l.hook("UserPromptSubmit", session, map[string]any{"prompt": text})
}

func (l *recording) write(session, path string) {
	l.t.Helper()
	l.hook("PostToolUse", session, map[string]any{"tool_name": "Write", "tool_use_id": fmt.Sprint("t", l.seq), "tool_input": map[string]any{"file_path": path},
		"tool_response": map[string]any{"type": "create"}})
}

func (l *recording) fails(session, command, text string) {
	l.t.Helper()
	l.hook("PostToolUseFailure", session, map[string]any{"tool_name": "Bash", "tool_use_id": fmt.Sprint("t", l.seq), "tool_input": map[string]any{"command": command}, "error": text})
}

func (l *recording) runs(session, command string) {
	l.t.Helper()
	l.hook("PostToolUse", session, map[string]any{"tool_name": "Bash", "tool_use_id": fmt.Sprint("t", l.seq), "tool_input": map[string]any{"command": command}, "tool_response": map[string]any{"stdout": "ok"}})
}

// todo gives a session a list of one entry.
func (l *recording) todo(session, text, status string) {
	l.t.Helper()
	list := []map[string]string{{"content": text, "status": status}}
	l.hook("PostToolUse", session, map[string]any{"tool_name": "TodoWrite", "tool_use_id": fmt.Sprint("t", l.seq), "tool_input": map[string]any{"todos": list}, "tool_response": map[string]any{}})
}

func (l *recording) stop(session, said string) {
	l.t.Helper()
	l.hook("Stop", session, map[string]any{"last_assistant_message": said})
}

func (l *recording) end(session string) {
	l.t.Helper()
	l.hook("SessionEnd", session, map[string]any{"reason": "other"})
}

// holds wants a text to have some words and not to have others, which stand behind "not".
func holds(t *testing.T, what, text string, words ...string) {
	t.Helper()
	wanted, unwanted := words, []string(nil)
	if i := slices.Index(words, "not"); i >= 0 {
		wanted, unwanted = words[:i], words[i+1:]
	}
	for _, w := range wanted {
		if !strings.Contains(text, w) {
			t.Errorf("%s has no %q:\n%s", what, w, text)
		}
	}
	for _, w := range unwanted {
		if strings.Contains(text, w) {
			t.Errorf("%s has %q:\n%s", what, w, text)
		}
	}
}

const not = "not"

// parser is a session that wrote a parser, left a test that fails, and named a next step.
func (l *recording) parser(id string) {
	l.t.Helper()
	l.start(id, "startup")
	l.prompt(id, "Write the parser for the config file of the gateway")
	l.write(id, "/w/parser.go")
	l.fails(id, "go test ./...", "Exit code 1\n--- FAIL: TestParse (0.00s)\nFAIL")
	l.stop(id, "Not finished.\n\nNext steps:\n- fix TestParse\n")
}

// A session without work leaves what there was before it: a client that is opened and closed, a question, a headless run, a
// start that nothing follows.
func TestSessionsWithoutWorkLeaveNothing(t *testing.T) {
	l := newRecording(t)
	l.parser("parser-1")
	l.end("parser-1")
	parser := []string{"parser for the config file", "TestParse", "fix TestParse"}

	l.start("empty-1", "startup")
	l.end("empty-1")
	holds(t, "a start after an empty session", l.start("exits-1", "startup"), parser...)
	l.prompt("exits-1", "/exit")
	l.end("exits-1")
	holds(t, "a start after /exit", l.start("asks-1", "startup"), parser...)
	l.prompt("asks-1", "What does git stash do?")
	l.stop("asks-1", "It shelves changes.")
	l.end("asks-1")
	holds(t, "a start after a question", l.start("ghost-1", "startup"), parser...)
	holds(t, "a start after a start that nothing followed", l.start("next-1", "startup"), parser...)

	l.headless("headless-1")
	l.prompt("headless-1", "Write a commit message for the staged changes")
	l.write("headless-1", "/w/message.txt")
	l.end("headless-1")
	holds(t, "a start after a headless run", l.start("after-1", "startup"), append(parser, not, "commit message", "Edited: message.txt")...)
	holds(t, "a clear after it", l.start("clear-1", "clear"), parser...)
}

// Of a session that was killed, and never said that it ended, the next one is told.
func TestKilledSessionHandsOver(t *testing.T) {
	l := newRecording(t)
	l.parser("parser-1")
	l.end("parser-1")
	l.start("killed-1", "startup")
	l.prompt("killed-1", "Now build the payment module with refunds")
	l.write("killed-1", "/w/payment.go")
	holds(t, "the next start", l.start("next-1", "startup"), "From session killed1", "payment module", "payment.go", not, "Goal: Write the parser")
}

// A headless start is told what holds in the project, and no goal.
func TestHeadlessStart(t *testing.T) {
	l := newRecording(t)
	l.parser("parser-1")
	l.end("parser-1")
	told := l.headless("headless-1")
	holds(t, "a headless start", told, "From session parser1", "TestParse", "fix TestParse", "Edited: parser.go", not, "parser for the config file", "Goal", "Last prompt", "Current task")

	holds(t, "its prompt", l.prompt("headless-1", "continue"))
	l.read(func(r Reader) {
		if goal := workingOf(r, "headless-1").Goal; goal != nil {
			t.Errorf("goal of the headless session = %+v, want none", goal)
		}
	})
}

// In a CI all runs are headless: each is told what the one before left open, named as headless, and not its goal.
func TestHeadlessRunsAfterEachOther(t *testing.T) {
	l := newRecording(t)
	for i := range 3 {
		id := fmt.Sprintf("ci-%d", i)
		told := l.headless(id)
		if i > 0 {
			holds(t, "run "+id, told, fmt.Sprintf("From headless session ci%d", i-1), "TestApi", not, "Label the issue")
		}
		l.prompt(id, "Label the issue of a stranger by its area")
		l.write(id, "/w/labels.txt")
		l.fails(id, "go test ./api", "Exit code 1\n--- FAIL: TestApi (0.00s)")
		l.end(id)
	}
	holds(t, "a start with a person", l.start("person-1", "startup"), "From headless session ci2", "Goal: Label the issue", "TestApi")
}

// Two at once: the newer is told, the other named in a line.
func TestTwoAtOnce(t *testing.T) {
	l := newRecording(t)
	l.parser("parser-1")
	l.start("docs-1", "startup")
	l.prompt("docs-1", "Describe the deployment of the docs site")
	l.write("docs-1", "/w/docs.md")
	told := l.start("third-1", "startup")
	holds(t, "a third session", told, "Goal: Describe the deployment", "Another session works here: parser1, not ended, ", ", on: Write the parser for the config file")
	expect.Equal(t, strings.Count(told, "Another session works here"), 1, "lines of other sessions")
	holds(t, "a headless one", l.headless("headless-1"), "Another session works here: parser1, not ended, ", not, "parser for the config file", "Describe the deployment")

	l.end("parser-1")
	holds(t, "after the end of the other", l.start("fourth-1", "startup"), "Goal: Describe the deployment", not, "Another session works here")
}

// What is open is carried on by sessions that say nothing of it, until one closes it or it is seven days old, a failure one day.
func TestOpenItemsAreCarriedOn(t *testing.T) {
	l := newRecording(t)
	l.parser("parser-1")
	l.todo("parser-1", "Fix TestParse", "in_progress")
	l.end("parser-1")
	l.start("docs-1", "startup")
	l.prompt("docs-1", "Describe the deployment of the docs site")
	l.write("docs-1", "/w/docs.md")
	l.end("docs-1")

	told := l.start("third-1", "startup")
	holds(t, "the start after another session", told, "Goal: Describe the deployment", "Not mended: `go test ./...` ended with an error: printed \"--- FAIL: TestParse (0.00s)\" (session parser1, ", "Still open (session parser1, ", "): Fix TestParse")
	holds(t, "after a compaction", l.start("third-1", "compact"), "Not mended: `go test ./...` ended with an error: printed \"--- FAIL: TestParse (0.00s)\" (session parser1, ", "Fix TestParse")
	l.write("third-1", "/w/other.md")
	l.end("third-1")

	before := l.now
	l.now = before.Add(23 * time.Hour)
	holds(t, "a start 23 hours later", l.start("soon-1", "startup"), "Not mended: `go test ./...`", "Fix TestParse")
	l.now = before.Add(25 * time.Hour)
	holds(t, "a compaction a day later", l.start("third-1", "compact"), "Fix TestParse", not, "Not mended")
	l.now = before.Add(6 * 24 * time.Hour)
	holds(t, "a start six days later", l.start("late-1", "startup"), "Fix TestParse", not, "Goal: ", "Not mended")
	l.now = before.Add(8 * 24 * time.Hour)
	holds(t, "a start eight days later", l.start("later-1", "startup"), not, "TestParse")

	l.now = before
	l.start("mends-1", "startup")
	l.prompt("mends-1", "Let us see what was left of the parser")
	l.runs("mends-1", "go test ./...")
	l.todo("mends-1", "Fix TestParse", "completed")
	holds(t, "after a compaction of the session that closed it", l.start("mends-1", "compact"), not, "TestParse")
	l.write("mends-1", "/w/parser.go")
	l.end("mends-1")
	holds(t, "the start after that", l.start("last-1", "startup"), "From session mends1", not, "FAIL: TestParse", "Fix TestParse")
	holds(t, "a resume of the first one", l.start("parser-1", "resume"), "Goal: Write the parser", not, "FAIL: TestParse", "Fix TestParse")
}

// What the agent named as next is told to the session that goes on from it, as the words of the session before, and to none after
// that: a session with work has followed.
func TestNextStepsGoToOneSession(t *testing.T) {
	words := "Next steps, in the words of the session before"
	l := newRecording(t)
	l.parser("parser-1")
	l.end("parser-1")
	holds(t, "the start after it", l.start("docs-1", "startup"), words+": fix TestParse")

	l.prompt("docs-1", "Describe the deployment of the docs site")
	l.write("docs-1", "/w/docs.md")
	holds(t, "a compaction in its first turn", l.start("docs-1", "compact"), words+" (session parser1, ", "): fix TestParse", not, "Still open")
	l.stop("docs-1", "The deployment is described.")
	holds(t, "a compaction after its report", l.start("docs-1", "compact"), not, "fix TestParse")
	l.end("docs-1")
	holds(t, "the start after that", l.start("third-1", "startup"), "Goal: Describe the deployment", "FAIL: TestParse", not, "fix TestParse")
	holds(t, "a resume of the first one", l.start("parser-1", "resume"), "fix TestParse")
}

// Next steps of a session that hands over after more than a day are told with its age.
func TestNextStepsOfAnOldSession(t *testing.T) {
	l := newRecording(t)
	l.parser("parser-1")
	l.end("parser-1")
	l.now = l.now.Add(2 * 24 * time.Hour)
	told := l.start("late-1", "startup")
	holds(t, "a start two days later", told, "Next steps, in the words of the session before (session parser1, 2 d ago): fix TestParse", not, "Still open")
}

// A failure that a session which runs beside has mended is not told, though that one was not handed it.
func TestMendedBySessionBeside(t *testing.T) {
	l := newRecording(t)
	l.start("beside-1", "startup")
	l.parser("parser-1")
	l.prompt("beside-1", "Run the tests once more and tell me")
	l.runs("beside-1", "go test ./...")
	l.write("beside-1", "/w/x.go")
	holds(t, "a third session", l.start("third-1", "startup"), "From session beside1", not, "FAIL: TestParse")
}

// A fork has its origin's conversation: it is told nothing of other sessions, has the identity of its origin, and goes on
// with its goal.
func TestFork(t *testing.T) {
	l := newRecording(t)
	l.parser("origin-1")
	l.start("docs-1", "startup")
	l.prompt("docs-1", "Describe the deployment of the docs site")
	l.write("docs-1", "/w/docs.md")
	l.end("docs-1")

	l.world.Origin = "origin-1"
	told := l.start("fork-1", "fork")
	l.world.Origin = ""
	holds(t, "a fork", told, "Identity restored from origin-1.", not, "docs", "parser", "TestParse")
	expect.Equal(t, len(strings.Split(told, "\n")), 1, "lines that a fork is told")
	holds(t, "its prompt", l.prompt("fork-1", "continue"), not, "docs")
	l.read(func(r Reader) {
		if goal := workingOf(r, "fork-1").Goal; goal == nil || goal.Text != "Write the parser for the config file of the gateway" {
			t.Errorf("goal of the fork = %+v, want its origin's", goal)
		}
	})
	holds(t, "after a compaction of the fork", l.start("fork-1", "compact"), "Goal: Write the parser", "FAIL: TestParse", not, "docs")

	holds(t, "a fork of an origin that is not known", l.start("fork-2", "fork"), not, "docs.md", "deployment", "parser", "TestParse")
	l.world.Origin = "nobody-1"
	holds(t, "a fork of an origin that was never recorded", l.start("fork-3", "startup"), "New session initialized", not, "docs", "parser", "TestParse")
}

// A fork that nothing names the origin of comes from the session that its process ran before; without one it is a new session,
// for the identity of a stranger would not be its own.
func TestForkInTheSameProcess(t *testing.T) {
	l := newRecording(t)
	l.world.Facts.PID, l.world.Facts.PIDStart = 4711, 1
	l.parser("origin-1")
	l.world.Facts.PID = 4712
	l.start("docs-1", "startup")
	l.prompt("docs-1", "Describe the deployment of the docs site")
	l.write("docs-1", "/w/docs.md")
	l.end("docs-1")

	path := map[string]any{"source": "fork", "transcript_path": "/home/dev/.claude/projects/w/fork.jsonl"}
	l.world.Facts.PID = 4711
	holds(t, "a fork in the origin's process", l.hook("SessionStart", "fork-1", path), "Identity restored from origin-1.", not, "docs", "parser")
	l.world.Facts.PID = 4713
	expect.Equal(t, l.hook("SessionStart", "fork-2", path), "New session initialized", "a fork in a process of its own")
}

// A deleted session hands over nothing, and is not named.
func TestDeletedSessionIsNotTold(t *testing.T) {
	l := newRecording(t)
	l.parser("parser-1")
	l.start("secret-1", "startup")
	l.prompt("secret-1", "Write down the names of the patients")
	l.write("secret-1", "/w/patients.txt")
	l.fails("secret-1", "make patients", "Exit code 1\nerror: patient unknown")
	l.append(events.Envelope{ID: "deleted", Type: events.TypeSessionDeleted, Version: 1, Time: l.now, Session: "secret-1", Project: "p", Data: []byte(`{}`)})
	told := l.start("next-1", "startup")
	holds(t, "the next start", told, "Goal: Write the parser", not, "atients", "patient unknown", "secret1")
}

// What a session that was deleted later had left open goes with it, wherever it was carried.
func TestOpenItemsOfADeletedSession(t *testing.T) {
	l := newRecording(t)
	l.parser("parser-1")
	l.end("parser-1")
	l.start("docs-1", "startup")
	l.prompt("docs-1", "Describe the deployment of the docs site")
	l.write("docs-1", "/w/docs.md")
	l.append(events.Envelope{ID: "deleted", Type: events.TypeSessionDeleted, Version: 1, Time: l.now, Session: "parser-1", Project: "p", Data: []byte(`{}`)})
	holds(t, "the next start", l.start("next-1", "startup"), "Goal: Describe the deployment", not, "TestParse", "parser")
	holds(t, "a compaction of the one that carried it", l.start("docs-1", "compact"), "Goal: Describe the deployment", not, "TestParse", "parser")
}

// Sessions of another project hand over nothing.
func TestOtherProjectsHandOverNothing(t *testing.T) {
	l := newRecording(t)
	l.parser("parser-1")
	l.world.Project = "q"
	expect.Equal(t, l.start("next-1", "startup"), "New session initialized", "a start in another project")
}

// The identity comes from the session that hands over its work, where that was persisted.
func TestIdentityComesFromTheSameSession(t *testing.T) {
	l := newRecording(t)
	l.parser("parser-1")
	l.end("parser-1")
	l.start("empty-1", "startup")
	l.end("empty-1")
	holds(t, "the next start", l.start("next-1", "startup"), "Identity restored from parser-1.", "From session parser1")
}

// What several earlier sessions left open is there to tell: behind the first failures and sessions in a list, so that what the
// budget leaves out is counted.
func TestCarriedItemsAreAllThere(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	var open []events.OpenItem
	for i := range 6 {
		session := fmt.Sprintf("session-%d", i)
		at := now.Add(time.Duration(i-6) * time.Hour).Format(time.RFC3339Nano)
		failure := events.OpenItem{Kind: events.OpenFailure, Text: fmt.Sprintf("line %d", i), Target: fmt.Sprintf("go test ./p%d", i), Tool: "Bash", Session: session, Event: fmt.Sprintf("f%d", i), Time: at}
		todo := events.OpenItem{Kind: events.OpenTodo, Text: fmt.Sprintf("thing %d", i), Session: session, Event: fmt.Sprintf("t%d", i), Time: at}
		open = append(open, failure, todo)
	}

	text := ""
	for _, it := range carriedItems(open, "", now) {
		text += it.text() + "\n"
	}
	for i := range 6 {
		for _, want := range []string{fmt.Sprintf("line %d", i), fmt.Sprintf("thing %d", i)} {
			if n := strings.Count(text, want); n != 1 {
				t.Errorf("%q is told %d times, want once: %s", want, n, text)
			}
		}
	}
	for _, want := range []string{"Not mended, too: `go test ./p2` ended with an error: printed \"line 2\" (session session2, 4 h ago); ", "Still open, older: thing 2 (session session2, 4 h ago); "} {
		if !strings.Contains(text, want) {
			t.Errorf("told has no %q: %s", want, text)
		}
	}
}

// A session that named no goal hands over its files as its own.
func TestHandoverWithoutAGoal(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	s := working.State{
		ID:       "aaaaaaaa-1",
		Worktree: "/w",
		Active:   now.Add(-2 * time.Minute),
		Files:    []working.File{{Path: "/w/a.go", Edited: 1, Event: "e1"}},
	}
	items := Handoff(s, now)
	if len(items) == 0 {
		t.Fatal("nothing is handed over")
	}
	expect.Equal(t, items[0].Text, "[PHASE: SESSION_START] From session aaaaaaaa, 2 min ago.", "first line")
}

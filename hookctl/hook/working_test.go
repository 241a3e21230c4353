package hook

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
	"hookline/projector/identity"
	"hookline/projector/working"
)

// busy is a session with something of everything.
func busy(id string, active time.Time) working.State {
	note := func(text, event string) *working.Note { return &working.Note{Text: text, Event: event} }
	return working.State{
		ID: id, Project: "p", Worktree: "/w", Active: active,
		Goal: note("Add retries to the upload client", "e1"), Task: note("Document the retries", "e2"), Prompt: note("ok, go on", "e3"),
		Files: []working.File{
			{Path: "/w/docs/readme.md", Read: 1, Event: "e4"}, {Path: "/w/up/known.go", Read: 1, Known: true, Event: "e5"},
			{Path: "/w/up/client.go", Edited: 2, Event: "e6"}, {Path: "/w/up/retry.go", Created: true, Event: "e7"}, {Path: "/etc/hosts", Edited: 1, Event: "e8"}},
		Commands: []working.Command{{Line: "make", Kind: "build", OK: true, Event: "e9"}, {Line: "go test ./up", Kind: "test", Result: "exit 1, FAIL TestRetry", Event: "e10"}},
		Open:     []working.Failure{{Target: "go test", Tool: "Bash", Text: "--- FAIL: TestRetry", Event: "e10"}},
		Corrections: []working.Note{
			{Text: "Bash deploy prod: use the staging host", Event: "e11"}},
		Todos: []working.Todo{{Text: "write it", Status: "completed", Event: "e12"}, {Text: "test it", Status: "in_progress", Event: "e12"}},
	}
}

// before is what the last session of a project left, active until then.
func before(project string, until time.Time) past {
	const id = "before-12345"
	state := busy(id, until)
	state.Project = project
	return past{Latest: identity.State{SessionID: id, Project: project, Born: true}, Working: map[string]working.State{id: state}}
}

// worked is what session s worked on.
func worked(s working.State) past { return past{Working: map[string]working.State{"s": s}} }

func startOf(t *testing.T, source string, p past) string {
	t.Helper()
	var lines []string
	for _, it := range tellWorking(at("SessionStart", source), World{Project: "p"}, p.reader(t)) {
		if it.Event == "" {
			t.Errorf("%s names no event", it.ID)
		}
		lines = append(lines, it.Text)
	}
	return strings.Join(lines, "\n")
}

func TestRecoveryAfterACompaction(t *testing.T) {
	want := `[PHASE: POST_COMPACT] Goal: Add retries to the upload client
Current task: Document the retries
Last prompt: ok, go on
To do: test it (in progress)
Not mended: ` + "`go test ./up` (failed, exit 1, FAIL TestRetry)" + `: --- FAIL: TestRetry
The user refused Bash deploy prod: use the staging host
Edited: /etc/hosts; up/{retry.go,client.go}
Read: docs/readme.md
Ran: ` + "`make` (ok)"
	expect.Equal(t, startOf(t, "compact", worked(busy("s", time.Now()))), want)
	expect.Equal(t, startOf(t, "compact", past{}), "", "a session without a state is told")
	planned := busy("s", time.Now())
	planned.Prompt = planned.Goal // with an approved plan as its task
	if got := startOf(t, "compact", worked(planned)); strings.Count(got, planned.Goal.Text) != 1 {
		t.Errorf("the goal is told twice: %s", got)
	}
	if got := startOf(t, "resume", worked(busy("s", time.Now()))); !strings.HasPrefix(got, "[PHASE: SESSION_REVIVAL] Goal: ") || strings.Contains(got, "Ran:") {
		t.Errorf("resumed: %s", got)
	}
}

// Prompts and corrections that the summary quotes are not told beside it, but to the next session they are.
func TestRecoveryBesideASummary(t *testing.T) {
	s := busy("s", time.Now())
	s = projector.Fold(working.Table, s, events.Record{Envelope: events.Envelope{ID: "e20"}, Event: &events.SubagentStopped{
		LastAssistantMessage: "The user:\n- \"Add retries to the\n  upload client\"\n- \"Document the retries\", \"ok, go on\", and use the staging host.\nChanged up/client.go, up/retry.go."}})
	got := startOf(t, "compact", worked(s))
	if !strings.HasPrefix(got, "[PHASE: POST_COMPACT] Goal and task are as summarised.\nTo do: ") || strings.Contains(got, "refused") || strings.Contains(got, "up/") && !strings.Contains(got, "go test ./up") {
		t.Errorf("%s", got)
	}
	s.ID, s.Active = "s", decode("hook SessionStart", `{"session_id":"s","source":"startup"}`).Time
	p := before("p", s.Active)
	p.Working[p.Latest.SessionID] = s
	if got := startOf(t, "startup", p); !strings.Contains(got, "Goal: Add retries") || !strings.Contains(got, "use the staging host") {
		t.Errorf("%s", got)
	}
}

func TestHandoffByItsAge(t *testing.T) {
	at := decode("hook SessionStart", `{"session_id":"s","source":"startup"}`).Time
	for _, c := range []struct {
		age        time.Duration
		head, tail string
	}{
		{time.Minute, "[PHASE: SESSION_START] From session before12, 1 min ago. Goal: Add retries", "Ran: "},
		{time.Hour, "[PHASE: SESSION_START] From session before12, 1 h ago. Goal: ", "Not restored: files read and commands, they are older than 1 h."},
		{24 * time.Hour, "[PHASE: SESSION_START] From session before12, 24 h ago. Goal: ", "Not restored: "},
		{24*time.Hour + time.Second, "Still open (session before12, 24 h ago): test it", "Still open "},
		{7*24*time.Hour + time.Second, "", ""},
	} {
		got := startOf(t, "startup", before("p", at.Add(-c.age)))
		last := got[strings.LastIndex(got, "\n")+1:]
		if !strings.HasPrefix(got, c.head) || !strings.HasPrefix(last, c.tail) || (c.head == "") != (got == "") {
			t.Errorf("%v:\n%s", c.age, got)
		}
		if strings.Contains(got, "Goal: ") && !strings.Contains(got, "Edited: ") {
			t.Errorf("%v: no edited files:\n%s", c.age, got)
		}
	}
	expect.Equal(t, startOf(t, "startup", before("q", at)), "", "another project's session is told")
}

// A session of another work tree of the project says where its files are.
func TestHandoffOfAnotherWorktree(t *testing.T) {
	in := decode("hook SessionStart", `{"session_id":"s","hook_event_name":"SessionStart","source":"startup"}`)
	p := before("p", in.Time)
	for dir, want := range map[string]string{"/w": " ago. Goal: ", "/w2": " ago, in /w. Goal: ", "": " ago. Goal: "} {
		if text := tellWorking(in, World{Project: "p", Worktree: dir}, p.reader(t))[0].Text; !strings.Contains(text, want) {
			t.Errorf("from %q: no %q in %s", dir, want, text)
		}
	}
}

// What is told after a compaction fits 800 tokens, whatever the session did.
func TestRecoveryFitsItsBudget(t *testing.T) {
	s := busy("s", time.Now())
	for i := range 300 {
		s.Files = append(s.Files, working.File{Path: fmt.Sprintf("/w/pkg%d/some_longer_name_%d.go", i%40, i), Edited: 1, Event: "e"})
	}
	for i := range 40 {
		s.Commands = append(s.Commands, working.Command{Line: fmt.Sprintf("go test ./pkg%d -run TestSomethingLong%d", i, i), Kind: "test", OK: true, Event: "e"})
	}
	in := at("SessionStart", "compact")
	text := composed(in, tellWorking(in, World{Project: "p"}, worked(s).reader(t)))
	if n := Tokens(text); n > 800 {
		t.Errorf("%d tokens:\n%s", n, text)
	}
	for _, want := range []string{"Goal: ", "Current task: ", "Not mended: ", "Edited: ", "Ran: "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// Next steps that the context has are told to another session only.
func TestStepsOfAMessageThatStays(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	s := working.State{ID: "s", Active: now, Steps: &working.Steps{Texts: []string{"run the load test"}, Known: true}}
	steps := func(items []Item) bool {
		return slices.ContainsFunc(items, func(it Item) bool { return it.ID == "working.steps" })
	}
	if steps(Known(s)) || !steps(Handoff(s, now)) {
		t.Errorf("%+v; %+v", Known(s), Handoff(s, now))
	}
}

// Outside a repository paths are told from the folder that the session works in.
func TestPathsOutsideARepository(t *testing.T) {
	in := decode("hook SessionStart", `{"session_id":"s","hook_event_name":"SessionStart","source":"compact","cwd":"/home/user/notes"}`)
	s := working.State{ID: "s", Files: []working.File{{Path: "/home/user/notes/a/b.md", Edited: 1, Event: "e1"}, {Path: "/etc/hosts", Edited: 1, Event: "e2"}}}
	items := tellWorking(in, World{Project: "p"}, worked(s).reader(t))
	if len(items) == 0 || items[0].Text != "Edited: /etc/hosts; a/b.md" {
		t.Errorf("%+v", items)
	}
}

// A failure outside a repository names its file by the whole path.
func TestFailureWithoutAWorktree(t *testing.T) {
	s := working.State{ID: "s", Open: []working.Failure{{Target: "/srv/notes/a.md", Text: "no match", Event: "e"}}}
	if text := Known(s)[0].Text; !strings.Contains(text, " /srv/notes/a.md: ") {
		t.Error(text)
	}
	s.Worktree = "/srv"
	if text := Known(s)[0].Text; !strings.Contains(text, " notes/a.md: ") {
		t.Error(text)
	}
}

// S2 "Staleness validation": after 5 turns an overlap of at least 10 %, else the goal may have drifted.
func TestS2GoalDrift(t *testing.T) {
	turns := func(n int, list ...events.Event) (s working.State) {
		for range n {
			list = append(list, &events.TurnStopped{})
		}
		for i, e := range list {
			s = projector.Fold(working.Table, s, events.Record{Event: e, Envelope: events.Envelope{ID: fmt.Sprint("e", i), Session: "s", Worktree: "/w"}})
		}
		return s
	}
	goal, other := &events.PromptSubmitted{Prompt: "Add retries to the upload client"}, &events.PromptSubmitted{Prompt: "Paint the bikeshed door green"}
	if s := turns(5, goal, other); !drifted(s) {
		t.Error("nothing of the goal was seen")
	}
	if s := turns(4, goal, other); drifted(s) {
		t.Error("after 4 turns")
	}
	if s := turns(5, goal, other, &events.ToolSucceeded{ToolName: "Edit", ToolInput: []byte(`{"file_path":"/w/upload/x.go"}`)}); drifted(s) {
		t.Error("its files are worked on")
	}
	if s := turns(5, goal, other, &events.GoalSet{Text: "Paint it"}); drifted(s) {
		t.Error("the goal is what is worked on")
	}
}

// A look at what is not there leaves nothing to mend, nor does a command that failed and was forgotten for others since,
// unless it is a check.
func TestUnmended(t *testing.T) {
	s := working.State{Commands: []working.Command{{Line: "make", Event: "e3"}}, Open: []working.Failure{
		{Tool: "Bash", Target: "ls", Event: "e1"}, {Tool: "Read", Target: "/w/x", Event: "e2"}, {Tool: "Bash", Target: "make", Event: "e3"},
		{Tool: "Edit", Target: "/w/y", Event: "e4"}, {Tool: "Bash", Target: "curl -s", Event: "e5"}, {Tool: "Bash", Target: "go test", Event: "e6"}}}
	var got []string
	for _, f := range unmended(s) {
		got = append(got, f.Target)
	}
	expect.Equal(t, strings.Join(got, ", "), "go test, /w/y, make")
}

package hook

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hookline/events"
	"hookline/events/outcome"
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
		Commands: []working.Command{{Line: "make", Kind: "build", Status: "ok", Event: "e9"}, {Line: "go test ./up", Kind: "test", Status: "failed", Result: "exit 1, FAIL TestRetry", Event: "e10"}},
		Open:     []working.Failure{{Target: "go test ./up", Kind: "check", Tool: "Bash", Text: "--- FAIL: TestRetry", Event: "e10", Time: active}},
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
To do: test it (in progress)
Not mended: ` + "`go test ./up` ended with exit 1, FAIL TestRetry" + `: printed "--- FAIL: TestRetry"
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
		{24*time.Hour + time.Second, "Still open (session before12, 24 h ago): test it", "Still open (session before12, 24 h ago): test it"},
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
		s.Commands = append(s.Commands, working.Command{Line: fmt.Sprintf("go test ./pkg%d -run TestSomethingLong%d", i, i), Kind: "test", Status: "ok", Event: "e"})
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

// A long goal is cut before what was edited and what is to be done is left out.
func TestLongGoalsLeaveRoom(t *testing.T) {
	s := busy("s", time.Now())
	long := strings.Repeat("Mend the way in which a page is drawn when its data comes late. ", 16)
	s.Goal = &working.Note{Text: long, Event: "g"}
	s.Task = &working.Note{Text: "Now " + long, Event: "t"}
	s.Todos, s.Files = nil, nil
	for i := range 12 {
		s.Todos = append(s.Todos, working.Todo{Text: fmt.Sprintf("draw part number %d of the page, with its border, its shadow and the title above it", i), Status: "pending", Event: "e"})
	}
	for i := range 10 {
		s.Files = append(s.Files, working.File{Path: fmt.Sprintf("/w/page/part_%d.go", i), Edited: 1, Event: "e"})
	}

	in := at("SessionStart", "compact")
	text := composed(in, tellWorking(in, World{Project: "p"}, worked(s).reader(t)))
	if n := Tokens(text); n > 800 {
		t.Errorf("%d tokens:\n%s", n, text)
	}
	for i := range 12 {
		if want := fmt.Sprintf("draw part number %d of", i); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for i := range 10 {
		if want := fmt.Sprintf("part_%d.go", i); !strings.Contains(text, want) {
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
	if steps(Known(s, s.Active)) || !steps(Handoff(s, now)) {
		t.Errorf("%+v; %+v", Known(s, s.Active), Handoff(s, now))
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
	s := working.State{ID: "s", Open: []working.Failure{{Target: "/srv/notes/a.md", Kind: "edit", Tool: "Edit", Text: "no match", Event: "e"}}}
	if text := Known(s, s.Active)[0].Text; !strings.Contains(text, " /srv/notes/a.md ended") {
		t.Error(text)
	}
	s.Worktree = "/srv"
	if text := Known(s, s.Active)[0].Text; !strings.Contains(text, " notes/a.md ended") {
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

// What failed is told with how it ended, how often, its age from a few minutes on, and what it printed; what is behind the first
// four stands in a list, so that what the budget leaves out is counted.
func TestFailuresAsTheyAreTold(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	failure := func(n int, target string, age time.Duration) working.Failure {
		return working.Failure{Target: target, Kind: "check", Tool: "Bash", Text: "got 3, want 4", Event: fmt.Sprint("e", n), Time: now.Add(-age), Times: 1}
	}
	s := working.State{ID: "s", Worktree: "/w", Commands: []working.Command{{Line: "npm test", Result: "exit 1, 3 failed", Event: "e6"}}}
	for i := range 3 {
		s.Open = append(s.Open, failure(i, fmt.Sprintf("go test ./p%d", i), time.Hour))
	}
	edit := working.Failure{Target: "/w/up/client.go", Kind: "edit", Tool: "Edit", Text: "String to replace not found in file.", Event: "e4", Time: now.Add(-6 * time.Minute), Times: 1}
	tried := failure(5, "pytest tests", 2*time.Hour)
	tried.Tried = true
	tried.Folder = "api"
	often := failure(6, "npm test", 4*time.Minute)
	often.Times = 3
	s.Open = append(s.Open, edit, tried, often)

	var lines []string
	for _, it := range failureItems(s, now) {
		lines = append(lines, it.text())
	}
	want := []string{
		"Not mended: `npm test` ended with exit 1, 3 failed, failed 3 times: printed \"got 3, want 4\"",
		"Not mended: `pytest tests` in api ended with an error, 2 h ago, run since with an outcome that is not known: printed \"got 3, want 4\"",
		"Not mended: Edit of up/client.go ended with an error, 6 min ago: the client said \"String to replace not found in file.\"",
		"Not mended: `go test ./p2` ended with an error, 1 h ago, not run since: printed \"got 3, want 4\"",
		"Not mended, too: `go test ./p1` ended with an error, 1 h ago, not run since: printed \"got 3, want 4\"; " +
			"`go test ./p0` ended with an error, 1 h ago, not run since: printed \"got 3, want 4\"",
	}
	for i, w := range want {
		if i >= len(lines) || lines[i] != w {
			t.Errorf("line %d of %q, want %q", i, lines, w)
		}
	}
}

// Programs that are not there are told once, after a compaction.
func TestMissingPrograms(t *testing.T) {
	s := working.State{ID: "s", Missing: []working.Absent{{Program: "docker", Event: "e1"}, {Program: "pnpm", Event: "e2"}}}
	holds(t, "after a compaction", startOf(t, "compact", worked(s)), "Not on this machine: docker, pnpm")
	holds(t, "after a resume", startOf(t, "resume", worked(s)), not, "docker")
}

// A command is told with its outcome; one that checks nothing, and whose outcome nobody knows, without.
func TestToldOutcome(t *testing.T) {
	for _, c := range []struct {
		command working.Command
		want    string
	}{
		{working.Command{Line: "npm test", Status: "ok", Result: "13 passed"}, "`npm test` (ok, 13 passed)"},
		{working.Command{Line: "npm test", Status: "failed", Result: "exit 1, 3 failed"}, "`npm test` (failed, exit 1, 3 failed)"},
		{working.Command{Line: "npm test", Status: "unknown"}, "`npm test` (outcome unknown)"},
		{working.Command{Line: "git push", Status: "unknown"}, "`git push`"},
	} {
		if got := ranText(c.command); got != c.want {
			t.Errorf("told of %+v = %q, want %q", c.command, got, c.want)
		}
	}
}

// Of a check that passed before it is told what was edited since.
func TestToldPassedBefore(t *testing.T) {
	s := working.State{Worktree: "/w"}
	for _, c := range []struct {
		edited []string
		want   string
	}{
		{nil, " (passed before in this session)"},
		{[]string{"/w/a.go"}, " (passed before in this session, fails since edits of a.go)"},
		{strings.Fields("/w/a /w/b /w/c /w/d /w/e /w/f"), " (passed before in this session, fails since edits of a, b, c, d, e, others)"},
	} {
		got := passedText(s, working.Failure{Passed: &working.Pass{Edited: c.edited}})
		if got != c.want {
			t.Errorf("told of a check with edits of %q since = %q, want %q", c.edited, got, c.want)
		}
	}
	if got := passedText(s, working.Failure{}); got != "" {
		t.Errorf("told of a check that never passed = %q, want nothing", got)
	}
}

// An outcome of the day before says nothing of the work any more.
func TestOldCommandsAreNotTold(t *testing.T) {
	active := time.Date(2026, 11, 1, 20, 0, 0, 0, time.UTC)
	s := working.State{Active: active, Commands: []working.Command{
		{Line: "make test", Kind: "test", Status: outcome.OK, Runs: 2, Event: "e1", Time: active.Add(-13 * time.Hour)},
		{Line: "make lint", Kind: "lint", Status: outcome.OK, Runs: 2, Event: "e2", Time: active.Add(-11 * time.Hour)},
	}}
	items := commandItems(s)
	if len(items) != 1 || items[0].Text != "Ran: `make lint` (ok)" {
		t.Errorf("items of a command 13 h and one 11 h old = %v, want the newer one", items)
	}
}

package hook

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/projector/working"
)

// noted is a note with an event of its own.
func noted(text, event string) *working.Note { return &working.Note{Text: text, Event: event} }

// lines returns what items tell, a line each.
func lines(items []Item) string {
	var list []string
	for _, it := range items {
		list = append(list, it.Text)
	}
	return strings.Join(list, "\n")
}

func TestGoalIsToldWholeWhileThereIsRoom(t *testing.T) {
	long := "Rename the pool " + strings.Repeat("of hosts ", 90) + "and mend its tests"
	s := working.State{ID: "s", Goal: noted(long, "e1"), Task: noted(strings.Repeat("Count the waits ", 50), "e2")}
	in := at("SessionStart", "compact")
	if text := composed(in, Known(s, time.Time{})); !strings.Contains(text, long) {
		t.Errorf("a goal of %d characters is not told whole:\n%s", len(long), text)
	}

	for i := range 20 {
		text := fmt.Sprintf("Never touch host %d %s", i, strings.Repeat("of the pool ", 25))
		s.Constraints = append(s.Constraints, working.Note{Text: text, Event: fmt.Sprint("c", i)})
	}
	for i := range 100 {
		s.Files = append(s.Files, working.File{Path: fmt.Sprintf("pool/host_%d.go", i), Edited: 1, Event: "f"})
	}
	text := composed(in, Known(s, time.Time{}))
	if n := Tokens(text); n > 800 {
		t.Errorf("%d tokens, want at most 800:\n%s", n, text)
	}
	for _, want := range []string{"Goal: Rename the pool", "and mend its tests", "Current task: Count", "Constraints, in the user's words: … ", "Never touch host 19 "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in what fits the budget:\n%s", want, text)
		}
	}
}

func TestConstraintsAreToldBeforeTheFiles(t *testing.T) {
	s := working.State{ID: "s", Goal: noted("Build the pool", "e1"), Files: []working.File{{Path: "pool.go", Edited: 1, Event: "f1"}}}
	s.Constraints = []working.Note{{Text: "Never close it", Event: "e1"}, {Text: "Ask me before a release.", Event: "e2"}, {Text: "Only test the pool.", By: "team-lead", Event: "e3"}, {Text: "No mocks.", Known: true, Event: "e4"}}
	want := "[PHASE: POST_COMPACT] Goal: Build the pool\nConstraints, in the user's words: Never close it. Ask me before a release.\n" +
		"Constraints, in team-lead's words: Only test the pool.\nEdited: pool.go"
	expect.Equal(t, lines(Known(s, time.Time{})), want)

	s.Goal = nil
	s.Constraints = s.Constraints[:1]
	expect.Equal(t, lines(Known(s, time.Time{})), "[PHASE: POST_COMPACT] Constraints, in the user's words: Never close it.\nEdited: pool.go")
}

func TestOrderOfATeamIsToldWithItsSender(t *testing.T) {
	order := &working.Note{Text: "Test the pool", By: "team-lead", Event: "e1"}
	expect.Equal(t, lines(Known(working.State{ID: "s", Goal: order, Task: order}, time.Time{})), "[PHASE: POST_COMPACT] Goal, from team-lead: Test the pool")
}

// The last prompt is told where it adds something.
func TestLastPromptAdds(t *testing.T) {
	goal := noted("Build the pool of hosts", "e1")
	for text, told := range map[string]bool{"yes": false, "ok, go on": false, "commit everything, please": false, "the second one": false, "Build the pool of hosts": false, "/clear": false, "screenshot of the issue": false,
		"/opsx:apply pool-of-hosts": true, "in the folder pool": true, "fix the lint": true} {
		got := lines(Known(working.State{ID: "s", Goal: goal, Prompt: noted(text, "e2")}, time.Time{}))
		if strings.Contains(got, "Last prompt: ") != told {
			t.Errorf("last prompt %q: told %v, want %v", text, !told, told)
		}
	}
}

func TestDoneIsToldAsDone(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	done := &working.Finished{Task: "Count the waits", Goal: "Build the pool", How: "pushed", Hash: "1a2b3c4", Event: "e9", Time: now}
	s := working.State{ID: "before-12345", Active: now, Done: done, Prompt: &working.Note{Text: "fix the lint", Event: "e8", Time: now.Add(-time.Second)},
		Steps: &working.Steps{Texts: []string{"measure it"}, Event: "e9"}}
	want := "[PHASE: SESSION_START] From session before12, moments ago. Last done: Count the waits, committed as 1a2b3c4 and pushed. It began with: Build the pool\n" +
		"Next steps, in the words of the session before: measure it"
	expect.Equal(t, lines(Handoff(s, now)), want)

	if got := projectOnly(Handoff(s, now), "From session before12"); strings.Contains(lines(got), "done") {
		t.Errorf("a headless start is told %s", lines(got))
	}
	s.Goal = noted("Write the page of the pool", "f1")
	s.Prompt = s.Goal
	want = "[PHASE: POST_COMPACT] Last done: Count the waits, committed as 1a2b3c4 and pushed\nGoal since then: Write the page of the pool\nNext steps, in your words: measure it"
	expect.Equal(t, lines(Known(s, time.Time{})), want)
}

// A constraint that outlives its work is not told with that again.
func TestDoneWithoutItsConstraints(t *testing.T) {
	done := &working.Finished{Task: "Make the tests pass. Never delete a row.", How: "committed", Hash: "1a2b3c4", Event: "e9"}
	s := working.State{ID: "s", Done: done, Constraints: []working.Note{{Text: "Never delete a row.", Event: "e1"}}}
	want := "[PHASE: POST_COMPACT] Last done: Make the tests pass, committed as 1a2b3c4\nConstraints, in the user's words: Never delete a row."
	expect.Equal(t, lines(Known(s, time.Time{})), want)
}

// A task that only words call done is told as such.
func TestReportedWork(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	s := working.State{ID: "before-12345", Active: now, Goal: noted("Build the pool", "e1"), Task: noted("Count the waits", "e2"), Reported: "e3"}
	want := "[PHASE: SESSION_START] From session before12, moments ago. Goal: Build the pool\n" +
		"Current task, which its session reported as done: Count the waits"
	expect.Equal(t, lines(Handoff(s, now)), want)
}

// Constraints of an open goal are handed over, also to a headless start; those of a goal that is done are not.
func TestConstraintsAreHandedOver(t *testing.T) {
	s := working.State{ID: "a", Active: time.Now(), Goal: noted("Build the pool", "e1"), Constraints: []working.Note{{Text: "Never close it.", Event: "e1"}, {Text: "Only test it.", By: "team-lead", Event: "e2"}}}
	open := openOf(s)
	if len(open) != 1 || open[0].Kind != events.OpenConstraint || open[0].Text != "Never close it." {
		t.Errorf("open of a session: %+v, want the user's constraint", open)
	}
	if !sameThing(open[0], events.OpenItem{Kind: events.OpenConstraint, Text: "never close it"}) {
		t.Error("one constraint in two forms is told twice")
	}
	if got := lines(projectOnly(handedItems(s, s.Active, "From a"), "From a")); !strings.Contains(got, "Constraints, in the user's words: Never close it.") {
		t.Errorf("a headless start is told %s", got)
	}
	if got := lines(carriedItems(open, "", s.Active)); got != "Constraints of earlier work, in the user's words (newest of session a, moments ago): Never close it." {
		t.Errorf("carried: %s", got)
	}

	s.Goal, s.Done = nil, &working.Finished{Task: "Build the pool", How: "committed", Event: "e9"}
	if open := openOf(s); open != nil {
		t.Errorf("open of a session whose goal is done: %+v", open)
	}
}

// A sentence that is told as a constraint is not told again with the goal, unless nothing else would be left of that.
func TestConstraintsAreToldOnce(t *testing.T) {
	const request = "Build the pool of hosts. Never close it. Ask me first, then measure it"
	for _, c := range []struct{ constraint, want string }{
		{"Never close it.", "Build the pool of hosts. Ask me first, then measure it"},
		{"Ask me first, then measure it", request},
		{"Build the pool of hosts. Never close it. Ask me first, then measure it", request},
		{"pool of hosts. Never close it.", request},
	} {
		got := withoutConstraints(request, []working.Note{{Text: c.constraint}}, true)
		expect.Equal(t, got, c.want, "without "+c.constraint)
	}
	known := []working.Note{{Text: "Never close it.", Known: true}}
	expect.Equal(t, withoutConstraints(request, known, true), request, "beside a summary that has it")
	expect.Equal(t, withoutConstraints("Never close it.", []working.Note{{Text: "Never close it."}}, true), "Never close it.")
}

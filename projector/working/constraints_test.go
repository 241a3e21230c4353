package working

import (
	"fmt"
	"strings"
	"testing"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
)

// texts returns the texts of notes.
func texts(notes []Note) string {
	var list []string
	for _, n := range notes {
		list = append(list, n.Text)
	}
	return strings.Join(list, " | ")
}

func TestConstraintsOfTheUser(t *testing.T) {
	s := folded(
		prompt("Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nKeyError: 3\n\nSkip such rows in the importer. Never delete a row. Ask me before touching the schema."),
		prompt("Now add a metric for them, but never sleep longer than 2 seconds"))
	expect.Equal(t, s.Goal.Text, "Skip such rows in the importer. Never delete a row. Ask me before touching the schema.")
	expect.Equal(t, texts(s.Constraints), "Never delete a row. | Ask me before touching the schema. | Now add a metric for them, but never sleep longer than 2 seconds")
	expect.Equal(t, s.Constraints[2].Event, "e2")

	s = projector.Fold(Table, s, record(3, prompt("and again: NEVER delete a row!")))
	if n := len(s.Constraints); n != 4 {
		t.Errorf("constraints after one in other words: %s", texts(s.Constraints))
	}
	s = projector.Fold(Table, s, record(4, prompt("never delete a row")))
	if last := s.Constraints[len(s.Constraints)-1]; len(s.Constraints) != 4 || last.Event != "e4" {
		t.Errorf("constraints after one was given again: %s, the last of %s", texts(s.Constraints), last.Event)
	}

	s = projector.Fold(Table, s, record(5, &events.SubagentStopped{LastAssistantMessage: "The user said: ask me before touching the schema, \"Ask me before touching the schema.\" and never delete"}))
	if !s.Constraints[0].Known || s.Constraints[1].Known {
		t.Errorf("known after the summary: %+v", s.Constraints)
	}
}

// What holds for the moment ends with the next request, or with the order that it is about.
func TestPassingConstraints(t *testing.T) {
	for _, next := range []string{"commit it now", "Now write the tests of the importer"} {
		s := folded(prompt("Write the importer for the CSV feed. Don't commit yet. Never delete a row."), prompt(next))
		expect.Equal(t, texts(s.Constraints), "Never delete a row.", "after "+next)
	}
	s := folded(prompt("Write the importer for the CSV feed. Don't commit yet."), prompt("looks odd"))
	expect.Equal(t, texts(s.Constraints), "Don't commit yet.")
}

func TestConstraintsAreBounded(t *testing.T) {
	var list []events.Event
	for i := range 30 {
		list = append(list, prompt(fmt.Sprintf("Never touch the file with the number %d %s", i, strings.Repeat("of the feed ", 60))))
	}
	s := folded(list...)
	expect.Equal(t, len(s.Constraints), maxConstraints)
	expect.Equal(t, len([]rune(s.Constraints[0].Text)), maxConstraint)
	if !strings.HasPrefix(s.Constraints[0].Text, "Never touch the file with the number 10 ") {
		t.Errorf("the oldest of 30 constraints = %s, want the eleventh", s.Constraints[0].Text)
	}
}

// A constraint that a session was handed over is its own once the user gives it again.
func TestCarriedConstraintGivenAgain(t *testing.T) {
	open := []events.OpenItem{{Kind: events.OpenConstraint, Text: "Never delete a row.", Session: "x", Event: "x1"}, {Kind: events.OpenTodo, Text: "never delete a row", Session: "x", Event: "x2"}}
	s := folded(&events.HandoverTaken{From: "x", Open: open}, did("TodoWrite", `{"todos":[{"content":"Never delete a row.","status":"pending"}]}`, `{}`))
	if got := s.StillOpen(); len(got) != 1 || got[0].Kind != events.OpenConstraint {
		t.Errorf("open after a list that names it: %+v, want the constraint", got)
	}
	s = projector.Fold(Table, s, record(3, prompt("as I said, never delete a row")))
	if got := s.StillOpen(); len(got) != 1 {
		t.Errorf("open after a sentence of other words: %+v, want the constraint", got)
	}
	s = projector.Fold(Table, s, record(4, prompt("Never delete a row!")))
	if got := s.StillOpen(); got != nil {
		t.Errorf("open after the user gave it again: %+v, want nothing", got)
	}
}

func TestAnswerIsNoTask(t *testing.T) {
	asks := &events.TurnStopped{LastAssistantMessage: "There are two ways to do it.\n\nWhich one do you prefer?"}
	for _, text := range []string{"in the folder of utilities", "the second one", "yes, but only the parser"} {
		s := folded(prompt("Add retries to the upload client"), asks, prompt(text))
		if s.Task.Event != "e1" || s.Prompt.Event != "e3" {
			t.Errorf("task after the answer %q: %+v, prompt %+v", text, s.Task, s.Prompt)
		}
	}
	s := folded(prompt("Add retries to the upload client"), asks, prompt("Add a metric for the retries"))
	expect.Equal(t, s.Task.Event, "e3", "task of a request behind a question")
	s = folded(prompt("Add retries to the upload client"), asks, prompt("hm"), prompt("in the folder of utilities"))
	expect.Equal(t, s.Task.Event, "e4", "task of what answers nothing")
}

func team(from, text string) events.Event {
	return prompt("<teammate-message teammate_id=\"" + from + "\" color=\"blue\">\n" + text + "\n</teammate-message>")
}

func TestOrdersOfATeam(t *testing.T) {
	const order = "You are the tester. Write the tests of the pool. Never skip one."
	s := folded(team("team-lead", order), team("docs", "The page of the pool is written now"), team("team-lead", `{"type":"shutdown_request"}`), team("team-lead", "Now test the web server as well"))
	if s.Goal.Text != order || s.Goal.By != "team-lead" || s.Goal.Event != "e1" {
		t.Errorf("goal of a teammate: %+v", s.Goal)
	}
	if s.Task.Text != "Now test the web server as well" || s.Task.By != "team-lead" {
		t.Errorf("task of a teammate: %+v", s.Task)
	}
	if s.Prompt != nil || texts(s.Constraints) != "Never skip one." || s.Constraints[0].By != "team-lead" {
		t.Errorf("prompt %+v, constraints %+v", s.Prompt, s.Constraints)
	}

	s = folded(team("planner", order), team("team-lead", "Write the page of the pool instead"))
	if s.Lead != "planner" || s.Task.Event != "e1" {
		t.Errorf("lead %s, task %+v; want the session that gave the first order", s.Lead, s.Task)
	}
	s = folded(prompt("Build the pool with a team"), team("docs", "The page of the pool is written now"), team("team-lead", "Test the pool with many hosts"))
	if s.Goal.Event != "e1" || s.Task.Event != "e1" || s.Lead != "" {
		t.Errorf("of a session whose user gave the goal: goal %+v, task %+v", s.Goal, s.Task)
	}
	s = folded(prompt("hello there"), team("team-lead", order), prompt("Test the pool with many hosts first"))
	if s.Goal.By != "team-lead" || s.Task.Event != "e3" || s.Task.By != "" {
		t.Errorf("of a teammate that the user spoke to: goal %+v, task %+v", s.Goal, s.Task)
	}
}

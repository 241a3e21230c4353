package working

import (
	"cmp"
	"encoding/json"

	"hookline/events"
	"hookline/events/copies"
	"hookline/events/wording"
)

// The list of things to do, as the client keeps it.

// listed takes in a whole list of things to do: the client's, or the plan of Codex.
func (s *State) listed(r events.Record, input json.RawMessage) {
	var in struct {
		Todos, Plan []struct{ Content, Step, Status string }
	}
	if json.Unmarshal(input, &in) != nil {
		return
	}

	s.Todos = nil
	for _, t := range append(in.Todos, in.Plan...) {
		if text := Line(t.Content + t.Step); text != "" {
			s.Todos = append(s.Todos, Todo{Text: text, Status: wording.Short(t.Status, maxWord), Event: r.ID})
			s.closeTasks(r, text)
		}
	}
	s.Todos = copies.Newest(s.Todos, maxTodos)
}

// Todo is one entry of a list of things to do.
type Todo struct {
	ID     string `json:"id,omitempty" jsonschema_description:"the client's id of a task"`
	Text   string `json:"text" jsonschema_description:"shortened"`
	Status string `json:"status" jsonschema_description:"pending, in_progress or completed"`
	Event  string `json:"event" jsonschema_description:"id of its newest event"`
}

func (s *State) taskCreated(r events.Record, e *events.TaskCreated) {
	s.task(r, e.TaskID, e.TaskSubject, "pending")
}

func (s *State) taskCompleted(r events.Record, e *events.TaskCompleted) {
	s.task(r, e.TaskID, e.TaskSubject, "completed")
}

// task takes in an entry of the list of things to do that has an id.
func (s *State) task(r events.Record, id, subject, status string) {
	todos, t := copies.Take(s.Todos, func(t Todo) bool { return t.ID == id })
	t = Todo{ID: id, Text: cmp.Or(Line(subject), t.Text), Status: status, Event: r.ID}
	if t.Text != "" {
		s.Todos = copies.Push(todos, t, maxTodos)
		s.closeTasks(r, t.Text)
	}
}

// Pending are the things to do that are not completed.
func (s State) Pending() []Todo {
	open, _ := copies.Take(s.Todos, func(t Todo) bool { return t.Status == "completed" })
	return open
}

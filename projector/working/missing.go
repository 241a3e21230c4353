package working

import (
	"slices"

	"hookline/events"
	"hookline/events/action"
	"hookline/events/copies"
	"hookline/events/outcome"
	"hookline/events/wording"
)

// Programs that are not on the machine: a shell said that it found none of the name, and none worked in the session.

// maxMissing bounds them.
const maxMissing = 20

// Absent is a program that is not there.
type Absent struct {
	Program string `json:"program" jsonschema_description:"name of the program"`
	Event   string `json:"event" jsonschema_description:"id of the event that says so"`
}

// lacks takes in the programs of a command that its output says are not there.
func (s *State) lacks(r events.Record, call events.Call, output string) {
	for _, program := range action.Missing(call.Input.Command.Text(), call.Runs, output) {
		known := slices.ContainsFunc(s.Missing, func(a Absent) bool { return a.Program == program })
		if !known && !s.worked(program) {
			s.Missing = copies.Push(s.Missing, Absent{Program: wording.Short(program, maxWord), Event: r.ID}, maxMissing)
		}
	}
}

// worked reports whether a program was part of a command that did not fail.
func (s State) worked(program string) bool {
	return slices.ContainsFunc(s.Commands, func(c Command) bool {
		return c.Status != outcome.Failed && slices.Contains(action.Programs(c.Line, events.Runs(c.Line)), program)
	})
}

// found takes in the programs that worked in a command that succeeded.
func (s *State) found(call events.Call, output string) {
	if s.Missing == nil {
		return
	}
	command := call.Input.Command.Text()
	missing := action.Missing(command, call.Runs, output)

	var works []string
	for _, run := range call.Runs {
		if run.Hidden && run.Redirected { // its error may be where nobody sees it
			continue
		}
		works = append(works, action.Programs(command, []events.Run{run})...)
		if !run.Hidden && slices.Contains([]string{"which", "command", "type"}, run.Words[0]) {
			works = append(works, run.Words[1:]...)
		}
	}
	s.Missing, _ = copies.Take(s.Missing, func(a Absent) bool {
		return slices.Contains(works, a.Program) && !slices.Contains(missing, a.Program)
	})
}

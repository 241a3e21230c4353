package working

import (
	"encoding/json"
	"slices"

	"hookline/events"
	"hookline/events/copies"
	"hookline/events/speech"
	"hookline/events/wording"
)

// What a turn's end is held to: the contract of the task, the evidence for it, and what is open (S2 "SESSION_STOP").

// Done is the confidence from which on a task counts as done (DECISIONS S2).
const Done = 80

// stopped takes in the end of a turn: what the agent said last, which steps it names as next, and the prompts of the session's
// schedule. The client says who submitted a prompt in some settings only (2.1.330 by default does not), so a scheduled one is
// known by its text.
func (s *State) stopped(r events.Record, e *events.TurnStopped) {
	s.Turns++
	s.Said = nil
	s.Asked = speech.Asks(e.LastAssistantMessage)
	s.reported(r, e.LastAssistantMessage)
	s.finished(r, e)

	var schedule []struct{ Prompt string }
	_ = json.Unmarshal(e.SessionCrons, &schedule) // mostly there is none
	for _, t := range schedule {
		if text := wording.Short(t.Prompt, MaxTask); text != "" && !slices.Contains(s.Scheduled, text) {
			s.Scheduled = copies.Push(s.Scheduled, text, maxScheduled)
		}
	}
}

// HandoffOf is what the next session of the project has to know, nil where nothing was worked on (S2 "Explicit handoff",
// origins 2.3 for its bounds).
func (s State) HandoffOf(by string) *events.HandoffWritten {
	pending := s.Pending()
	var files []string
	for _, f := range slices.Backward(s.Files) {
		if f.Changed() && len(files) < 5 {
			files = append(files, f.Path)
		}
	}
	nothing := s.Goal == nil && s.Done == nil
	if nothing || len(files)+len(pending)+len(s.Open) == 0 && s.Steps == nil {
		return nil
	}

	out := &events.HandoffWritten{By: by, Files: files}
	if s.Goal != nil {
		out.Text = wording.Short(s.Goal.Text, MaxTask)
	} else {
		out.Text = "done, " + s.Done.Shown() + ": " + wording.Short(s.Done.Label(), MaxTask)
	}
	if s.Goal != nil && s.Task != nil && s.Task.Event != s.Goal.Event {
		out.Text += "; last: " + wording.Short(s.Task.Text, MaxTask)
	}
	if s.Steps != nil && len(pending) == 0 {
		out.NextSteps = s.Steps.Texts
	}
	for _, t := range pending[:min(maxSteps, len(pending))] {
		out.NextSteps = append(out.NextSteps, wording.Short(t.Text, maxStep))
	}
	for _, f := range slices.Backward(copies.Newest(s.Open, 3)) {
		out.Blockers = append(out.Blockers, wording.Short(f.Target+": "+f.Text, maxLine))
	}
	if n := len(s.Checkpoints); n > 0 {
		out.Checkpoint = s.Checkpoints[n-1].Event
	}
	return out
}

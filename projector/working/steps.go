package working

import (
	"regexp"
	"strings"

	"hookline/events"
	"hookline/events/copies"
	"hookline/events/wording"
)

// What the agent named as next when it reported. Only the newest report counts: what an earlier one named was done since, or
// left for something else.

// Steps are what is to be done next, in the agent's own words.
type Steps struct {
	Texts []string `json:"texts" jsonschema_description:"at most 5, of 80 characters"`
	Event string   `json:"event" jsonschema_description:"id of the turn's end that named them"`
	Call  int      `json:"call,omitempty" jsonschema_description:"number of the session's calls until then"`
	Known bool     `json:"known,omitempty" jsonschema_description:"the context still has the message, behind the newest summary of a compaction"`
}

// reported takes in the next steps of a turn's last words. Words without any end those named before, where the session made calls
// since; and those that it was handed over, where it made calls of its own.
func (s *State) reported(r events.Record, message string) {
	steps := stepsOf(message)
	switch {
	case steps != nil:
		s.Steps = &Steps{Texts: steps, Event: r.ID, Call: s.Calls}
		s.closeTasks(r, steps...)
	case s.Steps != nil && s.Calls > s.Steps.Call:
		s.Steps = nil
	}
	if s.Taken != nil && s.Calls > s.Taken.Call {
		s.Carried, _ = copies.Take(s.Carried, func(c Carried) bool { return c.Closed == "" && c.Kind == events.OpenStep })
	}
}

// nextHead is a line that announces what is to be done.
var nextHead = regexp.MustCompile(`(?i)^\W*(?:to ?dos?(?: list| items?)?\W*$|(?:next steps?|remaining(?: work)?|what(?:'s| is) (?:left|next)|still (?:open|to do))\b[^.]*:?\W*$)`)

// notToDo matches entries that name nothing to do: what is done, and what another agent of a team does at the moment.
var notToDo = regexp.MustCompile(`(?i)^\W*(?:[✅☑✔]|~~|\[x\])|^\W*(?:notified|fixed|completed|finished|implemented) ` +
	`|\bmarked (?:as )?(?:done|completed?)\b` +
	`|[—–:-] +(?:done|completed|finished|fixed|corrigido|concluído|erledigt)\b` +
	`|\bstanding by\b|^\W*(?:agent )?[\w.-]+\W*?(?: is)? +(?:[—–:-] +)?(?:(?:now|still|currently) +)?` +
	`(?:waiting (?:for|to|on)|working on|implementing|reviewing|verifying|fixing|testing|running|idle)\b`)

// stepsOf are the entries of the list below such a line, at most 5 of 80 characters.
func stepsOf(message string) []string {
	var steps []string
	below := false
	for line := range strings.Lines(message) {
		line = strings.TrimSpace(line)
		m := listEntry.FindStringSubmatch(line)
		switch {
		case below && m != nil && notToDo.MatchString(wording.Clip(m[1], maxLine)):
		case below && m != nil && len(steps) < maxSteps:
			steps = append(steps, wording.Short(m[1], maxStep))
		case nextHead.MatchString(line):
			below = true
			steps = nil
		case m == nil && line != "":
			below = false
		}
	}
	return steps
}

package working

import (
	"encoding/json"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"hookline/events"
)

// What a turn's end is held to: the contract of the task, the evidence for it, and what is open (S2 "SESSION_STOP").

// Contract is what a task promises.
type Contract struct {
	Goal     string   `json:"goal" jsonschema_description:"the prompt that asks for the work, at most 100 characters"`
	Criteria []string `json:"criteria,omitempty" jsonschema_description:"the entries of the prompt's list, at most 8"`
	Evidence []string `json:"evidence_required" jsonschema_description:"test_pass and build_success: either makes it done"`
	Turn     int      `json:"created_turn" jsonschema_description:"turns that had stopped before it"`
	Event    string   `json:"event" jsonschema_description:"id of the prompt"`
}

// Done is the confidence from which on a task counts as done (DECISIONS S2).
const Done = 80

const (
	maxContract = 100 // characters of its goal
	maxCriteria = 8
	maxStep     = 80 // characters of a next step
	maxSteps    = 5
	lastTools   = 5
)

// implements are words of a prompt that asks for a change of the work.
var implements = regexp.MustCompile(`(?i)\b(add|build|change|convert|create|delete|extend|extract|finish|fix|implement|integrate|make|mend|migrate|move|` +
	`patch|port|refactor|remove|rename|replace|rewrite|split|support|update|upgrade|write)\b`)

// maxAsked is how many bytes of a prompt are searched for them: one of a megabyte would take 30 ms.
const maxAsked = 16 << 10

var listEntry = regexp.MustCompile(`^\s*(?:[-*]|\d+[.)])\s+(?:\[ ?\]\s+)?(\S.*)$`)

// contractOf is what a prompt promises, nil for a question and for words that ask for no change.
func contractOf(text, event string, turns int) *Contract {
	if strings.HasSuffix(text, "?") || !implements.MatchString(text[:min(len(text), maxAsked)]) {
		return nil
	}
	c := &Contract{Goal: Clip(text, maxContract), Evidence: []string{"test_pass", "build_success"}, Turn: turns, Event: event}
	for line := range strings.Lines(text) {
		m := listEntry.FindStringSubmatch(strings.TrimSpace(line))
		if m != nil && len(c.Criteria) < maxCriteria {
			c.Criteria = append(c.Criteria, Clip(m[1], maxContract))
		}
	}
	return c
}

// nextHead is a line that announces what is to be done.
var nextHead = regexp.MustCompile(`(?i)^\W*(next steps?|to ?do|remaining( work)?|what('s| is) (left|next)|still (open|to do))\b[^.]*:?\W*$`)

// stepsOf are the entries of the list below such a line, at most 5 of 80 characters.
func stepsOf(message string) []string {
	var steps []string
	below := false
	for line := range strings.Lines(message) {
		m := listEntry.FindStringSubmatch(strings.TrimSpace(line))
		switch {
		case below && m != nil && len(steps) < maxSteps:
			steps = append(steps, Clip(m[1], maxStep))
		case nextHead.MatchString(strings.TrimSpace(line)):
			below = true
			steps = nil
		case m == nil && strings.TrimSpace(line) != "":
			below = false
		}
	}
	return steps
}

// prose are the endings of files that no test or build is about.
var prose = []string{".md", ".markdown", ".txt", ".rst", ".adoc", ".log", ".csv"}

// IsCode tells whether a test or a build can say something of a file.
func IsCode(file string) bool {
	return !slices.Contains(prose, strings.ToLower(path.Ext(file)))
}

// changed takes in that code was changed: what passed before says nothing of it.
func (s State) changed(r events.Record, file string) State {
	if !IsCode(file) {
		return s
	}
	s.Unproved = noteOf(r, file, maxPath)
	evidence := slices.Clone(s.Evidence)
	for i := range evidence {
		evidence[i].Stale = true
	}
	s.Evidence = evidence
	return s
}

// tracked takes in commands that succeeded, as far as they are of the issue trackers bd and br: those that change an issue,
// and those that store that.
func (s State) tracked(r events.Record, runs []events.Run) State {
	for _, run := range runs {
		if len(run.Words) < 2 || run.Words[0] != "bd" && run.Words[0] != "br" {
			continue
		}
		switch run.Words[1] {
		case "create", "new", "update", "close", "done", "reopen", "edit", "dep", "comment", "comments", "label":
			s.Unsynced = noteOf(r, strings.Join(run.Words, " "), maxLine)
		case "sync", "flush", "export":
			s.Unsynced = nil
		}
	}
	return s
}

// stopped takes in the end of a turn: what the agent said last, and which steps it names as next.
func (s State) stopped(r events.Record, e *events.TurnStopped) State {
	s.Turns++
	s.Said = nil
	if steps := stepsOf(e.LastAssistantMessage); steps != nil {
		s.Steps = &Steps{Texts: steps, Event: r.ID}
	}
	s.Scheduled = withCrons(s.Scheduled, e.SessionCrons)
	return s
}

// withCrons adds the prompts of a session's schedule, shortened. The client says who submitted a prompt in some settings
// only (2.1.330 by default does not), so a scheduled one is known by its text.
func withCrons(known []string, schedule json.RawMessage) []string {
	var tasks []struct{ Prompt string }
	if json.Unmarshal(schedule, &tasks) != nil {
		return known // mostly there is none
	}
	for _, t := range tasks {
		if text := Clip(t.Prompt, MaxTask); text != "" && !slices.Contains(known, text) {
			known = events.Newest(append(slices.Clip(known), text), maxScheduled)
		}
	}
	return known
}

// Steps are what is to be done next, in the agent's own words.
type Steps struct {
	Texts []string `json:"texts" jsonschema_description:"at most 5, of 80 characters"`
	Event string   `json:"event" jsonschema_description:"id of the turn's end that named them"`
	Known bool     `json:"known,omitempty" jsonschema_description:"the context still has the message, behind the newest summary of a compaction"`
}

// warned takes in what a turn's end was warned of, or held for.
func (s State) warned(e *events.TurnWarned) State {
	warned := map[string]string{}
	maps.Copy(warned, s.Warned)
	for _, c := range e.Causes {
		warned[Clip(c.Cause, 40)] = Clip(c.Event, maxLine)
	}
	s.Warned = warned
	return s
}

// Drifted tells that nothing of the goal was seen in the last turns: of its keywords less than one in ten is in the
// newest prompts, files and commands, five turns or more after it was set (origins 2.3).
func (s State) Drifted() bool {
	if s.Goal == nil || len(s.Keywords) == 0 || s.Turns-s.GoalTurn < 5 {
		return false
	}

	var recent []string
	for _, n := range []*Note{s.Task, s.Prompt} {
		if n != nil && n.Event != s.Goal.Event {
			recent = append(recent, n.Text)
		}
	}
	for _, f := range events.Newest(s.Files, 10) {
		recent = append(recent, f.Path)
	}
	for _, c := range events.Newest(s.Commands, 10) {
		recent = append(recent, c.Line)
	}
	text := strings.ToLower(strings.Join(recent, "\n"))

	seen := 0
	for _, k := range s.Keywords {
		if strings.Contains(text, k) {
			seen++
		}
	}
	return seen*10 < len(s.Keywords)
}

// HandoffOf is what the next session of the project has to know, nil where nothing was worked on (S2 "Explicit handoff",
// origins 2.3 for its bounds).
func (s State) HandoffOf(by string) *events.HandoffWritten {
	pending := s.Pending()
	var files []string
	for i := len(s.Files) - 1; i >= 0 && len(files) < 5; i-- {
		if f := s.Files[i]; f.Created || f.Edited > 0 {
			files = append(files, f.Path)
		}
	}
	if s.Goal == nil || len(files)+len(pending)+len(s.Open) == 0 && s.Steps == nil {
		return nil
	}

	out := &events.HandoffWritten{Text: s.Goal.Text, By: by, Files: files}
	if s.Task != nil && s.Task.Event != s.Goal.Event {
		out.Text += "; last: " + s.Task.Text
	}
	for _, t := range pending {
		if len(out.NextSteps) < maxSteps {
			out.NextSteps = append(out.NextSteps, Clip(t.Text, maxStep))
		}
	}
	if s.Steps != nil && len(pending) == 0 {
		out.NextSteps = s.Steps.Texts
	}
	for i := len(s.Open) - 1; i >= 0 && len(out.Blockers) < 3; i-- {
		out.Blockers = append(out.Blockers, Clip(s.Open[i].Target+": "+s.Open[i].Text, maxLine))
	}
	if n := len(s.Checkpoints); n > 0 {
		out.Checkpoint = s.Checkpoints[n-1].Event
	}
	return out
}

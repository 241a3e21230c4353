package working

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"hookline/events"
	"hookline/events/copies"
	"hookline/events/outcome"
	"hookline/events/wording"
)

// Commands that the session ran: their outcome, and which of them it probably comes back to.

// ran takes in that the session's own shell ran a command. Without room the one goes that is the least probably run again.
func (s *State) ran(r events.Record, cwd string, call events.Call, result outcome.Result, exit string) {
	line := s.lineOf(call.Input.Command.Text(), cwd)
	if line == "" || r.AgentID != "" {
		return
	}

	shown := result.Counts
	if exit != "" {
		shown = strings.TrimSuffix("exit "+exit+", "+result.Counts, ", ")
	}
	commands, c := copies.Take(s.Commands, func(c Command) bool { return c.Line == line })
	c = Command{
		Line:   line,
		Kind:   kindOf(line, call),
		Status: result.Status,
		Result: wording.Short(shown, maxLine),
		Runs:   c.Runs + 1,
		Event:  r.ID,
		Time:   r.Time,
	}
	s.Commands = append(commands, c)
	if len(s.Commands) > maxCommands {
		rarest := s.rarest()
		s.Commands = slices.Delete(s.Commands, rarest, rarest+1)
	}

	if check := call.Check(); check != "" {
		s.checked(r, line, check, result.Status)
	}
	if result.Status != outcome.Failed {
		s.tracked(r, call.Runs)
	}
}

// checked takes in how a check went. One whose outcome is not known proves nothing, and takes nothing back.
func (s *State) checked(r events.Record, line, check string, status outcome.Status) {
	if status == outcome.Unknown {
		return
	}
	ok := status == outcome.OK
	evidence, _ := copies.Take(s.Evidence, func(p Proof) bool { return p.Kind == check })
	s.Evidence = append(evidence, Proof{Kind: check, OK: ok, Event: r.ID})
	if !ok {
		return
	}

	if check != "lint" {
		s.Unproved = nil
	}
	if strings.HasSuffix(line, part) { // another command may have it in common
		return
	}
	passed, _ := copies.Take(s.Passed, func(p Pass) bool { return p.Line == line })
	s.Passed = copies.Push(passed, Pass{Line: line, Event: r.ID}, maxPassed)
}

// editedSince notes for each check that passed that a file was changed since.
func (s *State) editedSince(file string) {
	if len(s.Passed) == 0 {
		return
	}
	s.Passed = slices.Clone(s.Passed)
	for i, p := range s.Passed {
		if len(p.Edited) < maxEdited && !slices.Contains(p.Edited, file) {
			s.Passed[i].Edited = append(slices.Clone(p.Edited), file)
		}
	}
}

// passedBefore returns when a check passed before in this session, and what was edited since; nil for one that did not.
func (s *State) passedBefore(call events.Call, cwd string) *Pass {
	if call.Check() == "" {
		return nil
	}
	line := s.lineOf(call.Input.Command.Text(), cwd)
	i := slices.IndexFunc(s.Passed, func(p Pass) bool { return p.Line == line })
	if i < 0 {
		return nil
	}
	passed := s.Passed[i]
	return &passed
}

// tracked takes in commands that did not fail, as far as they are of the issue trackers bd and br: those that change an issue,
// and those that store that.
func (s *State) tracked(r events.Record, runs []events.Run) {
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
}

// Repeated returns the commands that are probably run again: checks, and what was run more than once, if few others came since
// and the whole line is short. Looks and parts of commands are none of them. Checks come first, then scripts, servers and tasks of
// the project, then others; of one kind the one first that was run more often, and of these the newest.
func (s State) Repeated() []Command {
	var list []Command
	for _, c := range slices.Backward(copies.Newest(s.Commands, recentCommands)) {
		isRunAgain := c.isCheck() || c.Runs > 1 && c.Kind != kindLook
		isWhole := len(c.Line) <= shortCommand && !strings.HasSuffix(c.Line, part)
		if isRunAgain && isWhole {
			list = append(list, c)
		}
	}

	slices.SortStableFunc(list, func(a, b Command) int {
		return cmp.Or(cmp.Compare(places[a.Kind], places[b.Kind]), cmp.Compare(b.Runs, a.Runs))
	})
	return list[:min(len(list), maxRepeated)]
}

// places are those of the kinds behind checks, where commands are told.
var places = map[string]int{kindTask: 1, kindOnce: 2, kindLook: 3, "": 3}

// isCheck reports whether a command is a test, a build or a lint.
func (c Command) isCheck() bool {
	_, isOther := places[c.Kind]
	return !isOther
}

// rarest returns the place of the command that is the least probably run again: one that was run seldom and long ago, a look
// before others.
func (s State) rarest() int {
	rarest, most := 0, 0
	for i, c := range s.Commands {
		age := len(s.Commands) - 1 - i
		rarity := (olderCommand + age) * 100 / c.Runs
		if c.Kind == kindLook {
			rarity *= looksRarer
		}
		if rarity > most {
			rarest, most = i, rarity
		}
	}
	return rarest
}

// Bounds of what is run again, chosen on recorded sessions (docs/continuity.md).
const (
	olderCommand   = 10 // commands that were run since, and halve the probability
	looksRarer     = 3  // times less often a look is run again
	recentCommands = 12 // distinct ones: of those before them few are run again
	shortCommand   = 60 // bytes: few longer lines are run again as they are
	maxRepeated    = 6
)

// lineOf returns a command as it is kept: what can be run again, else its first line, marked as a part. Commands that have it in
// common count as one.
func (s *State) lineOf(command, cwd string) string {
	if line := s.runnable(command, cwd); line != "" {
		return wording.Short(line, maxLine)
	}
	line := Line(command)
	if line == "" || strings.HasSuffix(line, part) {
		return line
	}
	return line + part
}

// part ends a line that is a part of a command.
const part = "…"

// Command is a command line that was run.
type Command struct {
	Line   string         `json:"line" jsonschema_description:"as it can be run from the work tree; of others the first line with … behind it"`
	Kind   string         `json:"kind" jsonschema_description:"test, build, lint; task (script, server), look (it shows something), once (others)"`
	Status outcome.Status `json:"status" jsonschema_description:"how its last run went: ok, failed, or unknown where neither its exit status nor its output says so"`
	Result string         `json:"result,omitempty" jsonschema_description:"exit status of a failure, counts of a check"`
	Runs   int            `json:"runs" jsonschema_description:"how often it was run"`
	Event  string         `json:"event" jsonschema_description:"id of the newest event"`
	Time   time.Time      `json:"time" jsonschema_description:"of the newest event"`
}

// Pass is a check that passed in this session, and what was edited since.
type Pass struct {
	Line   string   `json:"line" jsonschema_description:"the command, as among the commands"`
	Event  string   `json:"event" jsonschema_description:"id of the run that passed last"`
	Edited []string `json:"edited,omitempty" jsonschema_description:"files that were changed since, the first ones, at most 6"`
}

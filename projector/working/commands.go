package working

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"hookline/events"
	"hookline/events/copies"
	"hookline/events/wording"
)

// Commands that the session ran: their outcome, and which of them it probably comes back to.

// counts are what test runners print.
var counts = regexp.MustCompile(`(?i)^\d+ (passed|failed|passing|failing|errors?|skipped|tests?)\b`)

// ran takes in that the session's own shell ran a command. Without room the one goes that is the least probably run again.
func (s *State) ran(r events.Record, call events.Call, ok bool, output string) {
	line := s.bare(call.Input.Command.Text())
	if line == "" || r.AgentID != "" {
		return
	}
	check := call.Check()

	var result []string
	if strings.HasPrefix(output, "Exit code ") { // else the expression would search all of it
		if m := framing.FindStringSubmatch(output); m != nil && m[1] != "" {
			result = append(result, "exit "+m[1])
		}
	}
	if check != "" {
		result = append(result, slices.Compact(wording.LastCounts(output, counts, 3))...)
	}

	commands, c := copies.Take(s.Commands, func(c Command) bool { return c.Line == line })
	c = Command{Line: line, OK: ok, Result: wording.Short(strings.Join(result, ", "), maxLine), Runs: c.Runs + 1, Event: r.ID, Time: r.Time}
	s.Commands = append(commands, c)
	if len(s.Commands) > maxCommands {
		ranked := s.ranked()
		rarest := ranked[len(ranked)-1]
		s.Commands = slices.Delete(s.Commands, rarest, rarest+1)
	}

	if check != "" {
		evidence, _ := copies.Take(s.Evidence, func(p Proof) bool { return p.Kind == check })
		s.Evidence = append(evidence, Proof{Kind: check, OK: ok, Event: r.ID})
		if ok && check != "lint" {
			s.Unproved = nil
		}
	}
	if ok {
		s.tracked(r, call.Runs)
	}
}

// tracked takes in commands that succeeded, as far as they are of the issue trackers bd and br: those that change an issue,
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

// Repeated are the commands, those first that are probably run again, without those whose first line only opens what
// they are about.
func (s State) Repeated() []Command {
	var list []Command
	for _, i := range s.ranked() {
		if c := s.Commands[i]; !opening.MatchString(c.Line) {
			list = append(list, c)
		}
	}
	return list
}

// ranked are the places of the commands, those first that are probably run again, for the room that they take: short ones, those
// that were run often, and not long ago.
func (s State) ranked() []int {
	var at []int
	for i := range slices.Backward(s.Commands) {
		at = append(at, i)
	}
	rarity := func(i int) int {
		c := s.Commands[i]
		age := len(s.Commands) - 1 - i
		room := min(len(c.Line), toldCommand)
		return room * room * (olderCommand + age) / max(1, c.Runs)
	}
	slices.SortStableFunc(at, func(a, b int) int { return rarity(a) - rarity(b) })
	return at
}

// opening is the end of a line, or the sign in it, that begins what other lines hold: a document, a script, a loop.
var opening = regexp.MustCompile(`<<|\s["']$|[({\\]$|\b(do|then)$`)

// Bounds of the ranks.
const (
	olderCommand = 10 // commands that were run since, and halve the probability
	toldCommand  = 60 // characters that a command is told by
)

// around is what stands around what is run: before it lines of comments, changes to another folder, headings for the output,
// options of the shell and variables, then the change to another folder by its whole path, and at the end how much of the output
// is looked at.
var (
	heads  = regexp.MustCompile(`^(\s*(#.*|cd [^\n;&|]*|echo ("[^"\n]*"|'[^'\n]*')|set -[^\n;&|]*|\w+=\S*)?\n)+`)
	around = regexp.MustCompile(`^cd ("/[^"]*"|[/~]\S*) *(&&|;) *|(\s*2>&1)?(\s*\|\s*(head|tail)( -n)?( -?\d+)?)?\s*$`)
	gitIn  = regexp.MustCompile(`\bgit -C /\S+`)
)

// bare is the first line of a command that says what is run, with paths below the work tree. Commands that have it in common count
// as one.
func (s State) bare(command string) string {
	if strings.Contains(command, "\n") {
		command = heads.ReplaceAllString(command, "")
	}
	line := Line(command)
	if s.Worktree != "" {
		line = strings.ReplaceAll(line, s.Worktree+"/", "")
	}
	line = strings.TrimRight(line, " \t\n\f\r")
	if strings.HasPrefix(line, "cd ") || strings.ContainsAny(line, "|>") { // the expression is slow, and most lines have nothing for it
		line = around.ReplaceAllString(line, "")
	}
	if strings.Contains(line, "git -C") {
		line = gitIn.ReplaceAllString(line, "git")
	}
	return line
}

// Command is a command line that was run.
type Command struct {
	Line   string    `json:"line" jsonschema_description:"first line without a change of folder before it and what shows a part of its output, shortened"`
	OK     bool      `json:"ok" jsonschema_description:"its last run succeeded"`
	Result string    `json:"result,omitempty" jsonschema_description:"exit status of a failure, counts of a test run"`
	Runs   int       `json:"runs" jsonschema_description:"how often it was run"`
	Event  string    `json:"event" jsonschema_description:"id of the newest event"`
	Time   time.Time `json:"time" jsonschema_description:"of the newest event"`
}

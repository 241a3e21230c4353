package working

import (
	"regexp"
	"slices"
	"strings"

	"hookline/events"
)

// Ranks: which commands and files a session probably comes back to.

// Repeated are the commands, those first that are probably run again, without those whose first line only opens what
// they are about.
func (s State) Repeated() []Command {
	var at []int
	for i, c := range slices.Backward(s.Commands) {
		if !opening.MatchString(c.Line) {
			at = append(at, i)
		}
	}
	slices.SortStableFunc(at, func(a, b int) int { return s.rarity(a) - s.rarity(b) })

	var list []Command
	for _, i := range at {
		list = append(list, s.Commands[i])
	}
	return list
}

// opening is the end of a line, or the sign in it, that begins what other lines hold: a document, a script, a loop.
var opening = regexp.MustCompile(`<<|\s["']$|[({\\]$|\b(do|then)$`)

// rarity is how improbable it is that a command is run again, for the room that it takes: less for short ones, for those
// that were run often, and not long ago.
func (s State) rarity(i int) int {
	c := s.Commands[i]
	age := len(s.Commands) - 1 - i
	room := min(len(c.Line), toldCommand)
	return room * room * (olderCommand + age) / max(1, c.Runs)
}

// Bounds of the ranks.
const (
	olderCommand = 10 // commands that were run since, and halve the probability
	toldCommand  = 60 // characters that a command is told by
)

// around is what stands around what is run: the change to another folder by its whole path, and at the end how much of the
// output is looked at.
var around = regexp.MustCompile(`^cd ("/[^"]*"|[/~]\S*) *(&&|;) *|(\s*2>&1)?(\s*\|\s*(head|tail)( -n)?( -?\d+)?)?\s*$`)

// gitIn is git in another folder.
var gitIn = regexp.MustCompile(`\bgit -C /\S+`)

// bare is what a command runs, with paths below the work tree. Commands that have it in common count as one.
func (s State) bare(line string) string {
	if s.Worktree != "" {
		line = strings.ReplaceAll(line, s.Worktree+"/", "")
	}
	return gitIn.ReplaceAllString(around.ReplaceAllString(line, ""), "git")
}

// looks are programs that only look at something: one that failed leaves nothing to mend.
var looks = strings.Fields("ls cat head tail which find grep rg test [ stat file pwd type wc tree lsof ps pgrep command")

// Unmended are the newest failures that leave something to mend, at most n, the newest first: no look at what is not
// there, no tool that works on no file, no command but a check that was forgotten for others since.
func (s State) Unmended(n int) []Failure {
	var list []Failure
	for _, f := range slices.Backward(s.Open) {
		program, _, _ := strings.Cut(f.Target, " ")
		looked := f.Tool == "Read" || f.Tool == "Bash" && slices.Contains(looks, program)
		if f.Tool == "Bash" && checkOf(events.Runs(f.Target)) == "" {
			looked = looked || !slices.ContainsFunc(s.Commands, func(c Command) bool { return c.Event == f.Event })
		}
		if !looked && f.Target != f.Tool && len(list) < n {
			list = append(list, f)
		}
	}
	return list
}

package working

import (
	"regexp"
	"slices"
	"strings"
)

// Ranks: which commands and files a session probably comes back to.

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

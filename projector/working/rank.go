package working

import (
	"regexp"
	"slices"
	"strings"
)

// Ranks: which commands and files a session probably comes back to.

// Repeated are the commands that are worth telling, those first that are probably run again. One that only looked at
// something once is left out.
func (s State) Repeated() []Command {
	rarity := map[string]int{}
	for i, n := range s.rarity() {
		rarity[s.Commands[i].Line] = n
	}
	var list []Command
	for _, c := range slices.Backward(s.Commands) {
		once := c.OK && c.Runs <= 1 && looks.MatchString(c.Line)
		if !once && rarity[c.Line] < rare {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b Command) int { return rarity[a.Line] - rarity[b.Line] })
	return list
}

// rarity is how improbable it is that each of the commands is run again, for the room that it takes: less for short ones,
// for those that were run often, and not long ago.
func (s State) rarity() []int {
	var list []int
	for i, c := range s.Commands {
		age := len(s.Commands) - 1 - i
		list = append(list, len(c.Line)*len(c.Line)*(olderCommand+age)/olderCommand/max(1, c.Runs))
	}
	return list
}

// Bounds of the ranks.
const (
	olderCommand = 10   // commands that were run since, and halve the probability
	rare         = 7000 // a command of 60 bytes that was run once, ten others since
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

// looks are commands that only look at something: one that failed leaves nothing to mend.
var looks = regexp.MustCompile(`^(ls|cd|cat|head|tail|which|find|grep|rg|test|stat|file|pwd|type|wc|tree|lsof|ps|pgrep|command -v)\b`)

// Mended tells whether a failure leaves nothing to mend: a look at what is not there, a tool that works on no file.
func (f Failure) Mended() bool {
	return f.Target == f.Tool || f.Tool == "Read" || f.Tool == "Bash" && looks.MatchString(f.Target)
}

// Unmended are the newest failures that leave something to mend, at most n, the newest first.
func (s State) Unmended(n int) []Failure {
	var list []Failure
	for _, f := range slices.Backward(s.Open) {
		if !f.Mended() && len(list) < n {
			list = append(list, f)
		}
	}
	return list
}

// About are the words of what the session is for and does now, to rank by.
func (s State) About() []string {
	var words []string
	for _, n := range []*Note{s.Prompt, s.Task, s.Goal} {
		if n != nil {
			words = append(words, keywords(n.Text)...)
		}
	}
	return words
}

// Hits is how many distinct words of a list a path has in its names, at most 3.
func Hits(path string, words []string) int {
	n := 0
	names := parts(path)
	for i, w := range words {
		if slices.Contains(words[:i], w) {
			continue
		}
		if slices.ContainsFunc(parts(w), func(p string) bool { return len(p) > 2 && slices.Contains(names, p) }) {
			n++
		}
	}
	return min(n, 3)
}

// parts are the words of a path or a name, without its extension, in lower case and the singular.
func parts(name string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune("/._- {}'\"`:()", r) }) {
		out = append(out, strings.TrimSuffix(w, "s"))
	}
	return out
}

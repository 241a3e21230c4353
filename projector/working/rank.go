package working

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Ranks: which commands and files a session probably comes back to.

// Repeated are the commands that are worth telling, the ones that are probably run again first: those that were run more
// than once, checks and failures, by their use; then short ones, which are habits, and those that do more than look; each
// time the newest first. What only changed something once (a commit, a folder that was made) is left out, since running it
// again would be of no use.
func (s State) Repeated() []Command {
	var often, once []Command
	for _, c := range slices.Backward(s.Commands) {
		switch {
		case c.Runs > 1 || c.Kind != "" || !c.OK:
			often = append(often, c)
		case !changes.MatchString(c.Bare()):
			once = append(once, c)
		}
	}
	slices.SortStableFunc(often, func(a, b Command) int { return min(b.Runs, usedOften) - min(a.Runs, usedOften) })
	slices.SortStableFunc(once, func(a, b Command) int { return a.onceRank() - b.onceRank() })
	return append(often, once...)
}

func (c Command) onceRank() int {
	switch {
	case len(c.Bare()) <= habit:
		return 0
	case !looks.MatchString(c.Bare()):
		return 1
	}
	return 2
}

// Bounds of the ranks.
const (
	usedOften = 3  // runs or calls from which on only the age counts
	habit     = 20 // bytes of a command without an argument that names what it was for
)

// Used are the files, those first that were read or edited often, or have a word of what is worked on in their name; then
// the newest.
func (s State) Used() []File {
	about := s.About()
	points := func(f File) int { return min(f.Read+f.Edited, usedOften) + Hits(path.Base(f.Path), about) }
	list := slices.Clone(s.Files)
	slices.Reverse(list)
	slices.SortStableFunc(list, func(a, b File) int { return points(b) - points(a) })
	return list
}

// changes are commands that leave something behind and have no outcome to remember.
var changes = regexp.MustCompile(`^(mkdir|mv|cp|rm|rmdir|chmod|chown|ln|touch|tee|echo|printf|cat|kill|pkill|sleep|export|git (add|commit|mv|rm|stash|checkout|switch|merge|rebase|tag|config|branch)|(bd|br) (create|close|update|edit|dep|comments?|sync))\b`)

// cd changes the folder, which is no part of what is run.
var cd = regexp.MustCompile(`^cd \S+ (&&|;) `)

// shown ends a command with how much of its output is looked at, which is no part of what is run either.
var shown = regexp.MustCompile(`(\s*2>&1)?(\s*\|\s*(head|tail)( -n)?( -?\d+)?)?\s*$`)

// what is the command that counts as the same when it is run again.
func (c Command) what() string { return shown.ReplaceAllString(c.Bare(), "") }

// Bare is a command without the change of the folder before it.
func (c Command) Bare() string { return cd.ReplaceAllString(c.Line, "") }

// looks are commands that only look at something: one that failed leaves nothing to mend.
var looks = regexp.MustCompile(`^(ls|cd|cat|head|tail|which|find|grep|rg|test|stat|file|pwd|type|wc|tree|lsof|ps|pgrep|command -v)\b`)

// Mended tells whether a failure leaves nothing to mend: a look at what is not there.
func (f Failure) Mended() bool {
	return f.Tool == "Read" || f.Tool == "Glob" || f.Tool == "Grep" || f.Tool == "Bash" && looks.MatchString(f.Target)
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

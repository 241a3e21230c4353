package gates

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dlclark/regexp2/v2"
)

// matchWithin bounds the time of one search: an expression with look-aheads may be slow by its nature. One that takes
// longer matches nothing.
const matchWithin = 100 * time.Millisecond

// maxSlow bounds the searches of one command line that take too long: some hundred expressions of a clone would hold up the
// hooks of all sessions. Behind them nothing more is searched in it.
const maxSlow = 3

// pattern is a command_pattern: Python's re.search with IGNORECASE.
type pattern struct {
	re      *regexp2.Regexp
	asTyped bool // it names the shell's own syntax, so the line as typed is what it means
}

// operators are the signs of the shell that no simple command holds, signs the parts of an expression that use them
// otherwise.
var (
	operators = regexp.MustCompile("[&;<>\"'`]|\\\\[|$]|\\[[^\\]]*\\|")
	signs     = regexp.MustCompile(`\(\?(?:P?<[^>=!]*>|<?[=!]|>)`)
)

// spellings are the parts of an expression that Python spells otherwise than .NET, whose expressions regexp2 reads, and
// those in which such a spelling means itself: an escape and a set of characters.
var spellings = regexp.MustCompile(`(?s)\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?P<|\{,\d*\}`)

func compile(python string) (*pattern, error) {
	text := spellings.ReplaceAllStringFunc(python, func(part string) string {
		switch {
		case part == `\Z`:
			return `\z`
		case part == `(?P<`:
			return `(?<`
		case strings.HasPrefix(part, "{,"):
			return "{0" + part[1:]
		}
		return part
	})
	// A search is not anchored, so a leading `.*` says nothing, and the place of a match is exact only without it.
	for strings.HasPrefix(text, ".*") {
		text = strings.TrimPrefix(text[2:], "?")
	}
	re, err := regexp2.Compile(text, regexp2.IgnoreCase)
	if err != nil {
		reason, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "error parsing regexp: "), " in `")
		return nil, errors.New(reason)
	}
	re.MatchTimeout = matchWithin
	return &pattern{re: re, asTyped: operators.MatchString(signs.ReplaceAllString(python, "("))}, nil
}

// matches reports whether one of a line's commands is one that the pattern means. A search that takes too long ends it.
func (p *pattern) matches(line *shellLine) bool {
	if line.slow >= maxSlow {
		return false
	}
	found, err := false, error(nil)
	if p.asTyped {
		found, err = p.re.MatchString(line.typed)
	}
	for i := 0; i < len(line.commands) && !found && err == nil; i++ {
		found, err = p.means(line.commands[i])
	}
	if err != nil {
		line.slow++
	}
	return found
}

// means reports whether a match begins in the program's name, or later among words that are no text.
func (p *pattern) means(c command) (bool, error) {
	all, err := p.re.FindAllStringIndex(c.text, -1)
	for _, at := range all {
		if (at[0] < c.head || at[0] == 0) && !c.misread(at) {
			return true, nil
		}
	}
	if c.prints || err != nil {
		return false, err
	}
	all, err = p.re.FindAllStringIndex(c.masked, -1)
	return slices.ContainsFunc(all, func(at []int) bool { return !c.misread(at) }), err
}

// misread reports a match that people do not mean: `git\s+merge` in `git merge-base` and `git mergetool`, where the word
// goes on to be another verb, and in `git clone host/x.git merge`, where it begins inside of a word and goes on after it.
func (c command) misread(at []int) bool {
	begins, ends := at[0], at[1]
	if begins > 0 && c.text[begins-1] != ' ' && c.text[begins-1] != '/' && strings.Contains(c.text[begins:ends], " ") {
		return true
	}
	rest := c.text[ends:]
	if !strings.HasPrefix(c.text[begins:], "git ") || ends == begins || c.text[ends-1] == '-' || c.text[ends-1] == ' ' {
		return false
	}
	return strings.HasPrefix(rest, "-") && len(rest) > 1 && rest[1] != ' ' || strings.HasPrefix(rest, "tool")
}

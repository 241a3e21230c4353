package requirements

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// pattern is a command_pattern: Python's re.search with IGNORECASE, run by Go's regexp, whose time is linear in the
// command.
type pattern struct {
	re      *regexp.Regexp
	as      string // what Go compiled
	asTyped bool   // it names the shell's own syntax, so the line as typed is what it means
}

// unsupportedError names something that Python's expressions can and Go's cannot.
type unsupportedError struct{ what string }

func (e *unsupportedError) Error() string { return e.what }

// operators are the signs of the shell that no simple command holds.
var (
	operators  = regexp.MustCompile("[&;<>\"'`]|\\\\[|$]|\\[[^\\]]*\\|")
	namedGroup = regexp.MustCompile(`\(\?P?<[^>]*>`)
)

func compile(python string) (*pattern, error) {
	text, err := translate(python)
	if err != nil {
		return nil, err
	}
	// A search is not anchored, so a leading `.*` says nothing, and without it the place of a match tells more.
	for strings.HasPrefix(text, ".*") {
		text = strings.TrimPrefix(text[2:], "?")
	}
	re, err := regexp.Compile("(?i)" + text)
	if err != nil {
		return nil, fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return &pattern{re: re, as: text, asTyped: operators.MatchString(namedGroup.ReplaceAllString(python, "("))}, nil
}

// groups that begin with (? and have no counterpart.
var groups = []struct{ sign, what string }{
	{"(?=", "lookahead"}, {"(?!", "lookahead"}, {"(?<=", "lookbehind"}, {"(?<!", "lookbehind"},
	{"(?P=", "a back reference"}, {"(?>", "an atomic group"}, {"(?(", "a conditional group"},
}

// translate rewrites what Python spells differently. What it does not know is Go's to accept or refuse.
func translate(python string) (string, error) {
	var b strings.Builder
	class := false
	for i := 0; i < len(python); i++ {
		rest := python[i:]
		switch c := python[i]; {
		case c == '\\' && len(rest) > 1:
			text, err := escape(rest[1], class)
			if err != nil {
				return "", err
			}
			b.WriteString(text)
			i++
		case class:
			class = c != ']' || strings.HasSuffix(b.String(), "[") || strings.HasSuffix(b.String(), "[^")
			if c == '[' && len(rest) > 1 && rest[1] == ':' {
				b.WriteByte('\\') // Python has no [[:alpha:]]
			}
			b.WriteByte(c)
		case c == '[':
			class = true
			b.WriteByte(c)
		case strings.HasPrefix(rest, "(?#"):
			end := strings.IndexByte(rest, ')')
			if end < 0 {
				return "", fmt.Errorf("missing ), unterminated comment")
			}
			i += end
		case strings.HasPrefix(rest, "(?"):
			text, n, err := group(rest)
			if err != nil {
				return "", err
			}
			b.WriteString(text)
			i += n - 1
		case strings.HasPrefix(rest, "{,"):
			b.WriteString("{0,")
			i++
		case c == '+' && i > 0 && strings.IndexByte("*+?}", python[i-1]) >= 0 && !strings.HasSuffix(python[:i-1], `\`):
			return "", &unsupportedError{"a possessive quantifier"}
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), nil
}

// escape is the counterpart of a backslash and c.
func escape(c byte, class bool) (string, error) {
	switch {
	case c == 'Z':
		return `\z`, nil
	case c >= '1' && c <= '9':
		return "", &unsupportedError{"a back reference"}
	case c == 'N':
		return "", &unsupportedError{`\N`}
	case c == 'b' && class:
		return `\x08`, nil
	case c >= 0x80: // the first byte of a letter that needs no escape
		return string([]byte{c}), nil
	}
	return `\` + string([]byte{c}), nil
}

// flags of Python that Go has, and those that mean nothing here.
var flagGroup = regexp.MustCompile(`^\(\?([aiLmsux]*)(-[imsx]+)?([:)])`)

func group(rest string) (text string, length int, err error) {
	for _, g := range groups {
		if strings.HasPrefix(rest, g.sign) {
			return "", 0, &unsupportedError{g.what}
		}
	}
	m := flagGroup.FindStringSubmatch(rest)
	if m == nil {
		return "(?", 2, nil // a named group, or an error for Go to tell
	}
	if strings.Contains(m[1]+m[2], "x") {
		return "", 0, &unsupportedError{"the verbose flag"}
	}
	flags := strings.NewReplacer("a", "", "u", "", "L", "").Replace(m[1]) + m[2]
	if flags == "" && m[3] == ")" {
		return "", len(m[0]), nil
	}
	return "(?" + flags + m[3], len(m[0]), nil
}

// matches says whether a command is one that the pattern means.
//
// A match that begins in the program's name counts. One that begins later counts unless the words there are only
// text: all words of a printer (`echo git push`), words with a blank in them of a program that does not run its
// arguments (`git commit -m "then git push"`). What another program is handed (`sudo echo git push`) is a command by
// itself and counts there. What is not known to be harmless counts: a gate rather asks once too often.
func (p *pattern) matches(line *shellLine) bool {
	if p.asTyped && p.re.MatchString(line.typed) {
		return true
	}
	return slices.ContainsFunc(line.commands, p.means)
}

func (p *pattern) means(c simpleCommand) bool {
	at := p.find(c, c.text)
	switch {
	case at == nil:
		return false
	case at[0] < c.head || at[0] == 0:
		return true
	}
	return !c.printer && p.find(c, c.masked) != nil
}

// find is the place of the first match that counts here.
func (p *pattern) find(c simpleCommand, text string) []int {
	at := p.re.FindStringIndex(text)
	if at == nil || !c.elsewhere(text, at) {
		return at
	}
	all := p.re.FindAllStringIndex(text, -1)
	i := slices.IndexFunc(all, func(at []int) bool { return !c.elsewhere(text, at) })
	if i < 0 {
		return nil
	}
	return all[i]
}

func (c simpleCommand) elsewhere(text string, at []int) bool {
	return c.handed.holds(at[0]) || c.misread(text, at)
}

// longerVerbs are git's verbs that begin with another one and do something else.
var longerVerbs = map[string]string{
	"commit-tree": "commit", "commit-graph": "commit", "merge-base": "merge", "merge-tree": "merge", "merge-file": "merge",
	"merge-index": "merge", "merge-one-file": "merge", "mergetool": "merge", "checkout-index": "checkout", "fetch-pack": "fetch",
	"diff-files": "diff", "diff-index": "diff", "diff-tree": "diff", "difftool": "diff",
}

// misread tells a match that people do not mean: `git\s+merge` in `git merge-base`, where the word goes on to be another
// verb, and in `git clone host/x.git merge`, where it begins in a name. A pattern that says more, such as `merge-`,
// finds the first.
func (c simpleCommand) misread(text string, at []int) bool {
	const name = "git "
	if a := at[0]; a > c.head && c.name != "" && text[a-1] == '.' && len(text) > a+len(name) && strings.EqualFold(text[a:a+len(name)], name) {
		return true
	}
	end := at[1]
	if end >= len(text) || text[end] != '-' && text[end] != 't' { // mergetool
		return false
	}
	start := strings.LastIndexByte(text[:end], ' ') + 1
	if start <= at[0] {
		return false
	}
	word, _, _ := strings.Cut(text[start:], " ")
	short, ok := longerVerbs[strings.ToLower(word)]
	return ok && len(short) == end-start
}

package requirements

import (
	"fmt"
	"regexp"
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
// arguments (`git commit -m "then git push"`). What is not known to be harmless counts: a gate rather asks once too often.
func (p *pattern) matches(line *shellLine) bool {
	if p.asTyped && p.re.MatchString(line.typed) {
		return true
	}
	for _, c := range line.commands {
		at := p.re.FindStringIndex(c.text)
		switch {
		case at == nil:
		case at[0] < c.head || at[0] == 0:
			return true
		case !c.printer && p.re.MatchString(c.masked):
			return true
		}
	}
	return false
}

package outcome

import (
	"regexp"
	"strings"
	"sync"

	"hookline/events/wording"
)

// Bounds of what is looked at.
const (
	half      = 32 << 10 // bytes of a long output's beginning, and of its end
	maxLine   = 2000     // bytes of a line
	maxTries  = 60       // lines that hold what a mark has and are compared with its form
	maxPrefix = 60       // bytes before a line by which a runner of scripts says whose it is
	maxTold   = 300      // characters of the line that says what failed
)

// escapes are sequences that colour a terminal or move its cursor.
var escapes = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")

// window returns what of an output is looked at: all of a short one, else whole lines of its beginning and of its end. Colours
// are taken out, what a progress bar overwrites stands on lines of its own, and what the shell's start printed is left out.
func window(output string) string {
	if len(output) > 2*half {
		begin, end := output[:half], output[len(output)-half:]
		if at := strings.LastIndexByte(begin, '\n'); at > 0 {
			begin = begin[:at]
		}
		if at := strings.IndexByte(end, '\n'); at >= 0 {
			end = end[at+1:]
		}
		output = begin + "\n" + end
	}
	if strings.Contains(output, "\x1b") {
		output = escapes.ReplaceAllString(output, "")
	}
	if strings.Contains(output, "\r") {
		output = strings.ReplaceAll(output, "\r\n", "\n")
		output = strings.ReplaceAll(output, "\r", "\n")
	}
	return withoutStart(output)
}

// mark recognises a line by a text that it has and by its form. The text is looked for first, so that the expression sees few
// lines.
type mark struct {
	has  string
	form func() *regexp.Regexp // nil: the line begins with the text, blanks aside
	weak bool                  // a program under test may print such a line, too
	with string                // what the text has as well, "" for nothing
}

// begins is the mark of a line that begins with a text.
func begins(text string) mark { return mark{has: text} }

// like is the mark of a line that has a text and matches an expression.
func like(text, form string) mark { return mark{has: text, form: lazily(form)} }

// weak is a mark that a program under test may print, too.
func weak(m mark) mark {
	m.weak = true
	return m
}

// beside is a mark that counts in a text which has another text as well.
func beside(with string, m mark) mark {
	m.with = with
	return m
}

// lazily compiles an expression at its first use: few of the table are used by one process.
func lazily(form string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(form) })
}

// ofScript matches what runners of several scripts print before each line: `web:test: `, `packages/a test: `, `[INFO] ` is no such.
var ofScript = regexp.MustCompile(`^(?:@?[\w./-]+:[\w:-]+: |[\w@./-]+ [\w:-]+: )`)

// withoutScript returns a line without what a runner of several scripts prints before it, "" where it prints nothing.
func withoutScript(line string) string {
	head := line[:min(len(line), maxPrefix)]
	if !strings.Contains(head, ": ") {
		return ""
	}
	return line[len(ofScript.FindString(head)):]
}

// found is a line that has a mark.
type found struct {
	line   string
	groups []string // of the form
	end    int      // where the line ends in the text
}

// in returns the first line of a text that has the mark, from a place on.
func (m mark) in(text string, from int) (found, bool) {
	var first found
	ok := false
	m.each(text, from, func(f found) bool {
		first, ok = f, true
		return false
	})
	return first, ok
}

// each calls a function with the lines of a text that have the mark, until it returns false.
func (m mark) each(text string, from int, use func(found) bool) {
	if !strings.Contains(text, m.with) {
		return
	}
	for range maxTries {
		if from >= len(text) {
			return
		}
		at := strings.Index(text[from:], m.has)
		if at < 0 {
			return
		}
		at += from

		begin := strings.LastIndexByte(text[:at], '\n') + 1
		end := len(text)
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n
		}
		from = end + 1

		line := strings.TrimRight(text[begin:min(end, begin+maxLine)], " \t")
		groups := m.match(line)
		if groups == nil {
			if rest := withoutScript(line); rest != "" {
				line = rest
				groups = m.match(rest)
			}
		}
		if groups != nil && !use(found{line: line, groups: groups, end: end}) {
			return
		}
	}
}

// match returns the groups of a line that has the mark, nil for one that has not.
func (m mark) match(line string) []string {
	if m.form != nil {
		return m.form().FindStringSubmatch(line)
	}
	line = strings.TrimLeft(line, " \t")
	if strings.HasPrefix(line, m.has) {
		return []string{line}
	}
	return nil
}

// clip is a line as it is kept.
func clip(line string) string { return wording.Short(line, maxTold) }

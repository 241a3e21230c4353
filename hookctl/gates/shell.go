package gates

import (
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"hookline/events/wording"
)

// Limits of one shell line. What is beyond is not read.
const (
	maxLine     = 1 << 20 // bytes
	maxParens   = 200     // open at once: the parser's time grows with their square
	maxNested   = 8       // bash -c inside bash -c
	maxCommands = 2000
	maxValue    = 4 << 10 // bytes of a variable
	maxSize     = 2 << 20 // bytes of all words together, with what variables make of them
)

// shellLine is a command line taken apart.
type shellLine struct {
	typed    string // the whole text with blanks reduced to one
	commands []command
	vars     map[string]string // assignments so far
	depth    int
	size     int // bytes of words so far
	slow     int // searches in it that took too long
}

// parseLine finds the simple commands that a Bash command line runs, also inside substitutions, `bash -c`, eval and
// here-documents of a shell, and after wrappers such as sudo and xargs. Text that is given to any other program is
// no command.
func parseLine(text string) *shellLine {
	text = strings.ToValidUTF8(text, "\uFFFD")
	l := &shellLine{typed: wording.Flat(text), vars: map[string]string{}}
	l.read(text)
	return l
}

// read takes a text that a shell runs.
func (l *shellLine) read(text string) {
	if l.depth >= maxNested {
		return
	}
	l.depth++
	defer func() { l.depth-- }()

	for _, stmt := range statements(text) {
		syntax.Walk(stmt, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Stmt:
				if call, ok := n.Cmd.(*syntax.CallExpr); ok {
					l.call(call, n.Redirs)
				}
			case *syntax.DeclClause:
				l.assign(n.Args)
			}
			return len(l.commands) < maxCommands
		})
	}
}

// statements returns those that a shell runs: all of a text, or those before the one that bash does not understand.
func statements(text string) []*syntax.Stmt {
	if len(text) > maxLine || openParens(text) > maxParens {
		return nil
	}
	var list []*syntax.Stmt
	var wrong error
	for stmt, err := range syntax.NewParser().StmtsSeq(strings.NewReader(text)) {
		if wrong = errors.Join(wrong, err); wrong == nil { // no break: the parser goes on after an error, and panics when it is left
			list = append(list, stmt)
		}
	}
	return list
}

// openParens is the greatest number of parentheses open at once, quotes not looked at.
func openParens(text string) int {
	depth, deepest := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
			deepest = max(deepest, depth)
		case ')':
			depth = max(depth-1, 0)
		}
	}
	return deepest
}

// call takes one simple command, with what it reads from a here-document or here-string.
func (l *shellLine) call(call *syntax.CallExpr, redirs []*syntax.Redirect) {
	var words []string
	for _, w := range call.Args {
		text, variable := l.literal(w), false
		if len(w.Parts) == 1 {
			_, variable = w.Parts[0].(*syntax.ParamExp)
		}
		if variable { // without quotes it is several words
			words = append(words, strings.Fields(text)...)
		} else {
			words = append(words, text)
		}
	}
	if len(words) == 0 {
		l.assign(call.Assigns)
		return
	}

	input := ""
	for _, r := range redirs {
		switch {
		case r.Hdoc != nil:
			input = l.expanded(r.Hdoc, expand.Document)
		case r.Op == syntax.WordHdoc:
			input = l.literal(r.Word)
		}
	}
	l.run(words, input)
}

// assign remembers variables.
func (l *shellLine) assign(list []*syntax.Assign) {
	for _, a := range list {
		if value := l.literal(a.Value); a.Name != nil && a.Value != nil && !a.Append && len(value) <= maxValue {
			l.vars[a.Name.Value] = value
		}
	}
}

// literal is a word without its quotes.
func (l *shellLine) literal(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	return l.expanded(&syntax.Word{Parts: l.known(w.Parts, false)}, expand.Literal)
}

// expanded is a text with the variables that the line has set, a substitution as $(). What cannot be known is "?": the
// expander has errors and panics for that.
func (l *shellLine) expanded(w *syntax.Word, how func(*expand.Config, *syntax.Word) (string, error)) (text string) {
	defer func() {
		if recover() != nil {
			text = "?"
		}
	}()
	text, err := how(&expand.Config{
		Env:       expand.FuncEnviron(l.variable),
		CmdSubst:  func(out io.Writer, _ *syntax.CmdSubst) error { _, err := io.WriteString(out, "$()"); return err },
		ProcSubst: func(*syntax.ProcSubst) (string, error) { return "/dev/fd/63", nil },
	}, w)
	if l.size += len(text); err != nil || l.size > maxSize {
		return "?"
	}
	return text
}

var unescaped = regexp.MustCompile(`\\(.)`)

// known are the parts of a word without backslashes, and with those variables as text that the line does not set: an
// empty one would make "rm -rf $DIR/x" another command.
func (l *shellLine) known(parts []syntax.WordPart, quoted bool) []syntax.WordPart {
	out := slices.Clone(parts)
	for i, part := range out {
		switch p := part.(type) {
		case *syntax.Lit:
			if !quoted && strings.Contains(p.Value, `\`) {
				out[i] = &syntax.SglQuoted{Value: unescaped.ReplaceAllString(p.Value, "$1")}
			}
		case *syntax.DblQuoted:
			out[i] = &syntax.DblQuoted{Dollar: p.Dollar, Parts: l.known(p.Parts, true)}
		case *syntax.ParamExp:
			if p.Param == nil || p.Exp != nil {
				continue
			}
			if _, set := l.vars[p.Param.Value]; !set && p.Param.Value != "" {
				out[i] = &syntax.SglQuoted{Value: "$" + p.Param.Value}
			}
		}
	}
	return out
}

// variable is the value that the line has set. Home folders (~user) are not looked up.
func (l *shellLine) variable(name string) string {
	if user, other := strings.CutPrefix(name, "HOME "); other {
		return "~" + user
	}
	return l.vars[name]
}

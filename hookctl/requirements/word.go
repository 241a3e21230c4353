package requirements

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// arg is a word of a command as far as it can be known without running anything.
type arg struct{ text string }

// args evaluates words. A variable that the line itself has set is put in its place, and split at its blanks as the
// shell does; what only a run would tell (a substitution, another variable) stays as a sign of itself.
func (s *shellLine) args(words []*syntax.Word) []arg {
	var list []arg
	for _, w := range words {
		if len(w.Parts) == 1 {
			if p, ok := w.Parts[0].(*syntax.ParamExp); ok {
				for _, field := range strings.Fields(s.param(p)) {
					list = append(list, arg{text: field})
				}
				continue
			}
		}
		list = append(list, s.word(w))
	}
	return list
}

func (s *shellLine) word(w *syntax.Word) arg {
	var b strings.Builder
	for _, part := range w.Parts {
		s.part(&b, part, false)
	}
	return arg{text: b.String()}
}

func (s *shellLine) part(b *strings.Builder, part syntax.WordPart, quoted bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		unescape(b, p.Value, quoted)
	case *syntax.SglQuoted:
		if p.Dollar {
			b.WriteString(ansi(p.Value))
			return
		}
		b.WriteString(p.Value)
	case *syntax.DblQuoted:
		for _, inner := range p.Parts {
			s.part(b, inner, true)
		}
	case *syntax.ParamExp:
		b.WriteString(s.param(p))
	case *syntax.CmdSubst:
		b.WriteString("$()")
	case *syntax.ProcSubst:
		b.WriteString("<()")
	case *syntax.ArithmExp:
		b.WriteString("$(())")
	case *syntax.ExtGlob:
		b.WriteString(p.Op.String() + p.Pattern.Value + ")")
	}
}

// param is a variable's value if the line has set it, its default if it names one, else `$NAME`.
func (s *shellLine) param(p *syntax.ParamExp) string {
	if p.Param == nil {
		return "$"
	}
	if value, ok := s.vars[p.Param.Value]; ok && !p.Length {
		if s.expanded += len(value); s.expanded <= maxExpanded {
			return value
		}
		s.lost = true
	}
	if p.Exp != nil && p.Exp.Word != nil && (p.Exp.Op == syntax.DefaultUnset || p.Exp.Op == syntax.DefaultUnsetOrNull ||
		p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull) {
		return s.word(p.Exp.Word).text
	}
	return "$" + p.Param.Value
}

// unescape drops the backslashes that the shell would drop; inside double quotes these are only some.
func unescape(b *strings.Builder, text string, quoted bool) {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch next := text[i]; {
		case next == '\n':
		case quoted && strings.IndexByte("\"\\$`", next) < 0:
			b.WriteByte('\\')
			b.WriteByte(next)
		default:
			b.WriteByte(next)
		}
	}
}

// ansi decodes $'…'. What is no escape stays.
func ansi(text string) string {
	var b strings.Builder
	for text != "" {
		r, _, rest, err := strconv.UnquoteChar(text, '\'')
		if err != nil {
			b.WriteByte(text[0])
			text = text[1:]
			continue
		}
		b.WriteRune(r)
		text = rest
	}
	return b.String()
}

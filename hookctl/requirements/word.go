package requirements

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// arg is a word of a command as far as it can be known without running anything.
type arg struct {
	text string
	open bool   // some of it is not known
	bare string // of an open one: what is left when the unknown is empty
}

// args evaluates words. A variable that the line itself has set is put in its place, and so is what a substitution
// prints where that stands in the line; both are split as the shell does. What only a run would tell (another
// substitution, another variable) stays as a sign of itself.
func (s *shellLine) args(words []*syntax.Word) []arg {
	kept := s.keep
	defer func() { s.keep = kept }()
	s.keep = false
	var list []arg
	for _, w := range withoutBraces(words) {
		one, split := s.evaluate(w)
		if !split {
			list = append(list, one)
		} else if !one.open {
			list = append(list, argsOf(s.fields(one.text))...)
		} else {
			list = append(list, s.openFields(one)...)
		}
		if len(list) > 0 {
			name := baseName(list[0].text)
			s.keep = masks[name] || printers[name]
		}
	}
	return list
}

// openFields are the fields of a word that is not wholly known; the first stands for what is left of it.
func (s *shellLine) openFields(one arg) []arg {
	list := argsOf(s.fields(one.text))
	if len(list) > 0 {
		list[0].open, list[0].bare = true, one.bare
	}
	return list
}

// fields splits what a variable or a substitution has put into a word.
func (s *shellLine) fields(text string) []string {
	if ifs := s.vars["IFS"]; ifs != "" {
		return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(ifs, r) })
	}
	return strings.Fields(text)
}

func (s *shellLine) word(w *syntax.Word) arg {
	one, _ := s.evaluate(w)
	return one
}

func (s *shellLine) evaluate(w *syntax.Word) (one arg, split bool) {
	var b wordText
	for _, part := range w.Parts {
		s.part(&b, part, false)
	}
	return arg{text: b.String(), open: b.open, bare: b.bare.String()}, b.split
}

// wordText is a word that is being put together.
type wordText struct {
	strings.Builder
	bare  strings.Builder // from the first unknown on; the builder holds what was before
	open  bool
	split bool
}

func (b *wordText) WriteString(text string) {
	b.Builder.WriteString(text)
	if b.open {
		b.bare.WriteString(text)
	}
}

func (b *wordText) add(c byte) {
	b.Builder.WriteByte(c)
	if b.open {
		b.bare.WriteByte(c)
	}
}

// unknown adds the sign of something that is known by a run only.
func (b *wordText) unknown(sign string) {
	if !b.open {
		b.open = true
		b.bare.WriteString(b.String())
	}
	b.Builder.WriteString(sign)
}

func (s *shellLine) part(b *wordText, part syntax.WordPart, quoted bool) {
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
		value, known := s.param(p)
		if !known {
			b.unknown(value)
			return
		}
		b.split = b.split || !quoted || eachOf(p)
		b.WriteString(value)
	case *syntax.CmdSubst:
		// A message that git or grep is given is text, however it is made.
		if text, ok := s.output(p.Stmts); ok && !(s.keep && quoted && strings.ContainsAny(text, " \t\n")) {
			b.split = b.split || !quoted
			b.WriteString(text)
			return
		}
		b.unknown("$()")
	case *syntax.ProcSubst:
		b.WriteString("<()")
	case *syntax.ArithmExp:
		b.WriteString("$(())")
	case *syntax.ExtGlob:
		b.WriteString(p.Op.String() + p.Pattern.Value + ")")
	}
}

// eachOf tells "$@" and "${a[@]}", which are several words although they are quoted.
func eachOf(p *syntax.ParamExp) bool {
	if p.Param != nil && p.Param.Value == "@" {
		return true
	}
	index, ok := p.Index.(*syntax.Word)
	return ok && index.Lit() == "@"
}

// sliceFrom is the number in ${@:2}.
func sliceFrom(p *syntax.ParamExp) (int, bool) {
	if p.Slice == nil || p.Slice.Length != nil || p.Param.Value != "@" && p.Param.Value != "*" {
		return 0, false
	}
	offset, ok := p.Slice.Offset.(*syntax.Word)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(offset.Lit())
	return n, err == nil && n >= 0
}

// param is a variable's value if the line has set it, its default if it names one; else it is not known and its sign
// is `$NAME`. ${x:+word} is the word: that x is set is likely where somebody asks.
func (s *shellLine) param(p *syntax.ParamExp) (value string, known bool) {
	if p.Param == nil {
		return "$", false
	}
	name := p.Param.Value
	if p.Exp != nil && p.Exp.Word != nil && (p.Exp.Op == syntax.AlternateUnset || p.Exp.Op == syntax.AlternateUnsetOrNull) {
		return s.word(p.Exp.Word).text, true
	}
	value, known = s.variable(name)
	if from, ok := sliceFrom(p); ok && s.params != nil {
		value = strings.Join(s.params[min(from, len(s.params)):], " ")
	}
	if known && p.Excl {
		value, known = s.variable(value)
	}
	if known && !p.Length {
		if s.expanded += len(value); s.expanded <= maxExpanded {
			return value, true
		}
		s.lost = true
	}
	if p.Exp != nil && p.Exp.Word != nil && (p.Exp.Op == syntax.DefaultUnset || p.Exp.Op == syntax.DefaultUnsetOrNull ||
		p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull) {
		return s.word(p.Exp.Word).text, true
	}
	return "$" + name, false
}

// variable is what the line has set, or IFS as it is when nobody sets it.
func (s *shellLine) variable(name string) (string, bool) {
	if value, ok := s.vars[name]; ok {
		return value, true
	}
	if value, ok := s.positional(name); ok {
		return value, true
	}
	return " ", name == "IFS"
}

// unescape drops the backslashes that the shell would drop; inside double quotes these are only some.
func unescape(b *wordText, text string, quoted bool) {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.add(text[i])
			continue
		}
		i++
		switch next := text[i]; {
		case next == '\n':
		case quoted && strings.IndexByte("\"\\$`", next) < 0:
			b.add('\\')
			b.add(next)
		default:
			b.add(next)
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

package requirements

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Limits of one shell line. What is beyond is matched as text, which can only close a gate.
const (
	maxLine     = 64 << 10 // bytes that are parsed; a script of that size is written by no hand
	maxParens   = 200      // the parser's time grows with the square of open parentheses
	maxNested   = 8        // bash -c inside bash -c
	maxCommands = 2000
	maxExpanded = 1 << 20 // bytes of variables put in their places
)

// shellLine is a command line taken apart.
type shellLine struct {
	meanings
	typed    string // the whole text with blanks reduced to one
	commands []simpleCommand
	vars     map[string]string // literal assignments so far
	depth    int
	expanded int
	lost     bool       // some variable was too much
	items    *completed // the command that the reader completes with what it reads
	client   bool       // the reader is a client of a database
	visits   int        // see maxVisits
	keep     bool       // the command takes words with blanks as text; see part
	guessing bool       // the unknown is taken as empty
}

// parseLine finds every simple command that a Bash command line would run, also inside substitutions, `bash -c`,
// eval, here-documents of a shell, and behind wrappers such as sudo and xargs. A line that is no shell is one command
// of which every word may be the program: then the text decides, as it does in the framework.
func parseLine(text string) *shellLine {
	line := &shellLine{typed: strings.Join(strings.Fields(text), " "), vars: map[string]string{},
		meanings: meanings{functions: map[string]*syntax.Stmt{}, aliases: map[string]string{}, git: map[string]string{}}}
	line.parse(text)
	if line.lost {
		line.text(text)
	}
	return line
}

func (s *shellLine) parse(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	before := len(s.commands)
	if s.depth >= maxNested || len(text) > maxLine || openParens(text) > maxParens || !s.program(text) || len(s.commands) > maxCommands {
		s.commands = s.commands[:min(before, maxCommands)]
		s.text(text)
	}
}

// text takes what is no shell line, of which any word may be a program.
func (s *shellLine) text(text string) {
	s.commands = append(s.commands, asText(text))
	s.loose(text)
}

func asText(text string) simpleCommand {
	text = strings.Join(strings.Fields(text), " ")
	return simpleCommand{text: text, masked: text, head: len(text)}
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

// program parses text, as bash and else as zsh. A parser that panics has not understood.
func (s *shellLine) program(text string) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	for _, lang := range []syntax.LangVariant{syntax.LangBash, syntax.LangZsh} {
		file, err := syntax.NewParser(syntax.Variant(lang)).Parse(strings.NewReader(text), "")
		if err == nil {
			s.depth++
			s.walk(file)
			s.depth--
			return true
		}
	}
	return false
}

func (s *shellLine) walk(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			s.call(n)
		case *syntax.DeclClause:
			s.assign(n.Args)
		case *syntax.FuncDecl:
			if n.Name != nil {
				s.functions[n.Name.Value] = n.Body
			}
		case *syntax.ForClause:
			s.loop(n)
		case *syntax.Stmt:
			s.feeds(n)
		case *syntax.BinaryCmd:
			if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
				r := s.reads(n.Y)
				s.printed(n.X, r)
				s.items = nil
			}
		}
		return true
	})
}

// call takes one simple command of the tree.
func (s *shellLine) call(n *syntax.CallExpr) {
	args := s.args(n.Args)
	if len(args) == 0 {
		s.assign(n.Assigns)
		return
	}
	for _, a := range n.Assigns {
		switch {
		case a.Name == nil || a.Value == nil:
		case runsOfVariables[a.Name.Value]:
			s.parse(s.word(a.Value).text)
		case strings.HasPrefix(a.Name.Value, gitVariables):
			s.set(a.Name.Value, s.word(a.Value).text, false)
		}
	}
	s.command(args)
	if len(n.Assigns) > 0 {
		s.withAssigns(n.Assigns, args)
	}
}

// withAssigns is the command once more with `A=1` before it, for patterns that name the variable.
func (s *shellLine) withAssigns(assigns []*syntax.Assign, args []arg) {
	var set []arg
	for _, a := range assigns {
		if a.Name != nil && a.Value != nil {
			set = append(set, arg{text: a.Name.Value + "=" + s.word(a.Value).text})
		}
	}
	c := build(set, true)
	rest := build(args, masks[baseName(args[0].text)])
	// Only masked words count before the program, so that MSG="git push" make is no push.
	c.text, c.masked = c.masked+" "+rest.text, c.masked+" "+rest.masked
	before := len(c.text) - len(rest.text)
	c.head = before + rest.head
	c.name = baseName(args[0].text)
	if s.depth < maxNested {
		first, end := handsOn(c.name, args)
		c.handed = spanOf(args, first, end)
		c.handed.from, c.handed.to = c.handed.from+before, c.handed.to+before
	}
	c.printer = printers[c.name]
	s.commands = append(s.commands, c)
}

func (s *shellLine) assign(list []*syntax.Assign) {
	for _, a := range list {
		value := ""
		switch {
		case a.Name == nil:
			continue
		case a.Value != nil:
			value = s.word(a.Value).text
		case a.Array != nil:
			var words []*syntax.Word
			for _, e := range a.Array.Elems {
				if e.Value != nil {
					words = append(words, e.Value)
				}
			}
			value = joined(s.args(words))
		default:
			continue
		}
		s.set(a.Name.Value, value, a.Append)
	}
}

// set remembers a variable.
func (s *shellLine) set(name, value string, more bool) {
	if more {
		before := s.vars[name]
		if s.expanded += len(before); s.expanded > maxExpanded {
			s.lost = true
			return
		}
		value = before + value
	}
	s.vars[name] = value
}

// command adds a program with its arguments, and then what it runs in turn.
func (s *shellLine) command(args []arg) {
	if len(args) == 0 || args[0].text == "" || len(s.commands) > maxCommands {
		return
	}
	name := baseName(args[0].text)
	s.emit(args, name)
	if s.depth >= maxNested {
		return
	}
	s.depth++
	s.defines(name, args)
	s.runs(name, args)
	s.own(args)
	s.depth--
	if !s.guessing {
		s.guess(args)
	}
}

// guess is a command once more with nothing in place of what is not known: `git pu$()sh`, `$SUDO git -C d push`.
func (s *shellLine) guess(args []arg) {
	var list []arg
	open := false
	for _, a := range args {
		if open = open || a.open; !a.open {
			list = append(list, a)
		} else if a.bare != "" {
			list = append(list, arg{text: a.bare})
		}
	}
	if open {
		s.guessing = true
		s.command(list)
		s.guessing = false
	}
}

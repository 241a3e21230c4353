package requirements

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxCalls bounds how often a body is looked at anew: calls of the line's own functions and aliases, rounds of a loop.
const maxCalls = 64

// meanings are what the line itself gives a meaning to.
type meanings struct {
	functions map[string]*syntax.Stmt
	aliases   map[string]string // the shell's
	git       map[string]string // git's
	params    []string          // $0, $1, …; nil where they are not known
	calls     int
}

// once is false when there were too many calls, or so many commands that the line counts as text anyhow.
func (s *shellLine) once() bool {
	s.calls++
	return s.calls <= maxCalls && s.depth < maxNested && len(s.commands) <= maxCommands
}

// own runs a function or an alias of the line.
func (s *shellLine) own(args []arg) {
	name := args[0].text
	if body, ok := s.functions[name]; ok && s.once() {
		s.with(args, func() { s.walk(body) })
	}
	if text, ok := s.aliases[name]; ok && s.once() {
		for _, a := range args[1:] {
			text += " " + quoted(a.text)
		}
		s.parse(text)
	}
}

// with does something with the positional parameters set.
func (s *shellLine) with(args []arg, do func()) {
	before := s.params
	s.params = []string{}
	for _, a := range args {
		s.params = append(s.params, a.text)
	}
	s.depth++
	do()
	s.depth--
	s.params = before
}

// positional is $1, $@ and their like.
func (s *shellLine) positional(name string) (string, bool) {
	if s.params == nil {
		return "", false
	}
	if name == "@" || name == "*" {
		return strings.Join(s.params[min(1, len(s.params)):], " "), true
	}
	if len(name) != 1 || name[0] < '0' || name[0] > '9' {
		return "", false
	}
	if n := int(name[0] - '0'); n < len(s.params) {
		return s.params[n], true
	}
	return "", true
}

// loop looks at a body once for every word of its list, or for all of them at once where they are too many.
func (s *shellLine) loop(n *syntax.ForClause) {
	list, ok := n.Loop.(*syntax.WordIter)
	if !ok || list.Name == nil {
		return
	}
	items := s.args(list.Items)
	for _, item := range items {
		if item.open {
			continue
		}
		if !s.once() {
			s.vars[list.Name.Value] = joined(items)
			return
		}
		s.vars[list.Name.Value] = item.text
		s.depth++
		for _, body := range n.Do {
			s.walk(body)
		}
		s.depth--
	}
}

// defines notes what a command gives a meaning to.
func (s *shellLine) defines(name string, args []arg) {
	switch {
	case name == "alias":
		for _, a := range args[1:] {
			if key, text, ok := strings.Cut(a.text, "="); ok {
				s.aliases[key] = text
			}
		}
	case name == "set" && len(args) > 1 && args[1].text == "--":
		s.params = []string{""}
		for _, a := range args[2:] {
			s.params = append(s.params, a.text)
		}
	case name == "shift" && len(s.params) > 0:
		n := 1
		if len(args) > 1 {
			n, _ = strconv.Atoi(args[1].text)
		}
		s.params = append(s.params[:1:1], s.params[min(1+max(n, 0), len(s.params)):]...)
	case name == "printf" && len(args) > 3 && args[1].text == "-v":
		s.set(args[2].text, printedBy(name, args[3:]), false)
	case name == "git":
		s.gitConfig(withoutGlobals(name, args))
	case name == "env" || name == "sudo":
		for _, a := range args[1:] {
			if key, value, ok := strings.Cut(a.text, "="); ok && strings.HasPrefix(key, gitVariables) {
				s.set(key, value, false)
			}
		}
	}
}

// runsOfVariables are variables whose value a shell runs, whatever program reads it.
var runsOfVariables = setOf(`EDITOR VISUAL PAGER MANPAGER GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND
	PROMPT_COMMAND LESSOPEN`)

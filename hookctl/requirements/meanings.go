package requirements

import (
	"regexp"
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
	case name == "printf" && len(args) > 3 && args[1].text == "-v":
		s.set(args[2].text, printedBy(name, args[3:]), false)
	case name == "git":
		plain := withoutGlobals(name, args)
		if len(plain) < 2 || plain[1].text != "config" {
			return
		}
		for i, a := range plain[2:] {
			if alias, ok := aliasOf(a.text); ok && i+3 < len(plain) {
				s.git[alias] = plain[i+3].text
			}
		}
	}
}

func aliasOf(key string) (string, bool) {
	if len(key) < len("alias.") || !strings.EqualFold(key[:len("alias.")], "alias.") {
		return "", false
	}
	return key[len("alias."):], true
}

// runsOfGit are the keys of git's configuration whose value is run by a shell.
var runsOfGit = regexp.MustCompile(`(?i)(editor|pager|pager\.\w+|sshcommand|askpass|cmd|command|helper|external|textconv|fsmonitor|gitproxy|filter\..*)$`)

// gitSets looks at what stands in git's -c: aliases, and programs that it runs.
func (s *shellLine) gitSets(args []arg) {
	for i := 1; i+1 < len(args) && strings.HasPrefix(args[i].text, "-"); i++ {
		if args[i].text != "-c" {
			continue
		}
		key, value, _ := strings.Cut(args[i+1].text, "=")
		if alias, ok := aliasOf(key); ok {
			s.git[alias] = value
		} else if runsOfGit.MatchString(key) {
			s.parse(value)
		}
		i++
	}
	plain := withoutGlobals("git", args)
	if len(plain) < 2 {
		return
	}
	switch text, ok := s.git[plain[1].text]; {
	case !ok || !s.once():
	case strings.HasPrefix(text, "!"):
		s.parse(text[1:] + " " + joined(plain[2:]))
	default:
		s.command(append(append([]arg{{text: "git"}}, wordsOf(text)...), plain[2:]...))
	}
}

// runsOfVariables are variables whose value a shell runs, whatever program reads it.
var runsOfVariables = setOf(`EDITOR VISUAL PAGER MANPAGER GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND
	PROMPT_COMMAND LESSOPEN`)

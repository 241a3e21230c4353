package requirements

import (
	"slices"
	"strings"
)

// simpleCommand is one program with its arguments, blanks reduced to one, quotes gone. Text and masked have the same
// length; in masked the blanks inside a word that is no code are NUL, which `\s` does not match.
type simpleCommand struct {
	text    string
	masked  string
	head    int    // where the program's name ends
	handed  span   // the words that are looked at as a command of their own
	printer bool   // it only prints its arguments
	sql     bool   // a text that a client of a database reads
	name    string // the program's base name; "" for a text, of which any word may be the program
	args    []arg  // the whole command, git's and gh's global options dropped; of one of the forms
}

// emit adds the forms under which a pattern may know the command: as typed, by the program's base name, and without
// git's and gh's global options.
func (s *shellLine) emit(args []arg, name string) {
	forms, first, end := [][]arg{args}, 0, 0
	if s.depth < maxNested {
		first, end = handsOn(name, args)
	}
	if verb, ok := strings.CutPrefix(name, "git-"); ok && verb != "" && !strings.Contains(verb, ".") { // git's verbs as programs of their own
		forms = append(forms, append([]arg{{text: "git"}, {text: verb}}, args[1:]...))
	}
	if name != args[0].text {
		forms = append(forms, append([]arg{{text: name}}, args[1:]...))
	}
	plain := withoutGlobals(name, args)
	if len(plain) != len(args) {
		forms = append(forms, plain)
	}
	for i, form := range forms {
		c := build(form, masks[name] && !interprets(name, args))
		c.handed = spanOf(form, first, end)
		if c.name = name; i == 0 && !s.guessing {
			c.args = plain
		}
		c.printer = printers[name] || describes(args)
		s.commands = append(s.commands, c)
	}
}

// words are the program's base name and its arguments; none of a form that another one stands for, or that is a
// guess.
func (c simpleCommand) words() []string {
	if len(c.args) == 0 {
		return nil
	}
	words := []string{c.name}
	if verb, ok := strings.CutPrefix(c.name, "git-"); ok {
		words = []string{"git", verb}
	}
	for _, a := range c.args[1:] {
		words = append(words, a.text)
	}
	return words
}

// span is a part of a text; empty without any.
type span struct{ from, to int }

func (s span) holds(i int) bool { return s.from <= i && i < s.to }

// handsOn finds the words of a command that are looked at by themselves, by their index: what sudo runs, the script of
// bash -c. first is end where there are none.
func handsOn(name string, args []arg) (first, end int) {
	var rest []arg
	end = len(args)
	switch w, ok := wrappers[name]; {
	case scripted[name]:
	case ok:
		rest = behind(args, strings.Fields(w.valued), w.operands, name)
	case shells[name]:
		rest, end = scriptOf(args), 0
	case name == "eval" || name == "watch":
		rest = behind(args, []string{"-n", "--interval"}, 0, name)
	case name == "ssh":
		rest = behindHost(args)
	case name == "trap":
		rest, end = behind(args, nil, 0, name), 0
	}
	if first = scriptWithin(args); rest == nil && first > 0 && !printers[name] && !masks[name] {
		return first, first + 1
	}
	first = len(args) - len(rest)
	if len(rest) == 0 || first <= 0 || rest[0].text == "" || !slices.Equal(args[first:], rest) { // env -S makes words
		return 0, 0
	}
	return first, max(end, first+1)
}

// spanOf is the part of the text of some words that those from first to end make.
func spanOf(args []arg, first, end int) (s span) {
	if first >= end {
		return s
	}
	for i, a := range args[:min(end, len(args))] {
		if i < first {
			s.from += len(strings.Join(strings.Fields(a.text), " ")) + 1
		}
		s.to += len(strings.Join(strings.Fields(a.text), " ")) + 1
	}
	return s
}

// describes says whether a command only tells where a program is: command -v git.
func describes(args []arg) bool {
	return len(args) > 1 && args[0].text == "command" && (args[1].text == "-v" || args[1].text == "-V")
}

// build joins words. With mask the blanks inside a word become NUL in masked.
func build(args []arg, mask bool) simpleCommand {
	var text, masked strings.Builder
	c := simpleCommand{}
	for i, a := range args {
		if i > 0 {
			text.WriteByte(' ')
			masked.WriteByte(' ')
		}
		word := strings.Join(strings.Fields(a.text), " ")
		text.WriteString(word)
		if mask {
			word = strings.ReplaceAll(word, " ", "\x00")
		}
		masked.WriteString(word)
		if i == 0 {
			c.head = text.Len()
		}
	}
	c.text, c.masked = text.String(), masked.String()
	return c
}

func joined(args []arg) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = a.text
	}
	return strings.Join(words, " ")
}

// baseName is the program without its folder and .exe, in lower case as patterns are.
func baseName(program string) string {
	if i := strings.LastIndexAny(program, `/\`); i >= 0 {
		program = program[i+1:]
	}
	return strings.TrimSuffix(strings.ToLower(program), ".exe")
}

// withoutGlobals drops the options that stand between git or gh and the verb.
func withoutGlobals(name string, args []arg) []arg {
	valued, verbs := globals[name], 1
	if valued == nil {
		return args
	}
	if name == "gh" {
		verbs = 2 // gh pr -R o/r create
	}
	plain := []arg{{text: name}}
	for i := 1; i < len(args); i++ {
		word := args[i].text
		switch {
		case verbs == 0 || word == "--":
			return append(plain, args[i:]...)
		case !strings.HasPrefix(word, "-"):
			verbs--
			plain = append(plain, args[i])
		case slices.Contains(valued, word):
			i++
		}
	}
	return plain
}

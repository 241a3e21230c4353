package requirements

import (
	"strings"
	"unicode"
)

// maxLoose bounds the words that are looked at behind one git or gh in a text; an option with its value takes two.
const maxLoose = 64

// loose finds commands of git and gh in a text that is no shell line, or that another program may take for one: an
// argument of ssh, of `python -c`, a line that is too long to be parsed. Signs count as blanks, so that
// subprocess.run(["git", "-C", dir, "push"]) is a push. They close gates only; for a refusal without asking they are
// too little.
func (s *shellLine) loose(text string) {
	if !mentions(text) {
		return
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'`()[]{},;&|<>!\\", r) })
	for i, w := range words {
		name := baseName(w[strings.IndexByte(w, '=')+1:]) // EDITOR=git
		if globals[name] == nil || len(s.commands) > maxCommands {
			continue
		}
		c := build(withoutGlobals(name, argsOf(words[i:min(i+maxLoose, len(words))])), false)
		c.name = name
		s.commands = append(s.commands, c)
	}
}

// mentions is the quick look for a name of which loose knows something.
func mentions(text string) bool {
	lower := strings.ToLower(text)
	return strings.Contains(lower, "git") || strings.Contains(lower, "gh")
}

func argsOf(words []string) []arg {
	list := make([]arg, len(words))
	for i, w := range words {
		list[i].text = w
	}
	return list
}

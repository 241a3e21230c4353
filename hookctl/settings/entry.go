package settings

import (
	"reflect"
	"regexp"
	"strings"

	"github.com/tailscale/hujson"
)

// An entry is what we write under one event: a matcher, if any, with one command handler.
type entry struct {
	event   string
	matcher string // empty: the member is left out, which matches everything
	command string
	args    []string
	timeout float64 // seconds; 0: the member is left out
}

// node returns the entry as it is written, members in that order.
func (e entry) node() object {
	handler := object{{"type", "command"}, {"command", e.command}}
	if e.args != nil {
		handler = append(handler, member{"args", texts(e.args)})
	}
	if e.timeout != 0 {
		handler = append(handler, member{"timeout", e.timeout})
	}
	var node object
	if e.matcher != "" {
		node = append(node, member{"matcher", e.matcher})
	}
	return append(node, member{"hooks", array{handler}})
}

// same tells whether a value of the file means this entry, whatever its spelling and order.
func (e entry) same(v hujson.Value) bool {
	return reflect.DeepEqual(decode(v), e.node().plain())
}

// asEntry reads one of our handlers back; members that we never write are ignored, and same
// tells whether there were any.
func asEntry(event string, matcher any, handler map[string]any) entry {
	e := entry{event: event}
	e.matcher, _ = matcher.(string)
	e.command, _ = handler["command"].(string)
	e.timeout, _ = handler["timeout"].(float64)
	e.args, _ = stringsOf(handler["args"])
	return e
}

// argv returns the program that the entry starts with its arguments, of either form.
func (e entry) argv() []string {
	if e.args == nil {
		if words := splitWords(e.command); len(words) > 0 {
			return words
		}
	}
	return append([]string{e.command}, e.args...)
}

// profile tells which profile such an entry belongs to.
func (e entry) profile() Profile {
	if v := e.argv(); len(v) > 1 && v[1] != "hook" {
		return Identity
	}
	return Full
}

// isOurs tells whether a decoded handler is one of ours; the package comment has the rule.
func isOurs(v any) bool {
	handler, ok := v.(map[string]any)
	if !ok || (handler["type"] != "command" && handler["type"] != nil) {
		return false
	}
	if _, ok := handler["command"].(string); !ok {
		return false
	}
	if args, exec := handler["args"]; exec {
		if _, ok := stringsOf(args); !ok {
			return false
		}
	}
	argv := asEntry("", nil, handler).argv()
	return isOurBinary(argv[0]) && isOurVerb(argv[1:])
}

// isOurBinary looks at the base name only, after either kind of separator: a settings file
// may come from another system.
func isOurBinary(path string) bool {
	base := path[strings.LastIndexAny(path, `/\`)+1:]
	base = strings.TrimSuffix(strings.ToLower(base), ".exe")
	return base == "hookctl" || base == "hookd"
}

func isOurVerb(args []string) bool {
	if len(args) == 0 {
		return false
	}
	switch args[0] {
	case "hook", "consciousness":
		return true
	case "session":
		return len(args) > 1 && (args[1] == "restore-identity" || args[1] == "persist-identity")
	}
	return false
}

// word is a piece of a command line without blanks outside of quotes; a backslash protects one sign.
var word = regexp.MustCompile(`(?:"[^"]*"?|'[^']*'?|\\.|[^\s"'])+`)

// unquote drops quotes, and the backslash before a blank alone, so that an unquoted Windows path survives.
var unquote = strings.NewReplacer(`"`, "", "'", "", `\ `, " ")

// splitWords splits a command line as far as recognising a program needs it. Variables stay as they are.
func splitWords(line string) []string {
	words := word.FindAllString(line, -1)
	for i := range words {
		words[i] = unquote.Replace(words[i])
	}
	return words
}

// stringsOf returns an array of strings, and false for anything else.
func stringsOf(v any) ([]string, bool) {
	list, ok := v.([]any)
	if !ok {
		return nil, false
	}
	out := make([]string, 0, len(list))
	for _, x := range list {
		s, ok := x.(string)
		if !ok {
			return nil, false
		}
		out = append(out, s)
	}
	return out, true
}

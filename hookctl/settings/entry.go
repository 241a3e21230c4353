package settings

import (
	"encoding/json"
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

// A node is the entry as it is written, members in that order; a handler of the file is read as one, too.
type (
	node struct {
		Matcher string    `json:"matcher,omitempty"`
		Hooks   []handler `json:"hooks"`
	}
	handler struct {
		Type    string   `json:"type"`
		Command string   `json:"command"`
		Args    []string `json:"args,omitempty"`
		Timeout float64  `json:"timeout,omitempty"`
	}
)

func (e entry) node() node {
	return node{Matcher: e.matcher, Hooks: []handler{{Type: "command", Command: e.command, Args: e.args, Timeout: e.timeout}}}
}

// same reports whether a value of the file means this entry, whatever its spelling and order.
func (e entry) same(v hujson.Value) bool {
	var have, want any
	text, _ := json.Marshal(e.node()) // strings and numbers always encode
	return decode(v, &have) == nil && json.Unmarshal(text, &want) == nil && reflect.DeepEqual(have, want)
}

// asEntry reads a handler of an entry of the file; members that we never write are ignored, and same
// finds them. ours is whether the handler is one of ours; the package comment has the rule.
func asEntry(event string, in, v hujson.Value) (e entry, ours bool) {
	h := handler{Type: "command"}
	if decode(v, &h) != nil || h.Type != "command" {
		return entry{}, false
	}
	e = entry{event: event, command: h.Command, args: h.Args, timeout: h.Timeout}
	if matcher := in.Find("/matcher"); matcher != nil {
		_ = decode(*matcher, &e.matcher) // of another form: same finds it different
	}
	argv := e.argv()
	return e, ourBinary.MatchString(argv[0]) && ourVerb.MatchString(strings.Join(argv[1:], " "))
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

// profile returns the profile that such an entry belongs to.
func (e entry) profile() Profile {
	if v := e.argv(); len(v) > 1 && v[1] != "hook" {
		return Identity
	}
	return Full
}

// The programs and the verbs of our entries. Of a program the base name counts, after either kind of separator: a settings
// file may come from another system.
var (
	ourBinary = regexp.MustCompile(`(?i)(^|[/\\])hook(ctl|d)(\.exe)?$`)
	ourVerb   = regexp.MustCompile(`^(hook|consciousness|session (restore|persist)-identity)( |$)`)
)

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

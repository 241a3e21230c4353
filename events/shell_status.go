package events

import (
	"regexp"
	"slices"
	"strings"
)

// Of which commands of a line its exit status tells.
//
// A line exits with the status of its last command. Those before it count only where their failure ends the line: joined by
// `&&`, or under `set -e`. Of a pipe the last command counts, under pipefail each. What stands in a group has the status of the
// group's last command. Of a condition, a loop and a substitution the status says nothing.

// statusLevel is what is known of one list of commands, the line itself or a group in it, from its end to where a reader is.
type statusLevel struct {
	counts   bool // the status of the list's end is that of the line
	list     bool // so does the status of the commands joined by && and || that are being read
	followed bool // a command stands behind in this list
	ends     bool // the list ends with a failure: `exit 1`

	or    bool // where the command fails, another one takes over
	fails bool // the command that takes over fails in any case
	pipe  bool // the command's status is not that of its pipe
	first bool // the status of the next pipe's first command is passed on (PIPESTATUS)
}

// visible reports whether the line fails where a command at this place does.
func (l *statusLevel) visible() bool { return l.list && !l.or && !l.pipe }

// judgeStatus sets for each command whether the line's exit status hides its failure, and which text announces its status. It
// reads the line from its end.
func judgeStatus(pieces []piece) {
	markPipefail(pieces)
	level := statusLevel{counts: true, list: true}
	var outer []statusLevel
	controls := 0 // conditions and loops around the place

	for i := len(pieces) - 1; i >= 0; i-- {
		p := &pieces[i]
		switch p.op {
		case ")", "}":
			outer = append(outer, level)
			counts := level.visible()
			level = statusLevel{counts: counts, list: counts}
		case "$)":
			outer = append(outer, level)
			level = statusLevel{}
		case "(", "{", "$(":
			if n := len(outer); n > 0 {
				ends := level.ends
				level = outer[n-1]
				level.fails = ends
				level.followed = true
				outer = outer[:n-1]
			}
		default:
			level.operator(p)
		}
		if len(p.words) == 0 {
			continue
		}

		begins := controlBegins(p.words)
		if controlEnd.MatchString(p.words[0]) {
			controls++
		}
		beginsPipe := i == 0 || pieces[i-1].op != "|"
		passedOn := level.first && beginsPipe && level.list
		p.hidden = begins || controls > 0 || !level.visible() && !passedOn
		if begins && controls > 0 {
			controls--
		}
		level.first = level.first && !beginsPipe

		level.command(p.words)
		if text := announcedStatus(p.words); text != "" {
			announce(pieces[:i], text)
		}
	}
}

// operator takes in the operator behind a command.
func (l *statusLevel) operator(p *piece) {
	switch p.op {
	case ";", "\n":
		l.list = l.counts && (!l.followed || p.errexit)
		l.or, l.pipe = false, false
	case "&":
		l.list, l.or, l.pipe = false, false, false
	case "&&":
		l.pipe = false
	case "||":
		l.or = l.or || !l.fails
		l.pipe = false
	case "|":
		l.pipe = !p.pipefail
	}
	l.fails = false
}

// command takes in a command, whatever it is, for those before it. An exit that passes a status on changes nothing.
func (l *statusLevel) command(words []string) {
	passesOn := words[0] == "exit" && len(words) > 1 && strings.HasPrefix(words[1], "$")
	if passesOn {
		l.first = strings.Contains(words[1], "PIPESTATUS")
		return
	}

	ends := slices.Contains([]string{"exit", "return"}, words[0]) && len(words) > 1 && words[1] != "0"
	l.fails = ends || words[0] == "false"
	l.ends = l.ends || l.fails && !l.followed
	l.followed = true
}

// controlEnd matches the word that ends a condition or a loop.
var controlEnd = regexp.MustCompile(`^(fi|done|esac)$`)

// controlBegins reports whether a command begins a condition or a loop, or is negated: then its failure is none of the line's.
func controlBegins(words []string) bool {
	for _, w := range words {
		switch w {
		case "if", "for", "while", "until", "case", "select", "!":
			return true
		case "then", "else", "do", "time":
		default:
			return false
		}
	}
	return false
}

// errexitOption matches the options of `set` that end a line at the first failure.
var errexitOption = regexp.MustCompile(`^-[a-z]*e`)

// markPipefail notes for each command which of the shell's options `set` has switched on before it.
func markPipefail(pieces []piece) {
	errexit, pipefail := false, false
	for i := range pieces {
		p := &pieces[i]
		p.errexit, p.pipefail = errexit, pipefail
		if len(p.words) < 2 || p.words[0] != "set" {
			continue
		}
		pipefail = pipefail || slices.Contains(p.words, "pipefail")
		errexit = errexit || slices.ContainsFunc(p.words[1:], errexitOption.MatchString)
	}
}

// shellStatus matches a shell's name for the exit status of the command before.
var shellStatus = regexp.MustCompile(`\$\?|\$\{?(PIPESTATUS|pipestatus)(\[[01]\])?\}?`)

// announcedStatus returns the text by which an echo prints the exit status of the command before, with $? for that; "" for
// other commands.
func announcedStatus(words []string) string {
	if words[0] != "echo" {
		return ""
	}
	text := strings.Join(words[1:], " ")
	name := shellStatus.FindString(text)
	if name == "" {
		return ""
	}
	before, after, _ := strings.Cut(text, name)
	if name != "$?" {
		return before + pipeStatus + after
	}
	return before + "$?" + after
}

// pipeStatus stands for the status of a pipe's first command.
const pipeStatus = "$|"

// announce sets the text on the command whose exit status it has: the last one before it, of a pipe the last or the first.
func announce(before []piece, text string) {
	at := len(before) - 1
	for at >= 0 && len(before[at].words) == 0 {
		at--
	}
	if at < 0 || before[at].op == "|" || before[at].op == "&" {
		return
	}

	first := before[at].pipefail || strings.Contains(text, pipeStatus)
	for first && at > 0 && before[at-1].op == "|" {
		at--
	}
	before[at].status = strings.Replace(text, pipeStatus, "$?", 1)
}

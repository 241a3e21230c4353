package main

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"hookline/events"
	"hookline/events/wording"
)

// past is what a session did up to a point.
type past struct {
	root     string
	touched  map[string]bool // paths below the root
	edited   map[string]bool
	commands map[string]bool // by key; whether the last run succeeded
	calls    map[string]call // by tool_use_id
	todos    []string        // that are not done
	goal     string
	task     string
	prompt   string
	outputs  []text

	shown   bool // that what was asked for is done: a commit, push or merge after the last edit, or all things to do completed
	says    bool // the agent, with its last words after that edit
	perhaps bool // the goal was one of both when something else was asked for
}

// call is what a tool was called for.
type call struct {
	tool    string
	file    string   // path below the root, "" for none; a search's folder
	command string   // key, "" for none
	words   []string // of the command: paths below the root
}

func newPast(root string) *past {
	return &past{root: root, touched: map[string]bool{}, edited: map[string]bool{}, commands: map[string]bool{}, calls: map[string]call{}}
}

// edits are the tools that change files.
var edits = map[string]bool{"Edit": true, "Write": true, "MultiEdit": true, "NotebookEdit": true}

// callOf reads what a call is for.
func callOf(root, tool string, input json.RawMessage) call {
	in := events.InputOf(input)
	command, file, searched := in.Command.Text(), in.File(), in.Path.Text()
	c := call{tool: tool}
	switch {
	case tool == "Bash":
		c.command = commandKey(strings.ReplaceAll(command, root+"/", "")) // as in what is told
		for _, w := range strings.FieldsFunc(command, notInPath) {
			if path := below(root, w); strings.Contains(path, "/") || strings.Contains(path, ".") && !strings.HasPrefix(path, ".") {
				c.words = append(c.words, path)
			}
		}
	case file != "":
		c.file = below(root, file)
	case searched != "" && below(root, searched) != ".": // a search of the whole project has no target
		c.file = below(root, searched)
	}
	return c
}

// notInPath ends the words of a command that may be paths.
func notInPath(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("'\"`();|&<>=:,$", r) }

// below is a path as a person names it in the project.
func below(root, path string) string {
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// gitIn is git in another folder; that is no part either.
var gitIn = regexp.MustCompile(`\bgit -C /\S+`)

// shown is the end of a command that says how much of its output is looked at; that is no part of what is run.
var shown = regexp.MustCompile(`(\s*2>&1)?(\s*\|\s*(head|tail)( -n)?( -?\d+)?)?\s*$`)

// heads are lines before what is run: comments, a change of folder, headings for the output, options of the shell,
// variables.
var heads = regexp.MustCompile(`^(\s*(#.*|cd [^\n;&|]*|echo ("[^"\n]*"|'[^'\n]*')|set -[^\n;&|]*|\w+=\S*)?\n)+`)

// commandKey is what a command runs: without the lines before it, a change of folder, and what its first line shows of the
// output. With another message or another script after its first line it is another command.
func commandKey(command string) string {
	line, rest, _ := strings.Cut(heads.ReplaceAllString(strings.TrimSpace(command), ""), "\n")
	line = gitIn.ReplaceAllString(shown.ReplaceAllString(events.WithoutFolder(line), ""), "git")
	return strings.TrimSpace(wording.Flat(line) + "\n" + rest)
}

// begin is the beginning of a command by which it is known where it is told.
func begin(command string) string {
	line, _, _ := strings.Cut(command, "\n")
	return wording.Chars(wording.Flat(line), 60)
}

// notRun is the client's error for a call that it gave up because one beside it failed, or that it does not let run.
var notRun = regexp.MustCompile(`^(<tool_use_error>)?(Sibling tool call errored|Cancelled: parallel tool call|Blocked: )`)

// take goes one step on.
func (p *past) take(e events.Event) {
	switch e := e.(type) {
	case *events.PromptSubmitted:
		p.prompted(e.UserText())
	case *events.ToolRequested:
		if e.AgentID == "" {
			p.calls[e.ToolUseID] = callOf(p.root, e.ToolName, e.ToolInput)
		}
		if e.AgentID == "" && e.ToolName == "TodoWrite" {
			var in struct {
				Todos []struct{ Content, Status string }
			}
			_ = json.Unmarshal(e.ToolInput, &in) // of another form: none
			p.todos = nil
			p.shown = len(in.Todos) > 0
			for _, t := range in.Todos {
				p.shown = p.shown && t.Status == "completed"
				if t.Status != "completed" {
					p.todos = append(p.todos, t.Content)
				}
			}
		}
	case *events.ToolSucceeded:
		c, ok := p.calls[e.ToolUseID]
		if !ok {
			return
		}
		p.outputs = append(p.outputs, textOf(p.root, blanks.Replace(string(e.ToolResponse))))
		if c.command != "" {
			p.commands[c.command] = true
		}
		if edits[c.tool] || c.tool == "Read" {
			p.touched[c.file] = true
		}
		if edits[c.tool] {
			p.edited[c.file] = true
			p.shown, p.says = false, false
		}
		p.shown = p.shown || carriedOut.MatchString(c.command)
	case *events.TurnStopped:
		p.says = doneWords.MatchString(e.LastAssistantMessage)
	case *events.ToolFailed:
		if c := p.calls[e.ToolUseID]; c.command != "" && !notRun.MatchString(e.Error) {
			p.commands[c.command] = false
			p.outputs = append(p.outputs, textOf(p.root, e.Error))
		}
	}
}

// prompted takes in what the user wrote: the first of substance is the goal, the newest the task. A goal that the session
// shows and says to be done is one no longer when something else is asked for.
func (p *past) prompted(text string) {
	text = strings.ReplaceAll(text, p.root+"/", "") // as in what is told
	if text == "" {
		return
	}
	p.prompt = text
	if !substance(text, true) {
		return
	}
	if p.shown && p.says {
		p.goal, p.perhaps = "", false
	} else if p.shown || p.says {
		p.perhaps = true
	}
	if p.goal == "" {
		p.goal = text
	}
	p.task = text
	p.shown, p.says = false, false
}

// blanks stand for what JSON escapes between words.
var blanks = strings.NewReplacer(`\n`, " ", `\t`, " ", `\"`, " ")

// text is what the model has: told by us, or the client's summary. Its white space was made one.
type text string

// braces are what is told of one folder, without further braces in it.
var braces = regexp.MustCompile(`([^\s;,{}]*/)\{([^{}]*)\}`)

func textOf(root, plain string) text {
	plain = strings.ReplaceAll(plain, root+"/", "")
	for braces.MatchString(plain) {
		plain = braces.ReplaceAllStringFunc(plain, func(group string) string {
			m := braces.FindStringSubmatch(group)
			var paths []string
			for name := range strings.SplitSeq(m[2], ",") {
				paths = append(paths, m[1]+strings.TrimSpace(name))
			}
			return strings.Join(paths, ", ")
		})
	}
	return text(wording.Flat(plain))
}

// toldOf is what was told, line by line.
func toldOf(root, plain string) text {
	var lines []string
	for line := range strings.SplitSeq(plain, "\n") {
		lines = append(lines, string(textOf(root, line)))
	}
	return text(strings.Join(lines, "\n"))
}

// names reports whether a path stands there, and not only a part of it. A full stop may follow.
func (t text) names(path string) bool {
	return path != "" && regexp.MustCompile(`(^|[^\w/.-])`+regexp.QuoteMeta(path)+`\.?($|[^\w/.-])`).MatchString(string(t))
}

// namesFolder reports whether a folder stands there, alone or before the files of it that are told.
func (t text) namesFolder(path string) bool {
	return t.names(path) || regexp.MustCompile("(^|[\\s`(])"+regexp.QuoteMeta(path)+"/").MatchString(string(t))
}

// knows reports whether what a call is for stands there: its file or folder, or of a command a file of it, or its program
// with the first word that is no option (as DECISIONS has the target of a failure).
func (t text) knows(c call) bool {
	if c.command == "" {
		return t.namesFolder(c.file)
	}
	return t.says(target(c.command), 60) || slices.ContainsFunc(c.words, t.names)
}

// says reports whether the beginning of a text stands there.
func (t text) says(what string, n int) bool {
	return what != "" && strings.Contains(string(t), wording.Chars(wording.Flat(what), n))
}

// Words for an outcome, as far as they tell one from the other.
var (
	good = regexp.MustCompile(`(?i)\bok\b|pass|succe|✅|green`)
	bad  = regexp.MustCompile(`(?i)fail|exit|error|❌|broke`)
)

// ran reports whether a command is named with its outcome: after it, before the next command and within 60 characters.
func (t text) ran(command string, ok bool) bool {
	command = begin(command)
	for rest := string(t); ; {
		i := strings.Index(rest, command)
		if i < 0 {
			return false
		}
		rest = rest[i+len(command):]
		behind := rest
		if end := strings.IndexByte(behind, '`'); end >= 0 && end < 200 {
			behind, _, _ = strings.Cut(behind[end+1:], "`")
		}
		behind = behind[:min(60, len(behind))]
		if ok && good.MatchString(behind) || !ok && bad.MatchString(behind) {
			return true
		}
	}
}

// failure reports whether it is told that a command is still failing.
func (t text) failure(command string) bool {
	if t.ran(command, false) {
		return true
	}
	_, open, _ := strings.Cut(string(t), "Not mended: ")
	return open != "" && strings.Contains(open, target(command))
}

// target is the program of a command with its first word that is no option.
func target(command string) string {
	words := strings.Fields(command)
	for _, w := range words[min(1, len(words)):] {
		if !strings.HasPrefix(w, "-") {
			return words[0] + " " + w
		}
	}
	return strings.Join(words[:min(1, len(words))], "")
}

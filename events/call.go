package events

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// The reader of a tool's call. The members of a tool's input are named here and nowhere else, so that a client that
// renames one is met in one place. Two kinds of reader look at the JSON itself, because they show or search whatever a
// tool may have: lists of all members (packages insight, page and find), and the import of transcripts, which copies an
// input as it is.

// Call is what a tool was called for.
type Call struct {
	Tool  string
	Input ToolInput
	Raw   json.RawMessage // the input as it stands in the event
	File  string          // that it reads or changes, "" for none and for a command
	Runs  []Run           // commands of the shell
}

// CallOf reads what a tool was called for.
func CallOf(tool string, input json.RawMessage) Call {
	call := Call{Tool: tool, Input: InputOf(input), Raw: input}
	if tool == "Bash" {
		call.Runs = Runs(call.Input.Command.Text())
	} else {
		call.File = call.Input.File()
	}
	return call
}

// Target names what the call is about, so that a failure is closed by a success on the same: its file, the first program
// with its first word that is no option (`npm run` with the next one), else the tool (DECISIONS S0 "open failures").
func (c Call) Target() string {
	if len(c.Runs) == 0 {
		return cmp.Or(c.File, c.Tool)
	}

	words := c.Runs[0].Words
	count := 2
	if len(words) > 2 && words[1] == "run" {
		count = 3
	}
	return strings.Join(words[:min(count, len(words))], " ")
}

// Check returns what the commands check, test before lint before build; "" for nothing.
func (c Call) Check() string {
	for _, check := range []string{"test", "lint", "build"} {
		if slices.ContainsFunc(c.Runs, func(r Run) bool { return r.Check == check }) {
			return check
		}
	}
	return ""
}

// ToolInput has the members of a tool's input that say what the call is about. Which of them a call has depends on its
// tool; the tools are those of the client and, for Path, Pattern, Query and URL, also what servers name so.
type ToolInput struct {
	FilePath     Content // Read, Edit, MultiEdit, Write
	NotebookPath Content // NotebookEdit
	Path         Content // Grep, Glob, LS: the folder that is searched

	Command Content // Bash; apply_patch of Codex: the patch
	Input   Content // apply_patch of Codex in its other form: the patch

	Content   Content         // Write
	OldString Content         // Edit
	NewString Content         // Edit
	NewSource Content         // NotebookEdit
	All       bool            // Edit: replace_all
	edits     json.RawMessage // MultiEdit

	Pattern Content // Grep, Glob
	URL     Content // WebFetch
	Query   Content // WebSearch

	Skill        Content // Skill
	SubagentType Content // Task
	Plan         Content // ExitPlanMode
	Project      Content // activate_project of Serena
}

// InputOf reads a tool's input, in one pass and without decoding a string; what is no object has no members. Of a member
// that comes twice the last one counts, as for the client.
func InputOf(input json.RawMessage) ToolInput {
	var in ToolInput
	members(input, func(name, value []byte, _ bool) bool {
		in.set(name, value)
		return true
	})
	return in
}

// set takes in one member, whose name stands as between its quotes.
func (in *ToolInput) set(name, value []byte) {
	if bytes.IndexByte(name, '\\') >= 0 {
		quoted := slices.Concat([]byte(`"`), name, []byte(`"`))
		name = []byte(Text(quoted))
	}

	switch string(name) {
	case "file_path":
		in.FilePath = value
	case "notebook_path":
		in.NotebookPath = value
	case "path":
		in.Path = value
	case "command":
		in.Command = value
	case "input":
		in.Input = value
	case "content":
		in.Content = value
	case "old_string":
		in.OldString = value
	case "new_string":
		in.NewString = value
	case "new_source":
		in.NewSource = value
	case "replace_all":
		in.All = string(value) == "true"
	case "edits":
		in.edits = value
	case "pattern":
		in.Pattern = value
	case "url":
		in.URL = value
	case "query":
		in.Query = value
	case "skill":
		in.Skill = value
	case "subagent_type":
		in.SubagentType = value
	case "plan":
		in.Plan = value
	case "project":
		in.Project = value
	}
}

// UnmarshalJSON reads a tool's input inside of another value, as [InputOf] does.
func (in *ToolInput) UnmarshalJSON(b []byte) error {
	*in = InputOf(bytes.Clone(b))
	return nil
}

// File returns the file that a call reads or changes, "" for none. The folder of a search is none.
func (in ToolInput) File() string { return cmp.Or(in.FilePath.Text(), in.NotebookPath.Text()) }

// Replacement is a text that an edit puts in the place of another.
type Replacement struct {
	Old string `json:"old_string"`
	New string `json:"new_string"`
	All bool   `json:"replace_all"` // wherever the old text stands, else at its first place
}

// Replacements returns what a call replaces, in order: one of Edit, those of MultiEdit. A text that lies beside the log is
// empty.
func (in ToolInput) Replacements(tool string) []Replacement {
	switch tool {
	case "Edit":
		return []Replacement{{Old: in.OldString.Text(), New: in.NewString.Text(), All: in.All}}
	case "MultiEdit":
		var list []Replacement
		_ = json.Unmarshal(in.edits, &list) // a member of another form stays empty
		return list
	}
	return nil
}

// Content is a string of a tool's input as it stands in the JSON of an event: a string, or the reference to a large one
// that lies beside the log. It aliases the event's data.
type Content json.RawMessage

// Text returns the string, "" where there is none or it lies beside the log.
func (c Content) Text() string { return Text(json.RawMessage(c)) }

// Head returns the string, or the beginning of one that lies beside the log.
func (c Content) Head() string {
	if len(c) > 0 && c[0] == '{' && Member(json.RawMessage(c), "$blob") != nil {
		return MemberText(json.RawMessage(c), "head")
	}
	return c.Text()
}

// Tail returns the end of a string that lies beside the log, as far as the event has it, else "".
func (c Content) Tail() string { return MemberText(json.RawMessage(c), "tail") }

// Output is what a shell's command gave back.
type Output struct {
	Text        string // what it printed; of a large one its beginning and its end, with [Gap] between
	Running     bool   // the client left it running in the background
	Interrupted bool   // the user interrupted it
}

// Gap stands between the beginning and the end of an output that lies beside the log.
const Gap = "\n[the middle is left out]\n"

// OutputOf reads the response that the client gives for a command that it calls a success: an object with what was printed, or
// the text alone (Codex).
func OutputOf(response json.RawMessage) Output {
	var out Output
	var printed, errors string
	members(response, func(name, value []byte, _ bool) bool {
		switch string(name) {
		case "stdout":
			printed = outputText(value)
		case "stderr":
			errors = outputText(value)
		case "backgroundTaskId":
			out.Running = Text(value) != ""
		case "interrupted":
			out.Interrupted = string(value) == "true"
		}
		return true
	})

	switch {
	case printed != "" && errors != "":
		out.Text = printed + "\n" + errors
	case printed != "" || errors != "":
		out.Text = printed + errors
	default:
		out.Text = outputText(response)
	}
	return out
}

// outputText returns a string, or the beginning and the end of one that lies beside the log.
func outputText(raw []byte) string {
	content := Content(raw)
	if text := content.Text(); text != "" {
		return text
	}
	head := content.Head()
	if head == "" {
		return ""
	}
	return head + Gap + content.Tail()
}

// Given reports whether the input has the member, whatever its value; null is none.
func (c Content) Given() bool { return c != nil && string(c) != "null" }

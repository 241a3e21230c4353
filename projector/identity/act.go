package identity

import (
	"bytes"
	"encoding/json"
	"strings"

	"hookline/events"
)

// act is what an event means for the facets: a tool call that came back, a prompt, a question.
type act struct {
	event     events.Event
	tool      string   // of a call that came back and was not interrupted
	path      string   // the file it was about
	changed   []string // apply_patch: the files that it changes
	created   bool     // apply_patch: one of its files is new
	command   uint32   // shell: the command line, blanks folded; 0 for none
	checks    bool     // shell: tests, build, lint or type check
	written   string   // Write: "create" or "update", as the client says
	about     string   // what a call was about, as [TargetOf] names it
	target    uint32   // its hash: what a later call must hit to be a retry; 0 for none
	succeeded bool
	failed    bool
	asked     bool // permission
	denied    bool // by permission or by a gate
	prompt    bool // of the user
	notified  bool // the prompt by which a background task reports back
}

// commandLimit bounds how much of a command line is looked at; what a command is about stands at
// its beginning, and here-documents can be large.
const commandLimit = 8 << 10

// actOf leaves a hook without a tool or a prompt, which an identity verb without input stands for, with no
// meaning: whoever asks for the continuity does not move it.
func actOf(r events.Record) act {
	a := act{event: r.Event}
	switch e := r.Event.(type) {
	case *events.PromptSubmitted:
		a.notified = strings.HasPrefix(strings.TrimSpace(e.Prompt), "<task-notification>")
		a.prompt = !a.notified && e.Prompt != ""
	case *events.PermissionRequested:
		a.asked = true
	case *events.PermissionDenied:
		a.denied = true
		a.call(e.ToolName, e.ToolInput)
		a.tool, a.command, a.checks = "", 0, false // it did not run
	case *events.GateBlocked:
		a.denied = true
		if e.Target != "" {
			a.target = hash(e.Target)
		}
	case *events.ToolSucceeded:
		if e.ToolName == "" || e.ToolName == "Bash" && bytes.Equal(events.Member(e.ToolResponse, "interrupted"), []byte("true")) {
			break
		}
		a.succeeded = true
		a.call(e.ToolName, e.ToolInput)
		if e.ToolName == "Write" {
			a.written = events.MemberText(e.ToolResponse, "type")
		}
	case *events.ToolFailed:
		if e.ToolName == "" || e.IsInterrupt {
			break
		}
		a.failed = true
		a.call(e.ToolName, e.ToolInput)
	}
	return a
}

// TargetOf names what a call is about, so that a failure is closed by a success on the same: "file PATH", "$ PROGRAM
// WORD" with the program's first word that is no option, else "tool NAME".
func TargetOf(tool string, input json.RawMessage) string {
	var a act
	a.call(tool, input)
	return a.about
}

// call takes from a tool's input what the facets ask for.
func (a *act) call(tool string, input json.RawMessage) {
	a.tool = tool
	switch tool {
	case "Bash":
		line := events.MemberText(input, "command")
		line = line[:min(len(line), commandLimit)]
		commands := simpleCommands(line)
		a.command = hashLine(line)
		a.checks = runsChecks(commands)
		a.about = "tool " + tool
		if name := subject(commands); name != "" {
			a.about = "$ " + name
		}
	case "Read", "Edit", "MultiEdit", "Write":
		a.path = events.MemberText(input, "file_path")
	case events.ToolPatch:
		a.patch(input)
	case "NotebookEdit", "NotebookRead":
		a.path = events.MemberText(input, "notebook_path")
	default:
		a.about = "tool " + tool
	}
	if a.path != "" {
		a.about = "file " + a.path
	}
	if a.about != "" {
		a.target = hash(a.about)
	}
}

// patch takes from a patch the files that it adds and changes. It is about the first of them.
func (a *act) patch(input json.RawMessage) {
	a.about = "tool " + a.tool
	for _, p := range events.Patch(input, "") {
		if a.path == "" {
			a.path = p.Path
		}
		if p.Kind == "add" {
			a.created = true
		} else {
			a.changed = append(a.changed, p.Path)
		}
	}
}

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
	tool      string // of a call that came back and was not interrupted
	path      string // the file it was about
	command   string // shell: the command line, blanks folded
	checks    bool   // shell: tests, build, lint or type check
	written   string // Write: "create" or "update", as the client says
	target    uint32 // what a later call must hit to be a retry; 0 for none
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

func actOf(r events.Record) act {
	a := act{event: r.Event}
	switch e := r.Event.(type) {
	case *events.PromptSubmitted:
		a.notified = strings.HasPrefix(strings.TrimSpace(e.Prompt), "<task-notification>")
		a.prompt = !a.notified
	case *events.PermissionRequested:
		a.asked = true
	case *events.PermissionDenied, *events.GateBlocked:
		a.denied = true
	case *events.ToolSucceeded:
		if e.ToolName == "Bash" && bytes.Equal(member(e.ToolResponse, "interrupted"), []byte("true")) {
			break
		}
		a.succeeded = true
		a.call(e.ToolName, e.ToolInput)
		if e.ToolName == "Write" {
			a.written = text(member(e.ToolResponse, "type"))
		}
	case *events.ToolFailed:
		if e.IsInterrupt {
			break
		}
		a.failed = true
		a.call(e.ToolName, e.ToolInput)
	}
	return a
}

// call takes from a tool's input what the facets ask for.
func (a *act) call(tool string, input json.RawMessage) {
	a.tool = tool
	switch tool {
	case "Bash":
		line := text(member(input, "command"))
		line = line[:min(len(line), commandLimit)]
		commands := simpleCommands(line)
		a.command = strings.Join(strings.Fields(line), " ")
		a.checks = runsChecks(commands)
		if name := subject(commands); name != "" {
			a.target = hash("$ " + name)
		}
	case "Read", "Edit", "MultiEdit", "Write":
		a.path = text(member(input, "file_path"))
	case "NotebookEdit", "NotebookRead":
		a.path = text(member(input, "notebook_path"))
	default:
		a.target = hash("tool " + tool)
	}
	if a.path != "" {
		a.target = hash("file " + a.path)
	}
}

// member gives the raw value of a member of a JSON object, nil if there is none. It skips over the
// other values without decoding them: a Write carries whole files, and the fold wants 50 bytes of
// it. Data comes from a decoded event and so is valid JSON; of anything else it makes nothing.
func member(object json.RawMessage, name string) json.RawMessage {
	rest := bytes.TrimLeft(object, " \t\r\n")
	if len(rest) == 0 || rest[0] != '{' {
		return nil
	}
	rest = rest[1:]
	for {
		rest = bytes.TrimLeft(rest, " \t\r\n,")
		key := valueLen(rest)
		if key < 2 || rest[0] != '"' {
			return nil
		}
		found := string(rest[1:key-1]) == name
		rest = bytes.TrimLeft(rest[key:], " \t\r\n:")
		value := valueLen(rest)
		if value == 0 {
			return nil
		}
		if found {
			return rest[:value]
		}
		rest = rest[value:]
	}
}

// valueLen is the length of the JSON value that b begins with, 0 when it does not end.
func valueLen(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			n := stringLen(b[i:])
			if n == 0 {
				return 0
			}
			i += n - 1
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		case ',', ':', ' ', '\t', '\r', '\n':
			continue
		default: // a number or a word: it ends before the next delimiter
			for i+1 < len(b) && strings.IndexByte(",:}] \t\r\n", b[i+1]) < 0 {
				i++
			}
		}
		if depth <= 0 {
			return i + 1
		}
	}
	return 0
}

// stringLen is the length of the JSON string that b begins with, quotes included.
func stringLen(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

// text decodes a JSON string; of another value it makes "".
func text(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

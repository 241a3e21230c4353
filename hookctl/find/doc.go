package find

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"hookline/events"
	"hookline/events/wording"
)

// Bounds of the texts that are searched, in bytes.
const (
	maxProse   = 32 << 10 // of a prompt or an answer
	maxCommand = 8 << 10
	maxHead    = 2 << 10 // of an output or another input
	maxTail    = 1 << 10 // of an output: its end says how it went
)

// DocOf returns the document of an event, and false if the event is not searched. Batches repeat the texts of their
// calls, requests for permission and injected texts repeat other events; identity's events and the recorder's own notes
// are figures.
func DocOf(r events.Record) (Doc, bool) {
	d := Doc{
		Seq:     r.Seq,
		ID:      r.ID,
		Time:    r.Time.UnixMilli(),
		Session: r.Session,
		Project: r.Project,
		Type:    r.Type,
		Call:    r.ToolUseID,
	}
	if !d.addTexts(r) || d.Size() == 0 || d.isSearch() {
		return d, false
	}
	return d, true
}

// addTexts adds the texts of an event. It returns false if the event is not searched.
func (d *Doc) addTexts(r events.Record) bool {
	switch e := r.Event.(type) {
	case *events.PromptSubmitted:
		d.Text[Prompt] = wording.Clip(e.Prompt, maxProse)

	case *events.TurnStopped:
		d.Text[Words] = wording.Clip(e.LastAssistantMessage, maxProse)

	case *events.TurnFailed:
		d.Text[Error] = wording.Clip(strings.TrimSpace(e.Error+" "+e.ErrorDetails), maxProse)
		d.Text[Words] = wording.Clip(e.LastAssistantMessage, maxProse)

	case *events.SubagentStopped:
		if e.AgentType == "" { // one of the client's own, such as the one whose summary the end of a compaction has
			return false
		}
		d.Text[Words] = wording.Clip(e.LastAssistantMessage, maxProse)

	case *events.CompactionFinished:
		d.Text[Words] = wording.Clip(e.CompactSummary, maxProse)

	case *events.ToolRequested:
		d.addCall(e.ToolName, e.ToolInput)
		d.Open = d.Call != ""

	case *events.ToolSucceeded:
		d.addCall(e.ToolName, e.ToolInput)
		d.Text[Output] = outputOf(e.ToolResponse)

	case *events.ToolFailed:
		d.addCall(e.ToolName, e.ToolInput)
		d.Text[Error] = headAndTail(e.Error)

	case *events.PermissionDenied:
		d.addCall(e.ToolName, e.ToolInput)
		d.Text[Error] = wording.Clip(e.Reason, maxHead)

	default:
		if isExcluded(r.Type) {
			return false
		}
		d.Text[Note] = gather(r.Data, maxHead)
	}
	return true
}

// isSearch tells whether a call has searched or read this very log. The words that it searched for would find it.
func (d *Doc) isSearch() bool {
	if strings.HasPrefix(d.Text[Command], "hookctl find ") {
		return true
	}
	rest, isMCP := strings.CutPrefix(d.Tool, "mcp__")
	server, _, _ := strings.Cut(rest, "__")

	return isMCP && (server == "hookline" || strings.HasSuffix(server, "_hookline"))
}

// excludedAreas and excludedTypes list the events that are not searched, by the part of the type before the point and
// by the whole type.
var (
	excludedAreas = []string{
		"identity", "dream", "daemon", "canary", "frame", "log",
		"clock", "project", "intake", "context", "cwd", "message",
	}
	excludedTypes = []string{
		events.TypeToolBatchFinished,
		events.TypePermissionRequested,
		events.TypeSessionStarted,
		events.TypeSessionEnded,
		events.TypeSessionReaped,
		events.TypeSessionDeleted,
		events.TypeRecordRetracted,
		events.TypeSubagentStarted,
		events.TypeCompactionStarted,
	}
)

func isExcluded(typ string) bool {
	area, _, _ := strings.Cut(typ, ".")
	return slices.Contains(excludedAreas, area) || slices.Contains(excludedTypes, typ)
}

// addCall adds the texts of a tool's input.
func (d *Doc) addCall(tool string, input json.RawMessage) {
	d.Tool = tool
	in := events.InputOf(input)
	d.Text[Command] = wording.Clip(in.Command.Head(), maxCommand)
	d.Text[Path] = wording.Clip(cmp.Or(in.FilePath.Head(), in.NotebookPath.Head(), in.Path.Head()), maxHead)
	d.Text[Note] = gather(input, maxHead)
}

// outputOf returns the searched part of a tool's response.
func outputOf(response json.RawMessage) string {
	whole := headAndTail(textOf(response))
	stdout := headAndTail(textOf(events.Member(response, "stdout")))
	stderr := headAndTail(textOf(events.Member(response, "stderr")))

	return cmp.Or(whole, strings.TrimSpace(stdout+"\n"+stderr), gather(response, maxHead))
}

// skippedMembers lists members whose text is searched as another kind, is about the hook itself, or repeats the input
// of the call.
var skippedMembers = strings.Fields(`command file_path notebook_path path
	session_id transcript_path cwd hook_event_name prompt_id permission_mode
	tool_use_id agent_id type filePath oldString newString originalFile
	structuredPatch oldTodos newTodos old_string signature base64 data`)

// gather returns the texts in a JSON value, a line each in their order, up to maxBytes.
func gather(raw json.RawMessage, maxBytes int) string {
	if len(raw) < len(`{"a":"b"}`) {
		return ""
	}
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return ""
	}

	var b strings.Builder
	appendTexts(&b, v, maxBytes)
	return strings.TrimSpace(b.String())
}

func appendTexts(b *strings.Builder, v any, maxBytes int) {
	switch v := v.(type) {
	case string:
		if room := maxBytes - b.Len(); room > 0 {
			b.WriteString(wording.Clip(v, room))
			b.WriteByte('\n')
		}
	case []any:
		for _, element := range v {
			appendTexts(b, element, maxBytes)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if !slices.Contains(skippedMembers, name) && !strings.HasPrefix(name, "$") {
				appendTexts(b, v[name], maxBytes)
			}
		}
	}
}

// textOf returns a JSON string. Of a large one, which the log keeps beside the event, it returns the head.
func textOf(raw json.RawMessage) string {
	return events.Content(raw).Head()
}

// headAndTail returns the beginning and the end of an output.
func headAndTail(s string) string {
	if len(s) <= maxHead+maxTail {
		return s
	}
	return wording.Clip(s, maxHead) + "\n" + strings.ToValidUTF8(s[len(s)-maxTail:], "")
}

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

// How many bytes of a text are searched.
const (
	mostProse   = 32 << 10 // of a prompt or an answer
	mostCommand = 8 << 10
	mostHead    = 2 << 10 // of an output or another input
	mostTail    = 1 << 10 // of an output: its end says how it went
)

// Of is what is searched of an event; false where that is nothing. Batches repeat what their calls say, requests for
// permission and injected texts repeat what stands elsewhere; identity and the recorder's own notes are figures.
func Of(r events.Record) (Doc, bool) {
	d := Doc{Seq: r.Seq, ID: r.ID, Time: r.Time.UnixMilli(), Session: r.Session, Project: r.Project, Type: r.Type, Call: r.ToolUseID}
	switch e := r.Event.(type) {
	case *events.PromptSubmitted:
		d.Text[Prompt] = wording.Clip(e.Prompt, mostProse)
	case *events.TurnStopped:
		d.Text[Words] = wording.Clip(e.LastAssistantMessage, mostProse)
	case *events.SubagentStopped:
		if e.AgentType == "" { // the client's own, as a compaction's, whose summary comes again with its end
			return d, false
		}
		d.Text[Words] = wording.Clip(e.LastAssistantMessage, mostProse)
	case *events.CompactionFinished:
		d.Text[Words] = wording.Clip(e.CompactSummary, mostProse)
	case *events.TurnFailed:
		d.Text[Error] = wording.Clip(strings.TrimSpace(e.Error+" "+e.ErrorDetails), mostProse)
		d.Text[Words] = wording.Clip(e.LastAssistantMessage, mostProse)
	case *events.ToolRequested:
		d.call(e.ToolName, e.ToolInput)
		d.Open = d.Call != ""
	case *events.ToolSucceeded:
		d.call(e.ToolName, e.ToolInput)
		stdout, stderr := said(events.Member(e.ToolResponse, "stdout")), said(events.Member(e.ToolResponse, "stderr"))
		d.Text[Output] = cmp.Or(ends(said(e.ToolResponse)), strings.TrimSpace(ends(stdout)+"\n"+ends(stderr)), gather(e.ToolResponse, mostHead))
	case *events.ToolFailed:
		d.call(e.ToolName, e.ToolInput)
		d.Text[Error] = ends(e.Error)
	case *events.PermissionDenied:
		d.call(e.ToolName, e.ToolInput)
		d.Text[Error] = wording.Clip(e.Reason, mostHead)
	default:
		if silent(r.Type) {
			return d, false
		}
		d.Text[Note] = gather(r.Data, mostHead)
	}

	// A call that searches or reads this very log would be found by the words that it searches for.
	server, _, _ := strings.Cut(strings.TrimPrefix(d.Tool, "mcp__"), "__")
	asks := server != d.Tool && (server == "hookline" || strings.HasSuffix(server, "_hookline")) || strings.HasPrefix(d.Text[Command], "hookctl find ")
	return d, d.Size() > 0 && !asks
}

// silent are the types of which nothing is searched, and areas of them.
func silent(typ string) bool {
	area, _, _ := strings.Cut(typ, ".")
	switch area {
	case "identity", "dream", "daemon", "canary", "frame", "log", "clock", "project", "intake", "context", "cwd", "message":
		return true
	}
	return slices.Contains([]string{events.TypeToolBatchFinished, events.TypePermissionRequested, events.TypeSessionStarted, events.TypeSessionEnded,
		events.TypeSessionReaped, events.TypeSessionDeleted, events.TypeRecordRetracted, events.TypeSubagentStarted, events.TypeCompactionStarted}, typ)
}

// call fills in what a tool was called with.
func (d *Doc) call(tool string, input json.RawMessage) {
	d.Tool = tool
	d.Text[Command] = wording.Clip(said(events.Member(input, "command")), mostCommand)
	for _, name := range []string{"file_path", "notebook_path", "path"} {
		if d.Text[Path] == "" {
			d.Text[Path] = wording.Clip(said(events.Member(input, name)), mostHead)
		}
	}
	d.Text[Note] = gather(input, mostHead)
}

// elsewhere are members whose text is searched in another kind, is about the hook itself, or repeats what the call said.
var elsewhere = strings.Fields(`command file_path notebook_path path
	session_id transcript_path cwd hook_event_name prompt_id permission_mode
	tool_use_id agent_id type filePath oldString newString originalFile
	structuredPatch oldTodos newTodos old_string signature base64 data`)

// gather joins the texts in JSON, in their order, up to a size.
func gather(raw json.RawMessage, most int) string {
	if len(raw) < len(`{"a":"b"}`) {
		return ""
	}
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return ""
	}
	var b strings.Builder
	walk(v, &b, most)
	return strings.TrimSpace(b.String())
}

func walk(v any, b *strings.Builder, most int) {
	switch v := v.(type) {
	case string:
		if room := most - b.Len(); room > 0 {
			b.WriteString(wording.Clip(v, room))
			b.WriteByte('\n')
		}
	case []any:
		for _, one := range v {
			walk(one, b, most)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if !slices.Contains(elsewhere, name) && !strings.HasPrefix(name, "$") {
				walk(v[name], b, most)
			}
		}
	}
}

// said is a JSON string; of a large one that is kept elsewhere its head.
func said(raw json.RawMessage) string {
	if len(raw) > 0 && raw[0] == '{' && len(events.Member(raw, "$blob")) > 0 {
		return events.MemberText(raw, "head")
	}
	return events.Text(raw)
}

// ends is the head and the tail of an output.
func ends(s string) string {
	if len(s) <= mostHead+mostTail {
		return s
	}
	return wording.Clip(s, mostHead) + "\n" + strings.ToValidUTF8(s[len(s)-mostTail:], "")
}

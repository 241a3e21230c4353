package page

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"hookline/events"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/insight"
)

// body is the content of an unfolded row.
type body struct {
	Blocks []block
	Events []eventRef
	Links  bool // each event is a link to its page
}

// block is one part of a body: a text, the lines of a difference, or a list.
type block struct {
	Title string
	Text  string
	Lines []diffLine
	Items []string
	Cut   string // says how much is not shown; "" if everything is
}

// diffLine is a line of a difference. Its sign is shown as text, for readers without colour.
type diffLine struct{ Sign, Text string }

// eventRef names an event of a row.
type eventRef struct {
	Seq        uint64
	Type, Time string
}

// bodyOptions say how much of a row's events is shown, and where.
type bodyOptions struct {
	maxText int  // bytes of one text
	links   bool // there is a server that the events can be had from
}

// newBody returns the content of a row.
func (s *story) newBody(n *row, o bodyOptions) body {
	b := body{Links: o.links}
	w := bodyWriter{story: s, maxText: o.maxText}

	for _, r := range n.records {
		at := r.Time.In(s.reader.zone).Format("15:04:05.000")
		b.Events = append(b.Events, eventRef{Seq: r.Seq, Type: line(r.Type), Time: at})
		w.addRecord(r)
	}

	b.Blocks = w.blocks
	return b
}

// bodyWriter collects the blocks of a row.
type bodyWriter struct {
	story   *story
	maxText int
	blocks  []block

	// inputShown is set when a block has the input of the call, which several events of it carry.
	inputShown bool
}

// addText adds a block for a text that is not empty.
func (w *bodyWriter) addText(title, text string) {
	text = strings.TrimRight(text, "\n ")
	if text == "" {
		return
	}
	shown, cut := w.cut(text)
	w.blocks = append(w.blocks, block{Title: title, Text: shown, Cut: cut})
}

// addList adds a block for a list that is not empty.
func (w *bodyWriter) addList(title string, items []string) {
	if len(items) > 0 {
		w.blocks = append(w.blocks, block{Title: title, Items: items})
	}
}

// cut returns the beginning of a text, and how much of it that is, or "" if it is all.
func (w *bodyWriter) cut(text string) (shown, note string) {
	if len(text) <= w.maxText {
		return clean(text), ""
	}
	return clean(text[:w.maxText]), fmt.Sprintf("cut here: %d of %d bytes are shown", w.maxText, len(text))
}

// addRecord adds the blocks of one event.
func (w *bodyWriter) addRecord(r events.Record) {
	switch e := r.Event.(type) {
	case *events.ToolRequested:
		w.addInput(e.ToolName, e.ToolInput)
	case *events.ToolSucceeded:
		w.addInput(e.ToolName, e.ToolInput)
		w.addResult(e.ToolName, e.ToolResponse)
	case *events.ToolFailed:
		w.addInput(e.ToolName, e.ToolInput)
		w.addText("error", e.Error)
	case *events.PermissionRequested:
		w.addInput(e.ToolName, e.ToolInput)
		w.addText("permission", "asked for in mode "+cmp.Or(e.PermissionMode, "unknown"))
	case *events.PermissionDenied:
		w.addInput(e.ToolName, e.ToolInput)
		w.addText("permission denied", e.Reason)
	case *events.ToolBatchFinished: // the row's note says why a call was refused
	case *events.ContextInjected:
		w.addInjected(e)
	case *events.PromptSubmitted:
		w.addText("prompt", e.Prompt)
	case *events.TurnStopped:
		w.addText("answer", e.LastAssistantMessage)
	case *events.SubagentStopped:
		w.addText("the subagent's last words", e.LastAssistantMessage)
	case *events.CompactionFinished:
		w.addText("the client's summary", e.CompactSummary)
	default:
		w.addMembers(r.Type, r.Data)
	}
}

// addInjected adds a list of the items that were injected at a hook, each with the event that it comes from.
func (w *bodyWriter) addInjected(e *events.ContextInjected) {
	var items []string
	for _, it := range e.Items {
		origin := "event " + line(it.Event)
		if n := w.story.byEvent[it.Event]; n != nil {
			origin = insight.Join(", ", fmt.Sprint(n.Seq), n.At, n.Name, n.What)
		}
		size := cmdline.Plural(it.Tokens, "token")
		source := fmt.Sprintf("%s (%s), from %s", line(it.ID), size, origin)
		items = append(items, insight.Join("\n  ", clean(it.Text), source))
	}

	title := fmt.Sprintf("told to the agent at %s, %d tokens", clean(e.Hook), e.Tokens)
	if e.Left > 0 {
		title += fmt.Sprintf(", %d left out", e.Left)
	}
	w.addList(title, items)
	for _, l := range e.LeftOut {
		w.addList("left out: "+clean(l.What), cleaned(l.Entries))
	}
}

// cleaned returns texts as the page shows them.
func cleaned(texts []string) []string {
	var list []string
	for _, t := range texts {
		list = append(list, clean(t))
	}
	return list
}

// addInput adds the input of a call, the first time that it is called.
func (w *bodyWriter) addInput(tool string, input json.RawMessage) {
	if w.inputShown {
		return
	}
	w.inputShown = true

	in := events.InputOf(input)
	switch tool {
	case "Edit":
		if in.NewString.Given() {
			w.addDiff(textOf(in.FilePath), textOf(in.OldString), textOf(in.NewString))
			return
		}
	case "Write":
		if in.Content.Given() {
			w.addDiff(textOf(in.FilePath), "", textOf(in.Content))
			return
		}
	case "Bash":
		if command := textOf(in.Command); command != "" {
			w.addText("command", command)
			return
		}
	}
	w.addMembers("input", input)
}

// addResult adds the response of a tool. Edit and Write have none but the client's patch: their input is shown as a
// difference already.
func (w *bodyWriter) addResult(tool string, response json.RawMessage) {
	var patch []hunk
	_ = json.Unmarshal(events.Member(response, "structuredPatch"), &patch) // another form is not a patch
	if len(patch) > 0 {
		w.addPatch(patch)
		return
	}
	if tool == "Edit" || tool == "Write" {
		return
	}

	stdout := events.Member(response, "stdout")
	stderr := events.Member(response, "stderr")
	if stdout != nil || stderr != nil {
		w.addText("output", insight.Text(stdout))
		w.addText("error output", insight.Text(stderr))
		return
	}
	if file := events.Member(response, "file"); file != nil {
		w.addText("content", member(file, "content"))
		return
	}
	if text := cmp.Or(member(response, "content"), insight.Text(response)); text != "" {
		w.addText("result", text)
		return
	}
	w.addMembers("result", response)
}

// hunk is one part of the difference that the client computed.
type hunk struct {
	OldStart int      `json:"oldStart"`
	NewStart int      `json:"newStart"`
	Lines    []string `json:"lines"`
}

// addPatch replaces the difference that was made of the input by the client's own, which has line numbers and the lines
// around the change.
func (w *bodyWriter) addPatch(hunks []hunk) {
	b := block{Title: "change"}
	isDiff := func(b block) bool { return b.Lines != nil }
	if i := slices.IndexFunc(w.blocks, isDiff); i >= 0 {
		b.Title = w.blocks[i].Title
		w.blocks = w.blocks[:i]
	}

	left := w.maxText
	for _, h := range hunks {
		place := fmt.Sprintf("line %d, now %d", h.OldStart, h.NewStart)
		b.Lines = append(b.Lines, diffLine{Sign: "@", Text: place})

		for _, l := range h.Lines {
			left -= len(l)
			if left < 0 {
				b.Cut = "cut here: the change is longer"
				break
			}
			sign := min(1, len(l))
			b.Lines = append(b.Lines, diffLine{Sign: l[:sign], Text: clean(l[sign:])})
		}
	}
	w.blocks = append(w.blocks, b)
}

// addDiff adds the lines that were replaced and those that replaced them.
func (w *bodyWriter) addDiff(file, before, after string) {
	b := block{Title: clean(file)}
	for _, part := range []struct{ sign, text string }{{"-", before}, {"+", after}} {
		if part.text == "" {
			continue
		}
		shown, cut := w.cut(part.text)
		for l := range strings.Lines(shown) {
			b.Lines = append(b.Lines, diffLine{Sign: part.sign, Text: strings.TrimSuffix(l, "\n")})
		}
		b.Cut = cmp.Or(b.Cut, cut)
	}
	w.blocks = append(w.blocks, b)
}

// addMembers adds a list of an object's members, or a text if the JSON is not an object.
func (w *bodyWriter) addMembers(title string, data json.RawMessage) {
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil {
		w.addText(title, string(data))
		return
	}

	var items []string
	for name, raw := range members {
		if slices.Contains(commonMembers, name) {
			continue
		}
		shown, cut := w.cut(cmp.Or(insight.Text(raw), string(raw)))
		items = append(items, insight.Join(" … ", clean(name)+": "+shown, cut))
	}
	slices.Sort(items)
	w.addList(title, items)
}

// commonMembers lists the members that every hook has; the page shows them elsewhere.
var commonMembers = []string{"session_id", "transcript_path", "cwd", "hook_event_name", "prompt_id", "permission_mode"}

// textOf returns a string of a call's input as text, as [insight.Text] does.
func textOf(content events.Content) string { return insight.Text(json.RawMessage(content)) }

// member returns a member of an object as text, as [insight.Text] does.
func member(object json.RawMessage, name string) string {
	return insight.Text(events.Member(object, name))
}

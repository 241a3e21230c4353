package page

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"hookline/events"
)

// body is what a row shows when it is unfolded.
type body struct {
	Blocks []block
	Events []eventRef
	Links  bool // to the events as they are
}

// block is one part of a body: text as it is, lines of a difference, or a list.
type block struct {
	Title string
	Text  string
	Lines []diffLine
	Items []string
	Cut   string // says what is missing
}

// diffLine is a line with its sign, which is a word for whoever sees no colour.
type diffLine struct{ Sign, Text string }

// eventRef names an event of a row.
type eventRef struct {
	Seq        uint64
	Type, Time string
}

// bodyOf gathers the blocks of a row. No text is longer than most bytes.
func (s *story) bodyOf(n *row, most int) body {
	var b body
	w := writer{most: most}
	for _, r := range n.records {
		b.Events = append(b.Events, eventRef{Seq: r.Seq, Type: line(r.Type), Time: r.Time.In(s.zone).Format("15:04:05.000")})
		w.record(r, n, s)
	}
	b.Blocks = w.blocks
	return b
}

// writer makes blocks.
type writer struct {
	most   int
	blocks []block
	input  bool // the input of the call is shown
}

// text adds a block of text, nothing of an empty one.
func (w *writer) text(title, text string) {
	text = strings.TrimRight(text, "\n ")
	if text == "" {
		return
	}
	shown, cut := w.cut(text)
	w.blocks = append(w.blocks, block{Title: title, Text: shown, Cut: cut})
}

// cut gives the beginning of a text, and what to say of the rest.
func (w *writer) cut(text string) (shown, rest string) {
	if len(text) <= w.most {
		return clean(text), ""
	}
	return clean(text[:w.most]), fmt.Sprintf("cut here: %d of %d bytes are shown", w.most, len(text))
}

func (w *writer) list(title string, items []string) {
	if len(items) > 0 {
		w.blocks = append(w.blocks, block{Title: title, Items: items})
	}
}

// record adds what one event says.
func (w *writer) record(r events.Record, n *row, s *story) {
	switch e := r.Event.(type) {
	case *events.ToolRequested:
		w.call(e.ToolName, e.ToolInput)
	case *events.ToolSucceeded:
		w.call(e.ToolName, e.ToolInput)
		w.result(e.ToolName, e.ToolResponse)
	case *events.ToolFailed:
		w.call(e.ToolName, e.ToolInput)
		w.text("error", e.Error)
	case *events.PermissionRequested:
		w.call(e.ToolName, e.ToolInput)
		w.text("permission", "asked for in mode "+orWord(e.PermissionMode, "unknown"))
	case *events.PermissionDenied:
		w.call(e.ToolName, e.ToolInput)
		w.text("permission denied", e.Reason)
	case *events.PermissionAutoDenied:
		w.text("permission denied", e.Reason)
	case *events.GateBlocked:
		w.text("blocked by gates", gateText(e.Names, e.Values))
	case *events.GateStopBlocked:
		w.text("held by gates", gateText(e.Names, e.Values))
	case *events.ToolBatchFinished:
		w.refused(e, n)
	case *events.ContextInjected:
		w.told(e, s)
	case *events.PromptSubmitted:
		w.text("prompt", e.Prompt)
	case *events.TurnStopped:
		w.text("answer", e.LastAssistantMessage)
	case *events.TurnFailed:
		w.text("error", strings.Join(nonEmpty(e.Error, e.ErrorDetails, e.LastAssistantMessage), "\n"))
	case *events.SubagentStopped:
		w.text("the subagent's last words", e.LastAssistantMessage)
	case *events.CompactionFinished:
		w.text("the client's summary", e.CompactSummary)
	case *events.CompactionStarted:
		w.text("asked to keep", e.CustomInstructions)
	default:
		w.members("", r.Data)
	}
}

// refused adds what the model was given for a call that did not run.
func (w *writer) refused(e *events.ToolBatchFinished, n *row) {
	q, ok := n.records[0].Event.(*events.ToolRequested)
	if !ok || n.Tone != "bad" || n.State == "failed" {
		return
	}
	for _, c := range e.ToolCalls {
		if c.ToolUseID == q.ToolUseID {
			w.text("refused", textOf(c.ToolResponse))
		}
	}
}

// told lists what the model was told at a hook, and the events that say so.
func (w *writer) told(e *events.ContextInjected, s *story) {
	var items []string
	for _, it := range e.Items {
		from := "event " + line(it.Event)
		if n := s.causes[it.Event]; n != nil {
			from = strings.Join(nonEmpty(fmt.Sprintf("%d, %s", n.Seq, n.At), n.Name, n.What), ", ")
		}
		items = append(items, fmt.Sprintf("%s (%s), from %s", line(it.ID), plural(it.Tokens, "token"), from))
	}
	title := fmt.Sprintf("told to the agent at %s, %d tokens", clean(e.Hook), e.Tokens)
	if e.Left > 0 {
		title += fmt.Sprintf(", %d left out", e.Left)
	}
	w.list(title, items)
}

func gateText(names []string, values map[string]map[string]string) string {
	var lines []string
	for _, name := range names {
		parts := []string{name}
		for k, v := range values[name] {
			parts = append(parts, k+"="+v)
		}
		slices.Sort(parts[1:])
		lines = append(lines, strings.Join(parts, " "))
	}
	return strings.Join(lines, "\n")
}

func orWord(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// call adds the input of a call, once.
func (w *writer) call(tool string, input json.RawMessage) {
	if w.input {
		return
	}
	w.input = true
	var in struct {
		Command  json.RawMessage   `json:"command"`
		Prompt   json.RawMessage   `json:"prompt"`
		Old      json.RawMessage   `json:"old_string"`
		New      json.RawMessage   `json:"new_string"`
		Content  json.RawMessage   `json:"content"`
		Edits    []json.RawMessage `json:"edits"`
		FilePath string            `json:"file_path"`
		Todos    []struct{ Content, Status string }
	}
	_ = json.Unmarshal(input, &in) // what has another form has no such members
	switch {
	case tool == "Bash" && in.Command != nil:
		w.text("command", textOf(in.Command))
	case tool == "Edit" && in.New != nil:
		w.diff(in.FilePath, textOf(in.Old), textOf(in.New))
	case tool == "MultiEdit":
		for _, raw := range in.Edits {
			var e struct {
				Old json.RawMessage `json:"old_string"`
				New json.RawMessage `json:"new_string"`
			}
			_ = json.Unmarshal(raw, &e)
			w.diff(in.FilePath, textOf(e.Old), textOf(e.New))
		}
	case tool == "Write" && in.Content != nil:
		w.diff(in.FilePath, "", textOf(in.Content))
	case tool == "TodoWrite" && in.Todos != nil:
		var items []string
		for _, t := range in.Todos {
			items = append(items, line(words(t.Status)+": "+t.Content))
		}
		w.list("to do", items)
	default:
		w.members("input", input)
	}
}

// result adds what a tool gave back.
func (w *writer) result(tool string, response json.RawMessage) {
	var out struct {
		Stdout  json.RawMessage `json:"stdout"`
		Stderr  json.RawMessage `json:"stderr"`
		Content json.RawMessage `json:"content"`
		File    *struct {
			Content json.RawMessage `json:"content"`
		} `json:"file"`
		Patch []hunk `json:"structuredPatch"`
	}
	_ = json.Unmarshal(response, &out) // as above
	switch {
	case len(out.Patch) > 0:
		w.patch(out.Patch)
	case tool == "Edit", tool == "MultiEdit", tool == "Write", tool == "TodoWrite":
	case out.Stdout != nil || out.Stderr != nil:
		w.text("output", textOf(out.Stdout))
		w.text("error output", textOf(out.Stderr))
	case out.File != nil:
		w.text("content", textOf(out.File.Content))
	case out.Content != nil && textOf(out.Content) != "":
		w.text("result", textOf(out.Content))
	case textOf(response) != "":
		w.text("result", textOf(response))
	default:
		w.members("result", response)
	}
}

// hunk is one part of the difference that the client computed.
type hunk struct {
	OldStart int      `json:"oldStart"`
	NewStart int      `json:"newStart"`
	Lines    []string `json:"lines"`
}

// patch replaces the difference of the input by the client's own, which has the lines around.
func (w *writer) patch(hunks []hunk) {
	b := block{Title: "change"}
	for i, d := range w.blocks {
		if d.Lines != nil {
			b.Title = d.Title
			w.blocks = w.blocks[:i]
			break
		}
	}
	left := w.most
	for _, h := range hunks {
		b.Lines = append(b.Lines, diffLine{"@", fmt.Sprintf("line %d, now %d", h.OldStart, h.NewStart)})
		for _, l := range h.Lines {
			if left -= len(l); left < 0 {
				b.Cut = "cut here: the change is longer"
				break
			}
			sign := " "
			if l != "" {
				sign, l = l[:1], l[1:]
			}
			for part := range strings.SplitSeq(l, "\n") {
				b.Lines = append(b.Lines, diffLine{sign, clean(part)})
			}
		}
	}
	w.blocks = append(w.blocks, b)
}

// diff shows what was replaced and by what.
func (w *writer) diff(file, before, after string) {
	b := block{Title: clean(file)}
	for _, part := range []struct{ sign, text string }{{"-", before}, {"+", after}} {
		if part.text == "" {
			continue
		}
		shown, cut := w.cut(part.text)
		for l := range strings.Lines(shown) {
			b.Lines = append(b.Lines, diffLine{part.sign, strings.TrimSuffix(l, "\n")})
		}
		b.Cut = orWord(b.Cut, cut)
	}
	w.blocks = append(w.blocks, b)
}

// members shows an object by its members, anything else as JSON.
func (w *writer) members(title string, data json.RawMessage) {
	var all map[string]json.RawMessage
	if json.Unmarshal(data, &all) != nil {
		w.text(title, string(data))
		return
	}
	var items []string
	for name, raw := range all {
		switch name {
		case "session_id", "transcript_path", "cwd", "hook_event_name", "prompt_id", "permission_mode":
			continue
		}
		text := textOf(raw)
		if text == "" {
			text = string(raw)
		}
		shown, cut := w.cut(text)
		items = append(items, strings.Join(nonEmpty(clean(name)+": "+shown, cut), " … "))
	}
	slices.Sort(items)
	w.list(title, items)
}

package page

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"hookline/events"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/insight"
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

// diffLine is a line with its sign, which is a word too, for readers without colour.
type diffLine struct{ Sign, Text string }

// eventRef names an event of a row.
type eventRef struct {
	Seq        uint64
	Type, Time string
}

// bodyOf gathers the blocks of a row, perhaps with links to its events. No text is longer than most bytes.
func (s *story) bodyOf(ctx context.Context, n *row, most int, links bool) body {
	b := body{Links: links}
	w := writer{most: most, words: map[events.InjectedItem]string{}}
	for _, r := range n.records {
		b.Events = append(b.Events, eventRef{Seq: r.Seq, Type: line(r.Type), Time: r.Time.In(s.zone).Format("15:04:05.000")})
		if e, ok := r.Event.(*events.SessionStarted); ok {
			// What the agent is told at such a start, from the states of then: the log has what each item was about and its
			// size, not its words. What cannot be had any more, such as the rules of gates, stays unsaid.
			var told struct {
				Items []struct {
					events.InjectedItem
					Text string
				}
			}
			_ = s.by.get(ctx, "/v1/context/"+s.Session.ID, url.Values{"source": {e.Source}, "at": {fmt.Sprint(r.Seq)}}, &told)
			for _, it := range told.Items {
				w.words[it.InjectedItem] = it.Text
			}
		}
		w.record(r, s)
	}
	b.Blocks = w.blocks
	return b
}

// writer makes blocks.
type writer struct {
	most   int
	blocks []block
	input  bool // the input of the call is shown

	words map[events.InjectedItem]string // of what was told at a start, by item without its digest
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
func (w *writer) record(r events.Record, s *story) {
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
		w.text("permission", "asked for in mode "+cmp.Or(e.PermissionMode, "unknown"))
	case *events.PermissionDenied:
		w.call(e.ToolName, e.ToolInput)
		w.text("permission denied", e.Reason)
	case *events.ToolBatchFinished: // the row's note has why a call was refused
	case *events.ContextInjected:
		w.told(e, s)
	case *events.PromptSubmitted:
		w.text("prompt", e.Prompt)
	case *events.TurnStopped:
		w.text("answer", e.LastAssistantMessage)
	case *events.SubagentStopped:
		w.text("the subagent's last words", e.LastAssistantMessage)
	case *events.CompactionFinished:
		w.text("the client's summary", e.CompactSummary)
	default:
		w.members(r.Type, r.Data)
	}
}

// told lists what the model was told at a hook, and the events that say so.
func (w *writer) told(e *events.ContextInjected, s *story) {
	var items []string
	for _, it := range e.Items {
		from := "event " + line(it.Event)
		if n := s.causes[it.Event]; n != nil {
			from = insight.Join(", ", fmt.Sprint(n.Seq), n.At, n.Name, n.What)
		}
		what := fmt.Sprintf("%s (%s), from %s", line(it.ID), cmdline.Plural(it.Tokens, "token"), from)
		it.Digest = ""
		items = append(items, insight.Join("\n  ", clean(w.words[it]), what))
	}
	title := fmt.Sprintf("told to the agent at %s, %d tokens", clean(e.Hook), e.Tokens)
	if e.Left > 0 {
		title += fmt.Sprintf(", %d left out", e.Left)
	}
	w.list(title, items)
}

// call adds the input of a call, once.
func (w *writer) call(tool string, input json.RawMessage) {
	if w.input {
		return
	}
	w.input = true
	if what := events.Member(input, "new_string"); tool == "Edit" && what != nil {
		w.diff(member(input, "file_path"), member(input, "old_string"), insight.Text(what))
		return
	}
	if what := events.Member(input, "content"); tool == "Write" && what != nil {
		w.diff(member(input, "file_path"), "", insight.Text(what))
		return
	}
	if command := member(input, "command"); tool == "Bash" && command != "" {
		w.text("command", command)
		return
	}
	w.members("input", input)
}

// result adds what a tool gave back. What Edit and Write were called with is shown as a change already.
func (w *writer) result(tool string, response json.RawMessage) {
	var patch []hunk
	_ = json.Unmarshal(events.Member(response, "structuredPatch"), &patch) // what has another form is no patch
	stdout, stderr := events.Member(response, "stdout"), events.Member(response, "stderr")
	file := events.Member(response, "file")
	switch {
	case len(patch) > 0:
		w.patch(patch)
	case tool == "Edit", tool == "Write":
	case stdout != nil || stderr != nil:
		w.text("output", insight.Text(stdout))
		w.text("error output", insight.Text(stderr))
	case file != nil:
		w.text("content", member(file, "content"))
	default:
		if text := cmp.Or(member(response, "content"), insight.Text(response)); text != "" {
			w.text("result", text)
			return
		}
		w.members("result", response)
	}
}

// hunk is one part of the difference that the client computed.
type hunk struct {
	OldStart int      `json:"oldStart"`
	NewStart int      `json:"newStart"`
	Lines    []string `json:"lines"`
}

// patch replaces the difference of the input by the client's own, which has line numbers and the lines around.
func (w *writer) patch(hunks []hunk) {
	b := block{Title: "change"}
	if i := slices.IndexFunc(w.blocks, func(d block) bool { return d.Lines != nil }); i >= 0 {
		b.Title = w.blocks[i].Title
		w.blocks = w.blocks[:i]
	}

	left := w.most
	for _, h := range hunks {
		b.Lines = append(b.Lines, diffLine{"@", fmt.Sprintf("line %d, now %d", h.OldStart, h.NewStart)})
		for _, l := range h.Lines {
			if left -= len(l); left < 0 {
				b.Cut = "cut here: the change is longer"
				break
			}
			b.Lines = append(b.Lines, diffLine{l[:min(1, len(l))], clean(l[min(1, len(l)):])})
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
		b.Cut = cmp.Or(b.Cut, cut)
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
		if slices.Contains(ofTheHook, name) {
			continue
		}
		shown, cut := w.cut(cmp.Or(insight.Text(raw), string(raw)))
		items = append(items, insight.Join(" … ", clean(name)+": "+shown, cut))
	}
	slices.Sort(items)
	w.list(title, items)
}

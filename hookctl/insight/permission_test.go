package insight

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
)

// log makes records, a second apart.
type log struct{ records []events.Record }

func (l *log) add(e events.Event) string {
	n := len(l.records) + 1
	r := events.Record{Seq: uint64(n), Event: e, Envelope: events.Envelope{ID: fmt.Sprintf("E%d", n), Type: e.Type(), Session: "s",
		Time: time.Unix(int64(n), 0).UTC()}}
	l.records = append(l.records, r)
	return r.ID
}

func (l *log) caused(by string, e events.Event) {
	l.add(e)
	l.records[len(l.records)-1].Causation = by
}

var (
	inPrompt = events.Common{PromptID: "p", PermissionMode: "default"}
	inBypass = events.Common{PromptID: "p", PermissionMode: "bypassPermissions"}
)

func request(c events.Common, id, command string) *events.ToolRequested {
	return &events.ToolRequested{Common: c, ToolName: "Bash", ToolUseID: id, ToolInput: input(command)}
}

func input(command string) json.RawMessage {
	return json.RawMessage(`{"command":"` + command + `","n":1}`)
}

func ask(c events.Common, command string) *events.PermissionRequested {
	return &events.PermissionRequested{Common: c, ToolName: "Bash", ToolInput: json.RawMessage(`{"n":1, "command":"` + command + `"}`)}
}

func ran(id string) *events.ToolSucceeded {
	return &events.ToolSucceeded{ToolName: "Bash", ToolUseID: id}
}

func batch(id, text string) *events.ToolBatchFinished {
	b, _ := json.Marshal(text)
	return &events.ToolBatchFinished{ToolCalls: []events.ToolCall{{ToolUseID: id, ToolResponse: b}}}
}

const refusedText = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). "

func TestPermissions(t *testing.T) {
	for name, tc := range map[string]struct {
		make func(l *log)
		want map[string]string // by call: verdict, words and milliseconds
	}{
		"asked and approved": {func(l *log) {
			l.add(request(inPrompt, "1", "a"))
			l.add(ask(inPrompt, "a"))
			l.add(&events.NotificationSent{})
			l.add(&events.ToolSucceeded{ToolUseID: "1", DurationMS: 500})
		}, map[string]string{"1": "approved  1500"}},
		"allowed, bypassed": {func(l *log) {
			l.add(request(inPrompt, "1", "a"))
			l.add(ran("1"))
			l.add(request(inBypass, "2", "a"))
			l.add(&events.ToolFailed{ToolUseID: "2"})
		}, map[string]string{"1": "allowed  0", "2": "bypassed  0"}},
		"refused by the user": {func(l *log) {
			l.add(request(inPrompt, "1", "a"))
			l.add(ask(inPrompt, "a"))
			l.add(batch("1", refusedText+"To tell you how to proceed, the user said:\nuse the staging host"))
			l.add(request(inPrompt, "2", "b"))
			l.add(ask(inPrompt, "b"))
			l.add(batch("2", refusedText+"STOP what you are doing and wait for the user to tell you how to proceed."))
		}, map[string]string{"1": "refused_by_user use the staging host 1000", "2": "refused_by_user  1000"}},
		"refused by others": {func(l *log) {
			l.add(request(inPrompt, "1", "a"))
			l.add(&events.PermissionDenied{ToolUseID: "1", Reason: "Classifier unavailable"})
			l.add(batch("1", "Permission for this action was denied by the Claude Code auto mode classifier. Reason: x"))
			gated := l.add(request(inPrompt, "2", "b"))
			l.caused(gated, &events.GateBlocked{Names: []string{"plan"}})
			l.add(batch("2", "PreToolUse:Bash hook error: ours"))
			l.add(request(inPrompt, "3", "c"))
			l.add(batch("3", "PreToolUse:Bash hook error: not today"))
			l.add(request(inPrompt, "4", "d"))
			asked := l.add(ask(inPrompt, "d"))
			l.caused(asked, &events.PermissionAutoDenied{Reason: "Git clean"})
			l.add(request(inPrompt, "5", "e"))
			l.add(batch("5", "Permission to use Bash has been denied."))
		}, map[string]string{"1": "refused_by_classifier Classifier unavailable 0", "2": "refused_by_gate plan 0", "3": "refused_by_hook not today 0",
			"4": "refused_by_gate Git clean 0", "5": "refused_by_client Permission to use Bash has been denied. 0"}},
		"nobody to ask, and an outcome that was lost": {func(l *log) {
			l.add(request(inPrompt, "1", "a"))
			l.add(ask(inPrompt, "a"))
			l.add(batch("1", "This command requires approval"))
			l.add(request(inPrompt, "2", "b"))
			l.add(batch("2", "This command requires approval"))
		}, map[string]string{"1": "refused_by_client This command requires approval 0", "2": "unknown  0"}},
		"equal calls at once, a question each": {func(l *log) {
			l.add(request(inPrompt, "1", "a"))
			l.add(request(inPrompt, "2", "a"))
			l.add(ask(inPrompt, "a"))
			l.add(ask(inPrompt, "a"))
			l.add(ran("1"))
			l.add(ran("2"))
		}, map[string]string{"1": "unknown  0", "2": "unknown  0"}},
		"equal calls at once, one question": {func(l *log) {
			l.add(request(inPrompt, "1", "a"))
			l.add(request(inPrompt, "2", "a"))
			l.add(ask(inPrompt, "a"))
			l.add(ran("1"))
			l.add(batch("2", refusedText))
		}, map[string]string{"1": "unknown  0", "2": "refused_by_user  0"}},
		"the same call again": {func(l *log) {
			l.add(request(inPrompt, "1", "a"))
			l.add(ask(inPrompt, "a"))
			l.add(ran("1"))
			l.add(request(inPrompt, "2", "a"))
			l.add(ran("2"))
		}, map[string]string{"1": "approved  1000", "2": "allowed  0"}},
		"a subagent's equal call": {func(l *log) {
			agent := events.Common{PromptID: "p", PermissionMode: "default", AgentID: "x"}
			l.add(request(inPrompt, "1", "a"))
			l.add(request(agent, "2", "a"))
			l.add(ask(agent, "a"))
			l.add(ran("1"))
			l.add(ran("2"))
		}, map[string]string{"1": "allowed  0", "2": "approved  2000"}},
		"another input": {func(l *log) {
			l.add(request(inPrompt, "1", "a"))
			l.add(ask(inPrompt, "changed by a hook"))
			l.add(ran("1"))
		}, map[string]string{"1": "unknown  0"}},
		"left open": {func(l *log) {
			l.add(request(inPrompt, "1", "a"))
			l.add(&events.PromptSubmitted{Common: events.Common{PromptID: "q"}})
			l.add(request(events.Common{PromptID: "q", PermissionMode: "default"}, "2", "a"))
			l.add(request(events.Common{PromptID: "q", PermissionMode: "default"}, "3", "b"))
			l.add(ask(events.Common{PromptID: "q"}, "b"))
		}, map[string]string{"1": "unknown  0", "2": "running  0", "3": "waiting  0"}},
		"recorded from the middle, without a mode, at the end": {func(l *log) {
			l.add(ran("1"))
			l.add(request(events.Common{}, "2", "a"))
			l.add(ran("2"))
			l.add(request(inPrompt, "3", "a"))
			l.add(&events.SessionEnded{})
		}, map[string]string{"1": "unknown  0", "2": "unknown  0", "3": "unknown  0"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := &log{}
			tc.make(l)
			var p Permissions
			for _, r := range l.records {
				p.Take(r)
			}
			calls := p.Calls()
			expect.Equal(t, len(calls), len(tc.want), "calls")
			for _, c := range calls {
				expect.Equal(t, fmt.Sprintf("%s %s %d", c.Verdict, c.Words, c.WaitedMS), tc.want[c.ToolUseID], "call", c.ToolUseID)
			}
		})
	}
}

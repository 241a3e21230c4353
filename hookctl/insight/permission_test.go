package insight

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
)

// because is an event that another one caused.
type because struct {
	of string // id of that event: E1 for the first
	events.Event
}

var (
	inPrompt = events.Common{PromptID: "p", PermissionMode: "default"}
	inAgent  = events.Common{PromptID: "p", PermissionMode: "default", AgentID: "x"}
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
		list []events.Event
		want map[string]string // by call: verdict, words and milliseconds
	}{
		"asked and approved": {[]events.Event{
			request(inPrompt, "1", "a"),
			ask(inPrompt, "a"),
			&events.NotificationSent{},
			&events.ToolSucceeded{ToolUseID: "1", DurationMS: 500},
		}, map[string]string{"1": "approved  1500"}},
		"allowed, bypassed": {[]events.Event{
			request(inPrompt, "1", "a"),
			ran("1"),
			request(inBypass, "2", "a"),
			&events.ToolFailed{ToolUseID: "2"},
		}, map[string]string{"1": "allowed  0", "2": "bypassed  0"}},
		"refused by the user": {[]events.Event{
			request(inPrompt, "1", "a"),
			ask(inPrompt, "a"),
			batch("1", refusedText+"To tell you how to proceed, the user said:\nuse the staging host"),
			request(inPrompt, "2", "b"),
			ask(inPrompt, "b"),
			batch("2", refusedText+"STOP what you are doing and wait for the user to tell you how to proceed."),
		}, map[string]string{"1": "refused_by_user use the staging host 1000", "2": "refused_by_user  1000"}},
		"refused by others": {[]events.Event{
			request(inPrompt, "1", "a"),
			&events.PermissionDenied{ToolUseID: "1", Reason: "Classifier unavailable"},
			batch("1", "Permission for this action was denied by the Claude Code auto mode classifier. Reason: x"),
			request(inPrompt, "2", "b"),
			because{"E4", &events.GateBlocked{Names: []string{"plan"}}},
			batch("2", "PreToolUse:Bash hook error: ours"),
			request(inPrompt, "3", "c"),
			batch("3", "PreToolUse:Bash hook error: not today"),
			request(inPrompt, "4", "d"),
			ask(inPrompt, "d"),
			because{"E10", &events.PermissionAutoDenied{Reason: "Git clean"}},
			request(inPrompt, "5", "e"),
			batch("5", "Permission to use Bash has been denied."),
		}, map[string]string{"1": "refused_by_classifier Classifier unavailable 0", "2": "refused_by_gate plan 0", "3": "refused_by_hook not today 0",
			"4": "refused_by_gate Git clean 0", "5": "refused_by_client Permission to use Bash has been denied. 0"}},
		"nobody to ask, and an outcome that was lost": {[]events.Event{
			request(inPrompt, "1", "a"),
			ask(inPrompt, "a"),
			batch("1", "This command requires approval"),
			request(inPrompt, "2", "b"),
			batch("2", "This command requires approval"),
		}, map[string]string{"1": "refused_by_client This command requires approval 0", "2": "unknown  0"}},
		"equal calls at once, a question each": {[]events.Event{
			request(inPrompt, "1", "a"),
			request(inPrompt, "2", "a"),
			ask(inPrompt, "a"),
			ask(inPrompt, "a"),
			ran("1"),
			ran("2"),
		}, map[string]string{"1": "unknown  0", "2": "unknown  0"}},
		"equal calls at once, one question": {[]events.Event{
			request(inPrompt, "1", "a"),
			request(inPrompt, "2", "a"),
			ask(inPrompt, "a"),
			ran("1"),
			batch("2", refusedText),
		}, map[string]string{"1": "unknown  0", "2": "refused_by_user  0"}},
		"the same call again": {[]events.Event{
			request(inPrompt, "1", "a"),
			ask(inPrompt, "a"),
			ran("1"),
			request(inPrompt, "2", "a"),
			ran("2"),
		}, map[string]string{"1": "approved  1000", "2": "allowed  0"}},
		"a subagent's equal call": {[]events.Event{
			request(inPrompt, "1", "a"),
			request(inAgent, "2", "a"),
			ask(inAgent, "a"),
			ran("1"),
			ran("2"),
		}, map[string]string{"1": "allowed  0", "2": "approved  2000"}},
		"another input": {[]events.Event{
			request(inPrompt, "1", "a"),
			ask(inPrompt, "changed by a hook"),
			ran("1"),
		}, map[string]string{"1": "unknown  0"}},
		"left open": {[]events.Event{
			request(inPrompt, "1", "a"),
			&events.PromptSubmitted{Common: events.Common{PromptID: "q"}},
			request(events.Common{PromptID: "q", PermissionMode: "default"}, "2", "a"),
			request(events.Common{PromptID: "q", PermissionMode: "default"}, "3", "b"),
			ask(events.Common{PromptID: "q"}, "b"),
		}, map[string]string{"1": "unknown  0", "2": "running  0", "3": "waiting  0"}},
		"recorded from the middle, without a mode, at the end": {[]events.Event{
			ran("1"),
			request(events.Common{}, "2", "a"),
			ran("2"),
			request(inPrompt, "3", "a"),
			&events.SessionEnded{},
		}, map[string]string{"1": "unknown  0", "2": "unknown  0", "3": "unknown  0"}},
	} {
		t.Run(name, func(t *testing.T) {
			var p Permissions
			for i, e := range tc.list { // a second apart
				env := events.Envelope{ID: fmt.Sprintf("E%d", i+1), Type: e.Type(), Session: "s", Time: time.Unix(int64(i), 0)}
				if b, ok := e.(because); ok {
					env.Causation, e = b.of, b.Event
				}
				p.Take(events.Record{Seq: uint64(i + 1), Event: e, Envelope: env})
			}
			calls := p.Calls()
			expect.Equal(t, len(calls), len(tc.want), "calls")
			for _, c := range calls {
				expect.Equal(t, fmt.Sprintf("%s %s %d", c.Verdict, c.Words, c.WaitedMS), tc.want[c.ToolUseID], "call", c.ToolUseID)
			}
		})
	}
}

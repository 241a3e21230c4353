package working

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"hookline/events"
	"hookline/events/speech"
	"hookline/expect"
	"hookline/projector"
)

var noon = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// folded is the state after the events, each a second after the one before, with ids e1, e2, ….
func folded(list ...events.Event) State {
	var s State
	for i, e := range list {
		s = projector.Fold(Table, s, record(i+1, e))
	}
	return s
}

func record(n int, e events.Event) events.Record {
	env := events.Envelope{ID: fmt.Sprintf("e%d", n), Type: e.Type(), Time: noon.Add(time.Duration(n) * time.Second), Session: "s", Project: "p", Worktree: "/w"}
	return events.Record{Envelope: env, Seq: uint64(n), Event: e}
}

func prompt(text string) events.Event { return &events.PromptSubmitted{Prompt: text} }

func did(tool, input, response string) events.Event {
	return &events.ToolSucceeded{ToolName: tool, ToolInput: json.RawMessage(input), ToolResponse: json.RawMessage(response)}
}

func failure(tool, input, text string) events.Event {
	return &events.ToolFailed{ToolName: tool, ToolInput: json.RawMessage(input), Error: text}
}

// A client that does not say who submitted a prompt tells the schedule when a turn stops.
func TestScheduledPromptIsNoTask(t *testing.T) {
	long := "Rewrite the billing " + strings.Repeat("module ", 100)
	crons := expect.Value(json.Marshal([]map[string]any{{"id": "f1", "prompt": "Rewrite the billing module"}, {"id": "f2", "prompt": long[:700] + "… [+20 chars]"}, {"prompt": 7}}))(t)
	whole := bytes.Replace(crons, []byte(`,{"prompt":7}`), nil, 1)
	s := folded(prompt("Add retries to the upload client"), &events.TurnStopped{SessionCrons: whole}, &events.TurnStopped{SessionCrons: crons},
		&events.TurnStopped{SessionCrons: json.RawMessage(`[]`)}, prompt("Rewrite the billing\nmodule"), prompt(long))
	if s.Task.Text != "Add retries to the upload client" || s.Prompt.Event != "e1" {
		t.Errorf("task %+v, prompt %+v", s.Task, s.Prompt)
	}
	if len(s.Scheduled) != 2 {
		t.Errorf("scheduled: %q", s.Scheduled)
	}
	if s := folded(&events.TurnStopped{SessionCrons: whole}, prompt("Rewrite the billing module of the shop")); s.Goal == nil {
		t.Error("another text is no goal")
	}
}

// A session whose process was found gone three days later was active when it worked, not when it was found.
func TestHandoffOfAReapedSessionIsAsOldAsItsWork(t *testing.T) {
	s := folded(prompt("Add retries to the upload client"), did("Edit", `{"file_path":"/w/client.go"}`, `{}`))
	was := s.Active
	reaped := record(3, s.HandoffOf("reaped"))
	reaped.Time = noon.Add(72 * time.Hour)
	if s = projector.Fold(Table, s, reaped); !s.Active.Equal(was) {
		t.Errorf("active %v, worked until %v", s.Active, was)
	}
}

func TestPromptsThatOnlySayToGoOn(t *testing.T) {
	for _, text := range []string{"go on", "continue", "weiter", "und jetzt weiter", "please continue", "Mach weiter!", "proceed", "next", "ok, keep going", "continue from where we left off", "继续"} {
		if s := folded(prompt(text)); !speech.GoesOn(text) || s.Goal != nil {
			t.Errorf("%s: %+v", text, s.Goal)
		}
	}
	for _, text := range []string{"", "hi", "commit and push", "/resume", "continue with the retries", "go fix it", "next release notes"} {
		if speech.GoesOn(text) {
			t.Errorf("%s says more or less than to go on", text)
		}
	}
}

func TestGoalIsTheFirstPromptOfSubstance(t *testing.T) {
	s := folded(prompt("hi"), prompt("/model opus"), prompt("commit"), &events.PromptSubmitted{Prompt: "look again", Source: "schedule_wakeup"},
		prompt("<task-notification>\n<task-id>a</task-id>"), prompt("Add retries to the upload client, please"), prompt("continue"), prompt("Now document the retries"), prompt("ok"))
	if s.Goal.Text != "Add retries to the upload client, please" || s.Goal.Event != "e6" {
		t.Errorf("goal: %+v", s.Goal)
	}
	if s.Task.Text != "Now document the retries" || s.Prompt.Text != "ok" {
		t.Errorf("task %+v, prompt %+v", s.Task, s.Prompt)
	}
	expect.Equal(t, strings.Join(s.Keywords, " "), "add retries upload client", "keywords")

	for _, text := range []string{"<teammate-message teammate_id=\"lead\">\nDo the lint", "<command-name>/clear</command-name>", "<local-command-stdout>x</local-command-stdout>", "<bash-input>ls -la</bash-input>",
		"[Request interrupted by user for tool use]", "Caveat: The messages below were generated", "This session is being continued from a previous conversation that", "<task-notification> x", "please continue", "yes, go ahead!"} {
		if s := folded(prompt(text)); s.Goal != nil || s.Task != nil {
			t.Errorf("%s: %+v", text, s.Goal)
		}
	}
	for text, want := range map[string]string{"<ide_opened_file>The user opened a.go</ide_opened_file>\n<ide_selection>x\ny</ide_selection>Fix the test of it": "Fix the test of it",
		"<div> is not closed in the page": "<div> is not closed in the page", "continue with the retries": "continue with the retries"} {
		if s := folded(prompt(text)); s.Goal == nil || s.Goal.Text != want {
			t.Errorf("%s: %+v", text, s.Goal)
		}
	}

	long := folded(prompt("Rename " + strings.Repeat("word ", 500) + "and mend it"))
	if n := len([]rune(long.Goal.Text)); n > maxGoal || !strings.HasSuffix(long.Goal.Text, "word and mend it") || !strings.Contains(long.Goal.Text, " … ") {
		t.Errorf("a goal of 2,500 characters has %d of them, want both ends in %d: %s", n, maxGoal, long.Goal.Text)
	}
	expect.Equal(t, len(folded(prompt("a1a b1b c1c d1d e1e f1f g1g h1h i1i j1j k1k l1l")).Keywords), 10, "keywords")
	if s := folded(prompt("Add retries to it"), &events.GoalSet{Text: "Ship release 2"}); s.Goal.Text != "Ship release 2" || s.Goal.Event != "e2" {
		t.Errorf("goal by command: %+v", s.Goal)
	}
	if s := folded(prompt("weiter"), &events.GoalSet{Text: "Ship release 2", Task: "Tag it", From: "e0"}); s.Goal.Text != "Ship release 2" || s.Task.Text != "Tag it" {
		t.Errorf("handed over: %+v, %+v", s.Goal, s.Task)
	}
	if s := folded(prompt("Add retries to it"), did("ExitPlanMode", `{"plan":"1. write it"}`, `{}`)); s.Task.Text != "1. write it" {
		t.Errorf("task of a plan: %+v", s.Task)
	}
}

// An edit that the client refused is mended by the next edit of the file, not by a look at it; a call that it gave up says nothing.
func TestRefusalsOfTheClient(t *testing.T) {
	file := `{"file_path":"/w/a.go"}`
	for _, text := range []string{"File has not been read yet. Read it first before writing to it.", "<tool_use_error>String to replace not found in file.", "File has been modified since read"} {
		s := folded(failure("Edit", file, text), did("Read", file, `{}`))
		expect.Equal(t, len(s.Open), 1, "open failures after a read:", text)
		s = folded(failure("Edit", file, text), did("Read", file, `{}`), did("Edit", file, `{}`))
		expect.Equal(t, len(s.Open), 0, "open failures after an edit:", text)
	}
	build := `{"command":"make"}`
	s := folded(did("Bash", build, `{}`), failure("Bash", build, "<tool_use_error>Sibling tool call errored</tool_use_error>"), failure("Bash", build, "<tool_use_error>Blocked: sleep 45 followed by: make</tool_use_error>"), failure("Bash", build, "<tool_use_error>Cancelled: parallel tool call Bash(x) errored</tool_use_error>"),
		failure("Bash", `{"command":"sleep 45"}`, "<tool_use_error>Blocked: sleep 45</tool_use_error>"))
	if len(s.Open) > 0 || s.Commands[0].Status != "ok" || s.Commands[0].Runs != 1 {
		t.Errorf("%+v", s)
	}
	if s := folded(failure("Edit", file, "<tool_use_error>String to replace not found in file.</tool_use_error>")); s.Open[0].Text != "String to replace not found in file." {
		t.Errorf("%+v", s.Open)
	}
}

func TestFiles(t *testing.T) {
	s := folded(
		did("Read", `{"file_path":"/w/a.go"}`, `{}`), did("Read", `{"file_path":"/w/b.go"}`, `{}`),
		did("Edit", `{"file_path":"/w/a.go"}`, `{}`), did("Write", `{"file_path":"/w/c.go"}`, `{"type":"create"}`),
		did("Write", `{"file_path":"/w/b.go"}`, `{"type":"update"}`), did("Read", `{"file_path":"/w/a\nb.go"}`, `{}`))
	want := []File{
		{Path: "/w/a.go", Read: 1, Edited: 1, Event: "e3", Time: noon.Add(3 * time.Second)},
		{Path: "/w/c.go", Created: true, Event: "e4", Time: noon.Add(4 * time.Second)},
		{Path: "/w/b.go", Read: 1, Edited: 1, Event: "e5", Time: noon.Add(5 * time.Second)},
	}
	if !reflect.DeepEqual(s.Files, want) {
		t.Errorf("%+v", s.Files)
	}

	s = projector.Fold(Table, s, record(7, &events.SubagentStopped{LastAssistantMessage: "<summary>edited a.go</summary>"}))
	if !s.Files[0].Known || s.Files[1].Known {
		t.Errorf("after the summary: %+v", s.Files)
	}
	s = projector.Fold(Table, s, record(8, did("Edit", `{"file_path":"/w/a.go"}`, `{}`)))
	if last := s.Files[len(s.Files)-1]; last.Path != "/w/a.go" || last.Known {
		t.Errorf("edited after the summary: %+v", last)
	}

	many := []events.Event{did("Edit", `{"file_path":"/w/first.go"}`, `{}`)}
	for i := range maxFiles + 5 {
		many = append(many, did("Read", fmt.Sprintf(`{"file_path":"/w/%d.go"}`, i), `{}`))
	}
	s = folded(many...)
	if len(s.Files) != maxFiles || s.Files[0].Path != "/w/first.go" {
		t.Errorf("%d files, the first %+v", len(s.Files), s.Files[0])
	}
}

func TestCommandsAndFailures(t *testing.T) {
	s := folded(
		failure("Bash", `{"command":"go test ./..."}`, "Exit code 1\n--- FAIL: TestUpload\nFAIL\tx"),
		did("Bash", `{"command":"ls"}`, `{"stdout":"a"}`),
		failure("Bash", `{"command":"npm test"}`, "Exit code 1\nTests: 2 failed, 40 passed"),
		failure("Edit", `{"file_path":"/w/a.go"}`, "String to replace not found in file."))
	if len(s.Open) != 3 || s.Open[0].Target != "go test ./..." || s.Open[0].Text != "--- FAIL: TestUpload" || s.Open[2].Target != "/w/a.go" {
		t.Errorf("open: %+v", s.Open)
	}
	if c := s.Commands[2]; c.Line != "npm test" || c.Status != "failed" || c.Result != "exit 1, 40 passed, 2 failed" {
		t.Errorf("command: %+v", c)
	}
	expect.Equal(t, s.Confidence(), 60, "confidence")

	s = projector.Fold(Table, s, record(9, did("Bash", `{"command":"go test ./..."}`, `{"stdout":"ok"}`)))
	if len(s.Open) != 2 || s.Commands[len(s.Commands)-1].Runs != 2 || s.Commands[len(s.Commands)-1].Status != "ok" {
		t.Errorf("after the success: %+v %+v", s.Open, s.Commands)
	}
	if s := folded(&events.ToolFailed{ToolName: "Bash", ToolInput: json.RawMessage(`{"command":"x"}`), IsInterrupt: true}); s.Open != nil {
		t.Errorf("an interrupt is a failure: %+v", s.Open)
	}
}

func TestCorrectionsAndTodos(t *testing.T) {
	words := `"The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\nuse the staging host"`
	s := folded(
		&events.ToolBatchFinished{ToolCalls: []events.ToolCall{{ToolName: "Bash", ToolInput: json.RawMessage(`{"command":"deploy prod"}`), ToolResponse: json.RawMessage(words)}}},
		did("TodoWrite", `{"todos":[{"content":"write it","status":"completed"},{"content":"test it","status":"pending"}]}`, `{}`))
	if len(s.Corrections) != 1 || s.Corrections[0].Text != "Bash deploy prod: use the staging host" {
		t.Errorf("%+v", s.Corrections)
	}
	if p := s.Pending(); len(p) != 1 || p[0].Text != "test it" {
		t.Errorf("%+v", p)
	}

	s = folded(&events.TaskCreated{TaskID: "1", TaskSubject: "write it"}, &events.TaskCreated{TaskID: "2", TaskSubject: "test it"}, &events.TaskCompleted{TaskID: "1"})
	if p := s.Pending(); len(p) != 1 || p[0].ID != "2" || s.Todos[1].Text != "write it" {
		t.Errorf("%+v", s.Todos)
	}
}

// Words of a refusal that are several lines are told as one; what the client writes behind them is not the user's.
func TestCorrectionOfSeveralLines(t *testing.T) {
	reply := expect.Value(json.Marshal("The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nNo.\n\nUse the staging host:\n- first web\n" +
		"\n\nNote: The user's next message may contain a correction or preference. Pay close attention."))(t)
	s := folded(&events.ToolBatchFinished{ToolCalls: []events.ToolCall{{ToolName: "Bash", ToolInput: json.RawMessage(`{"command":"deploy prod"}`), ToolResponse: reply}}})
	if len(s.Corrections) != 1 || s.Corrections[0].Text != "Bash deploy prod: No. Use the staging host: - first web" {
		t.Errorf("%+v", s.Corrections)
	}
}

func TestCheckpointDeleteAndClear(t *testing.T) {
	s := folded(prompt("Add retries to it"), &events.CheckpointCreated{Schema: Schema, Trigger: "auto"})
	if len(s.Checkpoints) != 1 || s.Checkpoints[0].Event != "e2" || s.Checkpoints[0].Seq != 2 || s.Checkpoints[0].Trigger != "auto" {
		t.Errorf("%+v", s.Checkpoints)
	}
	if s := projector.Fold(Table, s, record(3, &events.SessionStarted{Source: "clear"})); s.Goal != nil || s.ID != "s" {
		t.Errorf("after clear: %+v", s)
	}
	s = projector.Fold(Table, s, record(3, &events.SessionDeleted{}))
	s = projector.Fold(Table, s, record(4, prompt("Add something else")))
	if !s.Deleted || s.Goal != nil {
		t.Errorf("a deleted session keeps: %+v", s)
	}
}

// A fold keeps the state that it was given, whatever comes.
func TestFoldIsPure(t *testing.T) {
	kinds := []func(string) events.Event{
		prompt,
		func(x string) events.Event { return did("Edit", fmt.Sprintf(`{"file_path":%q}`, x), `{}`) },
		func(x string) events.Event {
			return did("Bash", fmt.Sprintf(`{"command":%q}`, x), `{"stdout":"3 passed"}`)
		},
		func(x string) events.Event { return failure("Bash", fmt.Sprintf(`{"command":%q}`, x), x) },
		func(x string) events.Event { return &events.SubagentStopped{LastAssistantMessage: x} },
		func(x string) events.Event { return &events.TaskCreated{TaskID: x, TaskSubject: x} },
		func(x string) events.Event { return &events.CheckpointCreated{Schema: 1, Trigger: x} },
	}
	rapid.Check(t, func(t *rapid.T) {
		var s State
		for n := range rapid.IntRange(1, 60).Draw(t, "n") {
			kind := rapid.SampledFrom(kinds).Draw(t, "kind")
			e := kind(rapid.SampledFrom([]string{"a", "b b", "go test ./...", "/w/c.go"}).Draw(t, "text"))
			before := expect.Value(json.Marshal(s))(t)
			next := projector.Fold(Table, s, record(n, e))
			if after, _ := json.Marshal(s); string(after) != string(before) {
				t.Fatalf("%s changed the state it was given", e.Type())
			}
			s = next
		}
	})
}

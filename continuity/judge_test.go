package main

import (
	"testing"

	"hookline/events"
)

// A file is named by its path, also within the braces of a folder, and not by the end of another path.
func TestNames(t *testing.T) {
	told := textOf("/w", "Edited: lib/{a.ex, b.ex, up/{d.ex, e.ex}}; README.md; /w/cmd/main.go. Read: web/lib/c.ex")
	for path, want := range map[string]bool{"lib/a.ex": true, "lib/b.ex": true, "lib/up/e.ex": true, "README.md": true, "cmd/main.go": true, "web/lib/c.ex": true,
		"lib/c.ex": false, "a.ex": false, "b.ex": false, "e.ex": false, "main.go": false, "lib": false, "": false} {
		if told.names(path) != want {
			t.Errorf("%q: %v", path, !want)
		}
	}
}

// A command is named with its status only where that is the last one.
func TestRan(t *testing.T) {
	told := textOf("/w", "Not mended: go test: --- FAIL: TestA\nRan: `go test ./up` (failed, exit 1, FAIL TestA); `mix format` (ok)")
	for _, c := range []struct {
		command string
		ok      bool
		want    bool
	}{
		{"go test ./up", false, true}, {"go test ./up", true, false}, {"mix format", true, true}, {"mix format", false, false}, {"mix test", true, false},
	} {
		if got := told.ran(c.command, c.ok); got != c.want {
			t.Errorf("%s %v: %v", c.command, c.ok, got)
		}
	}
	if !told.failure("go test ./down") || told.failure("mix test") {
		t.Error("the open failure of go test")
	}
}

// A command is the same only with all of its text, and is told by the beginning of its first line.
func TestCommandKey(t *testing.T) {
	key := commandKey("# all of them\ncd /w/up && go  test ./... 2>&1 | tail -5\nls")
	if key != "go test ./...\nls" || begin(key) != "go test ./..." {
		t.Errorf("%q %q", key, begin(key))
	}
	if key := commandKey("cd /w/up\n\necho \"=== tests ===\"\ngo test ./..."); key != "go test ./..." {
		t.Errorf("%q", key)
	}
	commit := func(message string) string {
		return commandKey("git commit -m \"$(cat <<'EOF'\n" + message + "\nEOF\n)\"")
	}
	if commit("one") == commit("two") {
		t.Error("a commit with another message is another command")
	}
}

// A call's target is named by its file or folder; that of a command by a file of it, or its program with the first word.
func TestTargets(t *testing.T) {
	told := textOf("/w", "Edited: lib/{a.ex, b.ex}. Ran: `gh pr view 7` (ok)")
	for _, c := range []struct {
		tool, input string
		want        bool
	}{
		{"Read", `{"file_path":"/w/lib/a.ex"}`, true}, {"Read", `{"file_path":"/w/lib/c.ex"}`, false}, {"Grep", `{"path":"/w/lib"}`, true}, {"Grep", `{"path":"/w/web"}`, false},
		{"Bash", `{"command":"# see\ncd /w && gh pr checks 2>&1 | tail -5"}`, true}, {"Bash", `{"command":"sed -n 1,9p lib/b.ex | cat"}`, true}, {"Bash", `{"command":"git push"}`, false},
	} {
		if got := told.knows(callOf("/w", c.tool, []byte(c.input))); got != c.want {
			t.Errorf("%s %s: %v", c.tool, c.input, got)
		}
	}
	if c := callOf("/w", "Glob", []byte(`{"path":"/w"}`)); c.file != "" {
		t.Errorf("%+v", c)
	}
}

// What is touched, run, planned and asked for is known from then on.
func TestPast(t *testing.T) {
	p := newPast("/w")
	for _, e := range []events.Event{
		&events.PromptSubmitted{Prompt: "<task-notification>done</task-notification>"},
		&events.PromptSubmitted{Prompt: "please continue"},
		&events.PromptSubmitted{Prompt: "Add the retries to the client"},
		&events.PromptSubmitted{Prompt: "Make the delay of them grow"},
		&events.PromptSubmitted{Prompt: "yes"},
		&events.ToolRequested{ToolUseID: "1", ToolName: "Edit", ToolInput: []byte(`{"file_path":"/w/a.go"}`)},
		&events.ToolSucceeded{ToolUseID: "1", ToolResponse: []byte(`{"x":["see /w/up/b.go"]}`)},
		&events.ToolRequested{ToolUseID: "2", ToolName: "Bash", ToolInput: []byte(`{"command":"make"}`)},
		&events.ToolFailed{ToolUseID: "2", Error: "no rule in up/c.mk"},
		&events.ToolRequested{ToolUseID: "3", ToolName: "TodoWrite", ToolInput: []byte(`{"todos":[{"content":"ship","status":"pending"},{"content":"cut","status":"completed"}]}`)},
	} {
		p.take(e)
	}
	ok, ran := p.commands["make"]
	if p.goal != "Add the retries to the client" || p.task != "Make the delay of them grow" || p.prompt != "yes" || !p.edited["a.go"] || ok || !ran || len(p.todos) != 1 || p.todos[0] != "ship" {
		t.Errorf("%+v", p)
	}
	if !p.saw("up/b.go") || !p.saw("up/c.mk") || p.saw("b.go") {
		t.Errorf("%+v", p.outputs)
	}
}

// A goal that the session shows and says to be done makes room for the next one; where it does one of both that is doubtful.
func TestGoalThatIsDone(t *testing.T) {
	begin := []events.Event{
		&events.PromptSubmitted{Prompt: "Add the retries to the client"},
		&events.ToolRequested{ToolUseID: "1", ToolName: "Edit", ToolInput: []byte(`{"file_path":"/w/a.go"}`)},
		&events.ToolSucceeded{ToolUseID: "1"},
	}
	commit := []events.Event{
		&events.ToolRequested{ToolUseID: "2", ToolName: "Bash", ToolInput: []byte(`{"command":"git commit -m x"}`)},
		&events.ToolSucceeded{ToolUseID: "2"},
	}
	done := &events.TurnStopped{LastAssistantMessage: "All done."}
	next := &events.PromptSubmitted{Prompt: "Make the page of the reports faster"}
	for _, c := range []struct {
		name    string
		between []events.Event
		goal    string
		perhaps bool
	}{
		{"neither", nil, "Add the retries to the client", false},
		{"shown", commit, "Add the retries to the client", true},
		{"said", []events.Event{done}, "Add the retries to the client", true},
		{"both", append(commit, done), "Make the page of the reports faster", false},
	} {
		p := newPast("/w")
		for _, e := range append(append(append([]events.Event{}, begin...), c.between...), next) {
			p.take(e)
		}
		if p.goal != c.goal || p.perhaps != c.perhaps {
			t.Errorf("%s: goal = %q, doubtful %v, want %q, %v", c.name, p.goal, p.perhaps, c.goal, c.perhaps)
		}
	}
}

// A point between the compactions is judged like one, in a score of its own.
func TestPointsBetween(t *testing.T) {
	asked := "Goal: Add the retries to the client\nEdited: a.go\nSeen, not opened: b/c.go"
	edit := &events.ToolRequested{ToolUseID: "1", ToolName: "Edit", ToolInput: []byte(`{"file_path":"/w/a.go"}`)}
	one := &session{id: "12345678-1", root: "/w", steps: []step{
		{event: &events.PromptSubmitted{Prompt: "Add the retries to the client"}}, {event: edit}, {event: &events.ToolSucceeded{ToolUseID: "1"}, asked: asked}, {event: edit},
	}}
	var all, between score
	all.judge(one, []*session{one}, &between)
	if len(all.tokens) != 0 || len(between.tokens) != 1 || between.tokens[0] != tokens(asked) || between.lacks[0] != 14 || between.seen[0] != 7 {
		t.Errorf("%+v, %+v", all, between)
	}
	for _, n := range []int{rowEdited, rowTouched, rowGoal} {
		if r := between.rows[n]; r.of != 1 || r.told != 1 {
			t.Errorf("%s: %+v", measures[n].name, r)
		}
	}
}

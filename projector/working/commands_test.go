package working

import (
	"fmt"
	"slices"
	"testing"

	"hookline/events"
	"hookline/expect"
)

// What is probably run again comes first: what is short, was run often and not long ago. A line that only opens a script,
// a document or a loop is none.
func TestRepeated(t *testing.T) {
	run := func(line string) events.Event { return did("Bash", `{"command":"`+line+`"}`, `{}`) }
	s := folded(run("cd web && npm i"), run("python3 -c \\\"\\nprint(1)\\\""), run("git commit -F - <<'E'"), run("bash -c '\\nmake'"), run("for f in a b; do\\nmake $f\\ndone"),
		run("git status"), run("git commit -m x"), run("hookctl tail --type gate.denied"), run("git push"), run("git push"), failure("Bash", `{"command":"curl x"}`, "no"))
	var got []string
	for _, c := range s.Repeated() {
		got = append(got, c.Line)
	}
	if want := []string{"git push", "curl x", "git status", "git commit -m x", "cd web && npm i", "hookctl tail --type gate.denied"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// A command is the same however much of its output is looked at, and a comment before it is none.
func TestSameCommand(t *testing.T) {
	run := func(line string) events.Event { return did("Bash", fmt.Sprintf(`{"command":%q}`, line), `{}`) }
	s := folded(run("mise run lint 2>&1 | tail -20"), run("git log"), run("cd /w && mise run lint 2>&1 | head -n 5"), run("# the tests\n\nmise run test:ci 2>&1"))
	if len(s.Commands) != 3 || s.Commands[1].Line != "mise run lint" || s.Commands[1].Runs != 2 || s.Commands[2].Line != "mise run test:ci" {
		t.Errorf("%+v", s.Commands)
	}
	for line, want := range map[string]string{"cd /x/web && npm i": "npm i", "cd /w/web && npm i": "cd web && npm i", `cd "/a b"; make`: "make", "cd /x/web\nset -e\n\necho \"=== tests ===\"\nR=owner/name\nnpm test": "npm test", "cd web && ls\nnpm test": "cd web && ls",
		"echo $HOME": "echo $HOME", "cd /x": "cd /x", "git -C /w log": "git log", "rm /w/a.txt": "rm a.txt"} {
		expect.Equal(t, folded(run(line)).Commands[0].Line, want, line)
	}
}

// What a summary tells is forgotten: files in outputs, and the turn that was cut.
func TestSummaryTellsIt(t *testing.T) {
	seen := did("Bash", `{"command":"ls"}`, `{"stdout":"up/doc.go\nup/b.go"}`)
	cut := &events.CheckpointCreated{Schema: Schema, Said: "half of it is done"}
	s := folded(seen, cut, &events.SubagentStopped{LastAssistantMessage: "The file up/doc.go comes next."})
	if len(s.Seen) != 1 || s.Seen[0].Path != "up/b.go" || s.Said != nil {
		t.Errorf("%+v, %+v", s.Seen, s.Said)
	}
}

// The client keeps the message that a context ended with behind its summary: its next steps are known, until another
// prompt came between.
func TestLastMessageStaysBehindTheSummary(t *testing.T) {
	stop := &events.TurnStopped{LastAssistantMessage: "Next steps:\n- run the load test"}
	cut := &events.SubagentStopped{LastAssistantMessage: "<summary>"}
	if s := folded(prompt("Add retries"), stop, cut); !s.Steps.Known {
		t.Error("the message is in the context")
	}
	if s := folded(prompt("Add retries"), stop, cut, prompt("go on"), cut); s.Steps.Known {
		t.Error("the message is not the last one any more")
	}
}

// A summary names a file by its path below the work tree, not by that of another work tree.
func TestNamedInASummary(t *testing.T) {
	for text, want := range map[string]bool{"see `up/x.go`": true, "up/x.go.": true, "/v/up/x.go, then up/x.go": true, "/v/up/x.go": false, "x.go": false} {
		s := folded(did("Edit", `{"file_path":"/w/up/x.go"}`, `{}`), &events.SubagentStopped{LastAssistantMessage: text})
		expect.Equal(t, s.Files[0].Known, want, text)
	}
}

package hook

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"hookline/events"
	"hookline/expect"
	"hookline/projector/codes"
	"hookline/projector/identity"
	"hookline/projector/session"
	"hookline/projector/working"
)

// codexHooks are the payloads of testdata/codex.ndjson: their fields and values are those of the tests and schemas of
// Codex (Apache-2.0), one of each kind.
func codexHooks(t *testing.T) []string {
	t.Helper()
	f := expect.Value(os.Open("testdata/codex.ndjson"))(t)
	defer f.Close()

	var list []string
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		list = append(list, lines.Text())
	}
	return list
}

// A session of Codex is typed: its events name the client, its patch the files, its plan the things to do.
func TestCodex(t *testing.T) {
	var s session.State
	var w working.State
	var c codes.State
	var id identity.State
	var types []string
	for i, body := range codexHooks(t) {
		in := decode("hook", body)
		d := decider{in: in, session: s}
		d.own()
		env := d.out[0]
		expect.Equal(t, env.Client, events.Codex, env.Type, "client")
		env.Worktree, env.Project = "/w", "p"

		rec := events.Record{Seq: uint64(i + 1), Envelope: env, Event: in.Event}
		s, w, c, id = session.Fold(s, rec), working.Fold(w, rec), codes.Fold(c, rec), identity.Fold(id, rec)
		types = append(types, env.Type)
	}

	want := "session.started prompt.submitted tool.requested tool.succeeded tool.succeeded tool.succeeded permission.requested turn.interrupted turn.stopped"
	expect.Equal(t, strings.Join(types, " "), want, "types")
	if s.Program != events.Codex || s.Course.Turn || len(s.Course.Waits) > 0 {
		t.Errorf("session: %q %+v", s.Program, s.Course)
	}
	var files []string
	for _, f := range w.Files {
		files = append(files, f.Path)
	}
	if got := strings.Join(files, " "); got != "/w/new.go /w/old.go /w/sub/moved.go /w/gone.go" || !w.Files[0].Created {
		t.Errorf("files: %s", got)
	}
	if todos := w.Pending(); len(todos) != 1 || todos[0].Text != "write it down" {
		t.Errorf("plan: %+v", w.Todos)
	}
	if len(id.Edited) == 0 {
		t.Error("identity: no file was edited")
	}
}

func TestClientOf(t *testing.T) {
	for _, c := range []struct{ args, body, program, want string }{
		{"hook Stop", `{}`, "", "claude-code"},
		{"hook Stop", `{"transcript_path":"/h/.claude/projects/x/1.jsonl"}`, "", "claude-code"},
		{"hook Stop", `{"transcript_path":"C:\\Users\\u\\.codex\\sessions\\rollout-1.jsonl"}`, "", "codex"},
		{"hook Stop", `{}`, "codex", "codex"},
		{"hook Stop --client codex", `{}`, "", "codex"},
		{"hook Stop --client another", `{}`, "codex", "another"},
	} {
		expect.Equal(t, clientOf(decode(c.args, c.body), session.State{Program: c.program}), c.want, c.args, c.body)
	}
}

// Gates on Edit or Write hold for a patch of Codex, but not for one of plans alone.
func TestGatesHoldForPatches(t *testing.T) {
	for _, c := range []struct {
		trigger, file string
		denied        bool
	}{
		{"[Edit]", "a.go", true},
		{"[Write]", "a.go", true},
		{"[apply_patch]", "a.go", true},
		{"[Bash]", "a.go", false},
		{"[Edit]", "docs/plans/a.md", false},
	} {
		rules := rulesOf(t, "requirements:\n  plan:\n    enabled: true\n    scope: session\n    trigger_tools: "+c.trigger+"\n    message: first plan\n")
		body := `{"hook_event_name":"PreToolUse","tool_name":"apply_patch","tool_use_id":"1","tool_input":{"command":"*** Begin Patch\n*** Update File: ` + c.file + `\n@@\n+x\n*** End Patch"}}`
		_, j := judged(t, body, &Gates{Rules: rules}, GatesPast{})
		if got := j.Deny != ""; got != c.denied {
			t.Errorf("%s on %s: denied %v: %q", c.trigger, c.file, got, j.Deny)
		}
	}
}

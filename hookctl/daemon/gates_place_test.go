//go:build unix

package daemon

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookline/events"
	"hookline/expect"
)

// editIn is an edit of a session whose client was launched in one folder, from another.
func (g *gatedRepo) editIn(launch, cwd string) string {
	g.t.Helper()
	f := g.frame(sessA, strings.Replace(edit, "{", `{"cwd":"`+cwd+`",`, 1))
	f.Env["CLAUDE_PROJECT_DIR"], f.Cwd = launch, cwd
	return string(take(g.t, g.d, f).Stdout)
}

func denied(answer string) bool { return strings.Contains(answer, `"permissionDecision":"deny"`) }

func mkdir(t *testing.T, dir string) string {
	t.Helper()
	expect.OK(t, os.MkdirAll(dir, 0o755))
	return dir
}

// The gates are those of the repository around the hook's own directory, wherever the client was launched, and they
// are opened from there.
func TestGatesOfTheHooksDirectory(t *testing.T) {
	g := newGated(t, planOnly)
	below := mkdir(t, filepath.Join(g.dir, "a", "b"))
	above := filepath.Dir(g.dir)
	other := newRepo(t, "")
	places := []string{g.dir, below, above, other}
	for _, launch := range places {
		expect.Equal(t, denied(g.editIn(launch, below)), true, "launched in", launch)
	}
	for _, cwd := range places {
		expect.Equal(t, denied(g.editIn(g.dir, cwd)), cwd == g.dir || cwd == below, "in", cwd)
	}

	g.satisfy(sessA, "commit_plan", "session")
	for _, launch := range places {
		expect.Equal(t, denied(g.editIn(launch, below)), false, "satisfied, launched in", launch)
	}
	for _, r := range logOf(t, g.d) {
		if strings.HasPrefix(r.Type, "gate.") && (r.Branch != "feature/x" || r.Worktree != g.dir) {
			t.Errorf("%s on %q in %q", r.Type, r.Branch, r.Worktree)
		}
	}
	mustVerify(t, g.d)
}

// What a session does in another repository makes that no part of its project.
func TestGatesElsewhereLeaveTheSessionsProject(t *testing.T) {
	g := newGated(t, planOnly)
	other := newRepo(t, "")
	f := g.frame(sessA, startAs("startup"))
	f.Env["CLAUDE_PROJECT_DIR"] = other
	take(t, g.d, f)
	g.editIn(other, g.dir)
	own := projectIn(t, g.d)
	for _, r := range logOf(t, g.d) {
		if _, ok := r.Event.(events.HookEvent); ok && r.Project != own || r.Type == events.TypeGateBlocked && r.Project == own {
			t.Errorf("%s belongs to %s", r.Type, r.Project)
		}
	}
}

// The home's .claude is the user's, also where the home is a repository.
func TestGatesOfTheHome(t *testing.T) {
	g := newGated(t, planOnly)
	t.Setenv("HOME", g.dir)
	if got := g.editIn(g.dir, g.dir); denied(got) {
		t.Errorf("%q", got)
	}
}

// What decides is the call as the client sent it: neither a value that is redacted nor a command that is kept as a blob
// hides what it does.
func TestGatesReadTheCallAsItWasSent(t *testing.T) {
	g := newGated(t, "requirements:\n  review: {enabled: true, trigger_tools: [{tool: Bash, command_pattern: 'git\\s+push\\s+.*release'}]}\n")
	long := "cat > notes.txt <<'EOF'\n" + strings.Repeat("a line of notes\n", 2000) + "EOF\ngit push origin release"
	for _, command := range []string{long, "API_TOKEN=9f8e7d6c5b4a39281706f5e4d3c2b1a0 git push origin release", "git push https://user:hunter2hunter2@host.example/release"} {
		body := expect.Value(json.Marshal(map[string]any{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": map[string]string{"command": command}}))(t)
		if got := g.reason(sessA, string(body)); !strings.Contains(got, "review") {
			t.Errorf("%.60s…: %q", command, got)
		}
	}
	for _, r := range logOf(t, g.d) {
		if strings.Contains(string(r.Data), "9f8e7d6c5b4a") || strings.Contains(string(r.Data), "hunter2hunter2") {
			t.Errorf("%s has the secret", r.Type)
		}
	}
}

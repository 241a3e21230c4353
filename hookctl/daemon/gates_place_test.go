//go:build unix

package daemon

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
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
	for name, launch := range map[string]string{"in it": g.dir, "below": below, "above": above, "in another": other} {
		for _, cwd := range []string{g.dir, below} {
			if got := g.editIn(launch, cwd); !denied(got) {
				t.Errorf("launched %s, in %s: %q", name, cwd, got)
			}
		}
	}
	for _, outside := range []string{above, other} {
		if got := g.editIn(g.dir, outside); denied(got) {
			t.Errorf("in %s: %q", outside, got)
		}
	}

	g.satisfy(sessA, "commit_plan", "session")
	for _, launch := range []string{g.dir, above, other} {
		if got := g.editIn(launch, below); denied(got) {
			t.Errorf("satisfied, launched in %s: %q", launch, got)
		}
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
	projects := map[string]bool{}
	for _, r := range logOf(t, g.d) {
		if _, ok := r.Event.(events.HookEvent); ok {
			projects[r.Project] = true
		}
		if r.Type == events.TypeGateBlocked && projects[r.Project] {
			t.Error("the denial belongs to the session's project")
		}
	}
	if len(projects) != 1 {
		t.Error(projects)
	}
}

// A linked work tree has its own files, and the main work tree's where it lacks them.
func TestGatesOfALinkedWorkTree(t *testing.T) {
	g := newGated(t, planOnly)
	linked := filepath.Join(filepath.Dir(g.dir), filepath.Base(g.dir)+"-linked")
	git(t, g.dir, "worktree", "add", "-q", "-b", "feature/y", linked)
	t.Cleanup(func() { os.RemoveAll(linked) })
	if got := g.editIn(linked, linked); !denied(got) {
		t.Errorf("without files of its own: %q", got)
	}
	write(t, filepath.Join(linked, ".claude", "requirements.yaml"), "requirements: {}\n")
	if got := g.editIn(linked, linked); denied(got) {
		t.Errorf("with its own: %q", got)
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

// A requirements file that is there and cannot be used is an event and told, never taken for none.
func TestGatesFileThatIsRefused(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"a pipe":            func(path string) error { return syscall.Mkfifo(path, 0o644) },
		"a link to nothing": func(path string) error { return os.Symlink("nowhere", path) },
		"too large":         func(path string) error { return os.WriteFile(path, make([]byte, 1<<20), 0o644) },
	} {
		t.Run(name, func(t *testing.T) {
			g := newGated(t, "")
			mkdir(t, filepath.Join(g.dir, ".claude"))
			expect.OK(t, put(filepath.Join(g.dir, ".claude", "requirements.yaml")))
			if got := g.says(sessA, edit); !strings.Contains(got, `"systemMessage":"hookline: requirements: `) {
				t.Errorf("%q", got)
			}
			expect.Equal(t, g.types(), "config_invalid", "recorded")
		})
	}
}

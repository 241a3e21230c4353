//go:build unix

package daemon

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
	"hookline/projector/project"
)

// A folder that moved is the same project, recorded once.
func TestProjectMoved(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	d := opened(t)
	root := t.TempDir()
	old := filepath.Join(root, "old")
	git := func(args ...string) {
		t.Helper()
		c := exec.Command("git", args...)
		c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@x", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@x")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %s", err, out)
		}
	}
	git("init", "-q", "-b", "main", old)
	git("-C", old, "commit", "-q", "--allow-empty", "-m", "x")
	git("-C", old, "remote", "add", "origin", "https://me:"+givenSecret+"@example.org/x.git")
	at := func(dir, s string) {
		f := startOf(s)
		f.Env["CLAUDE_PROJECT_DIR"] = dir
		take(t, d, f)
	}
	at(old, "s-1")
	expect.OK(t, os.Rename(old, filepath.Join(root, "new")))
	at(filepath.Join(root, "new"), "s-2")
	at(filepath.Join(root, "new"), "s-3")
	if a, b := sessionState(t, d, "s-1"), sessionState(t, d, "s-2"); a.Project == "" || a.Project != b.Project || b.Branch != "main" {
		t.Errorf("%q and %q on %q", a.Project, b.Project, b.Branch)
	}
	n := map[string]int{}
	for _, r := range logOf(t, d) {
		n[r.Type]++
		if e, ok := r.Event.(*events.ProjectSeen); ok && (e.Remote != "https://example.org/x.git" || e.RootCommit == "") {
			t.Errorf("%+v", e)
		}
	}
	if n["project.moved"] != 1 {
		t.Errorf("%v", n)
	}
	keys, _ := projectKeys(t, d)
	if len(keys) != 1 {
		t.Errorf("%q", keys)
	}
}

// Projects that were joined stay one, hook by hook and over a restart, and are not seen anew each time.
func TestJoinedProjectsStayOne(t *testing.T) {
	home := newHome(t)
	d := open(t, home)
	a, b := t.TempDir(), t.TempDir()
	take(t, d, startIn(a, "a-1"))
	take(t, d, startIn(b, "b-1"))
	from, to := sessionState(t, d, "a-1").Project, sessionState(t, d, "b-1").Project
	if from == to || from == "" || to == "" {
		t.Fatalf("%q and %q", from, to)
	}
	emit(t, d, fmt.Sprintf(`{"type":"project.rehomed","project":%q,"data":{"from":%q}}`, to, from))
	for i := range 3 {
		if i == 2 {
			shut(t, d)
			d = open(t, home)
		}
		for _, dir := range []string{a, b} {
			s := fmt.Sprintf("late-%d-%v", i, dir == a)
			take(t, d, startIn(dir, s))
			if got := sessionState(t, d, s).Project; got != to {
				t.Errorf("round %d, joined %v: project %q instead of %q", i, dir == a, got, to)
			}
		}
	}
	seen := counts(t, d)["project.seen"]
	if seen > 3 {
		t.Errorf("%d times project.seen", seen)
	}
	mustVerify(t, d)
	shut(t, d)
}

// projectKeys are the ids of all projects.
func projectKeys(t *testing.T, d *Daemon) (keys []string, err error) {
	t.Helper()
	err = d.view.Read(t.Context(), func(r projector.Reader) error { keys, err = r.Keys(project.Name); return err })
	return keys, err
}

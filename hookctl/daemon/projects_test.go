//go:build unix

package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
	"hookline/projector/project"
)

// A folder that moved is the same project, recorded once.
func TestProjectMoved(t *testing.T) {
	d := opened(t)
	old := newRepo(t, "")
	moved := filepath.Join(filepath.Dir(old), "new")
	git(t, old, "remote", "add", "origin", "https://me:"+givenSecret+"@example.org/x.git")
	take(t, d, startIn(old, "s-1"))
	expect.OK(t, os.Rename(old, moved))
	take(t, d, startIn(moved, "s-2"))
	take(t, d, startIn(moved, "s-3"))
	if a, b := sessionState(t, d, "s-1"), sessionState(t, d, "s-2"); a.Project == "" || a.Project != b.Project || b.Branch != "feature/x" {
		t.Errorf("%q and %q on %q", a.Project, b.Project, b.Branch)
	}
	for _, e := range found[*events.ProjectSeen](t, d) {
		if e.Remote != "https://example.org/x.git" || e.RootCommit == "" {
			t.Errorf("%+v", e)
		}
	}
	expect.Equal(t, len(found[*events.ProjectMoved](t, d)), 1, "moved", "times")
	keys := readStates(t.Context(), d.core, func(r projector.Reader) []string {
		keys, _ := r.Keys(project.Name)
		return keys
	})
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
	emit(t, d, fmt.Sprintf(`{"type":"project.rehomed","project":%q,"data":{"from":%q}}`, to, from))
	for i, dir := range []string{a, b, a, b} {
		s := fmt.Sprint("late-", i)
		take(t, d, startIn(dir, s))
		expect.Equal(t, sessionState(t, d, s).Project, to, s)
		if i == 1 {
			shut(t, d)
			d = open(t, home)
		}
	}
	expect.Equal(t, counts(t, d)["project.seen"], 3, "projects were seen")
	mustVerify(t, d)
	shut(t, d)
}

package facts

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hookline/expect"
)

// branchRepo is a repository with main and the branch feature/x checked out.
func branchRepo(t *testing.T) (dir string, run func(args ...string)) {
	t.Helper()
	dir = t.TempDir()
	run = func(args ...string) {
		t.Helper()
		git(t, dir, args...)
	}
	run("init", "-q", "-b", "main")
	lines(t, filepath.Join(dir, "a.txt"), 10)
	run("add", ".")
	run("commit", "-q", "-m", "first")
	run("switch", "-q", "-c", "feature/x")
	return dir, run
}

func lines(t *testing.T, file string, n int) {
	t.Helper()
	expect.OK(t, os.WriteFile(file, []byte(strings.Repeat("line\n", n)), 0o644))
}

func sizeOf(t *testing.T, dir, branch, base string) (Size, error) {
	t.Helper()
	return New().SizeOf(t.Context(), SizeQuery{Worktree: dir, Branch: branch, Base: base})
}

func TestPinned_34_NoSize(t *testing.T) {
	dir, run := branchRepo(t)
	for _, branch := range []string{"main", "master"} {
		if _, err := sizeOf(t, dir, branch, ""); !errors.Is(err, ErrNoBase) {
			t.Errorf("%s: %v", branch, err)
		}
	}
	for base, want := range map[string]error{"nothing": ErrUnknownBase, "--output=/x": ErrUnknownBase, "feature/x": ErrNoBase} {
		if _, err := sizeOf(t, dir, "feature/x", base); !errors.Is(err, want) {
			t.Errorf("base %s: %v", base, err)
		}
	}
	run("branch", "-q", "-m", "main", "trunk")
	if _, err := sizeOf(t, dir, "feature/x", ""); !errors.Is(err, ErrNoBase) {
		t.Errorf("without a default branch: %v", err)
	}
	if _, err := sizeOf(t, t.TempDir(), "feature/x", ""); !errors.Is(err, ErrNoBase) {
		t.Errorf("no repository: %v", err)
	}
}

func TestPinned_35_Size(t *testing.T) {
	dir, run := branchRepo(t)
	lines(t, filepath.Join(dir, "b.txt"), 5)
	run("add", ".")
	run("commit", "-q", "-m", "five")
	if got, err := sizeOf(t, dir, "feature/x", ""); err != nil || got != (Size{Committed: Lines{5, 0}, Base: "main"}) {
		t.Errorf("%+v %v", got, err)
	}
	lines(t, filepath.Join(dir, "c.txt"), 7)
	run("add", "c.txt")
	lines(t, filepath.Join(dir, "a.txt"), 4)
	lines(t, filepath.Join(dir, "new file"), 3)
	expect.OK(t, os.WriteFile(filepath.Join(dir, ".git", "info", "exclude"), []byte("ignored\n"), 0o644))
	lines(t, filepath.Join(dir, "ignored"), 100)
	want := Size{Committed: Lines{5, 0}, Staged: Lines{7, 0}, Unstaged: Lines{3, 6}, Base: "main"}
	if got, err := sizeOf(t, dir, "feature/x", ""); err != nil || got != want {
		t.Errorf("%+v %v", got, err)
	}
	run("stash", "-q", "-u")
	run("switch", "-q", "main")
	lines(t, filepath.Join(dir, "main.txt"), 50)
	run("add", ".")
	run("commit", "-q", "-m", "main goes on")
	run("switch", "-q", "feature/x")
	if got, _ := sizeOf(t, dir, "feature/x", ""); got.Committed != (Lines{5, 0}) {
		t.Errorf("it is measured from the merge base: %+v", got)
	}
	run("switch", "-q", "-c", "feature/y")
	lines(t, filepath.Join(dir, "y.txt"), 2)
	run("add", ".")
	run("commit", "-q", "-m", "on top")
	if got, _ := sizeOf(t, dir, "feature/y", "feature/x"); got.Committed != (Lines{2, 0}) || got.Base != "feature/x" {
		t.Errorf("a configured base: %+v", got)
	}
	if got, _ := sizeOf(t, dir, "feature/y", ""); got.Committed != (Lines{7, 0}) {
		t.Errorf("a stacked branch counts from the default branch: %+v", got)
	}
}

func TestDirtyAndBranches(t *testing.T) {
	dir, run := branchRepo(t)
	s := New()
	if dirty, err := s.Dirty(t.Context(), dir); dirty != 0 || err != nil {
		t.Errorf("%d %v", dirty, err)
	}
	lines(t, filepath.Join(dir, "new"), 1)
	if dirty, _ := s.Dirty(t.Context(), dir); dirty != 0 {
		t.Error("a file that git does not know")
	}
	lines(t, filepath.Join(dir, "a.txt"), 1)
	if dirty, _ := s.Dirty(t.Context(), dir); dirty != 1 {
		t.Error("a change is not seen")
	}
	run("branch", "x/y")
	if got, err := s.Branches(t.Context(), dir); err != nil || strings.Join(got, " ") != "feature/x main x/y" {
		t.Errorf("%q %v", got, err)
	}
}

// fakeGit answers a diff with n insertions and counts the questions; err is what it fails with.
type fakeGit struct {
	mu  sync.Mutex
	n   string
	ran int
	err error
}

func (g *fakeGit) run(_ context.Context, _ string, args ...string) ([]byte, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.err != nil:
		return nil, g.err
	case args[0] == "for-each-ref":
		g.ran++
		return []byte("refs/remotes/origin/HEAD origin/develop\nrefs/heads/main \n"), nil
	case args[0] == "diff":
		return []byte(" 1 file changed, " + g.n + " insertions(+), 1 deletion(-)\n"), nil
	}
	return nil, nil
}

func TestPinned_37_SizesAreRemembered(t *testing.T) {
	now := time.Unix(1000, 0)
	g := &fakeGit{n: "2"}
	s := &World{exec: g.run, now: func() time.Time { return now }}
	q := SizeQuery{Worktree: "/w", Branch: "b", TTL: time.Minute}
	ask := func() Size {
		t.Helper()
		return expect.Value(s.SizeOf(t.Context(), q))(t)
	}
	expect.Equal(t, ask(), (Size{Committed: Lines{2, 1}, Staged: Lines{2, 1}, Unstaged: Lines{2, 1}, Base: "origin/develop"}))
	g.n, now = "9", now.Add(time.Minute-1)
	if got := ask(); got.Committed.Insertions != 2 || g.ran != 1 {
		t.Errorf("asked again within the time: %+v", got)
	}
	now = now.Add(1)
	if got := ask(); got.Committed.Insertions != 9 || g.ran != 2 {
		t.Errorf("not asked again after it: %+v", got)
	}
	q.Branch = "other"
	if ask(); g.ran != 3 {
		t.Error("another branch has this one's size")
	}
}

func TestSizeWithoutGit(t *testing.T) {
	now := time.Unix(1000, 0)
	g := &fakeGit{err: errors.New("no git")}
	s := &World{exec: g.run, now: func() time.Time { return now }}
	q := SizeQuery{Worktree: "/w", Branch: "b"}
	if _, err := s.SizeOf(t.Context(), q); err == nil || errors.Is(err, ErrNoBase) {
		t.Error(err)
	}
	g.err = nil
	if _, err := s.SizeOf(t.Context(), q); err == nil {
		t.Error("asked again at once")
	}
	now = now.Add(failedFor)
	if _, err := s.SizeOf(t.Context(), q); err != nil {
		t.Error(err)
	}
}

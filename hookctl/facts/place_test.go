package facts

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hookline/expect"
)

func TestPlaceOfRepository(t *testing.T) {
	top := repo(t, filepath.Join(realDir(t), "shop"))
	sub := mkdir(t, filepath.Join(top, "pkg", "a"))
	w, calls := counting()
	want := Place{Dir: top, Worktree: top, CommonDir: top + "/.git", Git: true, Branch: "main", Name: "shop"}
	expect.Equal(t, w.Place(top), want)
	want.Dir = sub
	expect.Equal(t, w.Place(sub), want)
	expect.Equal(t, w.Place(sub+"/../a/"), want)
	expect.Equal(t, w.Place(sub).Path(), top+"/.git", "path")
	want.Dir = top + "/.git"
	expect.Equal(t, w.Place(top+"/.git"), want)
	expect.Equal(t, calls.Load(), 0, "git ran", "times for a place")
}

func TestPlaceSeesEverySwitchAtOnce(t *testing.T) {
	top := repo(t, filepath.Join(realDir(t), "shop"))
	w := New()
	for _, branch := range []string{"feature/deep/x", "b", "main"} {
		if branch != "main" && git(t, top, "branch", "--list", branch) == "" {
			git(t, top, "branch", branch)
		}
		git(t, top, "switch", "-q", branch)
		if got := w.Place(top); got.Branch != branch {
			t.Errorf("after switch to %s: %+v", branch, got)
		}
	}
	git(t, top, "switch", "-q", "--detach")
	if got := w.Place(top); got.Branch != "" || !got.Git {
		t.Errorf("detached: %+v", got)
	}
}

func TestPlaceOfWorktree(t *testing.T) {
	dir := realDir(t)
	top := repo(t, filepath.Join(dir, "shop"))
	tree := filepath.Join(dir, "trees", "fix")
	git(t, top, "worktree", "add", "-q", "-b", "fix/1", tree)
	w := New()
	expect.Equal(t, w.Place(tree), Place{Dir: tree, Worktree: tree, CommonDir: top + "/.git", Git: true,
		Branch: "fix/1", Name: "shop"})
	expect.Equal(t, w.Place(top).Branch, "main", "the main work tree is on")
	expect.Equal(t, ProjectID(w.Place(tree).Path()), ProjectID(w.Place(top).Path()), "work trees of one repository have ids")
	moved := filepath.Join(dir, "trees", "fix2")
	git(t, top, "worktree", "move", tree, moved)
	if got := w.Place(moved); got.Worktree != moved || got.Branch != "fix/1" {
		t.Errorf("moved work tree: %+v", got)
	}
	if got := w.Place(tree); got.Dir != tree || got.Branch != "fix/1" {
		t.Errorf("gone work tree: %+v", got)
	}
	expect.OK(t, os.RemoveAll(top))
	expect.Equal(t, w.Place(moved), Place{Dir: moved, Name: "fix2"})
}

// The layout of one bare repository with all work trees beside it; the bare repository itself is a folder as any other.
func TestPlaceOfHub(t *testing.T) {
	hub := mkdir(t, filepath.Join(realDir(t), "hub"))
	git(t, hub, "init", "-q", "--bare", "-b", "main", ".bare")
	write(t, hub+"/.git", "gitdir: ./.bare\n")
	w := New()
	if got := w.Place(hub); got.CommonDir != hub+"/.bare" || got.Name != "hub" || got.Branch != "main" {
		t.Errorf("hub: %+v", got)
	}
	bare := mkdir(t, filepath.Join(realDir(t), "shop.git"))
	git(t, bare, "init", "-q", "--bare", "-b", "trunk")
	expect.Equal(t, w.Place(bare), Place{Dir: bare, Name: "shop.git"})
}

func TestPlaceOfNestedAndNewRepositories(t *testing.T) {
	dir := realDir(t)
	outer := repo(t, filepath.Join(dir, "outer"))
	inner := mkdir(t, filepath.Join(outer, "x", "inner"))
	plain := mkdir(t, filepath.Join(dir, "plain", "y"))
	w := New()
	if got := w.Place(inner); got.Worktree != outer || got.Name != "outer" {
		t.Errorf("before: %+v", got)
	}
	expect.Equal(t, w.Place(plain), Place{Dir: plain, Name: "y"})
	expect.Equal(t, w.Place(plain).Path(), plain, "path without git")
	git(t, inner, "init", "-q", "-b", "unborn")
	expect.Equal(t, w.Place(inner), Place{Dir: inner, Worktree: inner, CommonDir: inner + "/.git", Git: true,
		Branch: "unborn", Name: "inner"})
	expect.OK(t, os.RemoveAll(inner+"/.git"))
	if got := w.Place(inner); got.Worktree != outer || got.Branch != "main" {
		t.Errorf("after the inner one is gone: %+v", got)
	}
}

func TestPlaceThroughLinks(t *testing.T) {
	dir := realDir(t)
	one, two := repo(t, filepath.Join(dir, "one")), repo(t, filepath.Join(dir, "two"))
	mkdir(t, one+"/sub")
	link := filepath.Join(dir, "link")
	relink := func(to string) {
		_ = os.Remove(link)
		if err := os.Symlink(to, link); err != nil {
			t.Skip("no symbolic links here: ", err)
		}
	}
	relink(one)
	w := New()
	if got := w.Place(link + "/sub"); got.Dir != one+"/sub" || got.Worktree != one {
		t.Errorf("through a link: %+v", got)
	}
	relink(two)
	if got := w.Place(link); got.Worktree != two {
		t.Errorf("retargeted: %+v", got)
	}
	expect.Equal(t, ProjectID(link+"/.git"), ProjectID(two+"/.git"), "ids", "of one path")
}

func TestPlaceWithHeadAsSymbolicLink(t *testing.T) {
	top := repo(t, filepath.Join(realDir(t), "old"))
	_ = os.Remove(top + "/.git/HEAD")
	if err := os.Symlink("refs/heads/main", top+"/.git/HEAD"); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	if got := New().Place(top); got.Branch != "main" {
		t.Errorf("%+v", got)
	}
}

// A reftable's HEAD is asked of git: once for each state of the tables, and after a failure not for
// every hook.
func TestPlaceOfReftable(t *testing.T) {
	top := mkdir(t, filepath.Join(realDir(t), "shop"))
	skeleton(t, top+"/.git", "ref: refs/heads/.invalid\n")
	tables := func(text string) { write(t, top+"/.git/reftable/tables.list", text) }
	calls, answer, trouble := 0, "refs/heads/a/b\n", error(nil)
	w := New()
	w.exec = func(ctx context.Context, _ string, args ...string) ([]byte, error) {
		calls++
		expect.Equal(t, strings.Join(args, " "), strings.Join([]string{"--git-dir=" + top + "/.git", "symbolic-ref", "--quiet", "HEAD"}, " "), "git", args)
		if limit, ok := ctx.Deadline(); !ok || time.Until(limit) > 50*time.Millisecond {
			t.Error("git may take longer than 50 ms")
		}
		return []byte(answer), trouble
	}
	clock := time.Now()
	w.now = func() time.Time { return clock }
	check := func(when, branch string, want int) {
		t.Helper()
		for range 3 {
			if got := w.Place(top); got.Branch != branch || !got.Git {
				t.Errorf("%s: %+v", when, got)
			}
		}
		if calls != want {
			t.Errorf("%s: git ran %d times, want %d", when, calls, want)
		}
	}
	tables("0x1-0x1-aaaaaaaa.ref\n")
	trouble = context.DeadlineExceeded
	check("never answered: no guess", "", 1)
	clock = clock.Add(9 * time.Second)
	trouble = nil
	check("not asked again yet", "", 1)
	clock = clock.Add(2 * time.Second)
	check("answered", "a/b", 2)
	answer = "refs/heads/c\n"
	clock = clock.Add(time.Hour)
	check("unchanged", "a/b", 2)
	tables("0x1-0x2-bbbbbbbb.ref\n")
	check("switched", "c", 3)
	trouble = context.DeadlineExceeded
	tables("0x1-0x3-cccccccc.ref\n")
	check("git is slow", "c", 4)
	clock = clock.Add(11 * time.Second)
	trouble, answer = exitStatus(1), ""
	check("detached", "", 5)
}

// exitStatus is the error of a program that ended with it.
type exitStatus int

func (e exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }
func (e exitStatus) ExitCode() int { return int(e) }

func TestProjectID(t *testing.T) {
	// printf /no/such/folder/.git | sha256sum
	expect.Equal(t, ProjectID("/no/such/folder/x/../.git/"), "4b648179280d", "id")
}

func BenchmarkPlace(b *testing.B) { // goal: ≤ 60 µs
	top := repo(b, filepath.Join(realDir(b), "shop"))
	w := New()
	for b.Loop() {
		w.Place(top)
	}
}

// What a git directory said is kept, and a switch between names of one length is seen at once all the same.
func TestPlaceSeesASwitchOfWhatItKept(t *testing.T) {
	top := repo(t, filepath.Join(realDir(t), "shop"))
	head := filepath.Join(top, ".git", "HEAD")
	w := New()
	old := time.Now().Add(-time.Hour)
	for _, branch := range []string{"aaaa", "bbbb", "cccc"} {
		git(t, top, "switch", "-q", "-c", branch)
		expect.Equal(t, w.Place(top).Branch, branch)
		expect.OK(t, os.Chtimes(head, old, old))
		expect.Equal(t, w.Place(top).Branch, branch)
		if _, kept := w.heads.Get(filepath.Join(top, ".git")); !kept {
			t.Error("an old HEAD is read each time")
		}
	}
	expect.OK(t, os.RemoveAll(filepath.Join(top, ".git")))
	expect.Equal(t, w.Place(top).Git, false)
}

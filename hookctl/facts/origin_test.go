package facts

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hookline/expect"
)

func originOf(t *testing.T, w *World, commonDir string) Origin {
	t.Helper()
	return expect.Value(w.Origin(t.Context(), commonDir))(t)
}

// The environment of whoever started us leads git elsewhere; the history is that of the folder asked about.
func TestOriginIgnoresTheEnvironment(t *testing.T) {
	dir := realDir(t)
	one, two := repo(t, dir+"/one"), mkdir(t, dir+"/two")
	git(t, two, "init", "-q", "-b", "main")
	git(t, two, "commit", "-q", "--allow-empty", "-m", "of two")
	t.Setenv("GIT_DIR", one+"/.git")
	t.Setenv("GIT_WORK_TREE", one)
	w := New()
	expect.Equal(t, originOf(t, w, two+"/.git").RootCommit, git(t, two, "rev-parse", "main"), "root")
	expect.Equal(t, w.Place(two).Worktree, two, "work tree")
}

func TestOriginWithSeveralRoots(t *testing.T) {
	top := realDir(t)
	git(t, top, "init", "-q", "-b", "main")
	tree := git(t, top, "write-tree")
	rootAt := func(branch, date string) string {
		cmd := exec.Command("git", "commit-tree", tree, "-m", branch)
		cmd.Dir = top
		cmd.Env = append(cleanEnv(os.LookupEnv), "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.com", "GIT_COMMITTER_NAME=t",
			"GIT_COMMITTER_EMAIL=t@example.com", "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
		out := expect.Value(cmd.Output())(t)
		hash := strings.TrimSpace(string(out))
		git(t, top, "update-ref", branch, hash)
		return hash
	}
	rootAt("refs/heads/main", "2026-01-01T00:00:00Z")
	a := rootAt("refs/heads/a", "2020-01-01T00:00:00Z")
	b := rootAt("refs/remotes/origin/b", "2020-01-01T00:00:00Z")
	rootAt("refs/tags/late", "2021-01-01T00:00:00Z")
	rootAt("refs/notes/commits", "2010-01-01T00:00:00Z")
	expect.Equal(t, originOf(t, New(), top+"/.git").RootCommit, min(a, b), "root", a, b)
}

func TestOriginOfWorktreeSubmoduleAndShallow(t *testing.T) {
	dir := realDir(t)
	lib, top := repo(t, dir+"/lib"), repo(t, dir+"/shop")
	git(t, lib, "commit", "-q", "--allow-empty", "-m", "second")
	git(t, top, "submodule", "--quiet", "add", lib, "vendor/lib")
	git(t, top, "worktree", "add", "-q", dir+"/tree")
	git(t, dir, "clone", "-q", "--depth=1", "file://"+filepath.ToSlash(lib), "shallow")
	shop, libRoot := git(t, top, "rev-parse", "HEAD"), git(t, lib, "rev-list", "--max-parents=0", "HEAD")
	w := New()
	for _, c := range []struct{ dir, root, remote string }{
		{dir + "/tree", shop, ""},
		{top + "/vendor/lib", libRoot, lib},
		{dir + "/shallow", "", "file://" + filepath.ToSlash(lib)},
	} {
		expect.Equal(t, originOf(t, w, w.Place(c.dir).Path()), (Origin{RootCommit: c.root, Remote: c.remote}), c.dir, c.root, c.remote)
	}
}

// A git that hangs is not waited for longer than the caller's time, and is asked again.
func TestOriginIsBounded(t *testing.T) {
	w := New()
	calls := 0
	w.exec = func(ctx context.Context, _ string, args ...string) ([]byte, error) {
		if slices.Contains(args, "config") {
			return []byte("https://example.com/shop\n"), nil
		}
		if calls++; calls > 1 {
			return []byte("1700000000 " + strings.Repeat("ab", 20) + "\n"), nil
		}
		<-ctx.Done()
		return nil, ctx.Err()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if o, err := w.Origin(ctx, t.TempDir()); !errors.Is(err, context.DeadlineExceeded) || o != (Origin{}) {
		t.Errorf("%+v, %v", o, err)
	}
	expect.Equal(t, originOf(t, w, t.TempDir()), Origin{RootCommit: strings.Repeat("ab", 20), Remote: "https://example.com/shop"})
}

func TestOriginDoubtsGitsAnswer(t *testing.T) {
	for _, lines := range []string{"nonsense\n", "17 abc\n", "x " + strings.Repeat("a", 40)} {
		if got, err := oldest(lines); err == nil {
			t.Errorf("%q: %q", lines, got)
		}
	}
}

package facts

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"hookline/expect"
)

// realDir is a temporary directory whose path holds no symbolic link (on macOS /var is one).
func realDir(t testing.TB) string {
	t.Helper()
	dir := expect.Value(filepath.EvalSymlinks(t.TempDir()))(t)
	return dir
}

// git runs git for the test, free of the user's configuration, and returns what it said.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(cleanEnv(os.LookupEnv), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_ALLOW_PROTOCOL=file",
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.com", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// repo makes a repository with one commit on main.
func repo(t testing.TB, dir string) string {
	t.Helper()
	mkdir(t, dir)
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "first")
	return dir
}

func mkdir(t testing.TB, dir string) string {
	t.Helper()
	expect.OK(t, os.MkdirAll(dir, 0o755))
	return dir
}

func write(t testing.TB, file, text string) {
	t.Helper()
	mkdir(t, filepath.Dir(file))
	expect.OK(t, os.WriteFile(file, []byte(text), 0o644))
}

// counting is a World that counts its calls of git.
func counting() (*World, *atomic.Int64) {
	var calls atomic.Int64
	w := New()
	w.exec = func(ctx context.Context, dir string, args ...string) ([]byte, error) {
		calls.Add(1)
		return Git(ctx, dir, args...)
	}
	return w, &calls
}

func TestGitGetsACleanEnvironment(t *testing.T) {
	given := map[string]string{
		"PATH": "/bin", "HOME": "/home/u", "GIT_DIR": "/x", "GIT_CONFIG_COUNT": "1", "API_KEY": "k", "TMPDIR": "a\x00b",
	}
	env := cleanEnv(func(name string) (string, bool) { v, ok := given[name]; return v, ok })
	want := "GIT_OPTIONAL_LOCKS=0 GIT_TERMINAL_PROMPT=0 GIT_NO_LAZY_FETCH=1 GIT_ALLOW_PROTOCOL=none GIT_NO_REPLACE_OBJECTS=1 LC_ALL=C PATH=/bin HOME=/home/u"
	expect.Equal(t, strings.Join(env, " "), want)
}

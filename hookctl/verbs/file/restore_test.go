package file

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"hookline/events/versions"
	"hookline/expect"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/facts"
	"hookline/hookctl/verbs/env"
)

// newEnv returns an environment in a work tree, with a home beside it.
func newEnv(t *testing.T) *env.Env {
	t.Helper()
	top := expect.Value(filepath.EvalSymlinks(t.TempDir()))(t)
	work := filepath.Join(top, "work")
	expect.OK(t, os.MkdirAll(filepath.Join(work, ".git"), 0o755))
	expect.OK(t, os.WriteFile(filepath.Join(work, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600))
	return &env.Env{
		Console: cmdline.Console{
			Getenv: func(name string) string {
				if name == "HOOKLINE_HOME" {
					return filepath.Join(top, "home")
				}
				return ""
			},
			Now: func() time.Time { return time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC) },
			Cwd: work,
		},
		Place: facts.New().Place,
	}
}

// fileIn writes a file of the work tree.
func fileIn(t *testing.T, e *env.Env, name, content string, mode os.FileMode) target {
	t.Helper()
	path := filepath.Join(e.Cwd, name)
	expect.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
	expect.OK(t, os.WriteFile(path, []byte(content), mode))
	return targetOf(e, name)
}

func contentOf(t *testing.T, path string) string {
	t.Helper()
	return string(expect.Value(os.ReadFile(path))(t))
}

func TestReplace(t *testing.T) {
	e := newEnv(t)
	target := fileIn(t, e, "a b.sh", "now\n", 0o750)
	p := expect.Value(presentOf(e, target))(t)
	kept := expect.Value(p.replace(e, "then\n"))(t)

	expect.Equal(t, contentOf(t, target.path), "then\n", "content of the file")
	expect.Equal(t, contentOf(t, kept), "now\n", "content of the copy")
	if runtime.GOOS == "windows" {
		return
	}
	expect.Equal(t, expect.Value(os.Stat(target.path))(t).Mode().Perm(), os.FileMode(0o750), "mode of the file")
	expect.Equal(t, expect.Value(os.Stat(kept))(t).Mode().Perm(), os.FileMode(0o600), "mode of the copy")
	expect.Equal(t, expect.Value(os.Stat(filepath.Dir(kept)))(t).Mode().Perm(), os.FileMode(0o700), "mode of its folder")
}

func TestReplaceOfAFileThatIsGone(t *testing.T) {
	e := newEnv(t)
	target := targetOf(e, "gone/folder/a.go")
	p := expect.Value(presentOf(e, target))(t)
	kept := expect.Value(p.replace(e, "then\n"))(t)

	expect.Equal(t, contentOf(t, target.path), "then\n", "content of the file")
	expect.Equal(t, kept, "", "path of the copy")
}

// A file that changes between the question and the rename is left alone, and nothing stays beside it.
func TestReplaceOfAFileThatChangesMeanwhile(t *testing.T) {
	e := newEnv(t)
	target := fileIn(t, e, "a.go", "now\n", 0o644)
	p := expect.Value(presentOf(e, target))(t)
	fileIn(t, e, "a.go", "later\n", 0o644)

	if _, err := p.replace(e, "then\n"); err == nil || !strings.Contains(err.Error(), "changed meanwhile") {
		t.Errorf("replace = %v, want that the file was changed meanwhile", err)
	}
	expect.Equal(t, contentOf(t, target.path), "later\n", "content of the file")
	left := expect.Value(filepath.Glob(filepath.Join(e.Cwd, ".a.go*")))(t)
	expect.Equal(t, len(left), 0, "files that were left beside it")
}

func TestReplaceOfAFileThatComesMeanwhile(t *testing.T) {
	e := newEnv(t)
	p := expect.Value(presentOf(e, targetOf(e, "a.go")))(t)
	target := fileIn(t, e, "a.go", "later\n", 0o644)

	if _, err := p.replace(e, "then\n"); err == nil {
		t.Error("replace = no error, want one")
	}
	expect.Equal(t, contentOf(t, target.path), "later\n", "content of the file")
}

func TestLinksAreNotFollowed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	e := newEnv(t)
	fileIn(t, e, "inside/a.go", "inside\n", 0o644)
	outside := filepath.Join(filepath.Dir(e.Cwd), "outside")
	expect.OK(t, os.MkdirAll(outside, 0o755))
	expect.OK(t, os.WriteFile(filepath.Join(outside, "a.go"), []byte("outside\n"), 0o600))
	expect.OK(t, os.Symlink(outside, filepath.Join(e.Cwd, "out")))
	expect.OK(t, os.Symlink("inside", filepath.Join(e.Cwd, "in")))
	expect.OK(t, os.Symlink("inside/a.go", filepath.Join(e.Cwd, "link.go")))

	for _, c := range []struct {
		path string
		want string // part of the error; "" for none
	}{
		{"inside/a.go", ""},
		{"in/a.go", ""},
		{filepath.Join(outside, "a.go"), ""},
		{"out/a.go", "leads out of"},
		{"out/new.go", "leads out of"},
		{"link.go", "is a link"},
		{"inside", "is no regular file"},
	} {
		_, err := presentOf(e, targetOf(e, c.path))
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s is refused: %v", c.path, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("error of %s = %v, want %q", c.path, err, c.want)
		}
	}
}

func TestEndsOfLines(t *testing.T) {
	for _, c := range []struct {
		name    string
		onDisk  string
		version versions.Version
		want    string
	}{
		{"recorded", "a\r\n", versions.Version{Content: "b\n", Ends: versions.AsRecorded}, "b\n"},
		{"recorded as CRLF", "a\n", versions.Version{Content: "b\n", Ends: versions.CRLF}, "b\r\n"},
		{"not recorded, CRLF on disk", "a\r\nc\r\n", versions.Version{Content: "b\n"}, "b\r\n"},
		{"not recorded, both on disk", "a\r\nc\n", versions.Version{Content: "b\n"}, "b\n"},
		{"in the content itself", "a\r\n", versions.Version{Content: "b\r\nc\n"}, "b\r\nc\n"},
		{"no file", "", versions.Version{Content: "b\n"}, "b\n"},
	} {
		p := &present{there: c.onDisk != "", content: c.onDisk}
		expect.Equal(t, p.contentOf(c.version), c.want, "content to write:", c.name)
	}
}

func TestMomentIncludes(t *testing.T) {
	at := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	left := func(seq uint64, after time.Duration) versions.Version {
		return versions.Version{Seq: seq, Time: at.Add(after)}
	}
	found := versions.Version{Before: 7, Time: at}

	for _, c := range []struct {
		name    string
		moment  moment
		version versions.Version
		want    bool
	}{
		{"now", moment{}, left(9, time.Hour), true},
		{"its own event", moment{time: at, seq: 7}, left(7, 0), true},
		{"a later event of the same millisecond", moment{time: at, seq: 7}, left(8, 0), false},
		{"a later time", moment{time: at, seq: 7}, left(3, time.Second), false},
		{"captured before, appended later", moment{time: at, seq: 7}, left(99, -time.Second), true},
		{"what a call found", moment{}, found, false},
		{"what the call that is meant found", moment{before: 7}, found, true},
		{"what another call found", moment{before: 8}, found, false},
		{"what the call that is meant left", moment{before: 7}, left(7, 0), false},
	} {
		expect.Equal(t, c.moment.includes(c.version), c.want, "includes:", c.name)
	}
}

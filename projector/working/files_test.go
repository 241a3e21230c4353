package working

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hookline/events"
	"hookline/expect"
)

// ranIn is a successful command of the shell, run in a folder.
func ranIn(folder, command, output string) events.Event {
	e := did("Bash", fmt.Sprintf(`{"command":%q}`, command), fmt.Sprintf(`{"stdout":%q}`, output)).(*events.ToolSucceeded)
	e.Cwd = folder
	return e
}

func paths(files []File) string {
	var list []string
	for _, f := range files {
		list = append(list, f.Path)
	}
	return strings.Join(list, " ")
}

func TestARestoredFileIsChanged(t *testing.T) {
	s := folded(did("Read", `{"file_path":"/w/a.py"}`, `{}`), &events.FileRestored{File: "/w/a.py", From: 1})
	if len(s.Files) != 1 || !s.Files[0].Changed() {
		t.Errorf("files = %+v, want /w/a.py as one that the session changed", s.Files)
	}
	if s.Unproved.Text != "/w/a.py" {
		t.Errorf("file that no check has passed since = %q, want /w/a.py", s.Unproved.Text)
	}
}

func TestFilesFollowMovesAndRemovals(t *testing.T) {
	edit := func(file string) events.Event { return did("Edit", fmt.Sprintf(`{"file_path":%q}`, file), `{}`) }
	for _, c := range []struct {
		folder, command string
		want            string
	}{
		{"/w", "git mv a.py b.py", "/w/b.py /w/old/c.py /w/old/d.py"},
		{"/w", "mv a.py sub/", "/w/sub/a.py /w/old/c.py /w/old/d.py"},
		{"/w", "mkdir sub && mv a.py sub", "/w/sub/a.py /w/old/c.py /w/old/d.py"},
		{"/w", "mv -f a.py b.py", "/w/b.py /w/old/c.py /w/old/d.py"},
		{"/w", "mv old new", "/w/a.py /w/new/c.py /w/new/d.py"},
		{"/w", "mv old/c.py old/d.py .", "/w/a.py /w/c.py /w/d.py"},
		{"/w", "mv a.py old/c.py", "/w/old/c.py /w/old/d.py"},
		{"/w/old", "git mv c.py e.py", "/w/a.py /w/old/e.py /w/old/d.py"},
		{"/x", "cd /w/old && mv c.py e.py", "/w/a.py /w/old/e.py /w/old/d.py"},
		{"/w", "rm -rf old", "/w/a.py"},
		{"/w", "rm a.py old/c.py && ls", "/w/old/d.py"},
		{"/w", "git rm --cached a.py", "/w/a.py /w/old/c.py /w/old/d.py"}, // it stays on the disk
		{"/w", "cd $DIR && rm a.py", "/w/a.py /w/old/c.py /w/old/d.py"},
		{"/w", "echo mv a.py b.py", "/w/a.py /w/old/c.py /w/old/d.py"},
		{"/w", "rm *.py", "/w/a.py /w/old/c.py /w/old/d.py"}, // the disk is asked when they are told
	} {
		s := folded(edit("/w/a.py"), edit("/w/old/c.py"), edit("/w/old/d.py"), ranIn(c.folder, c.command, ""))
		expect.Equal(t, paths(s.Files), c.want, "files after", c.command)
	}
}

// A path in an output is meant from the folder that the command ran in, and is told where it is.
func TestSeenPathsAreResolved(t *testing.T) {
	s := folded(
		ranIn("/w/api", "grep -rl x .", "src/a.go"),
		ranIn("/w", "cd web && grep -rl x .", "src/b.ts"),
		ranIn("/w/api", "rg -l x", "lib/c.go"),
	)
	disk := []string{"/w/api/src/a.go", "/w/web/src/b.ts", "/w/lib/c.go"}
	isThere := func(file string) bool { return slices.Contains(disk, file) }

	expect.Equal(t, paths(s.Present(isThere).Unopened()), "/w/lib/c.go /w/web/src/b.ts /w/api/src/a.go", "unopened")
	for _, place := range disk {
		if !slices.Contains(s.Places(), place) {
			t.Errorf("places lack %s: %q", place, s.Places())
		}
	}
}

func TestFilesThatAreGoneAreNotPresent(t *testing.T) {
	s := folded(did("Edit", `{"file_path":"/w/a.go"}`, `{}`), did("Read", `{"file_path":"b.go"}`, `{}`), did("Edit", `{"file_path":"/w/c.go"}`, `{}`))
	here := s.Present(func(file string) bool { return file == "/w/b.go" || file == "/w/c.go" })
	expect.Equal(t, paths(here.Files), "b.go /w/c.go", "files that are there")
	expect.Equal(t, paths(s.Files), "/w/a.go b.go /w/c.go", "files of the state")
}

//go:build unix

package facts

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"hookline/expect"
)

// No program that a repository names runs while a branch is measured and its tree looked at: each would leave a file.
func TestNoProgramOfARepositoryRuns(t *testing.T) {
	dir, run := branchRepo(t)
	ran := realDir(t)
	canary := func(name string) string { return fmt.Sprintf("touch %s/%s; cat", ran, name) }
	write(t, filepath.Join(dir, ".gitattributes"), "*.txt filter=f diff=d merge=m\n*.dat filter=p\n*.md filter=with.dots\n")
	write(t, filepath.Join(dir, "b.dat"), "one\n")
	write(t, filepath.Join(dir, "c.md"), "one\n")
	run("add", ".")
	run("commit", "-q", "-m", "second")
	for _, name := range []string{"post-index-change", "post-checkout", "fsmonitor-watchman", "reference-transaction"} {
		hook := filepath.Join(dir, ".git", "hooks", name)
		write(t, hook, "#!/bin/sh\n"+canary("hook-"+name)+"\n")
		expect.OK(t, os.Chmod(hook, 0o755))
	}
	for key, name := range map[string]string{
		"core.fsmonitor": "fsmonitor", "core.sshCommand": "ssh", "core.pager": "pager", "pager.status": "pager-status", "core.editor": "editor",
		"filter.f.clean": "clean", "filter.f.smudge": "smudge", "filter.p.process": "process", "filter.with.dots.clean": "dots",
		"diff.external": "external", "diff.d.command": "command", "diff.d.textconv": "textconv", "merge.m.driver": "merge",
		"credential.helper": "credential", "core.askPass": "askpass", "gpg.program": "gpg", "core.gitProxy": "proxy", "alias.st": "alias",
	} {
		run("config", key, canary(name))
	}
	run("config", "alias.status", "!"+canary("alias-status"))
	run("config", "filter.f.required", "true")
	run("config", "remote.origin.url", "ssh://localhost:1/x")
	run("config", "remote.origin.promisor", "true")
	run("config", "core.repositoryFormatVersion", "1")
	run("config", "extensions.partialClone", "origin")

	lines(t, filepath.Join(dir, "a.txt"), 3)
	write(t, filepath.Join(dir, "b.dat"), "two\n")
	old := time.Now().Add(-time.Hour) // the content is as it was: only a look inside tells
	expect.OK(t, os.Chtimes(filepath.Join(dir, "c.md"), old, old))
	s := New()
	if dirty, err := s.Dirty(t.Context(), dir); err != nil || dirty != 2 {
		t.Errorf("%d files with changes, %v", dirty, err)
	}
	if size, err := s.SizeOf(t.Context(), SizeQuery{Worktree: dir, Branch: "feature/x"}); err != nil || size.Unstaged != (Lines{Insertions: 1, Deletions: 8}) {
		t.Errorf("%+v, %v", size, err)
	}
	if _, err := s.Branches(t.Context(), dir); err != nil {
		t.Error(err)
	}
	if _, err := New().Origin(t.Context(), filepath.Join(dir, ".git")); err != nil {
		t.Error(err)
	}
	left, err := os.ReadDir(ran)
	for _, f := range left {
		t.Errorf("%s ran", f.Name())
	}
	if err != nil {
		t.Error(err)
	}
}

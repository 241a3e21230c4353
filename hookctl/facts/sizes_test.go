package facts

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a branch is compared with, by the refs there are.
func TestBaseOfABranch(t *testing.T) {
	const head = "refs/remotes/origin/HEAD origin/develop\n"
	for _, tc := range []struct {
		name, branch, base, refs string
		want                     string
		fails                    error
	}{
		{name: "origin's default", branch: "x", refs: head + "refs/heads/main \n", want: "origin/develop"},
		{name: "origin's main before the local one", branch: "x", refs: "refs/remotes/origin/main \nrefs/heads/main \n", want: "origin/main"},
		{name: "on origin's default", branch: "develop", refs: head, fails: ErrNoBase},
		{name: "configured", branch: "x", base: "origin/next", want: "origin/next"},
		{name: "configured as its own remote", branch: "x", base: "origin/x", fails: ErrNoBase},
	} {
		s := &World{exec: func(_ context.Context, dir string, args ...string) ([]byte, error) {
			if dir != "/w" {
				t.Errorf("%s: git %q in %s", tc.name, args, dir)
			}
			return []byte(tc.refs), nil
		}}
		got, err := s.base(t.Context(), SizeQuery{Worktree: "/w", Branch: tc.branch, Base: tc.base})
		if got != tc.want || !errors.Is(err, tc.fails) || tc.fails == nil && err != nil {
			t.Errorf("%s: %q, %v; want %q, %v", tc.name, got, err, tc.want, tc.fails)
		}
	}
}

func TestCountLines(t *testing.T) {
	dir := realDir(t)
	for text, want := range map[string]int{"": 0, "\n": 1, "a\nb": 2, strings.Repeat("x\n", 100_000): 100_000} {
		path := filepath.Join(dir, "file")
		write(t, path, text)
		if got, read := countLines(path, 1<<20); got != want || read != int64(len(text)) {
			t.Errorf("%.20q: %d lines, %d bytes read", text, got, read)
		}
	}
	write(t, filepath.Join(dir, "file"), "a\nb\nc\n")
	if got, read := countLines(filepath.Join(dir, "file"), 3); got != 2 || read != 3 {
		t.Errorf("at the limit: %d lines, %d bytes read", got, read)
	}
	if os.Symlink(filepath.Join(dir, "file"), filepath.Join(dir, "link")) == nil {
		if got, _ := countLines(filepath.Join(dir, "link"), 100); got != 0 {
			t.Errorf("a link has %d lines", got)
		}
	}
}

package facts

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookline/expect"
)

const (
	sha1Hex   = "5f1d0c2e7b344f199a550000000000000000beef"
	sha256Hex = "5f1d0c2e7b344f199a550000000000000000beef5f1d0c2e7b344f199a55beef"
)

func TestReadHead(t *testing.T) {
	dir := realDir(t)
	for text, want := range map[string]string{
		"ref: refs/heads/main\n":       "refs/heads/main",
		"ref:refs/heads/a/b":           "refs/heads/a/b",
		"ref: \t refs/heads/tab\r\n":   "refs/heads/tab",
		"ref: refs/remotes/origin/x\n": "refs/remotes/origin/x",
		"ref: refs/heads/.invalid\n":   "refs/heads/.invalid",
		"ref: refs/heads/mit Blank\n":  "refs/heads/mit Blank",
		"ref: refs/heads/a\nSYSTEM\n":  "",
		sha1Hex + "\n":                 sha1Hex,
		sha256Hex:                      sha256Hex,
		sha1Hex + "  \t\n\n":           sha1Hex,
		"ref: heads/main\n":            "", // no full name
		"ref:\n":                       "",
		"":                             "",
		"main\n":                       "",
		strings.ToUpper(sha1Hex):       "", // git writes lower case
		sha1Hex[:39]:                   "",
		sha1Hex + "0":                  "",
		"ref: refs/" + strings.Repeat("x", maxPointer): "", // longer than a path may be
	} {
		path := filepath.Join(dir, "HEAD")
		write(t, path, text)
		info, err := os.Lstat(path)
		expect.OK(t, err)
		got, err := readHead(path, info)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%.60q: %q, %v", text, got, err)
		}
	}
}

func TestBranchOf(t *testing.T) {
	for head, want := range map[string]string{
		"refs/heads/main": "main", "refs/heads/feature/deep/x": "feature/deep/x", "refs/heads/": "",
		"refs/tags/v1": "", "refs/remotes/origin/main": "", sha1Hex: "", "": "",
	} {
		expect.Equal(t, branchOf(head), want, head)
	}
}

// reftabled is a folder that looks like a repository with a reftable.
func reftabled(t *testing.T) string {
	t.Helper()
	top := mkdir(t, filepath.Join(realDir(t), "shop"))
	write(t, top+"/.git/HEAD", "ref: refs/heads/.invalid\n")
	write(t, top+"/.git/refs/heads", "this repository uses the reftable format\n")
	mkdir(t, top+"/.git/objects")
	write(t, top+"/.git/reftable/tables.list", "0x1.ref\n")
	return top
}

// Without the list of tables git is asked once all the same: the list may be in the making.
func TestReftableWithoutTables(t *testing.T) {
	top := reftabled(t)
	remove(t, top+"/.git/reftable")
	calls := 0
	w := New(Options{Exec: func(context.Context, string, ...string) ([]byte, error) {
		calls++
		return []byte("refs/heads/main\n"), nil
	}})
	for range 3 {
		if got := w.Place(top); got.Branch != "main" || calls != 1 {
			t.Errorf("%+v, git ran %d times", got, calls)
		}
	}
	write(t, top+"/.git/reftable/tables.list", "0x1.ref\n")
	if got := w.Place(top); got.Branch != "main" || calls != 2 {
		t.Errorf("%+v, git ran %d times", got, calls)
	}
}

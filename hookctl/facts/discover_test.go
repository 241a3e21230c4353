package facts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookline/expect"
)

// skeleton makes what git takes for a git directory.
func skeleton(t *testing.T, gitDir, head string) {
	t.Helper()
	write(t, filepath.Join(gitDir, "HEAD"), head)
	mkdir(t, filepath.Join(gitDir, "objects"))
	mkdir(t, filepath.Join(gitDir, "refs"))
}

// What is found around a folder; a .git file that leads nowhere hides what is above.
func TestAround(t *testing.T) {
	const main = "ref: refs/heads/main\n"
	for _, tc := range []struct {
		name   string
		make   func(t *testing.T, dir string)
		gitDir string // below dir, "" for no repository, "above" for the one above
	}{
		{"nothing", func(*testing.T, string) {}, "above"},
		{"a repository", func(t *testing.T, dir string) { skeleton(t, dir+"/.git", main) }, ".git"},
		{"an empty .git", func(t *testing.T, dir string) { mkdir(t, dir+"/.git") }, "above"},
		{"HEAD and objects", func(t *testing.T, dir string) { write(t, dir+"/.git/HEAD", main); mkdir(t, dir+"/.git/objects") }, "above"},
		{"a pointer", func(t *testing.T, dir string) {
			skeleton(t, dir+"/elsewhere", main)
			write(t, dir+"/.git", "gitdir: elsewhere\n")
		}, "elsewhere"},
		{"a pointer to nothing", func(t *testing.T, dir string) { write(t, dir+"/.git", "gitdir: nowhere\n") }, ""},
		{"a pointer with dots and a carriage return", func(t *testing.T, dir string) {
			skeleton(t, dir+"/elsewhere", main)
			write(t, dir+"/.git", "gitdir:   "+dir+"/x/../elsewhere/\r\n")
		}, "elsewhere"},
		{"a pointer without a path", func(t *testing.T, dir string) { write(t, dir+"/.git", "gitdir:\n") }, ""},
		{"a pointer that is too long", func(t *testing.T, dir string) { write(t, dir+"/.git", "gitdir: /"+strings.Repeat("x", maxPointer)) }, ""},
		{"a pointer that is none", func(t *testing.T, dir string) { write(t, dir+"/.git", "hello\n") }, ""},
	} {
		top := realDir(t)
		skeleton(t, top+"/.git", main)
		dir := mkdir(t, top+"/below")
		tc.make(t, dir)
		want := filepath.Join(dir, tc.gitDir)
		if tc.gitDir == "above" {
			want = top + "/.git"
		}
		repo, err := New().around(dir)
		if err != nil || (repo == nil) != (tc.gitDir == "") || repo != nil && (repo.gitDir != want || repo.head == "") {
			t.Errorf("%s: %+v, %v", tc.name, repo, err)
		}
	}
}

// What is no directory has no place, and what cannot be told is not guessed.
func TestPlaceOfOddPaths(t *testing.T) {
	dir := realDir(t)
	plain := filepath.Join(dir, "file")
	write(t, plain, "")
	w := New()
	for _, path := range []string{"", ".", "relative/path", plain, plain + "/below", filepath.Join(dir, "none"), dir + "/" + strings.Repeat("x", 300)} {
		expect.Equal(t, w.Place(path), Place{Dir: path})
		expect.Equal(t, w.Place(path).Path(), path, "path")
	}
	expect.Equal(t, w.Place(dir), Place{Dir: dir, Name: filepath.Base(dir)})
	// A file takes the directory's place: what was known of it stays.
	known := w.Place(mkdir(t, filepath.Join(dir, "was")))
	expect.OK(t, os.Remove(filepath.Join(dir, "was")))
	write(t, filepath.Join(dir, "was"), "")
	expect.Equal(t, w.Place(filepath.Join(dir, "was")), known)
}

func TestNameOf(t *testing.T) {
	for dir, want := range map[string]string{
		"/srv/shop/.git": "shop", "/srv/shop/.bare": "shop", "/srv/shop.git": "shop", "/srv/shop": "shop",
		"/srv/shop/.git/modules/lib": "lib", "/srv/a.b.git": "a.b", "/.git": "/",
	} {
		if got := nameOf(filepath.FromSlash(dir)); filepath.ToSlash(got) != want {
			t.Errorf("%s: %q", dir, got)
		}
	}
}

const (
	sha1Hex   = "5f1d0c2e7b344f199a550000000000000000beef"
	sha256Hex = "5f1d0c2e7b344f199a550000000000000000beef5f1d0c2e7b344f199a55beef"
)

func TestReadHead(t *testing.T) {
	dir := realDir(t)
	for text, want := range map[string]string{
		"ref: refs/heads/main\n":       "refs/heads/main",
		"ref: \t refs/heads/tab\r\n":   "refs/heads/tab",
		"ref: refs/remotes/origin/x\n": "refs/remotes/origin/x",
		"ref: refs/heads/a\nSYSTEM\n":  "",
		sha1Hex + "\n":                 sha1Hex,
		sha256Hex:                      sha256Hex,
		"ref: heads/main\n":            "", // no full name
		"":                             "",
		strings.ToUpper(sha1Hex):       "", // git writes lower case
		sha1Hex[:39]:                   "",
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

package facts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookline/expect"
)

func TestReadPointer(t *testing.T) {
	dir := realDir(t)
	path := filepath.Join(dir, ".git")
	for _, tc := range []struct{ text, prefix, want string }{
		{"gitdir: /srv/x/.git/worktrees/y\n", "gitdir:", "/srv/x/.git/worktrees/y"},
		{"gitdir:/srv/x", "gitdir:", "/srv/x"},
		{"gitdir:   /srv/x/../z/\r\n", "gitdir:", "/srv/z"},
		{"gitdir: ../modules/a\n", "gitdir:", filepath.Join(filepath.Dir(dir), "modules", "a")},
		{"../..\n", "", filepath.Dir(filepath.Dir(dir))},
		{"gitdir: with blanks in it\n", "gitdir:", filepath.Join(dir, "with blanks in it")},
		{"gitdir:\n", "gitdir:", ""},
		{"dir: /srv/x\n", "gitdir:", ""},
		{"", "", ""},
		{"\n", "", ""},
		{"gitdir: /" + strings.Repeat("x", maxPointer), "gitdir:", ""},
	} {
		write(t, path, tc.text)
		if got, err := readPointer(path, tc.prefix); got != tc.want || (err == nil) != (tc.want != "") {
			t.Errorf("%.60q: %q, %v", tc.text, got, err)
		}
	}
}

// skeleton makes what git takes for a git directory.
func skeleton(t *testing.T, gitDir, head string) {
	t.Helper()
	write(t, filepath.Join(gitDir, "HEAD"), head)
	mkdir(t, filepath.Join(gitDir, "objects"))
	mkdir(t, filepath.Join(gitDir, "refs"))
}

// One level is looked at: what is found there, and whether the search ends.
func TestSearchAtOneLevel(t *testing.T) {
	const main = "ref: refs/heads/main\n"
	for _, tc := range []struct {
		name    string
		make    func(t *testing.T, dir string)
		gitDir  string // below dir, "" for no repository
		work    bool   // it has a work tree
		stopped bool
	}{
		{name: "nothing", make: nothing},
		{name: "a repository", make: func(t *testing.T, dir string) { skeleton(t, dir+"/.git", main) }, gitDir: ".git", work: true},
		{name: "detached", make: func(t *testing.T, dir string) { skeleton(t, dir+"/.git", sha1Hex+"\n") }, gitDir: ".git", work: true},
		{name: "a bare one", make: func(t *testing.T, dir string) { skeleton(t, dir, main) }, gitDir: "."},
		{name: "an empty .git", make: func(t *testing.T, dir string) { mkdir(t, dir+"/.git") }},
		{name: "HEAD alone", make: func(t *testing.T, dir string) { write(t, dir+"/.git/HEAD", main) }},
		{name: "HEAD and objects", make: func(t *testing.T, dir string) { write(t, dir+"/.git/HEAD", main); mkdir(t, dir+"/.git/objects") }},
		{name: "a HEAD that is none", make: func(t *testing.T, dir string) { skeleton(t, dir+"/.git", "nonsense\n") }},
		{name: "an empty .git in a bare one", make: func(t *testing.T, dir string) { skeleton(t, dir, main); mkdir(t, dir+"/.git") }, gitDir: "."},
		{name: "a pointer", make: func(t *testing.T, dir string) {
			skeleton(t, dir+"/elsewhere", main)
			write(t, dir+"/.git", "gitdir: elsewhere\n")
		}, gitDir: "elsewhere", work: true},
		{name: "a pointer to nothing", make: func(t *testing.T, dir string) { write(t, dir+"/.git", "gitdir: nowhere\n") }, stopped: true},
		{name: "a pointer that is none", make: func(t *testing.T, dir string) { write(t, dir+"/.git", "hello\n") }, stopped: true},
		{name: "a pointer in a bare one", make: func(t *testing.T, dir string) { skeleton(t, dir, main); write(t, dir+"/.git", "hello\n") }, stopped: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := realDir(t)
			tc.make(t, dir)
			var s search
			repo, stop, err := s.at(dir)
			if err != nil || stop != tc.stopped || (repo != nil) != (tc.gitDir != "") {
				t.Fatalf("%+v, stop %v, %v", repo, stop, err)
			}
			if len(s.marks) == 0 {
				t.Error("the answer depends on nothing")
			}
			if repo == nil {
				return
			}
			work := ""
			if tc.work {
				work = dir
			}
			if repo.gitDir != filepath.Join(dir, tc.gitDir) || repo.worktree != work || repo.head == "" {
				t.Errorf("%+v", repo)
			}
		})
	}
}

// What is no directory has no place, and what cannot be told is not guessed.
func TestPlaceOfOddPaths(t *testing.T) {
	dir := realDir(t)
	plain := filepath.Join(dir, "file")
	write(t, plain, "")
	w := New(Options{})
	for _, path := range []string{"", ".", "relative/path", plain, plain + "/below", filepath.Join(dir, "none"), dir + "/" + strings.Repeat("x", 300)} {
		wantPlace(t, w.Place(path), Place{Dir: path})
		expect.Equal(t, w.Place(path).Path(), path, "path")
	}
	wantPlace(t, w.Place(dir), Place{Dir: dir, Name: filepath.Base(dir)})
	// A file takes the directory's place: what was known of it stays.
	known := w.Place(mkdir(t, filepath.Join(dir, "was")))
	remove(t, filepath.Join(dir, "was"))
	write(t, filepath.Join(dir, "was"), "")
	wantPlace(t, w.Place(filepath.Join(dir, "was")), known)
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

// The id is of the path with its links resolved; another spelling of one folder is the same project.
func TestProjectIDOfOneFolder(t *testing.T) {
	dir := realDir(t)
	top := mkdir(t, filepath.Join(dir, "shop"))
	id := ProjectID(top)
	if len(id) != 12 || strings.Trim(id, "0123456789abcdef") != "" {
		t.Errorf("id %q", id)
	}
	for _, same := range []string{top + "/", top + "/.", dir + "/./shop", dir + "/other/../shop"} {
		expect.Equal(t, ProjectID(same), id, same)
	}
	if err := os.Symlink(top, filepath.Join(dir, "link")); err == nil && ProjectID(filepath.Join(dir, "link")) != id {
		t.Error("a link is another project")
	}
	for _, other := range []string{dir, top + "2", filepath.Join(dir, "Shop2")} {
		if ProjectID(other) == id {
			t.Errorf("%s is the same project", other)
		}
	}
}

//go:build unix

package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"hookline/expect"
	"hookline/hookctl/problem"
)

func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	return expect.Value(os.Stat(path))(t).Mode().Perm()
}

func link(t *testing.T, to, path string) {
	t.Helper()
	expect.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
	expect.OK(t, os.Symlink(to, path))
}

func TestMissingFileIsMadeAndRemovedAgain(t *testing.T) {
	o := options(t)
	path := o.Path()
	res := mustInstall(t, o)
	if res.Backup != "" || mode(t, path) != 0o600 || mode(t, filepath.Dir(path)) != 0o700 {
		t.Errorf("%+v, modes %o %o", res, mode(t, path), mode(t, filepath.Dir(path)))
	}
	o.Profile = Identity
	mustInstall(t, o)
	if res := mustUninstall(t, o); !res.Changed || res.Removed != 5 {
		t.Errorf("%+v", res)
	}
	if _, err := os.Stat(filepath.Dir(path)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder is left behind: %v", err)
	}
	if res := mustUninstall(t, o); res.Changed {
		t.Errorf("nothing there: %+v", res)
	}
}

func TestModeAndOwnerStay(t *testing.T) {
	o := options(t)
	path := put(t, o, "{}")
	expect.OK(t, os.Chmod(path, 0o664))
	uid := os.Getuid()
	if uid == 0 { // only root can make a file somebody else's
		uid = 12345
		expect.OK(t, os.Chown(path, uid, 23456))
	}
	for range 2 {
		res := mustInstall(t, o)
		info := expect.Value(os.Stat(path))(t)
		if st := info.Sys().(*syscall.Stat_t); int(st.Uid) != uid || info.Mode().Perm() != 0o664 {
			t.Errorf("uid %d, mode %o", st.Uid, info.Mode().Perm())
		}
		if res.Backup != "" && mode(t, res.Backup) != 0o600 {
			t.Errorf("backup has mode %o", mode(t, res.Backup))
		}
		mustUninstall(t, o)
	}
}

func TestReadOnlyFile(t *testing.T) {
	o := options(t)
	text := `{"hooks":{"Stop":[{"hooks":[{"command":"hookctl hook Stop"}]}]}}`
	path := put(t, o, text)
	expect.OK(t, os.Chmod(path, 0o444))
	_, err := Install(o)
	if err == nil || !strings.HasSuffix(err.Error(), " is read-only") || get(t, path) != text || mode(t, path) != 0o444 || len(names(t, filepath.Dir(path))) != 1 {
		t.Errorf("%v, or the file was touched", err)
	}
}

func TestSymlinkStaysAndItsTargetIsReplaced(t *testing.T) {
	o := options(t)
	dotfiles := filepath.Join(o.Home, "dotfiles")
	target := filepath.Join(dotfiles, "claude.json")
	expect.OK(t, os.MkdirAll(dotfiles, 0o700))
	if err := errors.Join(os.WriteFile(target, []byte(`{"a":1}`), 0o600), os.Chmod(target, 0o640)); err != nil { // whatever the umask
		t.Fatal(err)
	}
	link(t, "../dotfiles/middle", o.Path())
	link(t, target, filepath.Join(dotfiles, "middle"))
	res := mustInstall(t, o)
	if res.Path != o.Path() || res.Backup != o.Path()+backupSuffix || get(t, res.Backup) != `{"a":1}` {
		t.Errorf("%+v", res)
	}
	if to, err := os.Readlink(o.Path()); err != nil || to != "../dotfiles/middle" {
		t.Errorf("link to %q, %v", to, err)
	}
	if !strings.Contains(get(t, target), testBinary) || mode(t, target) != 0o640 {
		t.Errorf("target: %o %.100s", mode(t, target), get(t, target))
	}
	if mustUninstall(t, o); get(t, target) != `{"a":1}` {
		t.Errorf("left %q", get(t, target))
	}
	if got := names(t, dotfiles); !reflect.DeepEqual(got, []string{"claude.json", "middle"}) {
		t.Errorf("left behind: %v", got)
	}
}

// A link that leads to nothing, or to itself, is refused with what to do.
func TestSymlinkToNothing(t *testing.T) {
	for _, to := range []string{"../new.json", "settings.json"} {
		o := options(t)
		link(t, to, o.Path())
		_, err := Install(o)
		var bad *problem.Error
		if !errors.As(err, &bad) || !strings.Contains(bad.Hint, "symbolic link") {
			t.Errorf("%s: %v", to, err)
		}
		if got, err := os.Readlink(o.Path()); err != nil || got != to {
			t.Errorf("link to %q, %v", got, err)
		}
	}
}

// The client writes while we do: its write stays and ours comes on top.
func TestConcurrentWriterIsNotLost(t *testing.T) {
	o := options(t)
	path := put(t, o, "{\n  \"n\": 0\n}\n")
	writes := 0
	o.beforeRename = func() {
		if writes < 3 {
			writes++
			put(t, o, fmt.Sprintf("{\n  \"n\": %d\n}\n", writes))
		}
	}
	res, err := Install(o)
	if err != nil || !res.Changed || writes != 3 {
		t.Fatalf("%+v, %v, %d writes", res, err, writes)
	}
	if got := get(t, path); !strings.HasPrefix(got, "{\n  \"n\": 3,\n  \"hooks\": {\n") {
		t.Errorf("%.100s", got)
	}
	expect.Equal(t, get(t, res.Backup), "{\n  \"n\": 3\n}\n", "backup is not what was replaced")
	if got := names(t, filepath.Dir(path)); len(got) != 2 {
		t.Errorf("left behind: %v", got)
	}
}

// One that never stops: given up after eight attempts, nothing lost.
func TestRestlessWriter(t *testing.T) {
	o := options(t)
	path := put(t, o, "{}")
	writes := 0
	o.beforeRename = func() {
		writes++
		put(t, o, fmt.Sprintf("{\"n\": %d}", writes))
	}
	_, err := Install(o)
	if err == nil || !strings.HasPrefix(err.Error(), "another program keeps writing ") || writes != 8 {
		t.Errorf("%v after %d writes", err, writes)
	}
	if get(t, path) != `{"n": 8}` || len(names(t, filepath.Dir(path))) != 1 {
		t.Errorf("%q, %v", get(t, path), names(t, filepath.Dir(path)))
	}
}

// The parser has no bound of its own: at brackets that a clone may hold its stack would overflow.
func TestPlain(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ text, want string }{
		"deep":     {strings.Repeat("[", 12<<20), ""},
		"large":    {strings.Repeat(" ", maxSize+1), ""},
		"comments": {"{\"a\": 1, // one\n}", "{\"a\": 1        \n}"},
	} {
		path := filepath.Join(dir, name)
		expect.OK(t, os.WriteFile(path, []byte(c.text), 0o600))
		if got, err := Plain(path); string(got) != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %.40q, %v", name, got, err)
		}
	}
	if got, err := Plain(filepath.Join(dir, "none")); got != nil || err != nil {
		t.Errorf("of no file: %q, %v", got, err)
	}
}

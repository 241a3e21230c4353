package facts

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"hookline/expect"
)

// settled makes a file's times old enough to be believed.
func settled(t *testing.T, file, text string) string {
	t.Helper()
	write(t, file, text)
	age(t, file)
	return file
}

// What a mark was taken of is changed in one way; it is the same or it is not.
func TestMarkSees(t *testing.T) {
	for _, tc := range []struct {
		name   string
		link   bool
		before func(t *testing.T, path string)
		after  func(t *testing.T, path string)
		same   bool
	}{
		{name: "nothing happened", before: file, after: nothing, same: true},
		{name: "nothing was there, nothing is", before: nothing, after: nothing, same: true},
		{name: "the folder above is gone too", before: nothing, after: func(t *testing.T, path string) { remove(t, filepath.Dir(path)) }, same: true},
		{name: "it appeared", before: nothing, after: file},
		{name: "it went", before: file, after: remove},
		{name: "another length", before: file, after: func(t *testing.T, path string) { write(t, path, "longer than before") }},
		{name: "another time", before: file, after: func(t *testing.T, path string) {
			chtimes(t, path, time.Now().Add(-time.Minute))
		}},
		{name: "another file of the same looks", before: file, after: func(t *testing.T, path string) {
			info := expect.Value(os.Stat(path))(t)
			write(t, path+".new", "text")
			chtimes(t, path+".new", info.ModTime())
			expect.OK(t, os.Rename(path+".new", path))
		}},
		{name: "a folder in the file's place", before: file, after: func(t *testing.T, path string) { remove(t, path); mkdir(t, path) }},
		{name: "too young to be believed", before: young, after: nothing},
		{name: "a file more in a folder", before: folder, after: func(t *testing.T, path string) { write(t, filepath.Join(path, "x"), "") }, same: true},
		{name: "another folder of that name", before: folder, after: func(t *testing.T, path string) {
			mkdir(t, path+".new")
			remove(t, path)
			expect.OK(t, os.Rename(path+".new", path))
		}},
		{name: "a link's target changes, and the target counts", before: linkTo("one"), after: func(t *testing.T, path string) {
			settled(t, filepath.Join(filepath.Dir(path), "one"), "longer than before")
		}},
		{name: "a link's target changes, and the link counts", link: true, before: linkTo("one"), after: func(t *testing.T, path string) {
			settled(t, filepath.Join(filepath.Dir(path), "one"), "longer than before")
		}, same: true},
		{name: "a link is turned, and the target counts", before: linkTo("one"), after: linkTo("two")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := filepath.Join(realDir(t), "a", "b")
			mkdir(t, filepath.Dir(path))
			tc.before(t, path)
			m := expect.Value(look(path, tc.link))(t)
			if tc.link {
				m.settled = true // a link's own time cannot be set everywhere
			}
			tc.after(t, path)
			if same, err := m.same(); same != tc.same || err != nil {
				t.Errorf("same: %v, %v", same, err)
			}
		})
	}
}

func nothing(*testing.T, string) {}

func file(t *testing.T, path string) { settled(t, path, "text") }

// young makes a file that stays young, however busy the machine is.
func young(t *testing.T, path string) {
	write(t, path, "text")
	chtimes(t, path, time.Now().Add(time.Minute))
}

func folder(t *testing.T, path string) { mkdir(t, path) }

func remove(t *testing.T, path string) {
	t.Helper()
	expect.OK(t, os.RemoveAll(path))
}

func chtimes(t *testing.T, path string, at time.Time) {
	t.Helper()
	expect.OK(t, os.Chtimes(path, at, at))
}

// linkTo puts a link at the path, to a settled file beside it.
func linkTo(name string) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		if runtime.GOOS == "windows" {
			t.Skip("links need a privilege here")
		}
		target := settled(t, filepath.Join(filepath.Dir(path), name), name)
		_ = os.Remove(path)
		expect.OK(t, os.Symlink(target, path))
	}
}

// A path that cannot be looked at is neither the same nor another one.
func TestMarkInTrouble(t *testing.T) {
	path := filepath.Join(realDir(t), strings.Repeat("x", 300)) // longer than a name may be
	if _, err := look(path, false); err == nil || absent(err) {
		t.Errorf("look: %v", err)
	}
	m := mark{path: path}
	if same, err := m.same(); same || err == nil {
		t.Errorf("same: %v, %v", same, err)
	}
}

func TestAbsent(t *testing.T) {
	plain := settled(t, filepath.Join(realDir(t), "file"), "")
	_, below := os.Stat(filepath.Join(plain, "below"))
	for _, tc := range []struct {
		err  error
		want bool
	}{
		{fs.ErrNotExist, true}, {&fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}, true},
		{below, true}, {fs.ErrPermission, false}, {errors.New("other"), false}, {nil, false},
	} {
		expect.Equal(t, absent(tc.err), tc.want, tc.err)
	}
}

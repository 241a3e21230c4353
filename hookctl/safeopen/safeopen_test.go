//go:build unix

package safeopen

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"hookline/expect"
)

// What is no regular file is refused at once, under its own name and behind a link.
func TestNoRegularFile(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip(err)
	}
	for _, path := range []string{fifo, "/dev/null", "/dev/ptmx", dir, link(t, fifo), link(t, "/dev/ptmx"), link(t, dir)} {
		for _, kind := range []Kind{Own, User, Foreign} {
			data, err := ReadFile(kind, path, 100)
			if err == nil {
				t.Errorf("%v: %s gives %q", kind, path, data)
			}
		}
	}
	if _, err := ReadFile(Foreign, fifo, 100); !errors.Is(err, ErrRefused) {
		t.Errorf("a pipe: %v", err)
	}
}

func link(t *testing.T, to string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "link")
	expect.OK(t, os.Symlink(to, path))
	return path
}

func TestRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	expect.OK(t, os.WriteFile(file, []byte("12345"), 0o600))
	for _, c := range []struct {
		kind    Kind
		path    string
		most    int64
		refused bool
	}{
		{Own, file, 5, false},
		{User, link(t, file), 5, false},
		{Foreign, link(t, file), 5, false},
		{Own, link(t, file), 5, true},
		{Foreign, file, 4, true},
	} {
		data, err := ReadFile(c.kind, c.path, c.most)
		if c.refused != errors.Is(err, ErrRefused) || !c.refused && string(data) != "12345" {
			t.Errorf("%+v: %q %v", c, data, err)
		}
	}
	if _, err := ReadFile(Own, file+"x", 5); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// What a link leads to is neither made nor emptied.
func TestWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	expect.OK(t, WriteFile(file, []byte("kept")))
	if err := WriteFile(link(t, file), nil); !errors.Is(err, ErrRefused) {
		t.Errorf("through a link: %v", err)
	}
	if err := WriteFile(link(t, file+"x"), nil); err == nil {
		t.Error("through a link to nothing")
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "kept" {
		t.Errorf("%q %v", data, err)
	}
	if _, err := os.Stat(file + "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := WriteFile(file, []byte("ne")); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "ne" {
		t.Errorf("%q %v", data, err)
	}
}

// Only root can make a file another's.
func TestOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	file := filepath.Join(t.TempDir(), "file")
	expect.OK(t, os.WriteFile(file, nil, 0o644))
	if err := os.Chown(file, 65534, 65534); err != nil {
		t.Skip(err)
	}
	for kind, refused := range map[Kind]bool{Own: true, User: true, Foreign: false} {
		if _, err := ReadFile(kind, file, 1); errors.Is(err, ErrRefused) != refused {
			t.Errorf("%v: %v", kind, err)
		}
	}
	expect.OK(t, os.Chown(filepath.Dir(file), 65534, 65534))
	if _, err := ReadDir(Own, filepath.Dir(file), -1); !errors.Is(err, ErrRefused) {
		t.Errorf("a folder of another: %v", err)
	}
}

func TestCheckProgram(t *testing.T) {
	dir := expect.Value(filepath.EvalSymlinks(t.TempDir()))(t)
	bin := filepath.Join(dir, "bin")
	program := filepath.Join(bin, "hookd")
	expect.OK(t, errors.Join(os.Mkdir(bin, 0o755), os.WriteFile(program, nil, 0o755)))
	if err := CheckProgram(program); err != nil {
		t.Skip(err) // the temp folder of this machine is open to others
	}
	for _, c := range []struct {
		path string
		mode os.FileMode
	}{{program, 0o777}, {bin, 0o777}, {dir, 0o775}} {
		expect.OK(t, os.Chmod(c.path, c.mode))
		if err := CheckProgram(program); !errors.Is(err, ErrRefused) {
			t.Errorf("%s with mode %v: %v", c.path, c.mode, err)
		}
		expect.OK(t, os.Chmod(c.path, 0o755))
	}
	if err := CheckProgram(link(t, program)); !errors.Is(err, ErrRefused) {
		t.Errorf("a link: %v", err)
	}
	if err := CheckProgram(program + "x"); err == nil {
		t.Error("what is not there")
	}
}

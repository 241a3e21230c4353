//go:build unix

package home

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hookline/expect"
	"hookline/hookctl/problem"
	"hookline/hookctl/wire"
)

func TestLocate(t *testing.T) {
	run := t.TempDir()
	for _, second := range []string{"", "/a:/b"} {
		getenv := func(name string) string {
			return map[string]string{"HOOKLINE_HOME": "/h", "XDG_RUNTIME_DIR": run, "TMPDIR": "/t", "HOOKLINE_SECOND": second}[name]
		}
		var fallbacks []string
		for _, place := range wire.FallbackFolders(getenv) {
			fallbacks = append(fallbacks, place+"/"+wire.Hash("/h")+"/spool")
		}
		p := Locate(getenv)
		if p.Home != "/h" || p.Spool != "/h/spool" || p.Log != "/h/hookd.log" || p.Lock != "/h/hookd.lock" || p.Store != "/h/store" ||
			p.Keys != "/h/keys" || !slices.Equal(p.Fallbacks, fallbacks) || p.Socket != wire.Socket(getenv) || p.Note != "" {
			t.Errorf("%+v", p)
		}
	}
	if p := Locate(func(string) string { return "" }); p.Note == "" {
		t.Error("no word about the missing HOME")
	}
}

func TestPrivateDir(t *testing.T) {
	dir := t.TempDir()
	made := filepath.Join(dir, "a", "b")
	expect.OK(t, PrivateDir(made))
	for _, path := range []string{made, filepath.Dir(made)} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v %v", path, info.Mode(), err)
		}
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(made, link); err != nil {
		t.Skip(err)
	}
	if err := PrivateDir(link); err != nil {
		t.Errorf("a link of our own: %v", err)
	}
	for mode, ok := range map[os.FileMode]bool{0o700: true, 0o755: true, 0o770: false, 0o777: false, 0o777 | os.ModeSticky: false} {
		expect.OK(t, os.Chmod(made, mode))
		if err := PrivateDir(made); (err == nil) != ok {
			t.Errorf("%v: %v", mode, err)
		}
		if info, err := os.Stat(made); err != nil || info.Mode().Perm() != mode.Perm() {
			t.Errorf("%v was changed to %v", mode, info.Mode())
		}
	}
}

// A home that others can write to is not used, nor one with files of others in it.
func TestCheck(t *testing.T) {
	p := PathsOf(filepath.Join(t.TempDir(), "a", "home"), func(string) string { return "" })
	if err := p.Check(); err != nil {
		t.Errorf("not there yet: %v", err)
	}
	expect.OK(t, PrivateDir(p.Home))
	if err := os.Symlink(t.TempDir(), p.Store); err != nil {
		t.Skip(err)
	}
	if err := p.Check(); err != nil {
		t.Errorf("a store elsewhere, by a link of our own: %v", err)
	}
	expect.OK(t, os.Chmod(p.Home, 0o770))
	var refused *problem.Error
	if err := p.Check(); !errors.Is(err, ErrOpen) || !errors.As(err, &refused) || refused.Hint == "" {
		t.Errorf("open to others: %v", err)
	}
}

// Only root can make files another's.
func TestCheckOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	const other = 65534
	p := PathsOf(filepath.Join(t.TempDir(), "home"), func(string) string { return "" })
	if err := os.Symlink("/etc/passwd", filepath.Join(t.TempDir(), "x")); err != nil {
		t.Skip(err)
	}
	if err := os.Chown(filepath.Dir(p.Home), other, other); err != nil {
		t.Skip(err)
	}
	if err := p.Check(); !errors.Is(err, ErrForeign) {
		t.Errorf("to be made by root in a folder of another: %v", err)
	}
	expect.OK(t, PrivateDir(p.Home))
	if err := p.Check(); err != nil {
		t.Errorf("root's own: %v", err)
	}
	expect.OK(t, os.Symlink("/etc/passwd", p.Log))
	expect.OK(t, os.Lchown(p.Log, other, other))
	if err := p.Check(); !errors.Is(err, ErrForeign) {
		t.Errorf("a link that another put there: %v", err)
	}
}

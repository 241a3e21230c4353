//go:build unix

package home

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hookline/hookctl/wire"
)

func TestLocate(t *testing.T) {
	run := t.TempDir()
	temp := wire.Temp(os.Getenv) + "/" + wire.Hash("/h") + "/spool"
	for _, c := range []struct {
		run       string
		fallbacks []string
	}{
		{run, []string{temp, run + "/hookline/" + wire.Hash("/h") + "/spool"}},
		{"", []string{temp}},
		{"/none", []string{temp}},
	} {
		getenv := func(name string) string {
			switch name {
			case "HOOKLINE_HOME":
				return "/h"
			case "XDG_RUNTIME_DIR":
				return c.run
			case "TMPDIR":
				return os.Getenv("TMPDIR")
			}
			return ""
		}
		p := Locate(getenv)
		if p.Home != "/h" || p.Spool != "/h/spool" || p.Log != "/h/hookd.log" || p.Lock != "/h/hookd.lock" || p.Store != "/h/store" ||
			p.Keys != "/h/keys" || !slices.Equal(p.Fallbacks, c.fallbacks) || p.Socket != wire.Socket(getenv) || p.Note != "" {
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
	if err := PrivateDir(made); err != nil {
		t.Fatal(err)
	}
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
		if err := os.Chmod(made, mode); err != nil {
			t.Fatal(err)
		}
		if err := PrivateDir(made); (err == nil) != ok {
			t.Errorf("%v: %v", mode, err)
		}
		if info, err := os.Stat(made); err != nil || info.Mode().Perm() != mode.Perm() {
			t.Errorf("%v was changed to %v", mode, info.Mode())
		}
	}
}

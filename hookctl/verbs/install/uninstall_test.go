package install

import (
	"os"
	"path/filepath"
	"testing"

	"hookline/expect"
)

// HOOKLINE_SOCKET may name anything; a purge removes no folder and no file that it leads to.
func TestPurgeLeavesWhatTheSocketNames(t *testing.T) {
	for _, name := range []string{"folder", "file"} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		putFile(t, filepath.Join(dir, "file"), "kept")
		putFile(t, filepath.Join(dir, "folder", "file"), "kept")
		home := filepath.Join(t.TempDir(), "home")
		putFile(t, filepath.Join(home, "store", "x"), "log")
		getenv := func(k string) string {
			return map[string]string{"HOOKLINE_SOCKET": path, "HOOKLINE_SECOND": t.TempDir()}[k]
		}
		if left, err := removeHome(home, getenv); err != nil || len(left) > 0 {
			t.Errorf("%s: %v %v", name, left, err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(home); err == nil {
			t.Errorf("%s: the home is left", name)
		}
	}
}

// putFile writes a file, and makes the folder that it is in.
func putFile(t *testing.T, path, text string) {
	t.Helper()
	expect.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
	expect.OK(t, os.WriteFile(path, []byte(text), 0o600))
}

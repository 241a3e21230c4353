// Package hometest is what tests of several packages need around a home: its places, and a daemon of it that
// is the test binary itself.
package hometest

import (
	"os"
	"path/filepath"
	"testing"

	"hookline/hookctl/wire"
)

// Isolate makes the places of a test independent of the machine.
func Isolate(t *testing.T) {
	t.Helper()
	t.Setenv("XDG_RUNTIME_DIR", "")
	t.Setenv("HOOKLINE_SOCKET", "")
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("HOOKLINE_SECOND", os.Getenv("TMPDIR"))
}

// ShortTemp makes the temp folder of this process one with a short name, where this machine's has a long one: the
// path of a socket may have 100 bytes, and the folders of a test need some eighty. It is for a TestMain.
func ShortTemp() {
	if dir := shortTemp(); dir != os.TempDir() {
		_ = os.Setenv("TMPDIR", dir) // cannot fail with this name
	}
}

func shortTemp() string {
	const short = "/tmp"
	dir := os.TempDir()
	if info, err := os.Stat(short); len(dir) > 20 && err == nil && info.IsDir() {
		return short
	}
	return dir
}

// SocketDir is a folder that only the user can enter, whose name is short enough for a socket in it; that of
// t.TempDir is too long on some machines.
func SocketDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(shortTemp(), "hl")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // what is left of it is in the temp folder
	return dir
}

// Unwritable is a folder that cannot be made, not even by root.
func Unwritable(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(file, "x")
}

// Frame is a complete Stop hook of this Unix millisecond.
func Frame(ms int64, body string) wire.Frame {
	return wire.Frame{ID: wire.NewID(ms), Args: []string{"hook", "Stop"}, Cwd: "/p", Time: ms, Env: map[string]string{"CLAUDE_PID": "7"},
		Complete: true, Size: int64(len(body)), Body: []byte(body)}
}

// Package hometest is what tests of several packages need around a home.
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
}

// Unwritable is a folder that nobody can make, not even root.
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

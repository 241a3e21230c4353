package settings

import (
	"os"
	"path/filepath"
	"testing"

	"hookline/expect"
)

// The repository's own settings are what `hookctl install --project` writes.
func TestRepositorySettings(t *testing.T) {
	own := expect.Value(os.ReadFile(filepath.Join("..", "..", ".claude", "settings.json")))(t)
	dir := t.TempDir()
	expect.Value(Install(Options{Scope: Project, Profile: Full, Home: t.TempDir(), ProjectDir: dir, Binary: "/usr/local/bin/hookctl"}))(t)
	written := expect.Value(os.ReadFile(filepath.Join(dir, ".claude", "settings.json")))(t)
	if string(own) != string(written) {
		t.Errorf("run `hookctl install --project` here and commit .claude/settings.json; it would write\n%s", written)
	}
}

package settings

import (
	"os"
	"path/filepath"
	"testing"
)

// The repository's own settings are what `hookctl install --project` writes.
func TestRepositorySettings(t *testing.T) {
	own, err := os.ReadFile(filepath.Join("..", "..", ".claude", "settings.json"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := Install(Options{Scope: Project, Profile: Full, Home: t.TempDir(), ProjectDir: dir, Binary: "/usr/local/bin/hookctl"}); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(filepath.Join(dir, ".claude", "settings.json"))
	if err != nil {
		t.Fatal(err)
	}
	if string(own) != string(written) {
		t.Errorf("run `hookctl install --project` here and commit .claude/settings.json; it would write\n%s", written)
	}
}

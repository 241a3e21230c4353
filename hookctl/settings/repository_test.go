package settings

import (
	"path/filepath"
	"testing"
)

// The repository's own settings are what `hookctl install --project` writes.
func TestRepositorySettings(t *testing.T) {
	o := options(t)
	o.Scope = Project
	mustInstall(t, o)
	written := get(t, o.Path())
	if get(t, filepath.Join("..", "..", ".claude", "settings.json")) != written {
		t.Errorf("run `hookctl install --project` here and commit .claude/settings.json; it would write\n%s", written)
	}
}

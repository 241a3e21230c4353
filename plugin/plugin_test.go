package plugin

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookline/expect"
)

// TestVersion: the plugin of this repository has the version of the release.
func TestVersion(t *testing.T) {
	version := expect.Value(os.ReadFile(filepath.Join("..", "VERSION")))(t)
	text := expect.Value(os.ReadFile(filepath.Join(".claude-plugin", "plugin.json")))(t)
	var manifest struct{ Name, Version string }
	expect.OK(t, json.Unmarshal(text, &manifest))
	if manifest.Name != Name || manifest.Version != strings.TrimSpace(string(version)) {
		t.Errorf("the manifest has %+v; VERSION is %s", manifest, version)
	}
}

// TestWrite writes twice, the second time over the first.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	for _, hooks := range []string{`{"hooks":{}}`, `{"hooks":{"Stop":[]}}`} {
		expect.OK(t, Write(dir, []byte(hooks), "/opt/hookctl"))
		got, err := os.ReadFile(filepath.Join(dir, "plugin", "hooks", "hooks.json"))
		if err != nil || string(got) != hooks {
			t.Errorf("hooks.json is %s, %v", got, err)
		}
	}
	for _, name := range []string{".claude-plugin/marketplace.json", "plugin/.claude-plugin/plugin.json", "plugin/skills/what-happened/SKILL.md", "plugin/README.md", "plugin/.mcp.json"} {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil || info.Mode().Perm()&0o077 != 0 && filepath.Separator == '/' {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

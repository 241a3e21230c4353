package settings

import (
	"os"
	"path/filepath"
	"testing"

	"hookline/expect"
)

// TestPluginOfTheRepository: the plugin that lies in this repository has the hooks of the full profile, called by bare name.
func TestPluginOfTheRepository(t *testing.T) {
	path := filepath.Join("..", "..", "plugin", "hooks", "hooks.json")
	want := PluginHooks("hookctl")
	if os.Getenv("UPDATE") != "" {
		expect.OK(t, os.WriteFile(path, want, 0o600))
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != string(want) {
		t.Errorf("%s is not what PluginHooks gives (%v); UPDATE=1 go test ./hookctl/settings writes it", path, err)
	}
}

func TestPluginSwitchedOn(t *testing.T) {
	for text, want := range map[string]string{
		`{"enabledPlugins": {"hookline@hookline": true}}`:                                      "hookline@hookline",
		`{"enabledPlugins": {"a@b": true, "hookline@team": true, "hookline@hookline": false}}`: "hookline@team",
		`{"enabledPlugins": {"hookline@hookline": false}}`:                                     "",
		`{"enabledPlugins": []}`:                                                               "",
		`{"enabledPlugins": {"xhookline@hookline": true}}`:                                     "",
	} {
		o := options(t)
		put(t, o, text)
		expect.Equal(t, Inspect(o).Plugin, want, text)
	}
}

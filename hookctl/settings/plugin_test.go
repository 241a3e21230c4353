package settings

import (
	"encoding/json"
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
	var file struct {
		Hooks map[string][]struct {
			Hooks []struct {
				Command string
				Args    []string
			}
		}
	}
	expect.OK(t, json.Unmarshal(got, &file))
	expect.Equal(t, len(file.Hooks), 31, "hooks, want 31")
	if h := file.Hooks["Stop"][0].Hooks[0]; h.Command != "hookctl" || len(h.Args) != 2 || h.Args[1] != "Stop" {
		t.Errorf("Stop calls %+v", h)
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
		home := t.TempDir()
		o := Options{Home: home, ProjectDir: t.TempDir(), Binary: "/opt/hookctl"}
		expect.OK(t, os.Mkdir(filepath.Join(home, ".claude"), 0o700))
		expect.OK(t, os.WriteFile(o.Path(), []byte(text), 0o600))
		st, err := Inspect(o)
		if err != nil || st.Plugin != want {
			t.Errorf("%s: %q, %v; want %q", text, st.Plugin, err, want)
		}
	}
}

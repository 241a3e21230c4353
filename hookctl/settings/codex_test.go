package settings

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"hookline/expect"
)

func codexOptions(t *testing.T) Options {
	o := options(t)
	o.Client = Codex
	return o
}

// Codex' hooks go into its own file, in the form of a shell's command line with whole seconds, beside hooks of others.
func TestInstallForCodex(t *testing.T) {
	o := codexOptions(t)
	path := put(t, o, `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"notify-send done"}]}]}}`)
	expect.EqualNow(t, path, filepath.Join(o.Home, ".codex", "hooks.json"), "path")
	before := get(t, path)

	res := mustInstall(t, o)
	if res.Added != 12 || strings.Join(res.Foreign, " ") != "Stop" {
		t.Errorf("%+v", res)
	}
	var file struct {
		Hooks map[string][]struct {
			Hooks []struct {
				Type, Command string
				Timeout       uint64
			}
		}
	}
	expect.OK(t, json.Unmarshal([]byte(get(t, path)), &file))
	if got := file.Hooks["Stop"][1].Hooks[0]; got.Type != "command" || got.Command != testBinary+" hook Stop --client codex" || got.Timeout != 12 {
		t.Errorf("Stop: %+v", got)
	}
	if again := mustInstall(t, o); again.Changed {
		t.Errorf("a second install changed it: %+v", again)
	}

	st := Inspect(o)
	if s := st.Scopes[0]; len(st.Scopes) != 2 || s.Hooks != 12 || !s.Current || strings.Join(s.Binaries, " ") != testBinary {
		t.Errorf("%+v", st)
	}
	mustUninstall(t, o)
	expect.Equal(t, get(t, path), before, "after uninstall")
}

// A program whose path has a blank is one word of the command line.
func TestCodexCommandIsQuoted(t *testing.T) {
	o := codexOptions(t)
	o.Binary = "/opt/my tools/hookctl"
	mustInstall(t, o)
	if data := get(t, o.Path()); !strings.Contains(data, `"\"/opt/my tools/hookctl\" hook Stop --client codex"`) {
		t.Error(data)
	}
	if st := Inspect(o); !st.Scopes[0].Current {
		t.Errorf("%+v", st)
	}
}

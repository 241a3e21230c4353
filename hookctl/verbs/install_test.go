package verbs

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// installed is a bench with a hookctl beside hookd.
func installed(t *testing.T, f *fakeBackend) *bench {
	t.Helper()
	b := newBench(t, nil)
	if f != nil {
		b.handler = f
	}
	write(t, filepath.Join(filepath.Dir(b.self), "hookctl"), "#!")
	noError(t, os.Chmod(filepath.Join(filepath.Dir(b.self), "hookctl"), 0o755))
	return b
}

func (b *bench) settings() string { return filepath.Join(b.env["HOME"], ".claude", "settings.json") }

func TestInstall(t *testing.T) {
	b := installed(t, nil)
	before := `{"model": "opus"}`
	write(t, b.settings(), before)
	out := b.must("install", "--dry-run")
	contains(t, out, "+++ ", `"SessionStart"`, b.settings()+": would add 31 hooks, replacing 0\n")
	out = b.must("install")
	contains(t, out, b.settings()+": 31 hooks added, 0 replaced (profile full)\n", "  backup  "+b.settings()+".hookline-backup\n")
	equal(t, b.must("install"), b.settings()+": the hooks are installed already, nothing changed\n", "again")
	text := must(os.ReadFile(b.settings()))(t)
	contains(t, string(text), filepath.Join(filepath.Dir(b.self), "hookctl"))
	var got installJSON
	if err := json.Unmarshal([]byte(b.must("install", "--profile", "identity", "--json")), &got); err != nil || got.Added != 5 || got.Removed != 31 || got.Profile != "identity" || got.Scope != "user" {
		t.Errorf("%v: %+v", err, got)
	}
	var line installJSON
	if err := json.Unmarshal([]byte(b.must("install", "--profile", "identity", "--statusline", "--dry-run", "--json")), &line); err != nil ||
		!line.Changed || !strings.HasSuffix(line.Line, "/hookctl statusline") || !strings.Contains(line.Diff, `"statusLine": {`) {
		t.Errorf("%v: %+v", err, line)
	}
	equal(t, b.must("uninstall"), b.settings()+": 5 hooks taken out\n", "stdout")
	if text, _ := os.ReadFile(b.settings()); string(text) != before {
		t.Errorf("uninstall left %q", text)
	}
	equal(t, b.must("uninstall"), b.settings()+": no hook of ours is in it, nothing changed\n", "stdout")
}

func TestInstallScopes(t *testing.T) {
	b := installed(t, nil)
	b.must("install", "--project")
	text := must(os.ReadFile(filepath.Join(b.Cwd, ".claude", "settings.json")))(t)
	contains(t, string(text), `"command": "hookctl"`)
	contains(t, b.must("install", "--local"), "31 events hooked in the scopes project and local: counted once, but run in each")
}

// TestHookctlByPath: where PATH leads to our hookctl, the link's name is installed, not what is behind it.
func TestHookctlByPath(t *testing.T) {
	b := installed(t, nil)
	beside := filepath.Join(filepath.Dir(b.self), "hookctl")
	link := filepath.Join(t.TempDir(), "hookctl")
	if err := os.Symlink(beside, link); err != nil {
		t.Skip(err)
	}
	b.look = func(string) (string, error) { return link, nil }
	equal(t, b.hookctl(), link, "got")
	other := filepath.Join(t.TempDir(), "hookctl")
	write(t, other, "#!other")
	b.look = func(string) (string, error) { return other, nil }
	equal(t, b.hookctl(), beside, "got")
}

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRealClientPlugin moves the hooks from settings.json into a plugin by the client's own commands: a session is recorded whole and
// once, the second install renews, and uninstall leaves the client without it.
func TestRealClientPlugin(t *testing.T) {
	w := newWorld(t)
	if !w.recorder() {
		t.Skip("the client alone has no plugin of ours")
	}
	w.claudeOnPath()
	w.hookctl("install", "--plugin")
	if left, err := Entries(w.settings(), "hookctl"); err != nil || len(left) > 0 {
		t.Errorf("settings.json still has %d hooks (%v)", len(left), err)
	}
	entries, err := Entries(filepath.Join(w.state, "plugin", "plugin", "hooks", "hooks.json"), "hookctl")
	must(t, err)
	w.entries = entries

	w.start()
	r := w.print(Options{Scenario: "basic"}, "make hello.txt")
	w.fired(map[string]int{"SessionStart": 1, "UserPromptSubmit": 1, "PreToolUse": 5, "PostToolUse": 4,
		"PostToolUseFailure": 1, "PostToolBatch": 3, "Stop": 1, "SessionEnd": 2}) // `claude plugin install` fires one, too
	w.wellBehaved(r)
	w.reached(r, RouteMain, newIdentity, mind)
	w.installedEverywhere()

	if out := w.hookctl("install"); !strings.Contains(out, "the plugin hookline@hookline runs the hooks; ") {
		t.Errorf("install again: %s", out)
	}
	if out, err := w.tool("hookctl", "install", "--local"); err == nil {
		t.Errorf("install into another scope was not refused: %s", out)
	}
	if out := w.hookctl("uninstall"); !strings.Contains(out, "the plugin hookline@hookline is removed from the client") {
		t.Errorf("uninstall: %s", out)
	}
	text, err := os.ReadFile(w.settings())
	if err != nil || strings.Contains(string(text), "hookline@hookline") {
		t.Errorf("the client still has the plugin (%v): %s", err, text)
	}
	w.finish()
}

// claudeOnPath puts a command claude beside the built binaries' PATH: the client, without a network.
func (w *world) claudeOnPath() {
	w.t.Helper()
	bin := filepath.Join(w.root, "bin")
	must(w.t, os.Mkdir(bin, 0o700))
	for _, name := range []string{"hookctl", "hookd", "hookfind", "replay"} {
		must(w.t, os.Symlink(filepath.Join(w.bin, name), filepath.Join(bin, name)))
	}
	unshare, err := exec.LookPath("unshare")
	must(w.t, err)
	script := fmt.Sprintf("#!/bin/sh\nDISABLE_TELEMETRY=1 exec %s -rn %s \"$@\"\n", unshare, w.client)
	must(w.t, os.WriteFile(filepath.Join(bin, "claude"), []byte(script), 0o700))
	w.bin = bin
}

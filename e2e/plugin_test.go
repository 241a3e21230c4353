package e2e

import (
	"encoding/json"
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

	if out := w.hookctl("install"); !strings.Contains(out, "the plugin hookline@hookline runs the hooks now; ") {
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

// TestRealClientPluginTwice enables the plugin for the user and for the project, beside hooks that stand in settings.json: each hook is
// recorded once, and nothing is told twice.
func TestRealClientPluginTwice(t *testing.T) {
	w := newWorld(t)
	if !w.recorder() {
		t.Skip("the client alone has no plugin of ours")
	}
	w.claudeOnPath()
	before, err := os.ReadFile(w.settings())
	must(t, err)
	w.hookctl("install", "--plugin")
	calls, err := os.ReadFile(w.log)
	must(t, err)
	w.claude("plugin", "install", "hookline@hookline", "--scope", "project")
	must(t, os.WriteFile(w.log, calls, 0o600)) // that command fires a SessionEnd, for which the client loads no plugin

	// The hooks of settings.json come back, as from a copy of the user's settings on another machine.
	var both, old map[string]json.RawMessage
	now, err := os.ReadFile(w.settings())
	must(t, err)
	must(t, json.Unmarshal(now, &both))
	must(t, json.Unmarshal(before, &old))
	both["hooks"] = old["hooks"]
	now, err = json.Marshal(both)
	must(t, err)
	must(t, os.WriteFile(w.settings(), now, 0o600))

	w.start()
	r := w.print(Options{Scenario: "basic"}, "make hello.txt")
	w.wellBehaved(r)
	w.reached(r, RouteMain, newIdentity, mind)
	w.finish()
}

// claude runs a command of the client in the project.
func (w *world) claude(args ...string) {
	w.t.Helper()
	cmd := exec.Command(filepath.Join(w.bin, "claude"), args...)
	cmd.Dir, cmd.Env = w.project, append(w.env(), "HOME="+w.home, "PATH="+w.bin+":"+clientPath)
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("claude %s: %v\n%s", strings.Join(args, " "), err, out)
	}
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

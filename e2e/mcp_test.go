package e2e

import (
	"path/filepath"
	"regexp"
	"testing"
)

// TestRealClientMCP adds the server by the client's own command; a second session asks it what the first one did. The calls are
// recorded as any others, and the client never asks for permission of a tool that only reads when it is told to ask for none.
func TestRealClientMCP(t *testing.T) {
	w := newWorld(t)
	if !w.recorder() {
		t.Skip("the client alone has no server of ours")
	}
	w.start()
	w.print(Options{Scenario: "basic"}, "make hello.txt")
	w.claudeOnPath()
	hookctl, err := filepath.EvalSymlinks(filepath.Join(w.bin, "hookctl"))
	must(t, err)
	if out, err := w.tool("claude", "mcp", "add", "--scope", "user", "hookline", "--", hookctl, "mcp"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}

	r := w.print(Options{Scenario: "mcp"}, "what happened to hello.txt?")
	w.wellBehaved(r)
	w.reached(r, RouteMain, regexp.MustCompile(`prompt: make hello\.txt`), regexp.MustCompile(`no event 999999 is in the log`))
	recorded, err := w.events()
	must(t, err)
	n := count(recorded, func(e event) string { return e.Type })
	if n["tool.failed"]+n["tool.succeeded"] < 3 {
		t.Errorf("the calls of the tools are not recorded: %v", n)
	}
	w.finish()
}

package conversations

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hookline/expect"
)

// TestTop goes through the screens of top in a real terminal: the sessions, the events of one with the state at each, one
// event, in 60 columns and after a resize, without colour.
func TestTop(t *testing.T) {
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("tmux is not installed")
	}
	h := newHome(t)
	h.hook(t, "SessionStart", `{"session_id":"aaaaaaaa-1","hook_event_name":"SessionStart","source":"startup"}`)
	h.hook(t, "UserPromptSubmit", `{"session_id":"aaaaaaaa-1","hook_event_name":"UserPromptSubmit","prompt":"Add retries to the client"}`)
	h.hook(t, "PreToolUse", `{"session_id":"aaaaaaaa-1","hook_event_name":"PreToolUse","tool_name":"Edit","tool_use_id":"t1","tool_input":{"file_path":"up/client.go"}}`)
	h.hook(t, "PostToolUse", `{"session_id":"aaaaaaaa-1","hook_event_name":"PostToolUse","tool_name":"Edit","tool_use_id":"t1","tool_input":{"file_path":"up/client.go"},"tool_response":{}}`)
	defer func() { _ = h.stop() }()

	say := func(args ...string) string {
		cmd := exec.Command(tmux, append([]string{"-S", filepath.Join(h.state(), "tmux"), "-f", "/dev/null"}, args...)...)
		cmd.Env = append(h.environ(), "NO_COLOR=1", "TERM=screen")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %q: %v: %s", args, err, out)
		}
		return string(out)
	}
	screen := ""
	shows := func(wants ...string) {
		t.Helper()
		expect.OK(t, eventually(func() error {
			screen = say("capture-pane", "-p", "-e")
			for _, w := range wants {
				if !strings.Contains(screen, w) {
					return fmt.Errorf("%q is not on the screen:\n%s", w, screen)
				}
			}
			return nil
		}))
	}

	say("new-session", "-d", "-x", "60", "-y", "20", filepath.Join(binaries, "hookctl")+" top")
	defer func() { _ = exec.Command(tmux, "-S", filepath.Join(h.state(), "tmux"), "kill-server").Run() }() // it is gone when top has ended
	shows("hookline: sessions  1/1", "> aaaaaaaa  working", "? keys")
	say("send-keys", "Enter")
	shows("hookline: session aaaaaaaa-1", "tool.succeeded", "── state at event", "\nGoal: Add retries to the client", "\nEdited: up/client.go")
	if strings.Contains(screen, "\x1b[3") {
		t.Errorf("colour, with NO_COLOR: %q", screen)
	}
	say("send-keys", "g")
	shows("\n> ", "\nwaiting for a prompt")
	say("resize-window", "-x", "100", "-y", "30")
	say("send-keys", "G", "Enter")
	shows("hookline: event", `"session": "aaaaaaaa-1"`)
	say("send-keys", "?")
	shows("hookline: keys")
	say("send-keys", "x", "Escape")
	shows("hookline: session")
	say("send-keys", "q")
}

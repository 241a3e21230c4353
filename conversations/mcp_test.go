//go:build linux

package conversations

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hookline/expect"
)

// An agent asks hookctl mcp, over a real pipe, what was recorded: each tool answers, with and without a daemon; nothing
// planted comes through, a long answer is cut, and nothing is written to the log.
func TestMCP(t *testing.T) {
	h := newHome(t)
	h.verb(t, "start")
	const secret = "AKIAIOSFODNN7EXAMPLE"
	record := func(event, rest string) {
		t.Helper()
		input := fmt.Sprintf(`{"session_id":"aaaaaaaa-1","hook_event_name":%q,"cwd":%q,%s}`, event, h.dir, rest)
		h.hook(t, event, input)
	}
	record("SessionStart", `"source":"startup"`)
	record("UserPromptSubmit", `"prompt":"Add retries to the upload client, key `+secret+`"`)
	record("PostToolUseFailure", `"tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"go test ./up"},"error":"undefined: retry \u001b[31m\u202e"`)
	record("PostToolUse", `"tool_name":"Edit","tool_use_id":"t3","tool_input":{"file_path":"`+filepath.Join(h.dir, "up.go")+`","old_string":"a","new_string":"b"},"tool_response":{}`)
	record("PostToolUse", `"tool_name":"Bash","tool_use_id":"t2","tool_input":{"command":"go test ./up"},"tool_response":{"stdout":"`+strings.Repeat("long ", 3000)+`"}`)
	h.verb(t, "ledger", "add", "decision", "retries: three at most")
	before := h.last(t, "*")
	long := strconv.Itoa(h.last(t, "tool.succeeded"))

	cmd := exec.Command(filepath.Join(binaries, "hookctl"), "mcp")
	cmd.Env = h.environ()
	cmd.Dir = h.dir
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	expect.OK(t, err)
	defer c.Close()

	ask := func(tool string, args map[string]any, want string) string {
		t.Helper()
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			t.Fatalf("%s: %v", tool, err)
		}
		text := r.Content[0].(*mcp.TextContent).Text
		if !strings.Contains(text, want) {
			t.Errorf("%s %v: no %q in\n%s", tool, args, want, text)
		}
		if strings.Contains(text, secret) || strings.ContainsAny(text, "\x1b\u202e") || len(text) > 7200 {
			t.Errorf("%s %v: %d bytes, %q", tool, args, len(text), text)
		}
		return text
	}
	all := func() {
		t.Helper()
		ask("find", map[string]any{"words": "retries upload"}, "prompt: Add retries to the upload client, key [REDACTED:")
		ask("session", map[string]any{"session": "aaaa"}, "Add retries to the upload client")
		ask("event", map[string]any{"event": long}, "[cut here: ")
		ask("file", map[string]any{"path": "up.go"}, "only parts: 1 edited text")
		ask("file", map[string]any{"path": "up.go", "at": "now"}, "warning: only parts of the file are known")
		ask("event", map[string]any{"event": "999999"}, "no event 999999 is in the log")
		ask("state_at", map[string]any{"point": "now", "projection": "working", "key": "last"}, `"key":"aaaaaaaa-1"`)
		names := ask("state_at", map[string]any{"point": "now"}, `{"projection":"working","key":"aaaaaaaa-1","seq":`)
		if strings.Contains(names, `"state":`) {
			t.Errorf("states where names are wanted: %s", names)
		}
		ask("decisions", map[string]any{}, "three at most")
		ask("why", map[string]any{"text": "nothing-like-it", "session": "last"}, "nothing that session aaaaaaaa-1 is told has")
	}
	all()
	expect.Equal(t, h.last(t, "*"), before, "the log went from", "to")
	h.verb(t, "stop")
	all()
}

// last is the newest sequence of the log with such a type.
func (h home) last(t *testing.T, types string) int {
	t.Helper()
	out := h.verb(t, "tail", "--json", "-n", "1", "--type", types)
	var seq int
	if _, err := fmt.Sscanf(out, `{"seq":%d`, &seq); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return seq
}

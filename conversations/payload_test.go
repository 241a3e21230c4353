//go:build linux

package conversations

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdMake writes a payload that a script cannot hold, or not well:
//
//	make bytes N FILE      a Write of N bytes
//	make levels N FILE     tool_input is N-2 arrays in each other, N levels in all
//	make session N FILE    a SessionStart whose session id has N characters
//	make utf8 FILE         a prompt with bytes that are no UTF-8
//	make nul FILE          a prompt with raw NUL bytes between the members
//	make string TEXT FILE  a SessionStart whose session id is the Go string literal TEXT
func cmdMake(ts *testscript.TestScript, _ bool, args []string) {
	n := 0
	if len(args) == 3 && args[0] != "string" {
		n = number(ts, args[1])
	}
	text := ""
	switch args[0] {
	case "bytes":
		text = writePayload("session-bytes", "toolu_bytes", strings.Repeat("All work and no play. ", n/22+1)[:n])
	case "levels":
		text = `{"session_id":"session-levels","hook_event_name":"PreToolUse","tool_name":"Read","tool_use_id":"toolu_levels","tool_input":{"a":` +
			strings.Repeat("[", n-2) + strings.Repeat("]", n-2) + `}}`
	case "session":
		text = startPayload(strings.Repeat("s", n))
	case "string":
		id, err := strconv.Unquote(`"` + args[1] + `"`)
		ts.Check(err)
		text = startPayload(id)
	case "utf8":
		text = "{\"session_id\":\"session-utf8\",\"hook_event_name\":\"UserPromptSubmit\",\"prompt\":\"caf\xe9 \xff\xfe end\"}"
	case "nul":
		text = "{\"session_id\":\"session-nul\",\x00\x00\"hook_event_name\":\"UserPromptSubmit\",\"prompt\":\"nul\"}"
	default:
		ts.Fatalf("make: unknown kind %q", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[len(args)-1]), []byte(text+"\n"), 0o600))
}

func startPayload(session string) string {
	return object("session_id", session, "hook_event_name", "SessionStart", "source", "startup")
}

func writePayload(session, call, content string) string {
	return object("session_id", session, "hook_event_name", "PostToolUse", "tool_name", "Write", "tool_use_id", call, "duration_ms", 3,
		"tool_input", map[string]any{"file_path": "/app/big.txt", "content": content},
		"tool_response", map[string]any{"type": "create", "filePath": "/app/big.txt", "content": content})
}

// object is a JSON object of names and values.
func object(members ...any) string {
	m := map[string]any{}
	for i := 0; i < len(members); i += 2 {
		m[members[i].(string)] = members[i+1]
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic(err) // strings, numbers and maps of them
	}
	return string(b)
}

package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// source is real Go source: what the tools of a session read and write.
//
//go:embed hooks.go
var source string

// fields are members of the JSON of a hook, with the client's names.
type fields map[string]any

// body is the JSON of a hook: its own members, and what every hook of the home's session carries. The client does not
// escape angle brackets.
func (h *home) body(event string, own fields) []byte {
	all := fields{"hook_event_name": event, "session_id": h.session, "cwd": h.project, "transcript_path": "/home/dev/.claude/projects/-home-dev-app/" + h.session + ".jsonl"}
	maps.Copy(all, own)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	check(enc.Encode(all))
	return bytes.TrimSpace(b.Bytes())
}

func (h *home) sessionStart() []byte {
	return h.body("SessionStart", fields{"source": "startup"})
}

// testRun is a PostToolUse of 2 KiB: a test run and its output. n makes the call one of its own.
func (h *home) testRun(n int) []byte {
	var out strings.Builder
	for i := range 20 {
		name := []string{"straight", "resumed", "twice"}[i%3]
		fmt.Fprintf(&out, "--- PASS: TestFoldIsTotal/%s_%02d (0.%02ds)\n    fold_test.go:%d: %d records\n", name, i, (n+i*7)%90, 40+i, 50*i+n%50)
	}
	return h.body("PostToolUse", fields{"permission_mode": "acceptEdits", "tool_name": "Bash", "tool_use_id": toolUseID(n), "duration_ms": 1480 + n,
		"tool_input":    fields{"command": "go test -race ./projector/... 2>&1 | tail -40", "description": "Run the projector's tests"},
		"tool_response": fields{"stdout": out.String() + "PASS\n", "stderr": "", "interrupted": false, "isImage": false}})
}

// write is a PostToolUse of a Write with 3 MB of source, which the client sends twice. No two are alike, nor
// are two parts of one.
func (h *home) write(n int) []byte {
	var text strings.Builder
	lines := strings.SplitAfter(source, "\n")
	for i := 0; text.Len() < 3_000_000; i++ {
		text.WriteString(lines[i%len(lines)])
		if i%12 == 0 {
			fmt.Fprintf(&text, "var table%d = %d // %d\n", i, rand.Uint32(), n)
		}
	}
	path := h.project + "/generated.go"
	return h.body("PostToolUse", fields{"permission_mode": "acceptEdits", "tool_name": "Write", "tool_use_id": toolUseID(n), "duration_ms": 35,
		"tool_input":    fields{"file_path": path, "content": text.String()},
		"tool_response": fields{"type": "create", "filePath": path, "content": text.String(), "structuredPatch": []any{}}})
}

// edit is a hook of the Edit of a file.
func (h *home) edit(event string, n int, file string) []byte {
	path := h.project + "/" + file
	return h.body(event, fields{"permission_mode": "acceptEdits", "tool_name": "Edit", "tool_use_id": toolUseID(n),
		"tool_input":    fields{"file_path": path, "old_string": "a", "new_string": "b", "replace_all": false},
		"tool_response": fields{"filePath": path, "oldString": "a", "newString": "b"}})
}

// prompt is a UserPromptSubmit.
func (h *home) prompt(text string) []byte { return h.body("UserPromptSubmit", fields{"prompt": text}) }

// toolUseID is an id in the client's form for the n-th call of a session.
func toolUseID(n int) string { return fmt.Sprintf("toolu_01BenchCall%013d", n) }

// newSession is a random id in the client's form.
func newSession() string {
	return fmt.Sprintf("%08x-0000-4000-a000-%012x", rand.Uint32(), rand.Uint64()>>16)
}

// call is one hook to play: its name and its input.
type call struct {
	event string
	body  []byte
}

// loadHooks reads the recorded hooks of a glob, one JSON object a line, without the recording's own member.
func loadHooks(glob string) (calls []call) {
	for _, name := range must(filepath.Glob(glob)) {
		for line := range bytes.Lines(must(os.ReadFile(name))) {
			var members map[string]json.RawMessage
			var c call
			check(json.Unmarshal(line, &members))
			check(json.Unmarshal(members["hook_event_name"], &c.event))
			delete(members, "_at")
			c.body = must(json.Marshal(members))
			calls = append(calls, c)
		}
	}
	if len(calls) == 0 {
		check(errors.New("-hooks: no file matches"))
	}
	return calls
}

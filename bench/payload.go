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

// write is a PostToolUse of a Write with `size` bytes of source, which the client sends twice. No two are alike, nor
// are two parts of one.
func (h *home) write(n, size int) []byte {
	var text strings.Builder
	lines := strings.SplitAfter(source, "\n")
	for i := 0; text.Len() < size; i++ {
		text.WriteString(lines[i%len(lines)])
		if i%12 == 0 {
			fmt.Fprintf(&text, "var table%d = %d // %d\n", i, rand.Uint32(), n)
		}
	}
	content := strings.ToValidUTF8(text.String()[:size], "")
	path := h.project + "/generated.go"
	return h.body("PostToolUse", fields{"permission_mode": "acceptEdits", "tool_name": "Write", "tool_use_id": toolUseID(n), "duration_ms": 35,
		"tool_input":    fields{"file_path": path, "content": content},
		"tool_response": fields{"type": "create", "filePath": path, "content": content, "structuredPatch": []any{}}})
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
	a, b := rand.Uint64(), rand.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-a%03x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>52, b&0xffffffffffff)
}

// call is one hook to play: its name and its input.
type call struct {
	event string
	body  []byte
}

// loadHooks reads the recorded hooks of a glob, one JSON object a line. Members whose names begin with an underscore
// belong to the recording and are left out.
func loadHooks(glob string) (calls []call) {
	names := must(filepath.Glob(glob))
	if len(names) == 0 {
		check(errors.New("-hooks: no file matches"))
	}
	for _, name := range names {
		for line := range bytes.Lines(must(os.ReadFile(name))) {
			var members map[string]json.RawMessage
			var c call
			check(json.Unmarshal(line, &members))
			check(json.Unmarshal(members["hook_event_name"], &c.event))
			maps.DeleteFunc(members, func(name string, _ json.RawMessage) bool { return strings.HasPrefix(name, "_") })
			c.body = must(json.Marshal(members))
			calls = append(calls, c)
		}
	}
	return calls
}

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
//go:embed report.go
var source string

// payload is the JSON of a hook, with the client's names in the client's order.
type payload struct {
	SessionID      string `json:"session_id"`
	TranscriptPath string `json:"transcript_path"`
	Cwd            string `json:"cwd"`
	PermissionMode string `json:"permission_mode,omitempty"`
	HookEventName  string `json:"hook_event_name"`
	Source         string `json:"source,omitempty"`
	Prompt         string `json:"prompt,omitempty"`
	ToolName       string `json:"tool_name,omitempty"`
	ToolInput      any    `json:"tool_input,omitempty"`
	ToolResponse   any    `json:"tool_response,omitempty"`
	ToolUseID      string `json:"tool_use_id,omitempty"`
	DurationMS     int    `json:"duration_ms,omitempty"`
}

// body fills in what every hook of the home's session carries. The client does not escape angle brackets.
func (h *home) body(p payload) []byte {
	p.SessionID = h.session
	p.TranscriptPath = "/home/dev/.claude/projects/-home-dev-app/" + h.session + ".jsonl"
	p.Cwd = h.project
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	check(enc.Encode(p))
	return bytes.TrimSpace(b.Bytes())
}

func (h *home) sessionStart() []byte {
	return h.body(payload{HookEventName: "SessionStart", Source: "startup"})
}

// testRun is a PostToolUse of 2 KiB: a test run and its output. n makes the call one of its own.
func (h *home) testRun(n int) []byte {
	var out strings.Builder
	for i := range 20 {
		name := []string{"straight", "resumed", "twice"}[i%3]
		fmt.Fprintf(&out, "--- PASS: TestFoldIsTotal/%s_%02d (0.%02ds)\n    fold_test.go:%d: %d records\n", name, i, (n+i*7)%90, 40+i, 50*i+n%50)
	}
	return h.body(payload{HookEventName: "PostToolUse", PermissionMode: "acceptEdits", ToolName: "Bash", ToolUseID: toolUseID(n), DurationMS: 1480 + n,
		ToolInput:    map[string]any{"command": "go test -race ./projector/... 2>&1 | tail -40", "description": "Run the projector's tests"},
		ToolResponse: map[string]any{"stdout": out.String() + "PASS\n", "stderr": "", "interrupted": false, "isImage": false}})
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
	return h.body(payload{HookEventName: "PostToolUse", PermissionMode: "acceptEdits", ToolName: "Write", ToolUseID: toolUseID(n), DurationMS: 35,
		ToolInput:    map[string]any{"file_path": path, "content": content},
		ToolResponse: map[string]any{"type": "create", "filePath": path, "content": content, "structuredPatch": []any{}}})
}

// edit is a PreToolUse of an Edit.
func (h *home) edit(n int) []byte {
	return h.body(payload{HookEventName: "PreToolUse", PermissionMode: "acceptEdits", ToolName: "Edit", ToolUseID: toolUseID(n),
		ToolInput: map[string]any{"file_path": h.project + "/main.go", "old_string": "a", "new_string": "b", "replace_all": false}})
}

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

// loadHooks reads the recorded hooks of a glob, one JSON object a line, and says what they are.
func loadHooks(glob string) (calls []call, what string) {
	names := must(filepath.Glob(glob))
	if len(names) == 0 {
		check(errors.New("-hooks: no file matches"))
	}
	size := 0
	for _, name := range names {
		for line := range bytes.Lines(must(os.ReadFile(name))) {
			c := parseHook(line)
			calls = append(calls, c)
			size += len(c.body)
		}
	}
	return calls, fmt.Sprintf("%d recorded sessions, %d hooks, %.2f MB of compact JSON", len(names), len(calls), float64(size)/1e6)
}

// parseHook drops the members that belong to the recording: their names begin with an underscore.
func parseHook(line []byte) call {
	var members map[string]json.RawMessage
	var c call
	check(json.Unmarshal(line, &members))
	check(json.Unmarshal(members["hook_event_name"], &c.event))
	maps.DeleteFunc(members, func(name string, _ json.RawMessage) bool { return strings.HasPrefix(name, "_") })
	c.body = must(json.Marshal(members))
	return c
}

package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// sources are real Go files, this program's own: what the tools of a session read and write.
//
//go:embed *.go
var sources embed.FS

// payload is the JSON of a hook, with the client's names in the client's order.
type payload struct {
	SessionID      string `json:"session_id,omitempty"`
	TranscriptPath string `json:"transcript_path,omitempty"`
	Cwd            string `json:"cwd,omitempty"`
	PromptID       string `json:"prompt_id,omitempty"`
	PermissionMode string `json:"permission_mode,omitempty"`
	AgentID        string `json:"agent_id,omitempty"`
	AgentType      string `json:"agent_type,omitempty"`
	HookEventName  string `json:"hook_event_name"`
	Source         string `json:"source,omitempty"`
	Model          string `json:"model,omitempty"`
	Prompt         string `json:"prompt,omitempty"`
	ToolName       string `json:"tool_name,omitempty"`
	ToolInput      any    `json:"tool_input,omitempty"`
	ToolResponse   any    `json:"tool_response,omitempty"`
	ToolUseID      string `json:"tool_use_id,omitempty"`
	Error          string `json:"error,omitempty"`
	IsInterrupt    bool   `json:"is_interrupt,omitempty"`
	DurationMS     int    `json:"duration_ms,omitempty"`
	Trigger        string `json:"trigger,omitempty"`
	StopHookActive *bool  `json:"stop_hook_active,omitempty"`
	LastMessage    string `json:"last_assistant_message,omitempty"`
	Reason         string `json:"reason,omitempty"`
}

// encode is the payload as the client sends it: compact, without escaped angle brackets.
func (p payload) encode() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(p); err != nil {
		panic(err) // plain data of our own
	}
	return bytes.TrimSpace(b.Bytes())
}

// object keeps the order of its fields: name, value, name, value …
type object []any

// MarshalJSON implements [json.Marshaler].
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for i, v := range o {
		b.WriteByte("{:,:"[min(i, 2+i%2)])
		if err := enc.Encode(v); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// newSession is a random id in the client's form.
func newSession() string {
	a, b := rand.Uint64(), rand.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-a%03x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>52, b&0xffffffffffff)
}

// base is what every hook of the home's session carries.
func (h *home) base(event string) payload {
	return payload{SessionID: h.session, TranscriptPath: "/home/dev/.claude/projects/-home-dev-app/" + h.session + ".jsonl", Cwd: h.project,
		PromptID: "3d0b7a62-5c1f-4be8-9a51-0f6f0c9a7e11", PermissionMode: "acceptEdits", HookEventName: event}
}

func (h *home) sessionStart() []byte {
	p := h.base("SessionStart")
	p.Source, p.Model, p.PromptID = "startup", "claude-opus-4-5", ""
	return p.encode()
}

// testRun is a PostToolUse of 2 KiB: a test run and its output. n makes the call one of its own.
func (h *home) testRun(n int) []byte {
	p := h.base("PostToolUse")
	p.ToolName, p.ToolUseID, p.DurationMS = "Bash", toolUseID(n), 1480+n
	p.ToolInput = object{"command", "go test -race ./projector/... 2>&1 | tail -40", "description", "Run the projector's tests with the race detector"}
	var out strings.Builder
	for i := range 18 {
		fmt.Fprintf(&out, "--- PASS: TestFoldIsTotal/%s_%02d (0.%02ds)\n    fold_test.go:%d: %d records\n", []string{"straight", "resumed", "twice"}[i%3], i, (n+i*7)%90, 40+i, 50*i+n%50)
	}
	out.WriteString("PASS\nok  \thookline/projector\t1.482s\n")
	p.ToolResponse = object{"stdout", out.String(), "stderr", "", "interrupted", false, "isImage", false, "noOutputExpected", false}
	return p.encode()
}

// write is a PostToolUse of a Write with `size` bytes of source, which the client sends twice.
func (h *home) write(n, size int) []byte {
	p := h.base("PostToolUse")
	p.ToolName, p.ToolUseID, p.DurationMS = "Write", toolUseID(n), 35
	path, text := h.project+"/generated.go", longSource(n, size)
	p.ToolInput = object{"file_path", path, "content", text}
	p.ToolResponse = object{"type", "create", "filePath", path, "content", text, "structuredPatch", []any{}, "originalFile", nil}
	return p.encode()
}

// longSource is Go source of about size bytes; no two numbers give the same text, nor do two parts of it.
func longSource(n, size int) string {
	var b strings.Builder
	text := sourceText()
	b.WriteString("// Generated file " + strconv.Itoa(n) + ".\n\n")
	for part := 0; b.Len() < size; part++ {
		for i, line := range strings.SplitAfter(text, "\n") {
			b.WriteString(line)
			if i%12 == 0 {
				fmt.Fprintf(&b, "var table%d = %d // %d\n", part*1000+i, rand.Uint32(), n)
			}
		}
	}
	return b.String()[:size]
}

// sourceText is all sources one after the other; they hold ASCII and a few other letters.
func sourceText() string {
	var b strings.Builder
	for _, name := range sourceNames() {
		b.WriteString(sourceOf(name))
	}
	return strings.Map(func(r rune) rune {
		if r > 126 {
			return '~' // so that the text can be cut at any byte
		}
		return r
	}, b.String())
}

func sourceNames() []string {
	entries, err := sources.ReadDir(".")
	if err != nil {
		panic(err) // it is in the binary
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func sourceOf(name string) string {
	b, err := sources.ReadFile(name)
	if err != nil {
		panic(err) // it is in the binary
	}
	return string(b)
}

// toolUseID is an id in the client's form for the n-th call of a session.
func toolUseID(n int) string { return fmt.Sprintf("toolu_01BenchCall%013d", n) }

package transcript

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hookline/events"
)

func file(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s-1.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// told is an event in short: its hook, its key and what is in it.
func told(e events.Event) string {
	switch e := e.(type) {
	case *events.ToolRequested:
		return fmt.Sprintf("%s %s %s %s", e.HookEventName, Key(e), e.ToolName, e.ToolInput)
	case *events.ToolSucceeded:
		return fmt.Sprintf("%s %s %s %s %s", e.HookEventName, Key(e), e.ToolName, e.ToolInput, e.ToolResponse)
	case *events.ToolFailed:
		return fmt.Sprintf("%s %s %s %s %s", e.HookEventName, Key(e), e.ToolName, e.ToolInput, e.Error)
	case *events.PromptSubmitted:
		return fmt.Sprintf("%s %.14s %s", e.HookEventName, Key(e), e.Prompt)
	}
	return e.Type()
}

func TestEvents(t *testing.T) {
	const call = `{"type":"assistant","sessionId":"s-1","message":{"content":[{"type":"text","text":"Let me see."},{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}]}}`
	var r Reader
	for _, c := range []struct {
		what, line string
		want       []string
	}{
		{"an outcome without its call", `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"a"}]}}`, []string{`PostToolUse outcome t1   "a"`}},
		{"a call beside words", call, []string{`PreToolUse request t1 Bash {"command":"ls"}`}},
		{"the client's own answer goes before the message's", `{"type":"user","toolUseResult":{"stdout":"a b"},"message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"a"}]}}`,
			[]string{`PostToolUse outcome t1 Bash {"command":"ls"} {"stdout":"a b"}`}},
		{"an error", `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"exit 1","is_error":true}]}}`, []string{`PostToolUseFailure outcome t1 Bash {"command":"ls"} exit 1`}},
		{"an error in parts", `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":[1],"is_error":true}]}}`, []string{`PostToolUseFailure outcome t1 Bash {"command":"ls"} [1]`}},
		{"a prompt", `{"type":"user","message":{"content":"fix it"}}`, []string{"UserPromptSubmit prompt ab0d130 fix it"}},
		{"a prompt in parts", `{"type":"user","message":{"content":[{"type":"image"},{"type":"text","text":"fix it"}]}}`, []string{"UserPromptSubmit prompt ab0d130 fix it"}},
		{"a subagent's prompt", `{"type":"user","isSidechain":true,"message":{"content":"fix it"}}`, nil},
		{"words of the client", `{"type":"user","isMeta":true,"message":{"content":"fix it"}}`, nil},
		{"a compaction's summary", `{"type":"user","isCompactSummary":true,"message":{"content":"fix it"}}`, nil},
		{"a command", `{"type":"user","message":{"content":"<command-name>/clear</command-name>"}}`, nil},
		{"an interruption", `{"type":"user","message":{"content":"[Request interrupted by user]"}}`, nil},
		{"nothing", `{"type":"user","message":{"content":" \n"}}`, nil},
		{"a form nobody knows", `{"type":"user","message":{"content":7}}`, nil},
	} {
		var line Line
		if err := json.Unmarshal([]byte(c.line), &line); err != nil {
			t.Fatal(c.what, err)
		}
		var got []string
		for _, e := range r.Events(line, "/t.jsonl") {
			got = append(got, told(e))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

func TestRead(t *testing.T) {
	path := file(t, `{"sessionId":"s-1","cwd":"/p","gitBranch":"main","agentId":"a"}`, "no JSON", `{"sessionId":"s-2"}`, `{"sessionId":"s-3`)
	var got []string
	if err := Read(path, func(l Line) error { got = append(got, l.Session+l.Cwd+l.Branch+l.Agent); return nil }); err != nil {
		t.Fatal(err)
	}
	if want := []string{"s-1/pmaina", "s-2"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	enough, n := errors.New("enough"), 0
	if err := Read(path, func(Line) error { n++; return enough }); !errors.Is(err, enough) || n != 1 {
		t.Errorf("%d lines, %v", n, err)
	}
	if err := Read(path+".none", nil); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if err := Read(filepath.Dir(path), nil); err == nil || !strings.HasSuffix(err.Error(), ": is a directory") {
		t.Error(err)
	}
}

func TestFiles(t *testing.T) {
	path := file(t)
	dir := filepath.Dir(path)
	for _, name := range []string{"notes.txt", filepath.Join("sub", "a.jsonl")} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := Files(dir), []string{path, filepath.Join(dir, "sub", "a.jsonl")}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Files(filepath.Join(dir, "none")); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

// A line that is too long is passed over, and what follows it is read.
func TestEachLine(t *testing.T) {
	x := strings.Repeat("x", 100_000)
	for in, want := range map[string][]string{
		"":                               nil,
		"a\n\nb":                         {"a\n", "\n", "b"},
		x + "\nb\n":                      {x + "\n", "b\n"},
		x + x + "\nb\n" + x + x + x:      {"b\n"},
		"a\n" + x + x + "\n" + x + "\nb": {"a\n", x + "\n", "b"},
	} {
		var got []string
		err := eachLine(strings.NewReader(in), 150_000, func(text []byte) error {
			got = append(got, string(text))
			return nil
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%d bytes: %d lines, %v", len(in), len(got), err)
		}
	}
}

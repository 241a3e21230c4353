package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hookline/expect"
)

// Events are the hook events of client 2.1.329 that a recorder can take: all 33 but WorktreeCreate, whose stdout is the
// path of the worktree, and MessageDisplay, which comes with every piece of streamed text.
var Events = []string{
	"SessionStart", "Setup", "UserPromptSubmit", "UserPromptExpansion", "PreToolUse", "PermissionRequest",
	"PermissionDenied", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Notification", "Stop", "StopFailure",
	"SubagentStart", "SubagentStop", "TeammateIdle", "TaskCreated", "TaskCompleted", "PreCompact", "PostCompact",
	"SessionEnd", "PreModelSwitch", "PostModelSwitch", "ConfigChange", "InstructionsLoaded", "CwdChanged",
	"FileChanged", "DirectoryAdded", "WorktreeRemove", "Elicitation", "ElicitationResult",
}

// Call is one hook as the client fired it.
type Call struct {
	Hook    string `json:"hook"`
	Session string `json:"session"`
	ToolUse string `json:"tool_use_id,omitempty"`
	Agent   string `json:"agent_id,omitempty"`
	// Matched is the value that a matcher is tried on: tool name, source, trigger, reason, agent type.
	Matched string          `json:"matched,omitempty"`
	Time    time.Time       `json:"time"`
	Payload json.RawMessage `json:"payload"`
}

// appendCall is the logger: it adds the hook that arrives on stdin as one line to file. It reads one JSON value and
// not to the end, since on /clear the client may keep the pipe open.
func appendCall(file string, stdin io.Reader) error {
	now := time.Now().UTC()
	var raw json.RawMessage
	if err := json.NewDecoder(stdin).Decode(&raw); err != nil {
		return fmt.Errorf("read hook: %w", err)
	}
	var in struct {
		Hook      string `json:"hook_event_name"`
		Session   string `json:"session_id"`
		ToolUse   string `json:"tool_use_id"`
		Agent     string `json:"agent_id"`
		ToolName  string `json:"tool_name"`
		Source    string `json:"source"`
		Trigger   string `json:"trigger"`
		Reason    string `json:"reason"`
		AgentType string `json:"agent_type"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return fmt.Errorf("read hook: %w", err)
	}
	call := Call{Hook: in.Hook, Session: in.Session, ToolUse: in.ToolUse, Agent: in.Agent, Time: now, Payload: raw,
		Matched: firstOf(in.ToolName, in.Source, in.Trigger, in.Reason, in.AgentType)}
	line, err := json.Marshal(call)
	if err != nil {
		return fmt.Errorf("encode hook: %w", err)
	}
	return appendLine(file, append(line, '\n'))
}

// appendLine adds a line by a single write: with O_APPEND the kernel then keeps the lines of parallel hooks whole.
func appendLine(file string, line []byte) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open hook log: %w", err)
	}
	_, err = f.Write(line)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("append to hook log: %w", err)
	}
	return nil
}

// Calls reads a hook log in the order of its lines, which is the order in which the loggers finished.
func Calls(file string) ([]Call, error) { return readLines[Call](file) }

// AddLogger puts the logger of the program self on every event of Events in a settings file, keeping what is there.
func AddLogger(settings, self, file string) error {
	root, err := readSettings(settings)
	if err != nil {
		return err
	}
	hooks, _ := root["hooks"].(map[string]any)
	if hooks == nil {
		hooks = map[string]any{}
	}
	for _, event := range Events {
		entries, _ := hooks[event].([]any)
		hooks[event] = append(entries, map[string]any{"hooks": []any{
			map[string]any{"type": "command", "command": self, "args": []string{roleLogger, file}}}})
	}
	root["hooks"] = hooks
	text, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		return fmt.Errorf("encode settings: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(settings), 0o700); err != nil {
		return fmt.Errorf("write settings: %w", err)
	}
	if err := os.WriteFile(settings, append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("write settings: %w", err)
	}
	return nil
}

func readSettings(file string) (map[string]any, error) {
	root := map[string]any{}
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return root, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	if err := json.Unmarshal(text, &root); err != nil {
		return nil, fmt.Errorf("parse settings: %w", err)
	}
	return root, nil
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

func TestLoggerAsAHook(t *testing.T) {
	log := filepath.Join(t.TempDir(), "hooks.jsonl")
	const hooks = 40
	var all sync.WaitGroup
	for i := range hooks {
		all.Go(func() {
			payload := fmt.Sprintf(`{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"t%d",
			  "agent_id":"a1","tool_input":{"command":%q}}`+"\n", i, strings.Repeat("x", 64<<10))
			cmd := exec.Command(self(t), roleLogger, log)
			cmd.Stdin = strings.NewReader(payload)
			if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("logger: %v %s", err, out)
			}
		})
	}
	all.Wait()
	calls, err := Calls(log)
	must(t, err)
	seen := count(calls, func(c Call) string {
		return fmt.Sprintf("%s %s %s %s %s %t", c.Hook, c.Session, c.Agent, c.Matched, c.ToolUse, c.Time.IsZero())
	})
	for i := range hooks {
		if key := fmt.Sprintf("PreToolUse s1 a1 Bash t%d false", i); seen[key] != 1 {
			t.Errorf("%s: %d times, want once", key, seen[key])
		}
	}
	expect.Equal(t, len(calls), hooks, "calls")
}

// The client may keep the pipe open: the logger must end with the value, not with the stream.
func TestLoggerDoesNotWaitForTheEndOfStdin(t *testing.T) {
	log := filepath.Join(t.TempDir(), "hooks.jsonl")
	cmd := exec.Command(self(t), roleLogger, log)
	in, err := cmd.StdinPipe()
	must(t, err)
	must(t, cmd.Start())
	_, err = in.Write([]byte(`{"hook_event_name":"SessionStart","session_id":"s","source":"clear"}`))
	must(t, err)
	must(t, poll(t.Context(), settle, func() (bool, error) {
		calls, err := Calls(log)
		return len(calls) == 1 && calls[0].Matched == "clear", err
	}))
	must(t, cmd.Wait())
}

func TestLoggerRefusesWhatIsNoHook(t *testing.T) {
	for _, in := range []string{"", "{", `"text"`} {
		log := filepath.Join(t.TempDir(), "hooks.jsonl")
		if err := appendCall(log, strings.NewReader(in)); err == nil {
			t.Errorf("%q was logged", in)
		}
		if exists(log) {
			t.Errorf("%q made a log", in)
		}
	}
}

func TestReadLinesLeavesOutALineBeingWritten(t *testing.T) {
	log := filepath.Join(t.TempDir(), "hooks.jsonl")
	must(t, os.WriteFile(log, []byte("{\"hook\":\"Stop\"}\n{\"hook\":\"Sess"), 0o600))
	calls, err := Calls(log)
	if err != nil || len(calls) != 1 || calls[0].Hook != "Stop" {
		t.Errorf("%v %v, want one Stop", calls, err)
	}
	must(t, os.WriteFile(log, []byte("{\"hook\":\"Stop\"}\nbroken\n"), 0o600))
	if _, err := Calls(log); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("broken line: %v", err)
	}
}

func TestAddLoggerKeepsOtherHooks(t *testing.T) {
	file := filepath.Join(t.TempDir(), ".claude", "settings.json")
	must(t, os.MkdirAll(filepath.Dir(file), 0o700))
	must(t, os.WriteFile(file, []byte(`{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"/x/other"}]}]}}`), 0o600))
	must(t, AddLogger(file, "/x/me", "/x/log"))
	mine, err := Entries(file, "me")
	must(t, err)
	other, err := Entries(file, "other")
	must(t, err)
	if len(mine) != 31 || len(other) != 1 || other[0].Event != "Stop" {
		t.Errorf("%d entries of the logger, want 31; others: %v", len(mine), other)
	}
	expect.Equal(t, strings.Join(mine[0].Args, " "), "e2e-hooklog /x/log", "args")
	text, err := os.ReadFile(file)
	must(t, err)
	if !strings.Contains(string(text), `"model": "opus"`) {
		t.Errorf("the rest of the settings is gone: %s", text)
	}
	must(t, os.WriteFile(file, []byte(`{`), 0o600))
	if err := AddLogger(file, "/x/me", "/x/log"); err == nil {
		t.Error("broken settings were overwritten")
	}
}

func TestMatchers(t *testing.T) {
	const graph = `^(mcp__(plugin_[^_]+_)?context-graph__.*|Edit|Write)$`
	for _, c := range []struct {
		matcher, name string
		want          bool
	}{
		{"", "Bash", true}, {"*", "Bash", true}, {"Edit|Write", "Write", true}, {"Edit, Write", "Write", true},
		{"Edit", "NotebookEdit", false}, {"Edit.*", "NotebookEdit", true}, {"mcp__context-graph", "mcp__context-graph__x", false},
		{graph, "Edit", true}, {graph, "NotebookEdit", false}, {graph, "mcp__plugin_cg_context-graph__search", true}, {"(", "(", false},
	} {
		if got := (Entry{Event: "PreToolUse", Matcher: c.matcher}).Takes(Call{Hook: "PreToolUse", Matched: c.name}); got != c.want {
			t.Errorf("matcher %q on %q: %t", c.matcher, c.name, got)
		}
	}
	if (Entry{Event: "Stop"}).Takes(Call{Hook: "SubagentStop"}) {
		t.Error("an entry takes calls of another event")
	}
}

package e2e

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
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
		Matched: cmp.Or(in.ToolName, in.Source, in.Trigger, in.Reason, in.AgentType)}
	line, err := json.Marshal(call)
	if err != nil {
		return err
	}
	return appendLine(file, append(line, '\n'))
}

// appendLine adds a line by a single write: with O_APPEND the kernel then keeps the lines of parallel hooks whole.
func appendLine(file string, line []byte) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(line)
	return errors.Join(err, f.Close())
}

// Calls reads a hook log in the order of its lines, which is the order in which the loggers finished.
func Calls(file string) ([]Call, error) { return readLines[Call](file) }

// AddLogger puts the logger of the program self on every event of Events in a settings file, keeping what is there.
func AddLogger(settings, self, file string) error {
	root := map[string]any{}
	text, err := os.ReadFile(settings)
	if err == nil {
		err = json.Unmarshal(text, &root)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("read settings: %w", err)
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
	text, err = json.MarshalIndent(root, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(settings), 0o700); err != nil {
		return err
	}
	return os.WriteFile(settings, append(text, '\n'), 0o600)
}

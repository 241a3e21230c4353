package wire

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Event is the hook that args stand for: "hook Stop" is Stop, and S0's verbs are the hooks that
// call them. For "hook" alone it is looked for in the body; "-" when there is none.
func Event(args []string, body []byte) string {
	verb := ""
	if len(args) > 1 {
		verb = args[1]
	}
	switch verb {
	case "brief":
		return "PreToolUse"
	case "check-identity":
		return "PostToolUse"
	case "inject-context":
		return "UserPromptSubmit"
	case "restore-identity":
		return "SessionStart"
	case "persist-identity":
		return "SessionEnd"
	}
	if !word(verb) {
		verb = sniff(body)
	}
	return verb
}

// Deadline is how long a call may take in all, well under the client's own timeouts. launchDir is
// the client's project directory: a gate in it must not open because a machine is busy.
func Deadline(args []string, event, launchDir string) time.Duration {
	if len(args) > 1 && args[1] == "brief" {
		return 60 * time.Millisecond
	}
	switch event {
	case "PreToolUse":
		if Gated(launchDir) {
			return 2 * time.Second
		}
		return 100 * time.Millisecond
	case "SessionStart":
		return 2 * time.Second
	case "UserPromptSubmit", "Stop":
		return time.Second
	case "SessionEnd":
		return 1200 * time.Millisecond
	}
	return 500 * time.Millisecond
}

// Gated tells whether the project that the client was started in has requirements. The daemon looks
// closer; here it only decides whether an answer is worth waiting for.
func Gated(launchDir string) bool {
	_, err := os.Stat(filepath.Join(launchDir, ".claude", "requirements.yaml"))
	return err == nil
}

// Launch is the client's project directory by a frame's environment, else its working directory.
func (f Frame) Launch() string {
	if dir := f.Env["CLAUDE_PROJECT_DIR"]; dir != "" {
		return dir
	}
	return f.Cwd
}

// word tells whether s can be a hook's name, and so a part of the request's path.
func word(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// sniff is the value of the first hook_event_name in body: good enough to choose a deadline by, the
// daemon decodes the body.
func sniff(body []byte) string {
	_, rest, _ := bytes.Cut(body, []byte(`"hook_event_name"`))
	rest, found := bytes.CutPrefix(bytes.TrimSpace(rest), []byte(":"))
	rest, quoted := bytes.CutPrefix(bytes.TrimSpace(rest), []byte(`"`))
	name, _, closed := bytes.Cut(rest[:min(len(rest), 65)], []byte(`"`))
	if found && quoted && closed && word(string(name)) {
		return string(name)
	}
	return "-"
}

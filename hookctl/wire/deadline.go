package wire

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// verbs are S0's verbs, with the hooks that call them.
var verbs = map[string]string{
	"consciousness brief":          "PreToolUse",
	"consciousness check-identity": "PostToolUse",
	"consciousness inject-context": "UserPromptSubmit",
	"session restore-identity":     "SessionStart",
	"session persist-identity":     "SessionEnd",
}

// Event returns the hook that args stand for: "hook Stop" is Stop, a verb the hook that calls it. For "hook" alone it is looked
// for in the body; "-" when there is none.
func Event(args []string, body []byte) string {
	if len(args) < 2 {
		return cmp.Or(sniff(body, "hook_event_name"), "-")
	}
	name := cmp.Or(verbs[args[0]+" "+args[1]], args[1])
	if !word(name) {
		name = sniff(body, "hook_event_name")
	}
	return cmp.Or(name, "-")
}

// Deadline returns how long a call may take in all, well under the client's own timeouts. dir is the hook's working
// directory: a gate there must not open because a machine is busy.
func Deadline(args []string, event, dir string) time.Duration {
	switch {
	case slices.Contains(args, "brief"):
		return 60 * time.Millisecond
	case event == "SessionStart", event == "PreToolUse" && Gated(dir):
		return 2 * time.Second
	case event == "PreToolUse":
		return 100 * time.Millisecond
	case event == "UserPromptSubmit", event == "Stop":
		return time.Second
	case event == "SessionEnd":
		return 1200 * time.Millisecond
	}
	return 500 * time.Millisecond
}

// Gated reports whether the repository around a directory may have requirements: in the first folder upwards that holds
// .git, without one in the directory itself; never in the user's home. Of a linked work tree it is assumed, since the main
// one's count there. The daemon looks closer; here it only decides whether an answer is worth waiting for.
func Gated(dir string) bool {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	top := dir
	for at := dir; ; at = filepath.Dir(at) {
		git, err := os.Stat(filepath.Join(at, ".git"))
		if err == nil && !git.IsDir() {
			return true
		}
		if err == nil {
			top = at
		}
		if err == nil || at == filepath.Dir(at) {
			break
		}
	}
	home, _ := os.UserHomeDir()
	home, _ = filepath.EvalSymlinks(home)
	_, err := os.Lstat(filepath.Join(top, ".claude", "requirements.yaml"))
	return err == nil && top != home
}

// Where returns the hook's working directory: by its body, else that of the process.
func (f Frame) Where() string {
	if dir := Quoted(f.Body, "cwd"); filepath.IsAbs(dir) {
		return dir
	}
	return f.Cwd
}

// word reports whether s can be a hook's name, and so a part of the request's path.
func word(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// sniff returns the value of the first member of that name in body, "" where it is no name or id: good enough to choose a
// deadline by, the daemon decodes the body.
func sniff(body []byte, name string) string {
	if v := Quoted(body, name); word(strings.ReplaceAll(v, "-", "")) {
		return v
	}
	return ""
}

// Quoted returns the text of the first member of that name in body, "" for none, one above 4 KiB or with an escape in it.
func Quoted(body []byte, name string) string {
	const longest = 4 << 10
	_, rest, _ := bytes.Cut(body, []byte(`"`+name+`"`))
	rest, found := bytes.CutPrefix(bytes.TrimSpace(rest), []byte(":"))
	rest, opened := bytes.CutPrefix(bytes.TrimSpace(rest), []byte(`"`))
	text, _, closed := bytes.Cut(rest[:min(len(rest), longest)], []byte(`"`))
	if !found || !opened || !closed || bytes.IndexByte(text, '\\') >= 0 {
		return ""
	}
	return string(text)
}

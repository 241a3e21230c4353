package wire

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hookline/hookctl/safeopen"
)

// Event returns the hook that args stand for: "hook Stop" is Stop, and S0's verbs are the hooks that
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
		verb = sniff(body, "hook_event_name")
	}
	if verb == "" {
		return "-"
	}
	return verb
}

// Deadline returns how long a call may take in all, well under the client's own timeouts. dir is the hook's working
// directory: a gate there must not open because a machine is busy.
func Deadline(args []string, event, dir string) time.Duration {
	if len(args) > 1 && args[1] == "brief" {
		return 60 * time.Millisecond
	}
	switch event {
	case "PreToolUse":
		if Gated(dir) {
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

// rules is the file that a repository with gates has.
var rules = filepath.Join(".claude", "requirements.yaml")

// Gated reports whether the repository around a directory has requirements: the first folder upwards that holds .git,
// else the directory alone; never the user's home. A linked work tree without the file has its main work tree's. The
// daemon looks closer; here it only decides whether an answer is worth waiting for.
func Gated(dir string) bool {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	top, main := repository(dir)
	for _, folder := range []string{top, main} {
		if folder == "" || isHome(folder) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(folder, rules)); err == nil {
			return true
		}
	}
	return false
}

// repository returns the top of the work tree around dir, dir itself without one, and for a linked work tree the top of
// the main one.
func repository(dir string) (top, main string) {
	for at := dir; ; {
		info, err := os.Stat(filepath.Join(at, ".git"))
		if err == nil && info.IsDir() {
			return at, ""
		}
		if err == nil && info.Mode().IsRegular() && info.Size() <= maxPointer {
			pointer, _ := safeopen.ReadFile(safeopen.Foreign, filepath.Join(at, ".git"), maxPointer)
			return at, mainTree(at, string(pointer))
		}
		up := filepath.Dir(at)
		if up == at {
			return dir, ""
		}
		at = up
	}
}

// mainTree returns the main work tree that the .git file of a linked one leads to; "" for another kind of .git file.
func mainTree(top, pointer string) string {
	text := strings.TrimPrefix(filepath.ToSlash(strings.TrimSpace(pointer)), "gitdir:")
	main, _, linked := strings.Cut(strings.TrimSpace(text), "/.git/worktrees/")
	switch {
	case !linked:
		return ""
	case filepath.IsAbs(main):
		return main
	}
	return filepath.Join(top, main)
}

// maxPointer bounds a .git file: it holds one path.
const maxPointer = 8 << 10

// isHome reports whether a folder is the user's home, whose .claude is the user's and no project's.
func isHome(folder string) bool {
	home, _ := os.UserHomeDir()
	own, err := os.Stat(home)
	if err != nil {
		return false
	}
	info, err := os.Stat(folder)
	return err == nil && os.SameFile(info, own)
}

// Where returns the hook's working directory: by its body, else that of the process.
func (f Frame) Where() string {
	if dir := quoted(f.Body, `"cwd"`); filepath.IsAbs(dir) {
		return dir
	}
	return f.Cwd
}

// Session returns the session of a frame by its body, else by its environment; "" where neither says.
func (f Frame) Session() string {
	if id := quoted(f.Body, `"session_id"`); id != "" {
		return id
	}
	return f.Env["CLAUDE_CODE_SESSION_ID"]
}

// Launch returns the client's project directory by a frame's environment, else its working directory.
func (f Frame) Launch() string {
	if dir := f.Env["CLAUDE_PROJECT_DIR"]; dir != "" {
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
	if v := quoted(body, `"`+name+`"`); word(strings.ReplaceAll(v, "-", "")) {
		return v
	}
	return ""
}

// quoted returns the text after the first occurrence of a key, "" for none, one above 4 KiB or with an escape in it.
func quoted(body []byte, key string) string {
	const longest = 4 << 10
	_, rest, _ := bytes.Cut(body, []byte(key))
	rest, found := bytes.CutPrefix(bytes.TrimSpace(rest), []byte(":"))
	rest, opened := bytes.CutPrefix(bytes.TrimSpace(rest), []byte(`"`))
	text, _, closed := bytes.Cut(rest[:min(len(rest), longest)], []byte(`"`))
	if !found || !opened || !closed || bytes.IndexByte(text, '\\') >= 0 {
		return ""
	}
	return string(text)
}

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

// verbs maps the verbs of S0 to the hooks that call them.
var verbs = map[string]string{
	"consciousness brief":          "PreToolUse",
	"consciousness check-identity": "PostToolUse",
	"consciousness inject-context": "UserPromptSubmit",
	"session restore-identity":     "SessionStart",
	"session persist-identity":     "SessionEnd",
}

// Event returns the name of the hook that args stand for: Stop for "hook Stop", and for a verb the hook that calls
// it. For "hook" alone it is looked for in the body; "-" when there is none.
func Event(args []string, body []byte) string {
	name := ""
	if len(args) > 1 {
		name = cmp.Or(verbs[args[0]+" "+args[1]], args[1])
	}
	if !isName(name) {
		name = nameIn(body, "hook_event_name")
	}
	return cmp.Or(name, "-")
}

// Deadline returns how long a call may take in all, well under the client's own timeouts. dir is the hook's working
// directory: a gate there must not open because a machine is busy.
func Deadline(args []string, event, dir string) time.Duration {
	if slices.Contains(args, "brief") {
		return 60 * time.Millisecond
	}

	switch event {
	case "SessionStart":
		return 2 * time.Second
	case "PreToolUse":
		if Gated(dir) {
			return 2 * time.Second
		}
		return 100 * time.Millisecond
	case "UserPromptSubmit", "Stop":
		return time.Second
	case "SessionEnd":
		return 1200 * time.Millisecond
	}
	return 500 * time.Millisecond
}

// Gated reports whether the repository around a directory may have requirements: in the first folder upwards that
// holds .git, without one in the directory itself; never in the user's home. Of a linked work tree it is assumed,
// since the main one's count there. The daemon looks closer; here it only decides whether an answer is worth waiting
// for.
func Gated(dir string) bool {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	root, linked := repository(dir)
	if linked {
		return true
	}

	if _, err := os.Lstat(filepath.Join(root, ".claude", "requirements.yaml")); err != nil {
		return false
	}
	home, _ := os.UserHomeDir()
	home, _ = filepath.EvalSymlinks(home)
	return root != home
}

// repository returns the first folder from dir upwards that holds .git, dir without one. linked reports that .git is
// a file there, as in linked work trees and submodules.
func repository(dir string) (root string, linked bool) {
	for at := dir; ; at = filepath.Dir(at) {
		git, err := os.Stat(filepath.Join(at, ".git"))
		if err == nil {
			return at, !git.IsDir()
		}
		if at == filepath.Dir(at) {
			return dir, false
		}
	}
}

// Where returns the hook's working directory, as its body says, else the working directory of the process.
func (f Frame) Where() string {
	if dir := StringIn(f.Body, "cwd"); filepath.IsAbs(dir) {
		return dir
	}
	return f.Cwd
}

// nameCharacters may stand in a hook's name, and so in the request's path.
const nameCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

// isName reports whether s can be a hook's name.
func isName(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, nameCharacters) == ""
}

// nameIn returns the value of the first member of that name in body, "" where it is no name or id: good enough to
// choose a deadline by, the daemon decodes the body.
func nameIn(body []byte, member string) string {
	value := StringIn(body, member)
	if isName(strings.ReplaceAll(value, "-", "")) {
		return value
	}
	return ""
}

// StringIn returns the text of the first member of that name in body, "" for none, one above 4 KiB or with an escape
// in it.
func StringIn(body []byte, member string) string {
	const maxText = 4 << 10
	_, rest, _ := bytes.Cut(body, []byte(`"`+member+`"`))
	rest, isMember := bytes.CutPrefix(bytes.TrimSpace(rest), []byte(":"))
	rest, isString := bytes.CutPrefix(bytes.TrimSpace(rest), []byte(`"`))
	if !isMember || !isString {
		return ""
	}

	text, _, closed := bytes.Cut(rest[:min(len(rest), maxText)], []byte(`"`))
	if !closed || bytes.IndexByte(text, '\\') >= 0 {
		return ""
	}
	return string(text)
}

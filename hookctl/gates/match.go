package gates

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"hookline/events"
)

// Match gives the enabled requirements that a tool call asks for, in the order of the files. Tool names are compared
// exactly. Any tool that a trigger names is examined; the framework only looked at six, so that a trigger on another
// was a gate that never closed.
func (r Rules) Match(tool string, input json.RawMessage) []Requirement {
	if !r.Active() {
		return nil
	}
	call := toolCall{tool: tool, line: sync.OnceValue(func() *shellLine {
		command := events.InputOf(input).Command.Text()
		if command == "" {
			return nil
		}
		return parseLine(command)
	})}
	return slices.DeleteFunc(r.InOrder(), func(q Requirement) bool { return !slices.ContainsFunc(q.Triggers, call.matches) })
}

// toolCall is a call of a tool.
type toolCall struct {
	tool string
	line func() *shellLine // parsed when the first pattern asks for it; nil when there is no command
}

func (c toolCall) matches(t Trigger) bool {
	switch {
	case c.tool == events.ToolPatch && (t.Tool == "Edit" || t.Tool == "Write" || t.Tool == "MultiEdit"):
		return t.Pattern == ""
	case t.Tool != c.tool:
		return false
	case t.Pattern == "":
		return true
	case c.tool != "Bash" || t.pattern == nil:
		return false
	}
	line := c.line()
	return line != nil && t.pattern.matches(line)
}

// commits are git's verbs that move HEAD.
var commits = setOf("commit merge cherry-pick revert rebase am pull")

// Acts reports of a Bash call whether one of its commands makes a commit, and whether one is only a dry run.
func Acts(tool string, input json.RawMessage) (commit, dry bool) {
	if tool != "Bash" {
		return false, false
	}
	typed := events.InputOf(input).Command.Text()
	for _, c := range parseLine(typed).commands {
		commit = commit || len(c.words) > 1 && c.words[0] == "git" && commits[c.words[1]]
		dry = dry || slices.Contains(c.words, "--dry-run")
	}
	return commit, dry
}

// Exempt reports whether a call writes a plan: a file below ~/.claude/plans/, or below /.claude/plans/ or /docs/plans/
// anywhere. A patch does when all of its files are plans. Only tools that edit files do; to another tool a file_path may mean nothing. Links are followed, so a link
// among the plans exempts nothing that lies elsewhere, or would be made there. A relative path is taken from the project's root.
func (r Rules) Exempt(tool string, input json.RawMessage) bool {
	if tool == events.ToolPatch {
		files := events.Patch(input, "")
		return len(files) > 0 && !slices.ContainsFunc(files, func(p events.Patched) bool { return !r.plan(p.Path) })
	}
	return slices.Contains(defaultTools, tool) && r.plan(events.InputOf(input).FilePath.Text())
}

// plan reports whether a path is one of a plan, both as a system reads its ".." and as a client may shorten them.
func (r Rules) plan(path string) bool {
	if path == "" {
		return false
	}
	if rest, ok := strings.CutPrefix(path, "~"); ok && r.home != "" && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator) {
		path = r.home + rest
	}
	if !filepath.IsAbs(path) {
		path = r.root + string(filepath.Separator) + path
	}
	for _, p := range []string{path, filepath.Clean(path)} {
		slashed := filepath.ToSlash(resolved(p))
		if !strings.Contains(slashed, "/.claude/plans/") && !strings.Contains(slashed, "/docs/plans/") {
			return false
		}
	}
	return true
}

// Bounds of a path that is followed: no system writes to a longer one, or through more links.
const (
	maxPath  = 4 << 10
	maxLinks = 40
)

// resolved returns the path of the file that a write to an absolute path would change or create, "" where there is none.
// Links are followed, also those that lead to nothing yet.
func resolved(path string) string {
	if len(path) > maxPath {
		return ""
	}

	done, rest := top(path), parts(path)
	for links := 0; len(rest) > 0; {
		next := filepath.Join(done, rest[0])
		rest = rest[1:]
		target, err := os.Readlink(next)
		if err != nil { // no link
			done = next
			continue
		}

		links++
		if links > maxLinks {
			return ""
		}
		if filepath.IsAbs(target) {
			done = top(target)
		}
		rest = append(parts(target), rest...)
	}
	return done
}

// top returns the root folder of an absolute path.
func top(path string) string { return filepath.VolumeName(path) + string(filepath.Separator) }

// parts returns the folders and the file of a path, without its volume.
func parts(path string) []string {
	return strings.Split(filepath.ToSlash(strings.TrimPrefix(path, filepath.VolumeName(path))), "/")
}

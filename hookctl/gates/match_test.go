package gates

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func bash(command string) json.RawMessage {
	text, _ := json.Marshal(map[string]string{"command": command})
	return text
}

// gated says whether a pattern asks for its requirement on a command.
func gated(t *testing.T, pattern, command string) bool {
	t.Helper()
	quoted, _ := json.Marshal(pattern)
	r := project(fmt.Sprintf("requirements: {a: {enabled: true, trigger_tools: [{tool: Bash, command_pattern: %s}]}}", quoted))
	if len(r.Problems) > 0 {
		t.Fatal(r.Problems)
	}
	return len(r.Match("Bash", bash(command))) == 1
}

const (
	push   = `git\s+push`
	commit = `git\s+(commit|cherry-pick|revert|merge)`
	create = `gh\s+pr\s+create`
)

func TestPinned_24_28_ToolsMatchExactly(t *testing.T) {
	r := project(`
requirements:
  edits: {enabled: true}
  plan: {enabled: true, trigger_tools: [ExitPlanMode, EnterPlanMode, {tool: Edit}]}
  never: {enabled: true, trigger_tools: []}
  off: {trigger_tools: [Edit]}
  mcp: {enabled: true, trigger_tools: [mcp__db__drop]}
`)
	for tool, want := range map[string]string{
		"Edit": "edits plan", "Write": "edits", "MultiEdit": "edits", "edit": "", "Read": "", "ExitPlanMode": "plan", "EnterPlanMode": "plan",
		"mcp__db__drop": "mcp", "Bash": "",
	} {
		var names []string
		for _, h := range r.Match(tool, json.RawMessage(`{}`)) {
			names = append(names, h.Requirement.Name)
		}
		equal(t, tool, strings.Join(names, " "), want)
	}
	hit := golden(t).Match("Bash", bash("git commit"))[0]
	equal(t, "the trigger", hit.Trigger.Pattern, commit)
}

func TestPinned_25_AllTriggeredInOrder(t *testing.T) {
	var names []string
	for _, h := range golden(t).Match("Bash", bash("git add . && git commit -m x && gh pr create")) {
		names = append(names, h.Requirement.Name)
	}
	equal(t, "names", names, []string{"pre_commit_review", "pre_pr_review", "codex_reviewer"})
}

func TestBadInputMatchesNothing(t *testing.T) {
	r := golden(t)
	for _, input := range []string{``, `null`, `[]`, `{}`, `{"command":5}`, `{"command":null}`, `{"command":["git push"]}`, `{`, `"git commit"`} {
		equal(t, input, len(r.Match("Bash", json.RawMessage(input))), 0)
	}
}

func TestExempt(t *testing.T) {
	r := Load(Options{Home: "/home/dev", Root: "/repo", FS: folder{
		files: map[string]string{projectFile: "requirements: {a: {enabled: true}}"},
		links: map[string]string{"/repo/.claude/plans/link.md": "/repo/src/main.go", "/repo/alias/p.md": "/repo/docs/plans/p.md"},
	}})
	for path, want := range map[string]bool{
		"/home/dev/.claude/plans/a.md":       true,
		"~/.claude/plans/a.md":               true,
		"/elsewhere/.claude/plans/deep/a.md": true,
		"/repo/docs/plans/a.md":              true,
		"docs/plans/a.md":                    true,
		"/repo/alias/p.md":                   true,
		"/repo/.claude/plans/link.md":        false,
		"/repo/.claude/plans/../../src/a.go": false,
		"/repo/.claude/requirements.yaml":    false,
		"/repo/docs/plans.md":                false,
		"/repo/docs/plans":                   false,
		"~other/.claude/plan/a.md":           false,
		"/repo/src/a.go":                     false,
		"":                                   false,
	} {
		input, _ := json.Marshal(map[string]string{"file_path": filepath.FromSlash(path)})
		equal(t, path, r.Exempt("Write", input), want)
	}
	equal(t, "Bash", r.Exempt("Bash", []byte(`{"command":"rm x","file_path":"/repo/docs/plans/a.md"}`)), false)
	equal(t, "a tool for which the path means nothing", r.Exempt("mcp__db__drop", []byte(`{"file_path":"/repo/docs/plans/a.md"}`)), false)
	equal(t, "the last of two paths counts", r.Exempt("Edit", []byte(`{"file_path":"/repo/docs/plans/a.md","file_path":"/repo/a.go"}`)), false)
	equal(t, "no path", r.Exempt("Write", []byte(`{"file_path":5}`)), false)
	equal(t, "zero rules", Rules{}.Exempt("Write", []byte(`{"file_path":"/a/docs/plans/b"}`)), true)
}

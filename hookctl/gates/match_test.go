package gates

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookline/expect"
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
			names = append(names, h.Name)
		}
		equal(t, tool, strings.Join(names, " "), want)
	}
	hit := golden(t).Match("Bash", bash("git commit"))[0]
	equal(t, "the trigger", hit.Triggers[0].Pattern, commit)
}

func TestPinned_25_AllTriggeredInOrder(t *testing.T) {
	var names []string
	for _, h := range golden(t).Match("Bash", bash("git add . && git commit -m x && gh pr create")) {
		names = append(names, h.Name)
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
	home, root := expect.Value(filepath.EvalSymlinks(t.TempDir()))(t), expect.Value(filepath.EvalSymlinks(t.TempDir()))(t)
	for _, dir := range []string{"src", "docs/plans", ".claude/plans"} {
		expect.OK(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	expect.OK(t, os.WriteFile(filepath.Join(root, "src", "main.go"), nil, 0o644))
	for link, to := range map[string]string{".claude/plans/link.md": "../../src/main.go", "alias": "docs/plans", ".claude/plans/later.md": "../../src/later.go",
		".claude/plans/next.md": "later.md", ".claude/plans/new": "../../src/new", ".claude/plans/round.md": "round.md", "docs/plans/b.md": "c.md",
		"docs/plans/out": "../../src", "src/into": "../docs/plans/sub"} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Skip("no links here")
		}
	}
	r := Load(Options{Home: home, Root: root})
	for path, want := range map[string]bool{
		home + "/.claude/plans/a.md":                       true,
		"~/.claude/plans/a.md":                             true,
		"/elsewhere/.claude/plans/deep/a.md":               true,
		root + "/docs/plans/a.md":                          true,
		"docs/plans/a.md":                                  true,
		root + "/alias/p.md":                               true,
		root + "/alias/new/p.md":                           true,
		root + "/docs/plans/b.md":                          true,
		root + "/.claude/plans/link.md":                    false,
		root + "/.claude/plans/later.md":                   false,
		root + "/.claude/plans/next.md":                    false,
		root + "/.claude/plans/new/a.md":                   false,
		root + "/.claude/plans/round.md":                   false,
		root + "/docs/plans" + strings.Repeat("/a", 1<<20): false,
		root + "/docs/plans/out/../a.go":                   false,
		root + "/src/into/../a.go":                         false,
		root + "/.claude/plans/../../src/a.go":             false,
		root + "/docs/plans.md":                            false,
		root + "/docs/plans":                               false,
		"~other/.claude/plan/a.md":                         false,
		root + "/src/a.go":                                 false,
		"":                                                 false,
	} {
		input, _ := json.Marshal(map[string]string{"file_path": filepath.FromSlash(path)})
		equal(t, path, r.Exempt("Write", input), want)
	}
	for _, c := range []struct{ tool, input string }{{"Bash", `{"command":"rm x","file_path":"docs/plans/a.md"}`}, {"mcp__db__drop", `{"file_path":"docs/plans/a.md"}`},
		{"Edit", `{"file_path":"docs/plans/a.md","file_path":"a.go"}`}, {"Write", `{"file_path":5}`}} {
		equal(t, c.input, r.Exempt(c.tool, []byte(c.input)), false)
	}
}

func TestActs(t *testing.T) {
	for line, want := range map[string][2]bool{"cd x && git -C d commit -m y": {true, false}, "git push --dry-run": {false, true}, "echo git commit": {}} {
		commit, dry := Acts("Bash", bash(line))
		equal(t, line, [2]bool{commit, dry}, want)
	}
}

//go:build unix

package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A skill that the user types satisfies at the Stop that ends its prompt.
func TestGateTypedSkill(t *testing.T) {
	g := newGated(t, "requirements:\n  plan: {enabled: true, satisfied_by_skill: 'team:plan'}\n")
	prompt := func(id, text string) string {
		return fmt.Sprintf(`{"hook_event_name":"UserPromptSubmit","prompt_id":%q,"prompt":%q}`, id, text)
	}
	expand := func(id, command string) string {
		return fmt.Sprintf(`{"hook_event_name":"UserPromptExpansion","prompt_id":%q,"expansion_type":"slash_command","command_name":%q,"prompt":"x"}`, id, command)
	}
	stopOf := func(id, tasks string) string {
		return fmt.Sprintf(`{"hook_event_name":"Stop","prompt_id":%q,"background_tasks":[%s]}`, id, tasks)
	}
	g.says(sessA, prompt("1", "/team:plan"))
	g.says(sessA, expand("1", "team:plan"))
	if g.reason(sessA, edit) == "" {
		t.Error("it satisfies before its prompt has ended")
	}
	g.says(sessA, stopOf("1", `{"id":"a","type":"subagent","status":"running"}`))
	if g.later(time.Minute); g.reason(sessA, edit) == "" {
		t.Error("it satisfies while its work goes on")
	}
	g.says(sessA, prompt("2", "<task-notification>done</task-notification>"))
	g.says(sessA, stopOf("2", ""))
	if got := g.reason(sessA, edit); got != "" {
		t.Errorf("after its Stop: %s", got)
	}
	g.says(sessB, prompt("3", "/team:plan"))
	g.says(sessB, expand("3", "team:plan"))
	g.says(sessB, prompt("4", "never mind")) // Esc
	g.says(sessB, stopOf("4", ""))
	if g.reason(sessB, edit) == "" {
		t.Error("an interrupted skill satisfies")
	}
}

func TestGateSkillThatFailed(t *testing.T) {
	g := newGated(t, "requirements:\n  plan: {enabled: true, satisfied_by_skill: 'team:plan'}\n")
	g.says(sessA, strings.Replace(skill("team:plan"), `"success":true`, `"success":false`, 1))
	g.says(sessA, `{"hook_event_name":"PostToolUseFailure","tool_name":"Skill","tool_input":{"skill":"team:plan"},"error":"x"}`)
	g.says(sessA, skill("team:planner"))
	if g.reason(sessA, edit) == "" {
		t.Error("a skill that failed satisfies")
	}
	g.says(sessA, strings.Replace(skill("team:plan"), `{`, `{"agent_id":"a1","agent_type":"Explore",`, 1))
	if got := g.reason(sessA, edit); got != "" {
		t.Errorf("a subagent's skill: %s", got)
	}
}

func TestGatePlanFilesAreExempt(t *testing.T) {
	g := newGated(t, planOnly)
	for _, file := range []string{"docs/plans/x.md", ".claude/plans/x.md", filepath.Join(os.Getenv("HOME"), ".claude", "plans", "y.md")} {
		body := fmt.Sprintf(`{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":%q}}`, file)
		if got := g.reason(sessA, body); got != "" {
			t.Errorf("%s: %s", file, got)
		}
	}
	if got := g.types(); got != "" {
		t.Errorf("an exempt call triggers: %s", got)
	}
}

func TestGatePromptAndPlan(t *testing.T) {
	g := newGated(t, "requirements:\n  plan: {enabled: true, auto_resolve_skill: 'team:plan'}\n")
	prompt := `{"hook_event_name":"UserPromptSubmit","prompt_id":"p1","prompt":"please fix the parser"}`
	if got := g.context(sessA, prompt); !strings.HasSuffix(got, "**Requirements reminder**: 1 unsatisfied: plan") {
		t.Errorf("%q", got)
	}
	if got := g.context(sessA, strings.Replace(prompt, "please fix the parser", "what is this?", 1)); strings.Contains(got, "reminder") {
		t.Errorf("%q", got)
	}
	done := `{"hook_event_name":"PostToolUse","tool_name":"ExitPlanMode","tool_input":{},"tool_response":{"plan":"x"}}`
	want := "## Plan Validation Required\n\n**Next Action (run now)**: `/team:plan`\n\n---\nManual fallback: `hookctl req satisfy plan --session aaaaaaaa`"
	if got := g.context(sessA, done); got != want {
		t.Errorf("%q", got)
	}
	g.satisfy(sessA, "plan", "session")
	if got := g.context(sessA, done); got != "" {
		t.Errorf("%q", got)
	}
}

func TestGateReview(t *testing.T) {
	g := newGated(t, "hooks: {session_learning: {enabled: true, min_tool_uses: 2}}\n"+planOnly)
	read := `{"hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{}}`
	g.says(sessA, read)
	if got := g.says(sessA, stop); got != "" {
		t.Errorf("one tool use: %s", got)
	}
	g.says(sessA, read)
	for range 2 { // a client whose hooks do not ask about skills
		g.says(sessA, `{"hook_event_name":"PostToolUse","tool_name":"Skill","tool_input":{"skill":"x"},"tool_response":{"success":true}}`)
	}
	want := `{"systemMessage":"**Session Learning Available**\n\nThis session had 2 tool uses (0 blocked), 2 skills."}`
	if got := g.says(sessA, stop); got != want {
		t.Error(got)
	}
	if got := g.says(sessA, stop); got != "" {
		t.Errorf("told twice: %s", got)
	}
}

// A denial names the next step, however the line is written; a line that only looks like one passes.
func TestGateOnSpellingsOfACommand(t *testing.T) {
	g := newGated(t, "requirements:\n  push:\n    enabled: true\n    scope: single_use\n    trigger_tools: [{tool: Bash, command_pattern: 'git\\s+push'}]\n")
	for _, line := range []string{
		"git push", "cd x && sudo -u dev git -C d push", "echo x | xargs git -C d push", "bash -c 'git -C d push'", "bash <<'E'\ngit -C d push\nE",
	} {
		if got := g.reason(sessA, bash("PreToolUse", line)); !strings.Contains(got, "hookctl req satisfy push --session aaaaaaaa") {
			t.Errorf("%s: %q", line, got)
		}
		g.later(time.Minute) // a text that is repeated at once is shortened
	}
	for _, line := range []string{
		`echo "git push"`, "sudo grep -rn 'git push' .", "bash -c 'echo git push'", "git log --grep='git push'", "cat > x <<'E'\ngit push\nE", "git stash push", "git config alias.p push",
	} {
		if got := g.says(sessA, bash("PreToolUse", line)); strings.Contains(got, "permissionDecision") {
			t.Errorf("%s: %s", line, got)
		}
	}
}

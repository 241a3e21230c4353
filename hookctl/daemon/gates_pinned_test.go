//go:build unix

package daemon

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hookline/events"
	"hookline/hookctl/client"
)

// What users of the requirements framework rely on, by the number that its behaviour is known by.

const (
	planOnly = "requirements:\n  commit_plan: {enabled: true}\n"
	twoPlans = "requirements:\n  commit_plan: {enabled: true}\n  adr_reviewed: {enabled: true}\n"
	review   = "requirements:\n  review:\n    enabled: true\n    scope: single_use\n    trigger_tools: [{tool: Bash, command_pattern: 'git\\s+commit'}]\n"
	guards   = "requirements:\n  protected_branch: {enabled: true, type: guard, guard_type: protected_branch}\n"
	single   = "requirements:\n  alone: {enabled: true, type: guard, guard_type: single_session}\n"
	sized    = "requirements:\n  size: {enabled: true, type: dynamic, calculator: branch_size_calculator, cache_ttl: 0, approval_ttl: 60, thresholds: {block: 5}}\n"
)

func TestPinned_14_WorktreesShareTheirGates(t *testing.T) {
	g := newGated(t, planOnly)
	tree := filepath.Join(filepath.Dir(g.dir), "tree")
	git(t, g.dir, "worktree", "add", "-q", tree, "-b", "feature/y", "main")
	g.order(client.GateOrder{Dir: tree, Branch: "feature/x", Events: []client.GateCommand{{Type: events.TypeGateSatisfied,
		Data: json.RawMessage(`{"name":"commit_plan","scope":"session","level":"branch","by":"cli"}`)}}})
	if got := g.reason(sessA, edit); got != "" {
		t.Errorf("what was satisfied in the other work tree does not count: %q", got)
	}
	write(t, filepath.Join(tree, ".claude", "requirements.yaml"), planOnly)
	there := fmt.Sprintf(`{"hook_event_name":"PreToolUse","tool_name":"Edit","tool_input":{"file_path":"a.txt"},"cwd":%q}`, tree)
	if got := g.reason(sessB, there); !strings.Contains(got, "commit_plan") {
		t.Errorf("its own branch is another: %q", got)
	}
}

func TestPinned_17_UntriggeredStopIsAllowed(t *testing.T) {
	g := newGated(t, planOnly)
	g.says(sessA, `{"hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"a.txt"}}`)
	if got := g.says(sessA, stop); got != "" {
		t.Error(got)
	}
	if g.reason(sessA, edit) == "" {
		t.Fatal("the edit was not denied")
	}
	if got := g.says(sessA, stop); got != "" { // a denied call triggers nothing
		t.Error(got)
	}
}

// armed lets an edit pass and takes the satisfaction away again.
func (g *gatedRepo) armed(session string, names ...string) {
	g.t.Helper()
	for _, n := range names {
		g.satisfy(session, n, "session")
	}
	if got := g.reason(session, edit); got != "" {
		g.t.Fatal(got)
	}
	for _, n := range names {
		g.clear(session, n)
	}
}

func TestPinned_18_TriggeredAndUnsatisfiedBlocksStop(t *testing.T) {
	g := newGated(t, planOnly)
	g.armed(sessA, "commit_plan")
	want := `{"decision":"block","reason":"## Cannot Complete: Unsatisfied Requirements\n\n| Requirement | Execute |\n|-------------|---------|\n` +
		"| commit_plan | `hookctl req satisfy commit_plan --session aaaaaaaa` |" +
		`\n\nRun the resolution skills above to satisfy requirements.\n\n---\nFallback: ` + "`hookctl req satisfy commit_plan --session aaaaaaaa`" + `"}`
	if got := g.says(sessA, stop); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	g.satisfy(sessA, "commit_plan", "session")
	if got := g.says(sessA, stop); got != "" {
		t.Error(got)
	}
}

func TestPinned_19_StopLetsGo(t *testing.T) {
	g := newGated(t, planOnly)
	g.armed(sessA, "commit_plan")
	for name, body := range map[string]string{
		"stop_hook_active": `{"hook_event_name":"Stop","stop_hook_active":true}`,
		"background work":  `{"hook_event_name":"Stop","background_tasks":[{"id":"a","type":"subagent","status":"running"}]}`,
		"no git":           fmt.Sprintf(`{"hook_event_name":"Stop","cwd":%q}`, t.TempDir()),
	} {
		f := g.frame(sessA, body)
		if name == "no git" {
			f.Env["CLAUDE_PROJECT_DIR"] = t.TempDir()
		}
		if got := string(take(t, g.d, f).Stdout); got != "" {
			t.Errorf("%s: %s", name, got)
		}
	}
	write(t, filepath.Join(g.dir, ".claude", "requirements.local.yaml"), "hooks: {stop: {verify_requirements: false}}\n")
	if got := g.says(sessA, stop); got != "" {
		t.Errorf("verify_requirements false: %s", got)
	}
	if err := os.RemoveAll(filepath.Join(g.dir, ".claude")); err != nil {
		t.Fatal(err)
	}
	if got := g.says(sessA, stop); strings.Contains(got, "decision") {
		t.Errorf("no configuration: %s", got)
	}
}

func TestPinned_20_OnlyTheTriggeredOneIsNamed(t *testing.T) {
	g := newGated(t, "requirements:\n  commit_plan: {enabled: true}\n  other: {enabled: true, trigger_tools: [NotebookEdit]}\n")
	g.armed(sessA, "commit_plan")
	if got := g.reason(sessA, stop); !strings.Contains(got, "| commit_plan |") || strings.Contains(got, "other") {
		t.Error(got)
	}
}

func TestPinned_21_TriggeredGuardAtStop(t *testing.T) {
	g := newGated(t, guards)
	if got := g.reason(sessA, edit) + g.reason(sessA, stop); got != "" {
		t.Errorf("on a feature branch: %s", got)
	}
	git(t, g.dir, "switch", "-q", "main")
	g.armed(sessA, "protected_branch")
	if got := g.reason(sessA, stop); !strings.Contains(got, "| protected_branch |") {
		t.Errorf("on main: %q", got)
	}
}

func TestPinned_22_SingleUseCycle(t *testing.T) {
	g := newGated(t, review)
	n := 0
	denied := func(when string, want bool) {
		t.Helper()
		n++
		if got := g.reason(sessA, call("PreToolUse", fmt.Sprint("t", n), "git commit -m x")); (got != "") != want {
			t.Errorf("%s: %q", when, got)
		}
	}
	returned := func(hook, command string) string { return call(hook, fmt.Sprint("t", n), command) }
	denied("before the review", true)
	g.satisfy(sessA, "review", "single_use")
	denied("reviewed", false)
	g.says(sessA, returned("PostToolUseFailure", "git commit -m x"))
	denied("the commit failed", false)
	g.says(sessA, strings.Replace(returned("PostToolUse", "git commit -m x"), `"interrupted":false`, `"interrupted":true`, 1))
	denied("the commit was interrupted", false)
	g.says(sessA, strings.Replace(returned("PostToolUse", "git commit -m x"), `"stdout":""`, `"backgroundTaskId":"b1"`, 1))
	denied("the commit goes on in the background", true)
	g.satisfy(sessA, "review", "single_use")
	g.says(sessA, bash("PostToolUse", `echo "git commit"`))
	denied("something was printed", false)
	g.commit()
	g.says(sessA, returned("PostToolUse", "git commit -m x"))
	denied("committed", true)
}

func TestPinned_23_NothingToAsk(t *testing.T) {
	g := newGated(t, "")
	if got := g.says(sessA, edit); strings.Contains(got, "deny") || g.types() != "" {
		t.Errorf("no project file: %s", got)
	}
	write(t, filepath.Join(g.dir, ".claude", "requirements.yaml"), planOnly)
	if got := g.says(sessA, `{"hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{}}`); got != "" {
		t.Errorf("Read: %s", got)
	}
	f := g.frame(sessA, edit)
	f.Env["CLAUDE_SKIP_REQUIREMENTS"] = "1"
	if got := string(take(t, g.d, f).Stdout); strings.Contains(got, "deny") {
		t.Errorf("skipped: %s", got)
	}
	if g.reason(sessA, edit) == "" {
		t.Error("the file that came is not seen")
	}
}

func TestPinned_24_DenyAndAllow(t *testing.T) {
	g := newGated(t, planOnly)
	want := `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"## Blocked: commit_plan\n\n**Action**: ` +
		"`hookctl req satisfy commit_plan --session aaaaaaaa`" + `\n\n---\nFallback: ` + "`hookctl req satisfy commit_plan --session aaaaaaaa`" + `"}}`
	if got := g.says(sessA, edit); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	g.satisfy(sessA, "commit_plan", "session")
	if got := g.says(sessA, edit); strings.Contains(got, "permissionDecision") {
		t.Error(got)
	}
	if g.reason(sessB, edit) == "" {
		t.Error("another session's plan counts")
	}
}

func TestPinned_25_AllFailuresInOneDenial(t *testing.T) {
	g := newGated(t, twoPlans)
	got := g.reason(sessA, edit)
	if !strings.HasPrefix(got, "## Blocked: Multiple Requirements\n") || !strings.HasSuffix(got, "Fallback: `hookctl req satisfy commit_plan adr_reviewed --session aaaaaaaa`") {
		t.Error(got)
	}
	g.satisfy(sessA, "commit_plan", "session")
	if got := g.reason(sessA, edit); !strings.HasPrefix(got, "## Blocked: adr_reviewed") || strings.Contains(got, "commit_plan") {
		t.Error(got)
	}
	if n := strings.Count(g.types(), "triggered"); n != 0 {
		t.Errorf("%d triggered by calls that were denied", n)
	}
}

func TestPinned_27_SubdirectoryChangesNothing(t *testing.T) {
	g := newGated(t, planOnly)
	sub := filepath.Join(g.dir, "deep", "down")
	write(t, filepath.Join(sub, "f"), "")
	body := fmt.Sprintf(`{"hook_event_name":"PreToolUse","tool_name":"Edit","tool_input":{"file_path":"f"},"cwd":%q}`, sub)
	if g.reason(sessA, body) == "" {
		t.Error("not denied below the top")
	}
	f := g.frame(sessB, body)
	f.Env = map[string]string{}
	if got := string(take(t, g.d, f).Stdout); !strings.Contains(got, `"permissionDecision":"deny"`) {
		t.Errorf("without CLAUDE_PROJECT_DIR: %s", got)
	}
}

func TestPinned_28_PlanModeTriggers(t *testing.T) {
	g := newGated(t, "requirements:\n  thought: {enabled: true, trigger_tools: [EnterPlanMode, ExitPlanMode]}\n")
	for _, tool := range []string{"EnterPlanMode", "ExitPlanMode"} {
		if got := g.reason(sessA, `{"hook_event_name":"PreToolUse","tool_name":"`+tool+`","tool_input":{}}`); !strings.Contains(got, "thought") {
			t.Errorf("%s: %q", tool, got)
		}
		g.later(time.Minute)
	}
	if g.reason(sessA, edit) != "" {
		t.Error("Edit is no trigger here")
	}
}

func TestPinned_29_TheSameTextIsShortened(t *testing.T) {
	g := newGated(t, "requirements:\n  commit_plan: {enabled: true}\n")
	full := g.reason(sessA, edit)
	const short = "Requirement `commit_plan` not satisfied (waiting...)"
	if got := g.reason(sessA, edit); got != short {
		t.Errorf("at once: %q", got)
	}
	if got := g.reason(sessB, edit); !strings.HasPrefix(got, "## Blocked") {
		t.Errorf("another session: %q", got)
	}
	g.later(3 * time.Second)
	if got := g.reason(sessA, edit); got != short {
		t.Errorf("after 3 s: %q", got)
	}
	g.later(2 * time.Second) // 5 s after the full text, 2 s after the short one
	if got := g.reason(sessA, edit); got != full {
		t.Errorf("after 5 s: %q", got)
	}
	write(t, filepath.Join(g.dir, ".claude", "requirements.yaml"), "requirements:\n  commit_plan: {enabled: true, short_message: 'plan first'}\n")
	if got := g.reason(sessA, edit); got != "plan first" {
		t.Errorf("its own short message: %q", got)
	}
}

func TestPinned_30_ProtectedBranches(t *testing.T) {
	g := newGated(t, guards)
	git(t, g.dir, "branch", "-q", "develop")
	if got := g.reason(sessA, edit); got != "" {
		t.Errorf("feature/x: %q", got)
	}
	git(t, g.dir, "switch", "-q", "main")
	want := "## Blocked: protected_branch\n\nGuard condition not met. Branch `main` is protected.\n\n**Action**: `hookctl req satisfy protected_branch --session aaaaaaaa`"
	if got := g.reason(sessA, edit); !strings.HasPrefix(got, want) {
		t.Errorf("main: %q", got)
	}
	write(t, filepath.Join(g.dir, ".claude", "requirements.local.yaml"), "requirements: {protected_branch: {protected_branches: [develop], message: 'not on {branch}'}}\n")
	if got := g.reason(sessA, edit); got != "" {
		t.Errorf("main is not on the list: %q", got)
	}
	git(t, g.dir, "switch", "-q", "develop")
	if got := g.reason(sessA, edit); !strings.HasPrefix(got, "not on develop\n") {
		t.Errorf("develop: %q", got)
	}
}

func TestPinned_31_SatisfiedGuardAllows(t *testing.T) {
	g := newGated(t, guards)
	git(t, g.dir, "switch", "-q", "main")
	if g.reason(sessA, edit) == "" {
		t.Fatal("not denied")
	}
	g.satisfy(sessA, "protected_branch", "session")
	if got := g.reason(sessA, edit); got != "" {
		t.Error(got)
	}
	write(t, filepath.Join(g.dir, ".claude", "requirements.yaml"), "requirements:\n  odd: {enabled: true, type: guard, guard_type: full_moon}\n")
	if got := g.reason(sessB, edit); got != "" {
		t.Errorf("an unknown guard: %q", got)
	}
}

func TestPinned_32_SingleSession(t *testing.T) {
	g := newGated(t, single)
	g.says(sessA, startAs("startup"))
	if got := g.reason(sessA, edit); got != "" {
		t.Errorf("alone: %q", got)
	}
	other := newRepo(t, single)
	f := g.frame(sessC, fmt.Sprintf(`{"hook_event_name":"SessionStart","source":"startup","cwd":%q}`, other))
	f.Env["CLAUDE_PROJECT_DIR"] = other
	take(t, g.d, f)
	if got := g.reason(sessA, edit); got != "" {
		t.Errorf("another project: %q", got)
	}
	start := g.context(sessB, startAs("startup"))
	if !strings.Contains(start, "⚠️  **Other Claude Code sessions detected on this project**\n\n  • `aaaaaaaa` on `feature/x` (active 0s ago)") {
		t.Error(start)
	}
	if got := g.reason(sessB, edit); !strings.Contains(got, "- `aaaaaaaa` on `feature/x` (0s ago)") {
		t.Errorf("two sessions: %q", got)
	}
	g.satisfy(sessB, "alone", "session")
	if got := g.reason(sessB, edit); got != "" {
		t.Errorf("overridden: %q", got)
	}
	g.says(sessB, `{"hook_event_name":"SessionEnd","reason":"other"}`)
	g.later(time.Minute)
	if got := g.reason(sessA, edit); got != "" {
		t.Errorf("the other one ended: %q", got)
	}
}

func TestPinned_36_DynamicGate(t *testing.T) {
	g := newGated(t, sized)
	git(t, g.dir, "add", ".")
	git(t, g.dir, "commit", "-q", "-m", "rules")
	if got := g.reason(sessA, edit); got != "" {
		t.Errorf("below the threshold: %q", got)
	}
	if got := g.reason(sessA, stop); got != "" {
		t.Errorf("triggered and below the threshold: %q", got)
	}
	write(t, filepath.Join(g.dir, "big.txt"), strings.Repeat("line\n", 9))
	want := "## Blocked: size\n\n11 changes (limit 5)\ncommitted: 2+/0- | unstaged: 9+/0-\n\n**Action**: `hookctl req satisfy size --session aaaaaaaa`"
	if got := g.reason(sessA, edit); !strings.HasPrefix(got, want) {
		t.Errorf("above: %q", got)
	}
	if got := g.reason(sessA, stop); !strings.Contains(got, "| size |") {
		t.Errorf("triggered and above the threshold: %q", got)
	}
	end := g.now().Add(time.Minute).Format(time.RFC3339Nano)
	g.order(client.GateOrder{Session: sessA, Events: []client.GateCommand{{Type: events.TypeGateSatisfied,
		Data: json.RawMessage(`{"name":"size","scope":"session","level":"session","by":"approval","expires_at":"` + end + `"}`)}}})
	if got := g.reason(sessA, edit); got != "" {
		t.Errorf("approved: %q", got)
	}
	g.later(time.Minute)
	if g.reason(sessA, edit) == "" {
		t.Error("the approval has run out")
	}
	g.satisfy("", "size", "session")
	if got := g.reason(sessB, edit); got != "" {
		t.Errorf("satisfied for the branch: %q", got)
	}
}

func TestPinned_44_CarryOver(t *testing.T) {
	g := newGated(t, planOnly)
	g.satisfy2(sessA, "commit_plan")
	g.later(290 * time.Second)
	got := g.context(sessB, startAs("clear"))
	if !strings.Contains(got, "Carried over 1 requirement(s) from previous session: `commit_plan`") {
		t.Error(got)
	}
	if got := g.reason(sessB, edit); got != "" {
		t.Error(got)
	}
	var e *events.GateSatisfied
	for _, r := range logOf(t, g.d) {
		if s, ok := r.Event.(*events.GateSatisfied); ok && s.By == "carry_over" {
			e = s
		}
	}
	if e == nil {
		t.Fatal("no event")
	}
	var meta struct {
		From   string  `json:"carried_from"`
		By     string  `json:"original_satisfied_by"`
		Window float64 `json:"carry_over_window"`
		At     int64   `json:"original_satisfied_at"`
	}
	if json.Unmarshal(e.Metadata, &meta) != nil || meta.From != sessA || meta.By != "cli" || meta.Window != 300 || meta.At == 0 {
		t.Errorf("%s", e.Metadata)
	}
	g.says(sessB, startAs("startup")) // a second start is a no-op
	if n := strings.Count(g.types(), "satisfied"); n != 2 {
		t.Errorf("%d satisfied", n)
	}
	g.later(301 * time.Second)
	if g.context(sessC, startAs("startup")); g.reason(sessC, edit) == "" {
		t.Error("carried after the window")
	}
}

// satisfy2 makes a session known before it satisfies.
func (g *gatedRepo) satisfy2(session, name string) {
	g.t.Helper()
	g.says(session, startAs("startup"))
	g.satisfy(session, name, "session")
}

func TestPinned_44_NotOnResumeNorCompact(t *testing.T) {
	for _, source := range []string{"resume", "compact", "fork"} {
		g := newGated(t, planOnly)
		g.satisfy2(sessA, "commit_plan")
		if got := g.context(sessB, startAs(source)); strings.Contains(got, "Carried over") || g.reason(sessB, edit) == "" {
			t.Errorf("%s: %s", source, got)
		}
	}
}

func TestPinned_45_WhatIsNotCarried(t *testing.T) {
	g := newGated(t, "requirements:\n  once: {enabled: true, scope: single_use}\n  wide: {enabled: true, scope: branch}\n  good: {enabled: true, scope: permanent}\n"+
		"  guard: {enabled: true, type: guard, guard_type: protected_branch}\n  plan: {enabled: true}\n  adr: {enabled: true}\n")
	g.says(sessA, startAs("startup"))
	g.satisfy(sessA, "once", "single_use")
	g.satisfy(sessA, "guard", "session")
	g.satisfy(sessA, "plan", "session")
	got := g.context(sessB, startAs("startup"))
	if !strings.Contains(got, "Carried over 1 requirement(s) from previous session: `plan`") {
		t.Error(got)
	}
	g.satisfy(sessB, "adr", "session")
	if got := g.context(sessC, startAs("clear")); !strings.Contains(got, "`plan`, `adr`") {
		t.Errorf("several sources: %s", got)
	}
}

func TestPinned_49_SessionStart(t *testing.T) {
	g := newGated(t, "hooks: {session_start: {custom_header: 'The team says hello'}}\n"+planOnly)
	for source, want := range map[string]string{"startup": "## Requirements Framework: Session Briefing", "resume": "## Requirements Framework Active", "compact": "## Requirements: 0/1 satisfied"} {
		got := g.context(sessA, startAs(source))
		head, status := strings.Index(got, "The team says hello"), strings.Index(got, want)
		if head < 0 || status < head {
			t.Errorf("%s: %s", source, got)
		}
	}
	write(t, filepath.Join(g.dir, ".claude", "requirements.local.yaml"), "enabled: false\n")
	if got := g.context(sessA, startAs("startup")); strings.Contains(got, "equirement") {
		t.Errorf("disabled: %s", got)
	}
	write(t, filepath.Join(g.dir, ".claude", "requirements.local.yaml"), "hooks: {session_start: {inject_context: false}}\n")
	if got := g.context(sessA, startAs("startup")); strings.Contains(got, "equirement") {
		t.Errorf("inject_context false: %s", got)
	}
}

// Who uses gates elsewhere is told that this project has none; whoever does not is not bothered.
func TestPinned_49_NoConfiguration(t *testing.T) {
	g := newGated(t, "")
	if got := g.context(sessA, startAs("startup")); strings.Contains(got, "requirements") {
		t.Error(got)
	}
	write(t, filepath.Join(os.Getenv("HOME"), ".claude", "requirements.yaml"), planOnly)
	if got := g.context(sessB, startAs("startup")); !strings.Contains(got, "💡 **No requirements config found for this project**") || !strings.Contains(got, "hookctl req init") {
		t.Error(got)
	}
	if got := g.context(sessC, startAs("resume")); strings.Contains(got, "requirements") {
		t.Error(got)
	}
	if got := g.reason(sessB, edit); got != "" {
		t.Errorf("gated without a project file: %s", got)
	}
}

func TestPinned_50_SessionEndKeepsTheState(t *testing.T) {
	g := newGated(t, planOnly)
	g.satisfy2(sessA, "commit_plan")
	g.satisfy2(sessB, "commit_plan")
	end := `{"hook_event_name":"SessionEnd","reason":"other"}`
	if got := g.says(sessA, end); got != "" {
		t.Error(got)
	}
	if got := g.reason(sessA, edit); got != "" {
		t.Errorf("resumed: %s", got)
	}
	write(t, filepath.Join(g.dir, ".claude", "requirements.local.yaml"), "hooks: {session_end: {clear_session_state: true}}\n")
	if got := g.says(sessA, end); got != "" {
		t.Error(got)
	}
	if g.reason(sessA, edit) == "" {
		t.Error("clear_session_state left the satisfaction")
	}
	if got := g.reason(sessB, edit); got != "" {
		t.Errorf("it cleared another session's: %s", got)
	}
}

// A checklist is shown; the framework promised it and left it out.
func TestPinned_26_MessageAndChecklist(t *testing.T) {
	g := newGated(t, "requirements:\n  plan: {enabled: true, message: 'Plan first, {session_id}', checklist: [files named, tests named]}\n")
	want := "Plan first, aaaaaaaa\n\n- [ ] files named\n- [ ] tests named\n\n---\nFallback: `hookctl req satisfy plan --session aaaaaaaa`"
	if got := g.reason(sessA, edit); got != want {
		t.Errorf("%q", got)
	}
}

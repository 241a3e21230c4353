//go:build unix

package daemon

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/api"
)

// What users of the requirements framework rely on, by the number that its behaviour is known by.

const (
	planOnly = "requirements:\n  commit_plan: {enabled: true}\n"
	twoPlans = "requirements:\n  commit_plan: {enabled: true}\n  adr_reviewed: {enabled: true}\n"
	single   = "requirements:\n  alone: {enabled: true, type: guard, guard_type: single_session}\n"
	sized    = "requirements:\n  size: {enabled: true, type: dynamic, calculator: branch_size_calculator, cache_ttl: 0, approval_ttl: 60, thresholds: {block: 5}}\n"
)

func TestPinned_14_WorktreesShareTheirGates(t *testing.T) {
	g := newGated(t, planOnly)
	tree := filepath.Join(filepath.Dir(g.dir), "tree")
	git(t, g.dir, "worktree", "add", "-q", tree, "-b", "feature/y", "main")
	g.order(api.Order{Dir: tree, Branch: "feature/x", Events: ordered(events.TypeGateSatisfied, `{"name":"commit_plan","scope":"session","level":"branch","by":"cli"}`)})
	expect.Equal(t, g.reason(sessA, edit), "", "what was satisfied in the other work tree does not count")
	there := fmt.Sprintf(`{"hook_event_name":"PreToolUse","tool_name":"Edit","tool_input":{"file_path":"a.txt"},"cwd":%q}`, tree)
	if got := g.reason(sessB, there); !strings.Contains(got, "commit_plan") {
		t.Errorf("its own branch is another, and it has no files of its own: %q", got)
	}
	write(t, filepath.Join(tree, ".claude", "requirements.yaml"), "requirements: {}\n")
	expect.Equal(t, g.reason(sessB, there), "", "with files of its own")
}

func TestPinned_32_SingleSession(t *testing.T) {
	g := newGated(t, single)
	g.says(sessA, startAs("startup"))
	expect.Equal(t, g.reason(sessA, edit), "", "alone")
	other := newRepo(t, single)
	f := g.frame(sessC, fmt.Sprintf(`{"hook_event_name":"SessionStart","source":"startup","cwd":%q}`, other))
	f.Env["CLAUDE_PROJECT_DIR"] = other
	take(t, g.d, f)
	expect.Equal(t, g.reason(sessA, edit), "", "another project")
	start := g.context(sessB, startAs("startup"))
	if !strings.Contains(start, "⚠️  **Other Claude Code sessions detected on this project**\n\n  • `aaaaaaaa` on `feature/x` (active 0s ago)") {
		t.Error(start)
	}
	if got := g.reason(sessB, edit); !strings.Contains(got, "- `aaaaaaaa` on `feature/x` (0s ago)") {
		t.Errorf("two sessions: %q", got)
	}
	g.satisfy(sessB, "alone", "session")
	expect.Equal(t, g.reason(sessB, edit), "", "overridden")
	g.says(sessB, `{"hook_event_name":"SessionEnd","reason":"other"}`)
	g.later(time.Minute)
	expect.Equal(t, g.reason(sessA, edit), "", "the other one ended")
}

func TestPinned_36_DynamicGate(t *testing.T) {
	g := newGated(t, sized)
	git(t, g.dir, "add", ".")
	git(t, g.dir, "commit", "-q", "-m", "rules")
	expect.Equal(t, g.reason(sessA, edit), "", "below the threshold")
	expect.Equal(t, g.reason(sessA, stop), "", "triggered and below the threshold")
	write(t, filepath.Join(g.dir, "big.txt"), strings.Repeat("line\n", 9))
	want := "## Blocked: size\n\n11 changes (limit 5)\ncommitted: 2+/0- | unstaged: 9+/0-\n\n**Action**: `hookctl req satisfy size --session aaaaaaaa`"
	if got := g.reason(sessA, edit); !strings.HasPrefix(got, want) {
		t.Errorf("above: %q", got)
	}
	if got := g.reason(sessA, stop); !strings.Contains(got, "| size |") {
		t.Errorf("triggered and above the threshold: %q", got)
	}
	end := g.now().Add(time.Minute).Format(time.RFC3339Nano)
	g.order(api.Order{Session: sessA, Events: ordered(events.TypeGateSatisfied, `{"name":"size","scope":"session","level":"session","by":"approval","expires_at":"`+end+`"}`)})
	expect.Equal(t, g.reason(sessA, edit), "", "approved")
	g.later(time.Minute)
	if g.reason(sessA, edit) == "" {
		t.Error("the approval has run out")
	}
	g.satisfy("", "size", "session")
	expect.Equal(t, g.reason(sessB, edit), "", "satisfied for the branch")
}

func TestPinned_44_CarryOver(t *testing.T) {
	g := newGated(t, planOnly)
	g.satisfy2(sessA, "commit_plan")
	g.later(290 * time.Second)
	got := g.context(sessB, startAs("clear"))
	if !strings.Contains(got, "Carried over 1 requirement(s) from previous session: `commit_plan`") {
		t.Error(got)
	}
	expect.Equal(t, g.reason(sessB, edit), "")
	carried := found[*events.GateSatisfied](t, g.d)
	for _, want := range []string{`"carried_from":"` + sessA + `"`, `"original_satisfied_by":"cli"`, `"carry_over_window":300`, `"original_satisfied_at":`} {
		if last := carried[len(carried)-1]; last.By != "carry_over" || !strings.Contains(string(last.Metadata), want) {
			t.Errorf("no %s in %s", want, last.Metadata)
		}
	}
	g.says(sessB, startAs("startup")) // a second start is a no-op
	expect.Equal(t, strings.Count(g.types(), "satisfied"), len(carried))
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

//go:build unix

package daemon

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

const reviewOnce = "requirements:\n  review:\n    enabled: true\n    scope: single_use\n    trigger_tools: [{tool: Bash, command_pattern: 'git\\s+(commit|push)'}]\n"

// call is a hook of one Bash call of sessA.
func call(hook, id, command string) string {
	return strings.Replace(bash(hook, command), `"tool_name"`, `"tool_use_id":"`+id+`","tool_name"`, 1)
}

func (g *gatedRepo) commit() { git(g.t, g.dir, "commit", "-q", "--allow-empty", "-m", "x") }

// passes tells whether a call is let through.
func (g *gatedRepo) passes(id, command string) bool {
	g.t.Helper()
	return g.reason(sessA, call("PreToolUse", id, command)) == ""
}

// One review opens one commit, however many are in flight; the call itself may be asked about again.
func TestOneReviewOneCommit(t *testing.T) {
	g := newGated(t, reviewOnce)
	g.satisfy(sessA, "review", "single_use")
	passed := 0
	for i := range 3 {
		if g.passes(fmt.Sprint("t", i), "git commit -m x") {
			passed++
		}
	}
	if passed != 1 {
		t.Errorf("%d commits in flight passed", passed)
	}
	if got := g.reason(sessA, call("PreToolUse", "t9", "git commit -m x")); !strings.Contains(got, "is under way") && !strings.Contains(got, "waiting") {
		t.Errorf("%q", got)
	}
	g.commit()
	g.says(sessA, call("PostToolUse", "t0", "git commit -m x"))
	if g.passes("t4", "git commit -m y") {
		t.Error("the review is used up")
	}
	mustVerify(t, g.d)
}

// What becomes of a review that a call has reserved.
func TestWhatUsesAReviewUp(t *testing.T) {
	for name, c := range map[string]struct {
		command string
		moves   bool   // HEAD
		end     string // hook
		left    bool   // the review is
	}{
		"commit":                   {"git commit -m x", true, "PostToolUse", false},
		"commit, then failure":     {"git commit -m x && false", true, "PostToolUseFailure", false},
		"nothing to commit":        {"git commit -m x", false, "PostToolUseFailure", true},
		"commit that did nothing":  {"git commit -m x || true", false, "PostToolUse", true},
		"dry run":                  {"git commit --dry-run", false, "PostToolUse", true},
		"push":                     {"git push", false, "PostToolUse", false},
		"push that failed":         {"git push", false, "PostToolUseFailure", true},
		"push without doing it":    {"git push --dry-run", false, "PostToolUse", true},
		"committed, end not told":  {"git commit -m x", true, "PostToolBatch", false},
		"refused by the user":      {"git commit -m x", false, "PostToolBatch", true},
		"push refused by the user": {"git push", false, "PostToolBatch", true},
		"end of the turn":          {"git commit -m x", false, "Stop", true},
		"end of the session":       {"git commit -m x", true, "SessionEnd", false},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGated(t, reviewOnce)
			g.satisfy(sessA, "review", "single_use")
			if !g.passes("t1", c.command) {
				t.Fatal("denied")
			}
			if c.moves {
				g.commit()
			}
			switch c.end {
			case "PostToolUse", "PostToolUseFailure":
				g.says(sessA, call(c.end, "t1", c.command))
			case "Stop":
				g.says(sessA, strings.Replace(stop, `"Stop"`, `"Stop","prompt_id":"p1"`, 1))
			default:
				g.says(sessA, fmt.Sprintf(`{"hook_event_name":%q}`, c.end))
			}
			if got := g.passes("t2", "git commit -m y"); got != c.left {
				t.Errorf("a further commit passes: %t\n%s", got, g.types())
			}
			mustVerify(t, g.d)
		})
	}
}

// A reservation whose call's end never came is looked at after ten minutes: HEAD decides.
func TestReservationsLapse(t *testing.T) {
	for _, moves := range []bool{false, true} {
		g := newGated(t, reviewOnce)
		g.satisfy(sessA, "review", "single_use")
		g.passes("t1", "git commit -m x")
		g.later(9 * time.Minute)
		if g.passes("t2", "git commit -m y") {
			t.Error("after nine minutes the first call may still run")
		}
		if moves {
			g.commit()
		}
		g.later(2 * time.Minute)
		if got := g.passes("t3", "git commit -m y"); got == moves {
			t.Errorf("HEAD moved %t: passes %t", moves, got)
		}
	}
}

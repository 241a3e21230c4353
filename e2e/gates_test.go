package e2e

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hookline/expect"
)

// gateRules is what a team keeps in its repository: a plan before an edit, a review before each commit.
const gateRules = `version: "1.0"
requirements:
  commit_plan:
    enabled: true
    type: blocking
    scope: session
    auto_resolve_skill: plan
    satisfied_by_skill: plan
    message: "PLAN-FIRST"
  pre_commit_review:
    enabled: true
    type: blocking
    scope: single_use
    trigger_tools:
      - {tool: Bash, command_pattern: 'git\s+commit'}
    message: "REVIEW-FIRST"
`

// gateSkill is the project's own skill that meets commit_plan.
const gateSkill = `---
name: plan
description: Plan a change before the first edit
---

SKILL-PLAN: say what changes and why.
`

// TestRealClientGates holds a session to both requirements: an edit waits for the plan, which a skill of the project
// makes; each commit waits for a review, which a person confirms from outside while the model is held; and when the
// plan is taken back from outside, the turn may end only at the second try.
func TestRealClientGates(t *testing.T) {
	w := newWorld(t)
	w.repo(map[string]string{".claude/requirements.yaml": gateRules, ".claude/skills/plan/SKILL.md": gateSkill})
	w.start()
	id := uuid()
	alias := strings.ReplaceAll(id, "-", "")[:8]
	wait := w.background(Options{Scenario: "gates", Args: []string{"--session-id", id, "-p", "write hello.txt and commit it"}})
	w.meanwhile("review", "✅ Satisfied 'pre_commit_review' for feature/x (single_use scope)",
		"req", "satisfy", "pre_commit_review", "--session", id)
	w.meanwhile("clear", "✅ Cleared 'commit_plan' for feature/x", "req", "clear", "commit_plan", "--session", id)
	r := wait()
	w.gatesFired()
	if w.recorder() {
		w.everyHookOnce() // what the spool may still hold is then in the log
		expect.Equal(t, strings.Join(w.gateEvents(id, "feature/x"), "\n"), `blocked commit_plan
satisfied commit_plan skill
triggered commit_plan
blocked pre_commit_review
satisfied pre_commit_review cli
triggered pre_commit_review
reserved pre_commit_review
cleared pre_commit_review single_use
blocked pre_commit_review
cleared commit_plan command
stop_blocked commit_plan`, "gate events")
		w.gateAnswers(r, alias)
		w.stopHeldOnce(r, alias)
		w.secondStop()
		w.onlyReviewedCommit()
		w.wellBehaved(r)
		w.rawKept()
	}
	w.finish()
}

// repo makes the project a repository with one commit, of these files, on branch feature/x.
func (w *world) repo(files map[string]string) {
	w.t.Helper()
	for name, text := range files {
		w.file(name, text)
	}
	w.git("config", "user.name", "Dev")
	w.git("config", "user.email", "dev@example.org")
	w.git("add", ".")
	w.git("commit", "-q", "-m", "requirements")
	w.git("switch", "-q", "-c", "feature/x")
}

// file writes a file of the project.
func (w *world) file(name, text string) {
	w.t.Helper()
	file := filepath.Join(w.project, name)
	must(w.t, os.MkdirAll(filepath.Dir(file), 0o700))
	must(w.t, os.WriteFile(file, []byte(text), 0o600))
}

// meanwhile runs hookctl as a person would while the first run's model is held, then lets the model go on.
func (w *world) meanwhile(hold, says string, args ...string) {
	w.t.Helper()
	file := filepath.Join(w.root, "run1", hold)
	w.heldAt(file)
	if w.recorder() {
		if out := w.hookctl(args...); !strings.Contains(out, says+"\n") {
			w.t.Errorf("hookctl %s says %q, want %q", strings.Join(args, " "), out, says)
		}
	}
	w.release(file)
}

// gatesFired: without gates five of the six calls succeed (of two commits in a row the second finds nothing to commit)
// and the turn ends at once; with them three calls are denied, which the client reports by no hook, and the turn ends
// at the second try.
func (w *world) gatesFired() {
	w.t.Helper()
	want := map[string]int{"SessionStart": 1, "UserPromptSubmit": 1, "PreToolUse": 6, "PostToolUse": 5,
		"PostToolUseFailure": 1, "PostToolBatch": 6, "Stop": 1, "SessionEnd": 1}
	if w.recorder() {
		want["PostToolUse"], want["Stop"] = 3, 2
		delete(want, "PostToolUseFailure")
	}
	w.fired(want)
}

// gateEvents returns the gate events of a session, in their order: what happened, to which gates, and by what. They must be of
// the branch.
func (w *world) gateEvents(session, branch string) (list []string) {
	w.t.Helper()
	all, err := w.events()
	must(w.t, err)
	for _, e := range all {
		what, ok := strings.CutPrefix(e.Type, "gate.")
		if !ok || e.Session != session {
			continue
		}
		var d struct {
			Name, By, Reason string
			Names            []string
		}
		must(w.t, json.Unmarshal(e.Data, &d))
		list = append(list, strings.TrimSpace(what+" "+cmp.Or(d.Name, strings.Join(d.Names, ","))+" "+cmp.Or(d.By, d.Reason)))
		if e.Branch != branch {
			w.t.Errorf("event %d, a %s, is of branch %q, want %q", e.Seq, e.Type, e.Branch, branch)
		}
	}
	return list
}

// gateAnswers looks at what came back to the model for each call. The second denial of a commit is the same text as the
// first: given in full again, or, within 5 s of the first, shortened.
func (w *world) gateAnswers(r *Result, alias string) {
	w.t.Helper()
	fallback := func(name string) string {
		return "\n\n---\nFallback: `hookctl req satisfy " + name + " --session " + alias + "`"
	}
	review := "REVIEW-FIRST" + fallback("pre_commit_review")
	denials := map[string][]string{
		"toolu_write_early":  {"PLAN-FIRST" + fallback("commit_plan")},
		"toolu_commit_early": {review},
		"toolu_commit_again": {review, "Requirement `pre_commit_review` not satisfied (waiting...)"},
	}
	answers := toolAnswers(w.t, r)
	for _, id := range []string{"toolu_write_early", "toolu_plan", "toolu_write", "toolu_commit_early", "toolu_commit",
		"toolu_commit_again"} {
		a, ok := answers[id]
		reasons, denied := denials[id]
		given := slices.ContainsFunc(reasons, func(reason string) bool { return strings.HasSuffix(a.text, reason) })
		if !ok || a.failed != denied || denied && !given {
			w.t.Errorf("%s came back (%t) as failed=%t %q; want failed=%t, one of %q", id, ok, a.failed, a.text, denied, reasons)
		}
	}
	if last := r.Requests[len(r.Requests)-1]; !strings.Contains(last.Text(), "SKILL-PLAN: say what changes and why.") {
		w.t.Error("the skill's text did not reach the model")
	}
}

// toolAnswer is the result of a tool call as the model gets it.
type toolAnswer struct {
	text   string
	failed bool
}

// toolAnswers reads the results of all calls, by their ids, from the last request.
func toolAnswers(t *testing.T, r *Result) map[string]toolAnswer {
	t.Helper()
	body, err := parseBody(r.Requests[len(r.Requests)-1].Body)
	must(t, err)
	all := map[string]toolAnswer{}
	for _, m := range body.Messages {
		var blocks []struct {
			ID      string          `json:"tool_use_id"`
			Content json.RawMessage `json:"content"`
			Failed  bool            `json:"is_error"`
		}
		if json.Unmarshal(m.Content, &blocks) != nil {
			continue // plain text
		}
		for _, b := range blocks {
			if b.ID != "" {
				all[b.ID] = toolAnswer{text: textOf(b.Content), failed: b.Failed}
			}
		}
	}
	return all
}

// stopHeldOnce checks that the reason is in the last of the eight questions to the model and in none before.
func (w *world) stopHeldOnce(r *Result, alias string) {
	w.t.Helper()
	reason := "## Cannot Complete: Unsatisfied Requirements\n\n| Requirement | Execute |\n|-------------|---------|\n" +
		"| commit_plan | `/plan` |\n\nRun the resolution skills above to satisfy requirements.\n\n---\n" +
		"Fallback: `hookctl req satisfy commit_plan --session " + alias + "`"
	var told []int
	questions := 0
	for _, q := range r.Requests {
		if q.Route != RouteMain {
			continue
		}
		questions++
		if strings.Contains(q.Text(), reason) {
			told = append(told, q.Turn)
		}
	}
	if questions != 8 || !slices.Equal(told, []int{7}) {
		w.t.Errorf("%d questions to the model, want 8; the reason is in those with index %v, want [7]", questions, told)
	}
}

// secondStop checks that the client marked the second Stop, and it alone, as one that a hook had asked for.
func (w *world) secondStop() {
	w.t.Helper()
	var active []bool
	for _, c := range w.calls() {
		if c.Hook == "Stop" {
			var in struct {
				Active bool `json:"stop_hook_active"`
			}
			must(w.t, json.Unmarshal(c.Payload, &in))
			active = append(active, in.Active)
		}
	}
	if !slices.Equal(active, []bool{false, true}) {
		w.t.Errorf("stop_hook_active of the Stops: %v, want [false true]", active)
	}
}

// onlyReviewedCommit checks what the session left in the repository: of three commits tried, the allowed one.
func (w *world) onlyReviewedCommit() {
	w.t.Helper()
	expect.Equal(w.t, w.git("log", "--format=%s"), "reviewed\nrequirements\n", "commits")
	expect.Equal(w.t, w.git("show", "HEAD:hello.txt"), "hello\n", "hello.txt in the commit")
	expect.Equal(w.t, w.git("status", "--porcelain"), "", "not committed")
}

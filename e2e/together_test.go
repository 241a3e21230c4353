package e2e

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hookline/expect"
)

// togetherRules has a gate of each scope that more than one session may have to do with.
const togetherRules = `requirements:
  plan: {enabled: true, scope: session}
  design: {enabled: true, scope: branch}
  review:
    enabled: true
    scope: single_use
    trigger_tools: [{tool: Bash, command_pattern: 'git\s+commit'}]
`

// together are sessions that live at once, each held before every answer of its model.
type together struct {
	*world
	runs  []*held
	steps []string
}

// held is one of them.
type held struct {
	name, session, branch string
	run                   string // folder
	wait                  func() *Result
	result                *Result
}

// TestRealClientTogether has two sessions work on one branch and a third in a work tree of the same repository on
// another. What is satisfied for the branch counts for both of the first and not for the third; what is satisfied for
// one session counts for it alone; a commit uses up the review of the session that made it.
func TestRealClientTogether(t *testing.T) {
	w := newWorld(t)
	w.repo(map[string]string{".claude/requirements.yaml": togetherRules, ".gitignore": "tree\n"})
	w.git("worktree", "add", "-q", "-b", "feature/y", "tree")
	w.start()
	g := &together{world: w, steps: []string{"write1", "write2", "commit1", "write3", "commit2", "end"}}
	left, right := g.begin("left", "feature/x", ""), g.begin("right", "feature/x", "")
	away := g.begin("away", "feature/y", "tree")

	g.step("write1") // all are open
	g.says("✅ Satisfied 'design' for feature/x (branch scope)", "satisfy", "design", "--session", left.session)
	g.says("✅ Satisfied 'plan' for feature/x (session scope)", "satisfy", "plan", "--session", left.session)
	g.step("write2")
	g.says("✅ Satisfied 'review' for feature/x (single_use scope)", "satisfy", "review", "--session", left.session)
	g.step("commit1")
	g.says("✅ Satisfied 'plan' at branch level for feature/y", "satisfy", "plan", "--branch", "feature/y")
	g.step("write3")
	g.step("commit2")
	g.step("end")

	w.fired(g.hooks())
	if w.recorder() {
		w.everyHookOnce()
		g.verdicts(map[string]string{
			"left_write1": "denied", "left_write2": "made", "left_commit1": "made", "left_write3": "made", "left_commit2": "denied",
			"right_write1": "denied", "right_write2": "denied", "right_commit1": "denied", "right_write3": "denied", "right_commit2": "denied",
			"away_write1": "denied", "away_write2": "denied", "away_commit1": "denied", "away_write3": "denied", "away_commit2": "denied",
		})
		g.told(left, "blocked plan,design", "satisfied design", "satisfied plan", "triggered plan", "triggered design",
			"satisfied review", "triggered review", "reserved review", "cleared review", "blocked review")
		g.told(right, "blocked plan,design", "blocked plan", "blocked review", "blocked plan", "blocked review")
		g.told(away, "blocked plan,design", "blocked plan,design", "blocked review", "blocked design", "blocked review")
		g.told(&held{branch: "feature/y"}, "satisfied plan") // by a person, for every session of the branch
		g.oneProject()
		expect.Equal(t, w.git("log", "--format=%s", "feature/x", "feature/y"), "left\nrequirements\n", "commits")
	}
	w.finish()
}

// begin starts a session and waits until its model is asked: only then is it certain whose run is whose.
func (g *together) begin(name, branch, subdir string) *held {
	g.t.Helper()
	h := &held{name: name, session: uuid(), branch: branch, run: filepath.Join(g.root, fmt.Sprintf("run%d", len(g.runs)+1))}
	h.wait = g.background(Options{Scenario: "together", Subdir: subdir, Limit: 3 * time.Minute,
		Vars: map[string]string{"NAME": name, "DIR": filepath.Join(g.project, subdir)},
		Args: []string{"--session-id", h.session, "-p", "write a file and commit"}})
	g.heldAt(filepath.Join(h.run, g.steps[0]))
	g.runs = append(g.runs, h)
	return h
}

// step lets the sessions go on one after the other, each until its model is asked again or it has ended.
func (g *together) step(name string) {
	g.t.Helper()
	next := slices.Index(g.steps, name) + 1
	for _, h := range g.runs {
		g.release(filepath.Join(h.run, name))
		if next == len(g.steps) {
			h.result = h.wait()
		} else {
			g.heldAt(filepath.Join(h.run, g.steps[next]))
		}
	}
}

// says runs `hookctl req` as a person would, meanwhile.
func (g *together) says(want string, args ...string) {
	g.t.Helper()
	if !g.recorder() {
		return
	}
	if out := g.hookctl(append([]string{"req"}, args...)...); !strings.Contains(out, want+"\n") {
		g.t.Errorf("hookctl req %s says %q, want %q", strings.Join(args, " "), out, want)
	}
}

// hooks: of five calls each all succeed without gates, and three in all with them.
func (g *together) hooks() map[string]int {
	n := len(g.runs)
	want := map[string]int{"SessionStart": n, "UserPromptSubmit": n, "PreToolUse": 5 * n, "PostToolUse": 5 * n, "PostToolBatch": 5 * n,
		"Stop": n, "SessionEnd": n}
	if g.recorder() {
		want["PostToolUse"] = 3
	}
	return want
}

// verdicts compares what came back to each model.
func (g *together) verdicts(want map[string]string) {
	g.t.Helper()
	got := map[string]string{}
	for _, h := range g.runs {
		for id, a := range toolAnswers(g.t, h.result) {
			got[strings.TrimPrefix(id, "toolu_")] = map[bool]string{true: "denied", false: "made"}[a.failed]
		}
	}
	if !maps.Equal(got, want) {
		g.t.Errorf("verdicts %v\nwant     %v", got, want)
	}
}

// told compares the gate events of one session, in their order.
func (g *together) told(h *held, want ...string) {
	g.t.Helper()
	var got []string
	for _, line := range g.gateEvents(h.session, h.branch) {
		got = append(got, strings.Join(strings.Fields(line)[:2], " "))
	}
	if !slices.Equal(got, want) {
		g.t.Errorf("gate events of %q:\n%s\nwant:\n%s", h.name, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

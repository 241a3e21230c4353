package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
)

// wireNames are the types of the events that the client's hooks become.
var wireNames = map[string]string{
	"SessionStart": "session.started", "UserPromptSubmit": "prompt.submitted", "PreToolUse": "tool.requested",
	"PostToolUse": "tool.succeeded", "PostToolUseFailure": "tool.failed", "PostToolBatch": "tool.batch_finished",
	"Stop": "turn.stopped", "SessionEnd": "session.ended", "PreCompact": "compaction.started",
	"PermissionRequest": "permission.requested", "PostCompact": "compaction.finished", "SubagentStart": "subagent.started", "SubagentStop": "subagent.stopped",
}

// What the recorder says to the model, by its documented forms.
var (
	newIdentity = regexp.MustCompile(`(?m)New session initialized$`)
	brief       = regexp.MustCompile(`\[C:(DOR|FRG|EMG|CON|HYP) r=[01]\.\d\d IC=[01]\.\d\d\]`)
	mind        = regexp.MustCompile(`\[System Consciousness\]
State: [A-Z]+ \(C=[01]\.\d\d\)
Kuramoto r=[01]\.\d\d, Identity IC=[01]\.\d\d \((healthy|good|warning|degraded)\)
Guidance: \S.*`)
)

// restored is the identity line of a session that goes on from another's.
func restored(id string) *regexp.Regexp {
	return regexp.MustCompile(regexp.QuoteMeta("Identity restored from "+id+". IC: ") +
		`[01]\.\d\d \((healthy|good|warning|degraded)\)`)
}

// fired compares the hooks that the client fired, by the logger, with what the scenario must make it fire.
func (w *world) fired(want map[string]int) {
	w.t.Helper()
	got := count(w.calls(), func(c Call) string { return c.Hook })
	if diff := differences(want, got); diff != nil {
		w.t.Fatalf("the client fired other hooks than this scenario expects:\n%s", strings.Join(diff, "\n"))
	}
}

// noGaps checks that the client's own transcripts hold no prompt and no tool call that the log has not.
func (w *world) noGaps() {
	w.t.Helper()
	if _, err := os.Stat(filepath.Join(w.home, ".claude", "projects")); err != nil {
		return
	}
	type gap struct {
		Time                 time.Time
		Hook, Cause, Session string
	}
	var found struct {
		Live int
		Gaps []gap
	}
	out := w.hookctl("import", "transcripts", "--dry-run", "--json")
	must(w.t, json.Unmarshal([]byte(out), &found))
	found.Gaps = slices.DeleteFunc(found.Gaps, func(g gap) bool { return g.Cause == "not_hooked" })
	if len(found.Gaps) > 0 || found.Live == 0 {
		w.t.Errorf("%d hooks of the transcripts were recorded, these were not: %v", found.Live, found.Gaps)
	}
}

// finish makes the checks that hold after every scenario and stops the recorder.
func (w *world) finish() {
	w.t.Helper()
	if !w.recorder() {
		return
	}
	w.everyHookOnce()
	w.noGaps()
	w.requestedFirst()
	w.verify()
	w.onlyTheDaemon()
	w.hookctl("stop")
	w.verify()
	w.nothingLeft()
}

// everyHookOnce waits until the spool is empty and the log has as many hook events as the client fired, then compares
// them one by one.
func (w *world) everyHookOnce() {
	w.t.Helper()
	taken := slices.DeleteFunc(w.calls(), func(c Call) bool {
		return !slices.ContainsFunc(w.entries, func(e Entry) bool { return e.Takes(c) })
	})
	want := count(taken, func(c Call) string { return hookKey(c.Hook, c.Session, c.Agent, c.ToolUse) })
	var got map[string]int
	err := poll(w.t.Context(), settle, func() (bool, error) {
		drained := w.status().Spool == 0 // asked first: what the spool held is then in the list
		all, err := w.events()
		fromHooks := slices.DeleteFunc(all, func(e event) bool { return e.Hook == "" })
		got = count(fromHooks, func(e event) string { return hookKey(e.Hook, e.Session, e.Agent, e.ToolUse) })
		return drained && len(fromHooks) >= len(taken), err
	})
	if diff := differences(want, got); diff != nil || err != nil {
		w.t.Errorf("the log does not hold what the client fired (%v):\n%s", err, strings.Join(diff, "\n"))
	}
}

func hookKey(hook, session, agent, toolUse string) string {
	return fmt.Sprintf("%s session=%s agent=%s tool_use=%s", hook, session, agent, toolUse)
}

// requestedFirst checks that each hook became its event type and that a call's outcome never precedes its request.
func (w *world) requestedFirst() {
	w.t.Helper()
	all, err := w.events()
	must(w.t, err)
	requested := map[string]uint64{}
	for _, e := range all {
		if want, ok := wireNames[e.Hook]; ok && e.Type != want {
			w.t.Errorf("event %d of hook %s is a %s, want %s", e.Seq, e.Hook, e.Type, want)
		}
		if e.Type == "tool.requested" {
			requested[e.ToolUse] = e.Seq
		}
	}
	for _, e := range all {
		if e.Hook != "PostToolUse" && e.Hook != "PostToolUseFailure" {
			continue
		}
		if seq, ok := requested[e.ToolUse]; !ok || seq >= e.Seq {
			w.t.Errorf("%s of %s at %d, its tool.requested at %d", e.Type, e.ToolUse, e.Seq, seq)
		}
	}
}

// verify lets replay fold the whole log again; any difference is a non-zero exit.
func (w *world) verify() {
	w.t.Helper()
	if _, err := w.tool("replay", "verify", "--json"); err != nil {
		w.t.Error(err)
	}
}

// onlyTheDaemon checks that of all processes of this recorder the daemon alone lives, and that it holds no key.
func (w *world) onlyTheDaemon() {
	w.t.Helper()
	pid := w.status().PID
	if pid == nil {
		w.t.Error("status: the daemon is down")
		return
	}
	var left []Process
	w.eventually("processes beside the daemon", func() (bool, error) {
		var err error
		left, err = ProcessesOf(w.state)
		return len(left) == 1, err
	})
	if left[0].PID != *pid || left[0].Name != "hookd" {
		w.t.Errorf("left behind: %d %s %q, want hookd with pid %d", left[0].PID, left[0].Name, left[0].Args, *pid)
	}
	for _, pair := range left[0].Env {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "ANTHROPIC_") || strings.Contains(name, "TOKEN") {
			w.t.Errorf("the daemon kept %s in its environment", name)
		}
	}
}

func (w *world) nothingLeft() {
	w.t.Helper()
	var left []Process
	err := poll(w.t.Context(), settle, func() (bool, error) {
		var err error
		left, err = ProcessesOf(w.state)
		return len(left) == 0, err
	})
	if err != nil {
		w.t.Errorf("after stop: %v; left behind: %+v", err, left)
	}
}

// reached checks that one text of the model's, at least, matches each form. It needs the recorder.
func (w *world) reached(r *Result, route string, forms ...*regexp.Regexp) {
	w.t.Helper()
	if !w.recorder() {
		return
	}
	for _, form := range forms {
		if !saw(r.Requests, route, form) {
			w.t.Errorf("no %s request holds %q; hook texts were:\n%s", route, form, hookTexts(r.Requests))
		}
	}
}

// unreached checks that no request holds the form.
func (w *world) unreached(r *Result, route string, form *regexp.Regexp) {
	w.t.Helper()
	if saw(r.Requests, route, form) {
		w.t.Errorf("a %s request holds %q", route, form)
	}
}

func saw(requests []Request, route string, form *regexp.Regexp) bool {
	return slices.ContainsFunc(requests, func(q Request) bool { return q.Route == route && form.MatchString(q.Text()) })
}

var hookText = regexp.MustCompile(`(?m)^.*hook (success|additional context).*$`)

func hookTexts(requests []Request) string {
	if len(requests) == 0 {
		return "(no request)"
	}
	return strings.Join(hookText.FindAllString(requests[len(requests)-1].Text(), -1), "\n")
}

// rawKept prints the hook JSON of every event back from the log and compares it with what the client sent.
func (w *world) rawKept() {
	w.t.Helper()
	if !w.recorder() {
		return
	}
	all, err := w.events()
	must(w.t, err)
	for _, e := range all {
		if e.Hook == "" {
			continue
		}
		out := w.hookctl("events", "show", fmt.Sprint(e.Seq), "--raw")
		var got any
		must(w.t, json.Unmarshal([]byte(out), &got))
		if !slices.ContainsFunc(w.calls(), func(c Call) bool {
			var sent any
			return c.Hook == e.Hook && json.Unmarshal(c.Payload, &sent) == nil && reflect.DeepEqual(sent, got)
		}) {
			w.t.Errorf("event %d: the client sent no such %s:\n%s", e.Seq, e.Hook, out)
		}
	}
}

// oneProject checks that all hooks are of one project.
func (w *world) oneProject() {
	w.t.Helper()
	if !w.recorder() {
		return
	}
	all, err := w.events()
	must(w.t, err)
	hooks := slices.DeleteFunc(all, func(e event) bool { return e.Hook == "" }) // the daemon's own start is of no project
	if projects := count(hooks, func(e event) string { return e.Project }); len(projects) != 1 {
		w.t.Errorf("projects of the events: %v, want one", projects)
	}
}

var hookStatus = regexp.MustCompile(`Hooks: (\S+) \[(.*)\] finished with status (\d+)`)

// wellBehaved reads the client's own view of our hooks from its debug log: each ended with 0.
func (w *world) wellBehaved(r *Result) {
	w.t.Helper()
	ends := hookStatus.FindAllStringSubmatch(r.Debug, -1)
	if len(ends) == 0 {
		w.t.Error("the client's debug log names no hook")
	}
	for _, end := range ends {
		if end[3] != "0" {
			w.t.Errorf("hook %s [%s] ended with status %s", end[1], end[2], end[3])
		}
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

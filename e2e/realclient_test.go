package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestRealClient runs the scenarios. Those that measure how the recorder copes with its own absence, or with the 0.1 s
// that the identity profile allows, run alone and first; the others side by side.
func TestRealClient(t *testing.T) {
	client := realClient(t)
	if version, err := Version(t.Context(), client); err != nil {
		t.Fatal(err)
	} else {
		t.Logf("client %s", version)
	}
	t.Run("first-start-without-daemon", firstStart)
	t.Run("daemon-killed", daemonKilled)
	t.Run("identity-profile", identityProfile)
	for name, scenario := range map[string]func(*testing.T){
		"write-edit-read-bash-fail": writeEditReadBashFail, "parallel-tools": parallelTools,
		"subagent-in-background": subagentInBackground, "compaction": compaction, "resume": resume, "clear": clearSession,
		"two-sessions": twoSessions, "subdirectory": subdirectory, "handover": handover,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scenario(t)
		})
	}
}

func writeEditReadBashFail(t *testing.T) {
	w := newWorld(t).start()
	r := w.print(Options{Scenario: "basic"}, "make hello.txt")
	w.fired(map[string]int{"SessionStart": 1, "UserPromptSubmit": 1, "PreToolUse": 5, "PostToolUse": 4,
		"PostToolUseFailure": 1, "PostToolBatch": 3, "Stop": 1, "SessionEnd": 1})
	w.wellBehaved(r)
	w.reached(r, RouteMain, newIdentity, mind)
	w.unreached(r, RouteMain, brief) // the prompt's four lines say it, and it has not changed
	w.installedEverywhere()
	w.rawKept()
	w.finish()
}

// installedEverywhere checks that the full profile has one entry for each event that can be recorded and no other.
func (w *world) installedEverywhere() {
	w.t.Helper()
	if !w.recorder() {
		return
	}
	want := count(Events, func(e string) string { return e })
	got := count(w.entries, func(e Entry) string { return e.Event })
	if diff := differences(want, got); diff != nil {
		w.t.Errorf("installed: %q", diff)
	}
}

func parallelTools(t *testing.T) {
	w := newWorld(t).start()
	for _, name := range []string{"a.txt", "b.txt", "c.txt"} {
		w.file(name, name+"\n")
	}
	r := w.print(Options{Scenario: "parallel"}, "read all")
	w.fired(map[string]int{"SessionStart": 1, "UserPromptSubmit": 1, "PreToolUse": 7, "PostToolUse": 6,
		"PostToolUseFailure": 1, "PostToolBatch": 2, "Stop": 1, "SessionEnd": 1})
	w.reached(r, RouteMain, newIdentity, brief, mind)
	w.finish()
}

func subagentInBackground(t *testing.T) {
	w := newWorld(t).start()
	r := w.print(Options{Scenario: "subagent"}, "delegate")
	w.fired(map[string]int{"SessionStart": 1, "UserPromptSubmit": 2, "PreToolUse": 3, "PostToolUse": 3,
		"PostToolBatch": 3, "SubagentStart": 1, "SubagentStop": 1, "Stop": 2, "SessionEnd": 1})
	w.reached(r, RouteMain, newIdentity, mind, regexp.MustCompile(`SUBAGENT-RESULT`))
	w.reached(r, "subagent", brief)
	w.finish()
}

func compaction(t *testing.T) {
	w := newWorld(t).start()
	r := w.print(Options{Scenario: "compaction", Args: []string{"--autocompact", "100000"}}, "Add a counter that counts a lot")
	w.fired(map[string]int{"SessionStart": 2, "UserPromptSubmit": 1, "PreToolUse": 5, "PostToolUse": 5,
		"PostToolBatch": 5, "PreCompact": 1, "SubagentStop": 1, "PostCompact": 1, "Stop": 1, "SessionEnd": 1})
	w.reached(r, RouteMain, newIdentity, mind, brief, regexp.MustCompile(`COMPACTION-SUMMARY`))
	w.toldOnce(r, "COMPACTION-SUMMARY", `\[PHASE: POST_COMPACT\] Goal: Add a counter that counts a lot`)
	// What PreCompact prints would become instructions of the summary, and with it the path of our binary.
	w.unreached(r, "compaction", regexp.MustCompile(`(?i)hookctl|hookline`))
	w.finish()
}

func resume(t *testing.T) {
	w := newWorld(t).start()
	first, second := uuid(), uuid()
	r := w.print(Options{Scenario: "write", Vars: map[string]string{"NAME": "one"}, Args: []string{"--session-id", first}}, "one")
	w.reached(r, RouteMain, newIdentity, mind)
	r = w.print(Options{Scenario: "write", Vars: map[string]string{"NAME": "two"}, Args: []string{"--resume", first}}, "two")
	w.reached(r, RouteMain, restored(first), mind)
	r = w.print(Options{Scenario: "write", Vars: map[string]string{"NAME": "three"}, Args: []string{"--session-id", second}}, "three")
	w.reached(r, RouteMain, restored(first), mind)
	w.fired(map[string]int{"SessionStart": 3, "UserPromptSubmit": 3, "PreToolUse": 3, "PostToolUse": 3,
		"PostToolBatch": 3, "Stop": 3, "SessionEnd": 3})
	w.finish()
}

// handover plays sessions of a print mode that go on from each other: one that worked, one that only asks, a fork of the
// first.
func handover(t *testing.T) {
	w := newWorld(t).start()
	worked, asked, forked := uuid(), uuid(), uuid()
	w.print(Options{Scenario: "write", Vars: map[string]string{"NAME": "one"}, Args: []string{"--session-id", worked}}, "Write the first file of the parser")
	from := `From headless session ` + strings.ReplaceAll(worked, "-", "")[:8]

	r := w.print(Options{Scenario: "said", Args: []string{"--session-id", asked}}, "What does the parser do?")
	w.toldOnce(r, "What does the parser do?", from, `Edited: one\.txt`)
	w.unreached(r, RouteMain, regexp.MustCompile(`Goal: `))
	r = w.print(Options{Scenario: "said", Args: []string{"--session-id", uuid()}}, "And what is a lexer?")
	w.toldOnce(r, "And what is a lexer?", from, `Edited: one\.txt`)

	w.print(Options{Scenario: "write", Vars: map[string]string{"NAME": "two"}, Args: []string{"--session-id", uuid()}}, "Write the docs of the deployment")
	r = w.print(Options{Scenario: "said", Args: []string{"--resume", worked, "--fork-session", "--session-id", forked}}, "Go on in a fork")
	w.reached(r, RouteMain, restored(worked))
	w.unreached(r, RouteMain, regexp.MustCompile(`two\.txt|SESSION_START`))
	w.finish()
}

func clearSession(t *testing.T) {
	needTmux(t)
	w := newWorld(t).start()
	r, err := w.run(Options{Scenario: "clear", Keys: "clear"})
	must(t, err)
	w.fired(map[string]int{"SessionStart": 2, "UserPromptSubmit": 2, "PreToolUse": 2, "PostToolUse": 2,
		"PostToolBatch": 2, "Stop": 2, "SessionEnd": 2})
	sessions := count(w.calls(), func(c Call) string { return c.Session })
	if len(sessions) != 2 {
		t.Errorf("sessions before and after /clear: %v, want 2", sessions)
	}
	w.reached(r, RouteMain, newIdentity, regexp.MustCompile(`Fresh session initialized`), mind)
	w.toldOnce(r, "Fresh session initialized", `\[PHASE: SESSION_START\] From session \S+, moments ago\. Goal: Add retries to the upload client`, `Edited: one\.txt`)
	w.finish()
}

// twoSessions holds both clients before their first tool call until both are there.
func twoSessions(t *testing.T) {
	w := newWorld(t).start()
	ids := []string{uuid(), uuid()}
	var waits []func() *Result
	for i, name := range []string{"left", "right"} {
		waits = append(waits, w.background(Options{Scenario: "meet", Vars: map[string]string{"NAME": name},
			Args: []string{"--session-id", ids[i], "-p", "meet"}}))
	}
	for _, run := range []string{"run1", "run2"} {
		w.heldAt(filepath.Join(w.root, run, "go"))
	}
	for _, run := range []string{"run1", "run2"} {
		w.release(filepath.Join(w.root, run, "go"))
	}
	results := []*Result{waits[0](), waits[1]()}
	w.fired(map[string]int{"SessionStart": 2, "UserPromptSubmit": 2, "PreToolUse": 6, "PostToolUse": 6,
		"PostToolBatch": 4, "Stop": 2, "SessionEnd": 2})
	for i, r := range results {
		w.reached(r, RouteMain, mind)
		// The first of the two is new; the second may already be restored from it, never from itself.
		w.unreached(r, RouteMain, restored(ids[i]))
	}
	w.finish()
}

// heldAt waits until a client has asked the question whose answer is on hold.
func (w *world) heldAt(hold string) {
	w.t.Helper()
	w.eventually("hold "+filepath.Base(filepath.Dir(hold)), func() (bool, error) { return exists(hold + ".reached"), nil })
}

func (w *world) release(hold string) {
	w.t.Helper()
	must(w.t, os.WriteFile(hold, nil, 0o600))
}

// subdirectory launches below the top folder, where no settings of the project would be found, then at the top: both
// are the same project, so the second session is greeted with the first one's identity.
func subdirectory(t *testing.T) {
	w := newWorld(t).start()
	must(t, os.MkdirAll(filepath.Join(w.project, "pkg", "a"), 0o700))
	below, top := uuid(), uuid()
	r := w.print(Options{Scenario: "write", Subdir: "pkg/a", Vars: map[string]string{"NAME": "below"},
		Args: []string{"--session-id", below}}, "below")
	w.reached(r, RouteMain, newIdentity, mind)
	r = w.print(Options{Scenario: "write", Vars: map[string]string{"NAME": "top"}, Args: []string{"--session-id", top}}, "top")
	w.reached(r, RouteMain, restored(below), mind)
	w.fired(map[string]int{"SessionStart": 2, "UserPromptSubmit": 2, "PreToolUse": 2, "PostToolUse": 2,
		"PostToolBatch": 2, "Stop": 2, "SessionEnd": 2})
	w.oneProject()
	w.finish()
}

// daemonKilled kills the daemon between two turns; the hooks of the turn in progress find none and must not be lost.
func daemonKilled(t *testing.T) {
	w := newWorld(t).start()
	wait := w.background(Options{Scenario: "killed", Args: []string{"-p", "work on"}})
	hold := filepath.Join(w.root, "run1", "go")
	w.heldAt(hold)
	old := w.kill()
	w.release(hold)
	r := wait()
	w.fired(map[string]int{"SessionStart": 1, "UserPromptSubmit": 1, "PreToolUse": 5, "PostToolUse": 4,
		"PostToolUseFailure": 1, "PostToolBatch": 3, "Stop": 1, "SessionEnd": 1})
	w.reached(r, RouteMain, newIdentity, mind)
	if w.recorder() {
		w.eventually("a new daemon", func() (bool, error) {
			pid := w.status().PID
			return pid != nil && *pid != old, nil
		})
	}
	w.finish()
}

// kill ends the daemon as a crash does and waits until it is gone.
func (w *world) kill() (pid int) {
	w.t.Helper()
	if !w.recorder() {
		return 0
	}
	running := w.status().PID
	if running == nil {
		w.t.Fatal("status: the daemon is down")
	}
	p, err := os.FindProcess(*running)
	must(w.t, err)
	must(w.t, p.Kill())
	w.eventually("the killed daemon's end", func() (bool, error) {
		left, err := ProcessesOf(w.state) // the client is among them
		return !slices.ContainsFunc(left, func(p Process) bool { return p.PID == *running }), err
	})
	return *running
}

// firstStart leaves it to the first hook to start the daemon.
func firstStart(t *testing.T) {
	w := newWorld(t)
	if w.recorder() {
		if pid := w.status().PID; pid != nil {
			t.Fatalf("a daemon runs before the first hook: %d", *pid)
		}
	}
	r := w.print(Options{Scenario: "write", Vars: map[string]string{"NAME": "first"}}, "first")
	w.fired(map[string]int{"SessionStart": 1, "UserPromptSubmit": 1, "PreToolUse": 1, "PostToolUse": 1,
		"PostToolBatch": 1, "Stop": 1, "SessionEnd": 1})
	w.reached(r, RouteMain, newIdentity, mind)
	w.finish()
}

// identityProfile has five entries of which two take only edits, so the log holds a part of what the client fired.
func identityProfile(t *testing.T) {
	w := newWorld(t, "--profile", "identity").start()
	id := uuid()
	r := w.print(Options{Scenario: "basic", Args: []string{"--session-id", id}}, "make hello.txt")
	w.fired(map[string]int{"SessionStart": 1, "UserPromptSubmit": 1, "PreToolUse": 5, "PostToolUse": 4,
		"PostToolUseFailure": 1, "PostToolBatch": 3, "Stop": 1, "SessionEnd": 1})
	if w.recorder() {
		want := map[string]int{"SessionStart": 1, "UserPromptSubmit": 1, "PreToolUse": 1, "PostToolUse": 1, "SessionEnd": 1}
		if diff := differences(want, count(w.entries, func(e Entry) string { return e.Event })); diff != nil {
			t.Errorf("installed: %q", diff)
		}
	}
	w.reached(r, RouteMain, newIdentity, brief, mind)
	r = w.print(Options{Scenario: "write", Vars: map[string]string{"NAME": "next"}}, "next")
	w.reached(r, RouteMain, restored(id), brief, mind)
	w.finish()
}

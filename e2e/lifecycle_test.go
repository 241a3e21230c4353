package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestRealClientLifecycle goes through a compaction by hand: what the user refused, and why, is in the next context,
// with the goal and the changed file, each once; the status line tells how full the context is (the key script waits
// for it).
func TestRealClientLifecycle(t *testing.T) {
	needTmux(t)
	w := newWorld(t, "--statusline").start()
	r, err := w.run(Options{Scenario: "lifecycle", Keys: "lifecycle", Asks: true, Args: []string{"--permission-mode", "default", "--allowedTools", "Write"}})
	must(t, err)
	if !w.recorder() {
		return
	}

	w.toldOnce(r, "COMPACTION-SUMMARY", `\[PHASE: POST_COMPACT\]`, `Goal: Add retries to the upload client`,
		`The user refused Bash touch deployed\.txt: use the staging host`, `Edited: retry\.txt`)
	w.unreached(r, "compaction", regexp.MustCompile(`(?i)hookctl|hookline`))
	w.eventually("the status line's measurement", func() (bool, error) {
		all, err := w.events()
		return slices.ContainsFunc(all, func(e event) bool {
			var d struct {
				Phase, Source string
				Window        int64
			}
			_ = json.Unmarshal(e.Data, &d)
			return e.Type == "context.phase_changed" && d.Phase == "CONDENSED" && d.Window == 1_000_000
		}), err
	})
	w.finish()
}

// TestRealClientMidTurn types /compact while a turn runs, which the client takes up when it has ended, and after Esc. The
// next request holds the goal and the failure once, and the next steps once: the client keeps the last message itself.
func TestRealClientMidTurn(t *testing.T) {
	needTmux(t)
	for keys, forms := range map[string][]string{
		"midturn":     {`Run the load test`, "Not mended: `git push`"},
		"midturn-esc": nil,
	} {
		t.Run(keys, func(t *testing.T) {
			w := newWorld(t).start()
			r, err := w.run(Options{Scenario: "midturn", Keys: keys})
			must(t, err)
			w.toldOnce(r, "Go on with the client", append(forms, "COMPACTION-SUMMARY", `\[PHASE: POST_COMPACT\] Goal: Add retries to the upload client`, `Edited: retry\.txt`)...)
			w.finish()
		})
	}
}

// TestRealClientRewind has a part of the conversation summarised, before and behind a prompt: the goal and the task are told
// with the next prompt, each once.
func TestRealClientRewind(t *testing.T) {
	needTmux(t)
	for _, part := range []string{"from", "upto"} {
		t.Run(part, func(t *testing.T) {
			w := newWorld(t).start()
			r, err := w.run(Options{Scenario: "rewind", Keys: "rewind-" + part})
			must(t, err)
			w.toldOnce(r, "And document the client", `\[PHASE: POST_COMPACT\] Goal: Add retries to the upload client`, `Current task: Now rename the client`)
			w.finish()
		})
	}
}

// TestRealClientRewindFiles has an edit undone by /rewind, the conversation kept: no hook tells of it, and the start after a
// compaction names the file as changed since, the untouched one not.
func TestRealClientRewindFiles(t *testing.T) {
	needTmux(t)
	w := newWorld(t).start()
	r, err := w.run(Options{Scenario: "rewind-files", Keys: "rewind-files"})
	must(t, err)
	if got, err := os.ReadFile(filepath.Join(w.project, "undone.txt")); err != nil || string(got) != "first\n" {
		t.Fatalf("the client left %q (%v), want the edit undone", got, err)
	}
	w.toldOnce(r, "And document the client", `\[PHASE: POST_COMPACT\]`, `Changed on disk since their last Read or Edit: undone\.txt(\s|$)`)
	w.finish()
}

// TestRealClientCron has the client submit a prompt of a schedule by itself: it is neither the goal nor the current task.
func TestRealClientCron(t *testing.T) {
	needTmux(t)
	w := newWorld(t).start()
	r, err := w.run(Options{Scenario: "cron", Keys: "cron", Limit: 3 * time.Minute})
	must(t, err)
	w.toldOnce(r, "And document it", `\[PHASE: POST_COMPACT\] Goal: Add retries to the upload client`, `Edited: billing\.txt`)
	w.unreached(r, RouteMain, regexp.MustCompile(`(Goal|Current task): Rewrite the billing`))
	w.finish()
}

// TestRealClientKilled kills the client in the middle of a turn with SIGKILL, and resumes the session: the goal is told,
// and the changed file is not, since the context has it still.
func TestRealClientKilled(t *testing.T) {
	w := newWorld(t).start()
	id := uuid()
	first, err := w.run(Options{Scenario: "killed-client", Args: []string{"--session-id", id, "-p", "Add retries to the upload client"}})
	if err == nil || first == nil || first.Exit == 0 {
		t.Fatalf("the client was not killed: %v", err)
	}
	r := w.print(Options{Scenario: "write", Vars: map[string]string{"NAME": "two"}, Args: []string{"--resume", id}}, "go on")
	w.toldOnce(r, "go on", `\[PHASE: SESSION_REVIVAL\] Goal: Add retries to the upload client`)
	w.finish()
}

// toldOnce checks that the last request of the main thread which holds a text has each form once.
func (w *world) toldOnce(r *Result, with string, forms ...string) {
	w.t.Helper()
	if !w.recorder() {
		return
	}
	for _, q := range slices.Backward(r.Requests) {
		if q.Route != RouteMain || !strings.Contains(q.Text(), with) {
			continue
		}
		for _, form := range forms {
			if n := len(regexp.MustCompile(form).FindAllString(q.Text(), -1)); n != 1 {
				w.t.Errorf("%q is %d times in the request; hook texts were:\n%s", form, n, hookTexts(r.Requests))
			}
		}
		return
	}
	w.t.Errorf("no request holds %q", with)
}

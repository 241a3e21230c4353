//go:build linux

package conversations

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
)

// pid is what `status --json` says: the process of the daemon, 0 for none.
func (h house) pid(t *testing.T) int {
	t.Helper()
	out, err := h.run(call{args: []string{"status", "--json"}, null: true})
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		PID *int `json:"pid"`
	}
	if err := json.Unmarshal([]byte(out.stdout), &s); err != nil {
		t.Fatalf("%v: %+v", err, out)
	}
	if s.PID == nil {
		return 0
	}
	return *s.PID
}

// A copy of a home has the link to the original's socket in it, and perhaps the same environment: its hooks and verbs
// have a daemon of their own all the same.
func TestCopiedHome(t *testing.T) {
	t.Parallel()
	for _, socket := range []string{"", "the same"} {
		h := newHouse(t)
		h.hook(t, "SessionStart", startPayload("one"))
		if err := eventually(h.up); err != nil {
			t.Fatal(err)
		}
		original, before := h.pid(t), len(h.mustEvents(t, ""))
		work := newHouse(t) // ends the copy's daemon, too
		copied := house{dir: h.dir, env: map[string]string{}}
		for name, v := range h.env {
			copied.env[name] = v
		}
		copied.env["HOOKLINE_HOME"] = filepath.Join(work.env["HOME"], "copy")
		if socket == "" {
			copied.env["HOOKLINE_SOCKET"] = ""
		}
		if out, err := exec.Command("cp", "-a", h.home(), copied.home()).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if pid := copied.pid(t); pid != 0 {
			t.Errorf("socket %q: process %d answers for the copy", socket, pid)
		}
		if out, err := copied.run(call{args: []string{"stop"}, null: true}); err != nil || out.stdout != "hookd does not run\n" {
			t.Errorf("socket %q: stopped: %+v %v", socket, out, err)
		}
		copied.hook(t, "Notification", `{"hook_event_name":"Notification","session_id":"one","message":"copy"}`)
		err := eventually(func() error {
			if pid := copied.pid(t); pid == 0 || pid == original {
				return fmt.Errorf("process %d answers for the copy", pid)
			}
			return nil
		})
		if err != nil {
			t.Errorf("socket %q: %v", socket, err)
		}
		if pid, now := h.pid(t), len(h.mustEvents(t, "")); pid != original || now != before {
			t.Errorf("socket %q: the original has process %d and %d records, had %d and %d", socket, pid, now, original, before)
		}
	}
}

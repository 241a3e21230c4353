//go:build unix

package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/client"
)

// git that does not answer opens the gate that needs it, and no other.
func TestGateWithoutGit(t *testing.T) {
	g := newGated(t, sized+"  plan: {enabled: true, trigger_tools: [Write]}\n")
	bin := t.TempDir()
	write(t, filepath.Join(bin, "git"), "#!/bin/sh\nkill -9 $$\n")
	expect.OK(t, os.Chmod(filepath.Join(bin, "git"), 0o755))
	t.Setenv("PATH", bin+":/bin:/usr/bin")
	got := g.says(sessA, edit)
	if strings.Contains(got, "deny") || !strings.Contains(got, `"systemMessage":"hookline: requirement 'size' lets everything pass for now: git did not answer"`) {
		t.Error(got)
	}
	if got := g.says(sessA, edit); strings.Contains(got, "systemMessage") {
		t.Errorf("told twice: %s", got)
	}
	if g.reason(sessA, strings.Replace(edit, "Edit", "Write", 1)) == "" {
		t.Error("the other gate is open too")
	}
	expect.Equal(t, g.types(), "config_invalid triggered blocked")
}

func TestGateOrdersAreChecked(t *testing.T) {
	g := newGated(t, planOnly)
	for data, want := range map[string]string{
		`{"name":"","scope":"session","level":"branch","by":"cli"}`:     "gate.satisfied: name: 1 to 200 bytes are wanted",
		`{"name":"x","scope":"session","level":"session","by":"cli"}`:   "gate.satisfied: a session is wanted",
		`{"scope":"session","level":"branch","by":"cli","name":` + `5}`: "gate.satisfied: name: number does not fit",
	} {
		_, err := g.d.OrderGates(t.Context(), client.GateOrder{Dir: g.dir, Events: ordered(events.TypeGateSatisfied, data)})
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v", data, err)
		}
	}
	if _, err := g.d.OrderGates(t.Context(), client.GateOrder{Dir: g.dir, Events: ordered(events.TypeGateTriggered, `{}`)}); err == nil {
		t.Error("what is no order can be ordered")
	}
	git(t, g.dir, "switch", "-q", "--detach")
	_, err := g.d.OrderGates(t.Context(), client.GateOrder{Dir: g.dir, Events: ordered(events.TypeGateCleared, `{"all_sessions":true,"reason":"command"}`)})
	if err == nil || err.Error() != "HEAD is detached: gates belong to a branch" {
		t.Error(err)
	}
	expect.Equal(t, g.types(), "", "something was recorded")
}

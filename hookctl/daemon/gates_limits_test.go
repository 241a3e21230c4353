//go:build unix

package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/api"
)

// git that does not answer opens the gate that needs it, and no other.
func TestGateWithoutGit(t *testing.T) {
	g := newGated(t, sized+"  plan: {enabled: true, trigger_tools: [Write]}\n")
	bin := t.TempDir()
	expect.OK(t, os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\nkill -9 $$\n"), 0o755))
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
	refused := func(typ, data string) string {
		_, err := g.d.endpoints.commands.orderGates(t.Context(), api.Order{Dir: g.dir, Events: ordered(typ, data)})
		return fmt.Sprint(err)
	}
	for data, want := range map[string]string{
		`{"name":"","scope":"session","level":"branch","by":"cli"}`:     "gate.satisfied: name: 1 to 200 bytes are wanted",
		`{"name":"x","scope":"session","level":"session","by":"cli"}`:   "gate.satisfied: a session is wanted",
		`{"scope":"session","level":"branch","by":"cli","name":` + `5}`: "gate.satisfied: name: number does not fit",
	} {
		expect.Equal(t, refused(events.TypeGateSatisfied, data), want, data)
	}
	if got := refused(events.TypeGateTriggered, `{}`); !strings.Contains(got, "is nothing that can be ordered here") {
		t.Error(got)
	}
	git(t, g.dir, "switch", "-q", "--detach")
	expect.Equal(t, refused(events.TypeGateCleared, `{"all_sessions":true,"reason":"command"}`), "HEAD is detached: gates belong to a branch")
	expect.Equal(t, g.types(), "", "something was recorded")
}

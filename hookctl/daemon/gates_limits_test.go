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

// A detached HEAD and a folder without git have no gates.
func TestGateNeedsABranch(t *testing.T) {
	g := newGated(t, planOnly)
	git(t, g.dir, "switch", "-q", "--detach")
	expect.Equal(t, g.reason(sessA, edit), "", "detached")
	_, err := g.d.OrderGates(t.Context(), client.GateOrder{Dir: g.dir, Events: ordered(events.TypeGateCleared, `{"all_sessions":true,"reason":"command"}`)}, nil)
	if err == nil || err.Error() != "HEAD is detached: gates belong to a branch" {
		t.Error(err)
	}
}

func TestGateOrdersAreChecked(t *testing.T) {
	g := newGated(t, planOnly)
	for data, want := range map[string]string{
		`{"name":"","scope":"session","level":"branch","by":"cli"}`:                      "gate.satisfied: name: 1 to 200 bytes are wanted",
		`{"name":"x","scope":"galaxy","level":"branch","by":"cli"}`:                      `gate.satisfied: scope: "galaxy" is none of session, branch, permanent, single_use`,
		`{"name":"x","scope":"session","level":"?","by":"cli"}`:                          `gate.satisfied: level: "?" is none of session, branch`,
		`{"name":"x","scope":"session","level":"session","by":"cli"}`:                    "gate.satisfied: a session is wanted",
		`{"name":"x","scope":"session","level":"branch","by":"cli","expires_at":"soon"}`: `gate.satisfied: expires_at: "soon" is no time`,
		`{"name":"x","scope":"session","level":"branch","by":"cli","name":` + `5}`:       "gate.satisfied: name: number does not fit there",
	} {
		_, err := g.d.OrderGates(t.Context(), client.GateOrder{Dir: g.dir, Events: ordered(events.TypeGateSatisfied, data)}, nil)
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v", data, err)
		}
	}
	for _, typ := range []string{events.TypeGateBlocked, events.TypeGateTriggered, events.TypeSessionDeleted, "nothing"} {
		if _, err := g.d.OrderGates(t.Context(), client.GateOrder{Dir: g.dir, Events: ordered(typ, `{}`)}, nil); err == nil {
			t.Errorf("%s can be ordered", typ)
		}
	}
	if _, err := g.d.OrderGates(t.Context(), client.GateOrder{Dir: t.TempDir(), Events: ordered(events.TypeGateCleared, `{"all_sessions":true,"reason":"command"}`)}, nil); err == nil {
		t.Error("outside of git")
	}
	expect.Equal(t, g.types(), "", "something was recorded")
}

// A session that goes on after its deletion is held by its gates, and can open them like any other.
func TestGateOfADeletedSessionThatGoesOn(t *testing.T) {
	g := newGated(t, planOnly)
	g.says(sessA, startAs("startup"))
	if code, body := ask(t, g.d, "POST", "/v1/do/emit", `{"type":"session.deleted","session":"`+sessA+`","data":{"reason":"test"}}`); code != 200 {
		t.Fatal(body)
	}
	if got := g.reason(sessA, edit); !strings.Contains(got, "hookctl req satisfy commit_plan --session "+events.Alias(sessA)) {
		t.Errorf("the way out is not named: %q", got)
	}
	for _, name := range []string{events.Alias(sessA), sessA} {
		o := client.GateOrder{Dir: g.dir, Session: name, Events: ordered(events.TypeGateSatisfied, `{"name":"commit_plan","scope":"session","level":"session","by":"cli"}`)}
		r, err := g.d.OrderGates(t.Context(), o, nil)
		if err != nil || r.Session != sessA {
			t.Fatalf("%s: %+v %v", name, r, err)
		}
	}
	expect.Equal(t, g.reason(sessA, edit), "", "satisfied by hand")
	if got := g.reason(sessB, edit); got == "" {
		t.Error("another session's gate is open")
	}
}

package cli

import (
	"strings"
	"testing"
)

// What the daemon must get right for these verbs, on a real store.

// Sequence 0 is before the first event, and so is a time before it.
func TestBeforeTheFirstEvent(t *testing.T) {
	recorded(t)
	for _, point := range []string{"0", "2020-01-01"} {
		equal(t, replay(t, 0, "at", point).stdout.String(), "sequence 0 (before the first event)\nno cells yet\n", "at "+point)
		out := replay(t, 0, "diff", point, "2", "project", "--fields").stdout.String()
		if !strings.HasPrefix(out, "from 0 (before the first event) to 2 (project.seen, 2026-11-21 12:00:00)\nproject  ") ||
			!strings.Contains(out, "  + (cell)  (absent)") {
			t.Error(out)
		}
		equal(t, replay(t, 0, "diff", point, "0").stdout.String(), "from 0 (before the first event) to 0 (before the first event)\nnothing changed\n", "diff")
	}
}

// The cache lies in memory and is empty after a start: that is no change.
func TestRebuildWithALiveSession(t *testing.T) {
	recorded(t)
	equal(t, plainTimes(replay(t, 0, "rebuild").stdout.String()), "rebuilt all projections up to sequence 11 in T: nothing changed\n", "stdout")
}

// A pointer belongs to the projection that derives it, whatever its key begins with.
func TestPointersHaveTheirProjection(t *testing.T) {
	home := recorded(t)
	falsify(t, home, "latest", "identity.elsewhere", func([]byte) []byte { return []byte(live) })
	want := "latest  latest  identity.elsewhere\n  (cell)  want (absent)  got " + live + "\n"
	if out := replay(t, 1, "verify").stdout.String(); !strings.HasPrefix(out, want) {
		t.Errorf("%s\nwant\n%s", out, want)
	}
	want = "latest  latest  identity.elsewhere\n  - (cell)  " + live + " → (absent)\n"
	if out := replay(t, 0, "rebuild", "--projection", "latest").stdout.String(); !strings.HasPrefix(out, want) {
		t.Errorf("%s\nwant\n%s", out, want)
	}
	replay(t, 0, "verify")
}

func TestAmbiguousAlias(t *testing.T) {
	twin := "5f1d0c2e-7b34-4f19-9a55-000000000003"
	kept := hooks
	hooks = append(hooks[:len(hooks):len(hooks)], `{"hook_event_name":"SessionStart","session_id":"`+twin+`","source":"startup"}`)
	defer func() { hooks = kept }()
	recorded(t)
	equal(t, replay(t, 1, "at", "now", "session", "5f1d0c2e").stderr.String(), "replay: error: \"5f1d0c2e\" is ambiguous: "+ended+", "+twin+"\nreplay: hint: give more characters\n", "stderr")
}

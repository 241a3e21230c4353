package cli

import (
	"strings"
	"testing"
)

// What the daemon must get right for these verbs, on a real store.

// A pointer belongs to the projection that derives it, whatever its key begins with.
func TestPointersHaveTheirProjection(t *testing.T) {
	home := recorded(t)
	falsify(t, home, "latest", "identity.elsewhere", func([]byte) []byte { return []byte(live) })
	want := "latest  latest  identity.elsewhere\n  (cell)  want (absent)  got " + live + "\n"
	if out := replay(t, 1, "verify").stdout.String(); !strings.HasPrefix(out, want) {
		t.Errorf("%s\nwant\n%s", out, want)
	}
	want = "latest  latest  identity.elsewhere\n  (cell)  " + live + " → (absent)\n"
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

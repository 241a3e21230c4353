//go:build unix

package daemon

import (
	"fmt"
	"strings"
	"testing"

	"hookline/expect"
)

// A crisis dreams once in its cool-down, as events that point to each other.
func TestCrisisDreamsOnce(t *testing.T) {
	d := opened(t)
	take(t, d, startOf("s-1"))
	said := ""
	for i := range 12 {
		a := take(t, d, hookFrame(fmt.Sprintf(`{"hook_event_name":"PostToolUseFailure","session_id":"s-1","tool_name":"Bash","tool_use_id":"f%d","tool_input":{"command":"false"},"error":"Exit code 1"}`, i)))
		said += string(a.Stdout)
	}
	d.effects.Wait()
	expect.Equal(t, strings.Count(said, "dream triggered"), 1, "times", said)
	var ids []string
	var triggered, completed int
	for _, r := range logOf(t, d) {
		ids = append(ids, r.ID)
		switch r.Type {
		case "dream.triggered":
			triggered++
			expect.Equal(t, r.Causation, ids[len(ids)-2], "triggered by")
		case "dream.completed":
			completed++
		}
	}
	if triggered != 1 || completed != 1 {
		t.Errorf("%d triggered, %d completed", triggered, completed)
	}
	mustVerify(t, d)
}

func TestDreamDoor(t *testing.T) {
	d := opened(t)
	take(t, d, startOf("s-1"))
	for body, want := range map[string]int{`{"session":"s-1","phase":"full"}`: 200, `{"session":"s-1","phase":"nap"}`: 400, `{"session":"nobody","phase":"full"}`: 404, `{"session":"","phase":"full"}`: 404, `{`: 400} {
		if code, answer := ask(t, d, "POST", "/v1/do/dream", body); code != want {
			t.Errorf("%s: %d %s", body, code, answer)
		}
	}
	d.effects.Wait()
	recs := logOf(t, d)
	expect.EqualNow(t, strings.Join(typesOf(recs), " "), "session.started identity.restored dream.triggered dream.completed")
	if recs[3].Causation != recs[2].ID || recs[2].Causation != "" || recs[3].Correlation != "s-1" {
		t.Errorf("%q, %q", recs[3].Causation, recs[2].Causation)
	}
}

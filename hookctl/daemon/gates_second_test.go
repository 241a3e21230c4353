//go:build unix

package daemon

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"hookline/expect"
)

// sent is a hook of a session as one install sends it: its program, and the words it calls that with.
func (g *gatedRepo) sent(binary, words, body string) string {
	g.t.Helper()
	f := g.frame(sessA, body)
	f.Binary, f.Args = binary, strings.Fields(words)
	return string(take(g.t, g.d, f).Stdout)
}

// Two installs never open a gate, whichever of them comes first.
func TestSecondInstallIsHeldToTheGates(t *testing.T) {
	const one, other = "/a/hookctl", "/b/hookctl"
	for name, sends := range map[string][2][2]string{
		"identity first, same program":  {{one, "consciousness brief --hook"}, {one, "hook PreToolUse"}},
		"identity first, other program": {{one, "consciousness brief --hook"}, {other, "hook PreToolUse"}},
		"full first":                    {{other, "hook PreToolUse"}, {one, "consciousness brief --hook"}},
		"full twice":                    {{one, "hook PreToolUse"}, {other, "hook PreToolUse"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGated(t, planOnly)
			for i := range 5 {
				call := strings.Replace(edit, `"tool_name"`, fmt.Sprintf(`"tool_use_id":"toolu_%d","tool_name"`, i), 1)
				for _, s := range sends {
					got := g.sent(s[0], s[1], call)
					if denied := strings.Contains(got, `"permissionDecision":"deny"`); denied != strings.HasPrefix(s[1], "hook") {
						t.Errorf("call %d by %s %s: %q", i, s[0], s[1], got)
					}
				}
			}
			expect.Equal(t, g.types(), "blocked blocked blocked blocked blocked", "recorded")
			mustVerify(t, g.d)
		})
	}
}

// What the identity's verb delivered first satisfies and uses up all the same.
func TestSecondInstallSatisfies(t *testing.T) {
	g := newGated(t, team)
	done := strings.Replace(skill("team:review"), `"tool_name"`, `"tool_use_id":"toolu_s","tool_name"`, 1)
	g.sent("/a/hookctl", "consciousness check-identity", done)
	g.sent("/a/hookctl", "hook PostToolUse", done)
	g.sent("/b/hookctl", "hook PostToolUse", done)
	expect.Equal(t, g.reason(sessA, bash("PreToolUse", "git commit -m x")), "", "reviewed")
	if got := g.types(); !strings.HasPrefix(got, "satisfied") || !strings.HasSuffix(got, "triggered reserved") {
		t.Error(got)
	}
}

// A hook that waited in the spool was let pass; the same hook of another install is still asked about in time.
func TestSecondInstallAfterTheSpool(t *testing.T) {
	g := newGated(t, planOnly)
	body := strings.Replace(edit, `"tool_name"`, `"tool_use_id":"toolu_w","tool_name"`, 1)
	late := g.frame(sessA, body)
	if _, _, err := g.d.take(t.Context(), late, true); err != nil {
		t.Fatal(err)
	}
	if got := g.sent("/b/hookctl", "hook PreToolUse", body); !strings.Contains(got, `"deny"`) {
		t.Errorf("%q", got)
	}
}

// A turn that one install was told to go on with does not end by the other's word.
func TestSecondInstallAtStop(t *testing.T) {
	g := newGated(t, planOnly)
	g.satisfy(sessA, "commit_plan", "session")
	g.reason(sessA, edit)
	g.clear(sessA, "commit_plan")
	at := g.now()
	for _, binary := range []string{"/a/hookctl", "/b/hookctl"} {
		g.set(at)
		got := g.sent(binary, "hook Stop", stop)
		var out struct{ Decision string }
		if err := json.Unmarshal([]byte(got), &out); err != nil || out.Decision != "block" {
			t.Errorf("%s: %q", binary, got)
		}
	}
	if got := g.types(); strings.Count(got, "stop_blocked") != 1 {
		t.Error(got)
	}
}

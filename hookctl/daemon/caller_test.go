//go:build unix

package daemon

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// EC-SESSION-08, ERR-SESSION-07: a start that cannot be read restores all the same, and the log has why.
func TestEC_SESSION_08_ByTheHook(t *testing.T) {
	d := opened(t)
	take(t, d, startOf("before"))
	take(t, d, endOf("before"))
	before := len(logOf(t, d))
	f := hookFrame(`{"session_id":"tr","source":"sta`)
	f.Args, f.Complete, f.Env["CLAUDE_PID"] = []string{"hook", "SessionStart"}, false, strconv.Itoa(1<<22)
	answer := take(t, d, f)
	out := answerOf(t, string(answer.Stdout))
	if out.HookSpecificOutput.AdditionalContext != "Identity restored from before. IC: 1.00 (healthy)" ||
		!strings.HasPrefix(out.SystemMessage, "hookline: Invalid hook input JSON, using defaults: the hook's JSON was cut off; recorded as hook.refused") {
		t.Errorf("%s", answer.Stdout)
	}
	if got := typesOf(logOf(t, d)[before:]); !slices.Equal(got, []string{"hook.refused"}) {
		t.Errorf("%q", got)
	}
	if again := take(t, d, f); !strings.Contains(string(again.Stdout), "Identity restored from before") || len(logOf(t, d)) != before+1 {
		t.Errorf("sent again: %s", again.Stdout)
	}
	mustVerify(t, d)
}

// EC-SESSION-10: of one session's start the hook and the verb both say it, whichever comes first, and once.
func TestEC_SESSION_10_ToldToBoth(t *testing.T) {
	for _, order := range [][]string{{"hook SessionStart", "session restore-identity"}, {"session restore-identity", "hook SessionStart"}} {
		d := open(t, newHome(t))
		d.intake.damage.warnings.Add("1", "the log was damaged (checksum does not match); sequences lost: 3")
		for i, args := range append(order, order...) {
			f := startOf("s-1")
			f.Args, f.Binary = strings.Fields(args), "/b/hookctl"
			answer, words := take(t, d, f), "Database corruption detected in session identity store: the log was damaged (checksum does not match); sequences lost: 3\n"+
				"Run \"hookctl repair --cf session_identity\" or restore from backup\n"
			if first := i < 2; first != (answer.Exit == 2) || first != (string(answer.Stderr) == words) {
				t.Errorf("%s, call %d: exit %d, %q", args, i, answer.Exit, answer.Stderr)
			}
		}
		if answer := take(t, d, startOf("s-2")); answer.Exit != 0 {
			t.Errorf("the next session hears it again: %q", answer.Stderr)
		}
		shut(t, d)
	}
}

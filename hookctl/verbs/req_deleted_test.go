//go:build unix

package verbs

import "testing"

// A session that was deleted and goes on is told to open its gates by its name, so that name is still known.
func TestReqSatisfyOfADeletedSession(t *testing.T) {
	b := newReq(t, reqRules)
	b.start(sessionA)
	b.must("session", "delete", "--yes", "c68c8a51")
	contains(t, b.hook(sessionA, reqEdit), "--session c68c8a51")
	for _, name := range []string{"c68c8a51", sessionA} {
		contains(t, b.must("req", "satisfy", "commit_plan", "adr_reviewed", "sec", "--session", name), "🎯 Using explicit session: c68c8a51\n✅ Satisfied 3 requirement(s) for feature/x\n")
	}
	equal(t, b.hook(sessionA, reqEdit), "", "after that")
	contains(t, b.must("req", "clear", "commit_plan", "--session", "c68c8a51"), "✅ Cleared 'commit_plan' for feature/x\n")
	if code, _, errs := b.run("session", "show", "c68c8a51"); code == 0 {
		t.Errorf("it is shown: %q", errs)
	}
	b.refuses("req", "satisfy", "commit_plan", "--session", "99999999")
}

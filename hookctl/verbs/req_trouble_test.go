//go:build unix

package verbs

import (
	"os"
	"testing"
)

// Sessions by their processes.

// The session of a shell is the one whose process is our parent, client or not, or above it.
func TestReqSessionOfTheParent(t *testing.T) {
	b := newReq(t, reqRules)
	b.pid = os.Getppid()
	b.start(sessionA)
	equal(t, b.must("req", "satisfy", "commit_plan"), "✨ Auto-detected Claude session: c68c8a51\n✅ Satisfied 'commit_plan' for feature/x (session scope)\n")
	contains(t, b.must("req", "status", "-v"), "Session: c68c8a51\n")
	other := newReq(t, reqRules) // another project has no session of that process
	contains(t, other.refuses("req", "satisfy", "commit_plan"), "❌ No active Claude Code session found!\n")
}

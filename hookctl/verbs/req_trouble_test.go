//go:build unix

package verbs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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

// A registry's session lives when its process does, until it sends a hook of its own.
func TestReqImportedSessionsLive(t *testing.T) {
	b := newReq(t, reqRules)
	client := exec.Command("sleep", "60")
	noError(t, client.Start())
	done := func() { _ = client.Process.Kill(); _ = client.Wait() }
	t.Cleanup(done)
	gone := exec.Command("true")
	noError(t, gone.Run())
	file := filepath.Join(b.env["HOME"], ".claude", "sessions.json")
	put(t, file, fmt.Sprintf(`{"version":"1.0","sessions":{
		"c68c8a51":{"pid":1,"ppid":%d,"project_dir":%q,"branch":"feature/x","started_at":%d,"last_active":%d},
		"08345d22":{"pid":3,"ppid":%d,"project_dir":"/q","branch":"c","started_at":1,"last_active":2},
		"00000000":{"ppid":"x"}}}`, client.Process.Pid, b.dir, noon.Unix()-60, noon.Unix(), gone.Process.Pid))
	code, out, errs := b.run("req", "import")
	if code != 1 || out != "✅ Imported 2 sessions from "+file+"\n   - 08345d22 has ended: its process is gone\n" ||
		errs != "⚠️  "+file+": sessions.00000000: ppid does not fit: string; left out\n" {
		t.Errorf("%d %q %q", code, out, errs)
	}
	row := fmt.Sprintf("📋 Active Claude Code Sessions (1)\n  c68c8a51 - %s\n    feature/x [PID %d, just now]\n", b.dir, client.Process.Pid)
	equal(t, b.must("req", "sessions"), row)
	contains(t, b.must("req", "satisfy", "commit_plan", "--session", "c68c8a51"), "🎯 Using explicit session: c68c8a51\n")
	if _, out, _ := b.run("req", "import"); out != "ℹ️  nothing new in "+file+"\n" {
		t.Errorf("again: %q", out)
	}
	b.pid = client.Process.Pid
	b.start(sessionA)
	equal(t, b.must("req", "sessions"), row, "it sent a hook")
	done()
	equal(t, b.must("req", "sessions"), "ℹ️  No active Claude Code sessions found.\n", "it is gone")
}

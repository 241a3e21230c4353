//go:build unix

package daemon

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"hookline/events"
	"hookline/expect"
)

// asks is the client's question for permission.
func asks(command string) string {
	return fmt.Sprintf(`{"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":%q}}`, command)
}

// Each of these leaves the question to the user.
func TestPermissionIsLeftToTheUser(t *testing.T) {
	g := newGated(t, "requirements: {}\n")
	local := filepath.Join(g.dir, ".claude", "requirements.local.yaml")
	f := g.frame(sessA, asks("rm -rf /etc"))
	f.Env["CLAUDE_SKIP_REQUIREMENTS"] = "1"
	expect.Equal(t, string(take(t, g.d, f).Stdout), "", "skipped")
	a, _, err := g.d.take(t.Context(), g.frame(sessA, asks("rm -rf /srv")), true)
	if err != nil || len(a.Stdout) != 0 {
		t.Errorf("from the spool: %s %v", a.Stdout, err)
	}
	for _, off := range []string{"hooks: {permission_request: {auto_deny_dangerous: false}}\n", "enabled: false\n"} {
		write(t, local, off)
		if got := g.says(sessA, asks("rm -rf /usr")); strings.Contains(got, "deny") {
			t.Errorf("%s: %s", off, got)
		}
		g.later(5e9)
	}
	git(t, g.dir, "switch", "-q", "--detach")
	write(t, local, "")
	expect.Equal(t, g.says(sessA, asks("rm -rf /opt")), "", "detached")
	for _, r := range logOf(t, g.d) {
		if r.Type == events.TypePermissionAutoDenied {
			t.Errorf("%+v", r.Envelope)
		}
	}
}

// A client that asks twice gets the same answer, whatever the configuration says by then.
func TestPermissionAnswersAgain(t *testing.T) {
	g := newGated(t, "requirements: {}\n")
	f := g.frame(sessA, asks("git clean -fdx"))
	first := string(take(t, g.d, f).Stdout)
	write(t, filepath.Join(g.dir, ".claude", "requirements.local.yaml"), "hooks: {permission_request: {auto_deny_dangerous: false}}\n")
	if got := string(take(t, g.d, f).Stdout); got != first || !strings.Contains(first, `"behavior":"deny"`) {
		t.Errorf("%s\nthen\n%s", first, got)
	}
}

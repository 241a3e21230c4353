//go:build unix

package daemon

import (
	"encoding/json"
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

func TestPermissionForDangerousCommands(t *testing.T) {
	g := newGated(t, "requirements: {}\n")
	want := `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":` +
		`"**Blocked by requirement gates**: Force push without lease protection\n\nCommand: ` + "`git push --force`" + `\n\n` +
		`Do not work around it. If it is really wanted, the user runs it in a shell, or sets\n` +
		"`hooks.permission_request.auto_deny_dangerous`" + ` to false in .claude/requirements.local.yaml."}}}`
	expect.Equal(t, g.says(sessA, asks("git push --force")), want)
	for _, harmless := range []string{"git push", `echo "rm -rf /"`, "rm -rf " + filepath.Join(g.dir, "dist")} {
		expect.Equal(t, g.says(sessA, asks(harmless)), "", harmless)
	}
	var denied []string
	for _, r := range logOf(t, g.d) {
		if e, ok := r.Event.(*events.PermissionAutoDenied); ok {
			denied = append(denied, e.Tool+" "+e.Rule+" "+e.Reason)
			if cause := recordOf(t, g.d, r.Causation); cause.Type != events.TypePermissionRequested || r.Session != sessA || r.Branch != "feature/x" {
				t.Errorf("%+v is caused by %+v", r.Envelope, cause.Envelope)
			}
		}
	}
	if len(denied) != 1 || denied[0] != "Bash force_push Force push without lease protection" {
		t.Errorf("%q", denied)
	}
	mustVerify(t, g.d)
}

func recordOf(t *testing.T, d *Daemon, id string) events.Record {
	t.Helper()
	for _, r := range logOf(t, d) {
		if r.ID == id {
			return r
		}
	}
	t.Fatalf("no event %s", id)
	return events.Record{}
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

// What the model tries at once again is denied again: the client asks anew, and nothing is shortened.
func TestPermissionOfARepeatedCommand(t *testing.T) {
	g := newGated(t, planOnly)
	for range 2 {
		var out struct {
			HookSpecificOutput struct {
				Decision struct{ Behavior, Message string }
			}
		}
		expect.OK(t, json.Unmarshal([]byte(g.says(sessA, asks("git push -f"))), &out))
		if d := out.HookSpecificOutput.Decision; d.Behavior != "deny" || !strings.Contains(d.Message, "Force push (shorthand)") {
			t.Errorf("%+v", d)
		}
		g.later(6e9)
	}
	if got := g.reason(sessA, edit); !strings.HasPrefix(got, "## Blocked: commit_plan") {
		t.Errorf("the gates are no part of it: %q", got)
	}
}

//go:build unix

package daemon

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"hookline/hookctl/deliver"
	"hookline/hookctl/redact"
	"hookline/hookctl/spool"
)

// redact_extra of a project's files holds for hooks from there, in the daemon and in the spool, from the hook after
// it was written on; other projects have their own.
func TestProjectsOwnRedaction(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	project, other := t.TempDir(), t.TempDir()
	d := opened(t)
	const secrets = "ACME-1 CORP-2 UNIT-3"
	recorded := func(launch string) string {
		t.Helper()
		f := hookFrame(`{"hook_event_name":"UserPromptSubmit","session_id":"s-1","prompt":"` + secrets + ` x"}`)
		f.Cwd = launch
		kept := string(deliver.Redacted(f, deliver.Patterns(spool.Launch(f))).Body)
		in, err := d.intake.decode(d.intake.redact(f, d.intake.configured(spool.Launch(f))))
		if err != nil || strings.Count(string(in.Data), "[REDACTED:custom]") != strings.Count(kept, "[REDACTED:custom]") {
			t.Errorf("the spool has %s, the log %s, %v", kept, in.Data, err)
		}
		return string(in.Data)
	}
	wantIn := func(text, want string) {
		t.Helper()
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	write(t, filepath.Join(project, ".claude", "hookline.yaml"), "redact_extra: ['ACME-[0-9]+']\n")
	wantIn(recorded(project), "[REDACTED:custom] CORP-2 UNIT-3")
	write(t, filepath.Join(project, ".claude", "hookline.local.yaml"), "redact_extra: ['CORP-[0-9]+']\n")
	wantIn(recorded(project), "[REDACTED:custom] [REDACTED:custom] UNIT-3")
	wantIn(recorded(other), secrets)
	write(t, filepath.Join(home, ".config", "hookline", "config.yaml"), "redact_extra: ['UNIT-[0-9]+']\n")
	wantIn(recorded(project), "[REDACTED:custom] [REDACTED:custom] [REDACTED:custom]")
	wantIn(recorded(other), "ACME-1 CORP-2 [REDACTED:custom]")
}

// A repository may not blank the record: the hook stays what it was, and a pattern for everything is told.
func TestProjectCannotBlankTheRecord(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	project := t.TempDir()
	write(t, filepath.Join(project, ".claude", "hookline.yaml"), "redact_extra: ['.', 'session_id|Edit']\n")
	d := opened(t)
	long := strings.Repeat("words of a file ", 1000)
	f := hookFrame(`{"hook_event_name":"PreToolUse","session_id":"s-1","tool_name":"Edit","tool_use_id":"t1","tool_input":{"new_string":"` + long + `"}}`)
	f.Env["CLAUDE_PROJECT_DIR"] = project
	answer := take(t, d, f)
	r := logOf(t, d)[0]
	if r.Type != "tool.requested" || r.Session != "s-1" || r.ToolUseID != "t1" || !strings.Contains(string(r.Data), `"tool_name":"Edit"`) || !strings.Contains(string(r.Data), long) {
		t.Errorf("%s %s: %.300s", r.Type, r.Session, r.Data)
	}
	if !strings.Contains(string(answer.Stdout), `redact_extra \".\" of the project covers more than a fifth`) {
		t.Errorf("%s", answer.Stdout)
	}
}

// Nothing of a frame but its body may carry a secret into the log either.
func TestSecretsBesideTheBody(t *testing.T) {
	d := opened(t)
	secret := givenSecret
	dir := mkdir(t, filepath.Join(t.TempDir(), "x-"+secret))
	f := startIn(dir, "s-1")
	f.Cwd, f.Note, f.Binary = dir, "note "+secret, "/opt/"+secret+"/hookctl"
	f.Env["CLAUDE_CODE_ENTRYPOINT"] = secret
	take(t, d, f)
	second := startOf("s-1")
	second.Binary = f.Binary
	take(t, d, second)
	third := hookFrame(`[]`)
	third.Args = []string{"hook", secret}
	take(t, d, third)
	for _, r := range logOf(t, d) {
		b, _ := json.Marshal(r)
		if i := bytes.Index(b, []byte(secret)); i >= 0 {
			t.Errorf("%s: …%.120s", r.Type, b[max(0, i-60):])
		}
	}
	if s := fmt.Sprintf("%+v", d.Status()); strings.Contains(s, secret) {
		t.Error("status shows it")
	}
}

var givenSecret = "ghp" + "_" + strings.Repeat("aB3dE6gH9", 4)

// A secret that was found by its name is replaced in later hooks of its session, and in those alone.
func TestSecretsRecurInTheirSession(t *testing.T) {
	d := opened(t)
	value := "x9" + "Qz7Lw2" + "Vb8Nt4Kc6"
	take(t, d, hookFrame(`{"session_id":"s-1","hook_event_name":"UserPromptSubmit","prompt":"export API_TOKEN=`+value+`"}`))
	take(t, d, hookFrame(`{"session_id":"s-1","hook_event_name":"UserPromptSubmit","prompt":"what is `+value+`?"}`))
	take(t, d, hookFrame(`{"hook_event_name":"UserPromptSubmit","session_id":"s-2","prompt":"here `+value+`"}`))
	for _, r := range logOf(t, d) {
		if has := bytes.Contains(r.Data, []byte(value)); has != (r.Session == "s-2") && r.Type == "prompt.submitted" {
			t.Errorf("%s of %s: %s", r.Type, r.Session, r.Data)
		}
	}
}

func TestTheLogIsRedacted(t *testing.T) {
	var b bytes.Buffer
	slog.New(slog.NewTextHandler(redactedLog{to: &b, with: redact.New()}, nil)).Error("x", "err", "read "+givenSecret)
	if strings.Contains(b.String(), givenSecret) || !strings.Contains(b.String(), "[REDACTED:github-token]") {
		t.Error(b.String())
	}
}

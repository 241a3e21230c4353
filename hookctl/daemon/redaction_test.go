//go:build unix

package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookline/hookctl/deliver"
)

// redact_extra of a project's files holds for hooks from there, in the daemon and in the spool, from the hook after
// it was written on; other projects have their own.
func TestProjectsOwnRedaction(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	project, other := t.TempDir(), t.TempDir()
	d := open(t, reviewHome(t))
	defer shut(t, d)
	const secrets = "ACME-1 CORP-2 UNIT-3"
	recorded := func(launch string) string {
		t.Helper()
		f := promptOf("s-1", 1, 1)
		f.Cwd, f.Body = launch, []byte(strings.Replace(string(f.Body), `"prompt":"`, `"prompt":"`+secrets+" ", 1))
		kept := string(deliver.Redacted(f).Body)
		in, err := d.prepare(f)
		if err != nil || strings.Count(string(in.Data), "[REDACTED:custom]") != strings.Count(kept, "[REDACTED:custom]") {
			t.Errorf("the spool has %s, the log %s, %v", kept, in.Data, err)
		}
		return string(in.Data)
	}
	wantIn := func(text string, want ...string) {
		t.Helper()
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("no %q in %s", w, text)
			}
		}
	}
	wantIn(recorded(project), secrets)
	write(filepath.Join(project, ".claude", "hookline.yaml"), "redact_extra: ['ACME-[0-9]+']\n")
	wantIn(recorded(project), "[REDACTED:custom] CORP-2 UNIT-3")
	write(filepath.Join(project, ".claude", "hookline.local.yaml"), "redact_extra: ['CORP-[0-9]+']\n")
	wantIn(recorded(project), "[REDACTED:custom] [REDACTED:custom] UNIT-3")
	wantIn(recorded(other), secrets)
	write(filepath.Join(home, ".config", "hookline", "config.yaml"), "redact_extra: ['UNIT-[0-9]+']\n")
	wantIn(recorded(project), "[REDACTED:custom] [REDACTED:custom] [REDACTED:custom]")
	wantIn(recorded(other), "ACME-1 CORP-2 [REDACTED:custom]")
	write(filepath.Join(project, ".claude", "hookline.yaml"), "redact_extra: []\n")
	wantIn(recorded(project), "ACME-1 [REDACTED:custom] [REDACTED:custom]")
}

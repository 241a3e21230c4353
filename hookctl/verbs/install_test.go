package verbs

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"hookline/events"
)

// installed is a bench with a hookctl beside hookd.
func installed(t *testing.T, f *fakeHouse) *bench {
	t.Helper()
	b := newBench(t, nil)
	if f != nil {
		b.handler = f
	}
	write(t, filepath.Join(filepath.Dir(b.self), "hookctl"), "#!")
	if err := os.Chmod(filepath.Join(filepath.Dir(b.self), "hookctl"), 0o755); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bench) settings() string { return filepath.Join(b.env["HOME"], ".claude", "settings.json") }

func TestInstall(t *testing.T) {
	b := installed(t, nil)
	before := `{"model": "opus"}`
	write(t, b.settings(), before)
	out := b.must("install", "--dry-run")
	contains(t, out, "+++ ", `"SessionStart"`, b.settings()+": would add 31 hooks, replacing 0\n")
	out = b.must("install")
	contains(t, out, b.settings()+": 31 hooks added, 0 replaced (profile full)\n", "  backup  "+b.settings()+".hookline-backup\n")
	if out := b.must("install"); out != b.settings()+": the hooks are installed already, nothing changed\n" {
		t.Errorf("again: %q", out)
	}
	text, err := os.ReadFile(b.settings())
	if err != nil {
		t.Fatal(err)
	}
	contains(t, string(text), filepath.Join(filepath.Dir(b.self), "hookctl"))
	var got installJSON
	if err := json.Unmarshal([]byte(b.must("install", "--profile", "identity", "--json")), &got); err != nil || got.Added != 5 || got.Removed != 31 || got.Profile != "identity" || got.Scope != "user" {
		t.Errorf("%v: %+v", err, got)
	}
	if out := b.must("uninstall"); out != b.settings()+": 5 hooks taken out\n" {
		t.Errorf("stdout %q", out)
	}
	if text, _ := os.ReadFile(b.settings()); string(text) != before {
		t.Errorf("uninstall left %q", text)
	}
	if out := b.must("uninstall"); out != b.settings()+": no hook of ours is in it, nothing changed\n" {
		t.Errorf("stdout %q", out)
	}
}

func TestInstallScopes(t *testing.T) {
	b := installed(t, nil)
	b.must("install", "--project")
	text, err := os.ReadFile(filepath.Join(b.cwd, ".claude", "settings.json"))
	if err != nil {
		t.Fatal(err)
	}
	contains(t, string(text), `"command": "hookctl"`)
	contains(t, b.must("install", "--local"), "31 events hooked in the scopes project and local: counted once, but run in each")
}

func TestInstallMalformed(t *testing.T) {
	b := installed(t, nil)
	write(t, b.settings(), "{\n  \"hooks\": [\n}")
	code, _, errs := b.run("install")
	if code != 1 || !strings.Contains(errs, b.settings()+":3:") || !strings.Contains(errs, "hookctl: hint: nothing was changed; correct line 3 of that file and try again\n") {
		t.Errorf("exit %d, %q", code, errs)
	}
}

// TestHookctlByPath: where PATH leads to our hookctl, the link's name is installed, not what is behind it.
func TestHookctlByPath(t *testing.T) {
	b := installed(t, nil)
	beside := filepath.Join(filepath.Dir(b.self), "hookctl")
	link := filepath.Join(t.TempDir(), "hookctl")
	if err := os.Symlink(beside, link); err != nil {
		t.Skip(err)
	}
	b.look = func(string) (string, error) { return link, nil }
	if got := b.hookctl(); got != link {
		t.Errorf("got %s", got)
	}
	other := filepath.Join(t.TempDir(), "hookctl")
	write(t, other, "#!other")
	b.look = func(string) (string, error) { return other, nil }
	if got := b.hookctl(); got != beside {
		t.Errorf("got %s", got)
	}
}

func TestPurgeAsks(t *testing.T) {
	f := newFake()
	b := installed(t, f)
	write(t, filepath.Join(b.home(), "store", "x"), "log")
	code, _, errs := b.run("uninstall", "--purge")
	if code != 1 || !strings.Contains(errs, "there is no terminal to ask") || f.stopped != 0 {
		t.Errorf("exit %d, %q", code, errs)
	}
	if _, err := os.Stat(filepath.Join(b.home(), "store", "x")); err != nil {
		t.Error(err)
	}
}

func TestPurge(t *testing.T) {
	f := newFake()
	b := installed(t, f)
	f.events = sampleEvents()[:2]
	big := strings.Repeat("x", 20_000)
	cut := record(3, events.TypeToolRequested, sessionA, `{"tool_name":"Write","tool_input":{"content":{"$blob":"sha256:00","size":20000,"head":"xxx"}}}`)
	f.events = append(f.events, cut)
	b.handler = rawFake{f, `{"tool_name":"Write","tool_input":{"content":"` + big + `"}}`}
	b.must("install")
	for _, name := range []string{"store/x", "hookd.log", "hookd.log.1", "keys/k", "mine.txt"} {
		write(t, filepath.Join(b.home(), name), name)
	}
	out := b.must("uninstall", "--purge", "--yes")
	export := b.home() + "-export-20261121T120000Z.ndjson.zst"
	contains(t, out, "31 hooks taken out", export+": 3 events\n", b.home()+" is removed\n", "not ours, so left there: mine.txt")
	if f.stopped != 1 {
		t.Errorf("%d stops", f.stopped)
	}
	left, err := os.ReadDir(b.home())
	if err != nil || len(left) != 1 || left[0].Name() != "mine.txt" {
		t.Errorf("left %v, %v", left, err)
	}
	packed, err := os.ReadFile(export)
	if err != nil {
		t.Fatal(err)
	}
	r, err := zstd.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	var last events.Record
	if len(lines) != 3 || json.Unmarshal([]byte(lines[2]), &last) != nil || last.Seq != 3 || !strings.Contains(string(last.Data), big) {
		t.Errorf("%d lines, the last %.80s", len(lines), lines[len(lines)-1])
	}
	if info, err := os.Stat(export); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("export %v, %v", info, err)
	}
}

// TestPurgeKeepsTheLogInTrouble: without an export nothing is removed.
func TestPurgeKeepsTheLogInTrouble(t *testing.T) {
	f := newFake()
	b := installed(t, f)
	write(t, filepath.Join(b.home(), "store", "x"), "log")
	write(t, b.home()+"-export-20261121T120000Z.ndjson.zst", "an earlier one")
	code, _, errs := b.run("uninstall", "--purge", "--yes")
	if code != 1 || !strings.Contains(errs, "the log in "+b.home()+" is untouched: export the log: ") {
		t.Errorf("exit %d, %q", code, errs)
	}
	if _, err := os.Stat(filepath.Join(b.home(), "store", "x")); err != nil {
		t.Error(err)
	}
	write(t, filepath.Join(b.home(), "spool", "01KAJ3ZV5T0000000000000001.frame"), "{}\n")
	code, _, errs = b.run("uninstall", "--purge", "--yes")
	if code != 1 || !strings.Contains(errs, "1 frame could not be taken from the spool") || f.drained != 1 {
		t.Errorf("exit %d, %q, %d drains", code, errs, f.drained)
	}
}

// rawFake is a fake whose raw events have a fixed text.
type rawFake struct {
	*fakeHouse
	raw string
}

func (f rawFake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("raw") == "1" {
		_, _ = io.WriteString(w, f.raw)
		return
	}
	f.fakeHouse.ServeHTTP(w, r)
}

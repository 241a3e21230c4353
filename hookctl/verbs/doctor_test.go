package verbs

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"hookline/embedded/block"
	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/api"
	"hookline/hookctl/home"
	"hookline/hookctl/verbs/doctor"
	losses "hookline/replay/check"
)

// healthy is a bench in which doctor has nothing to say.
func healthy(t *testing.T) (*bench, *fakeBackend) {
	t.Helper()
	f := newFake()
	f.status.Hooks["Stop"] = api.HookCount{Last: noon.Add(-time.Second), Count: 1}
	f.events = []events.Record{record(1, events.TypeSessionStarted, sessionA, `{}`)}
	b := installed(t, f)
	hookctl := filepath.Join(filepath.Dir(b.Self), "hookctl")
	b.Look = func(string) (string, error) { return hookctl, nil }
	expect.OK(t, os.MkdirAll(b.Home(), 0o700))
	b.must("install")
	return b, f
}

// diagnose runs doctor and gives its checks by name; several of one name are the worst.
func (b *bench) diagnose(args ...string) (int, map[string]doctor.Check) {
	b.t.Helper()
	code, out, errs := b.run(append([]string{"doctor", "--json"}, args...)...)
	var d doctor.Report
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		b.t.Fatalf("%v: %q, stderr %q", err, out, errs)
	}
	if d.OK != (code == 0) {
		b.t.Errorf("ok %v, exit %d", d.OK, code)
	}
	worst := map[string]doctor.Check{}
	rank := map[string]int{doctor.OK: 1, doctor.Warn: 2, doctor.Fail: 3}
	for _, c := range d.Checks {
		if rank[c.Result] > rank[worst[c.Name].Result] {
			worst[c.Name] = c
		}
		if c.Result != doctor.OK && c.Do == "" && c.Name != "log" {
			b.t.Errorf("%s: %q says nothing about what to do", c.Name, c.Words)
		}
	}
	return code, worst
}

// What a stronger file says counts: a weaker one's switch is off then, and a trusted folder above is enough.
func TestDoctorSwitches(t *testing.T) {
	b, _ := healthy(t)
	known := filepath.Join(b.env["HOME"], ".claude.json")
	edit(t, b.settings(), `"hooks": {`, `"disableAllHooks": true, "env": {"HOOKLINE_DISABLED": "1"}, "hooks": {`)
	write(t, filepath.Join(b.Cwd, ".claude", "settings.local.json"), `{"disableAllHooks": false, "env": {"HOOKLINE_DISABLED": "0"}}`)
	write(t, known, `{"projects":{`+jsonOf(b.Cwd)+`:{},`+jsonOf(filepath.Dir(b.Cwd))+`:{"hasTrustDialogAccepted":true}}}`)
	if _, checks := b.diagnose(); checks["switches"].Result != doctor.OK {
		t.Errorf("%+v", checks["switches"])
	}

	for file, text := range map[string]string{
		filepath.Join(b.Cwd, ".claude", "settings.local.json"): `{"disableAllHooks": false, "env": {"HOOKLINE_DISABLED": "1"}}`,
		filepath.Join(b.Managed, "managed-settings.json"):      `{"strictPluginOnlyCustomization": ["mcp", "hooks"]}`,
		known: `{"projects":{` + jsonOf(b.Cwd) + `:{}}}`,
	} {
		before, _ := os.ReadFile(file) // none is there in the administrator's folder
		write(t, file, text)
		_, checks := b.diagnose()
		if c := checks["switches"]; c.Result == doctor.OK || c.Do == "" {
			t.Errorf("%s: %+v", text, c)
		}
		write(t, file, string(before))
	}
}

// A settings file of a clone that no parser could read does not end the examination.
func TestDoctorHostileSettings(t *testing.T) {
	b, _ := healthy(t)
	write(t, filepath.Join(b.Cwd, ".claude", "settings.json"), strings.Repeat("[", 12<<20))
	if _, checks := b.diagnose(); checks["switches"].Result != doctor.OK {
		t.Errorf("%+v", checks["switches"])
	}
}

// TestDoctorFinds breaks one thing at a time.
func TestDoctorFinds(t *testing.T) {
	for _, tc := range []struct {
		name   string
		breaks func(t *testing.T, b *bench, f *fakeBackend)
		check  string
		result string
		words  string
	}{
		{name: "last start failed", check: "last start", result: doctor.Fail, words: "disk full",
			breaks: func(t *testing.T, b *bench, _ *fakeBackend) {
				expect.OK(t, home.PathsOf(b.Home(), b.Getenv).StartFailed(home.Attempt{Reason: "disk full"}))
			}},
		{name: "lock held", check: "daemon", result: doctor.Warn, words: "the store is held by process 99 (hookd test)",
			breaks: func(t *testing.T, b *bench, _ *fakeBackend) {
				b.handler = nil
				path := filepath.Join(b.Home(), "hookd.lock")
				write(t, path, "99\nhookd test\n")
				l := flock.New(path)
				if ok, err := l.TryLock(); !ok || err != nil {
					t.Fatal(ok, err)
				}
				t.Cleanup(func() { _ = l.Close() })
			}},
		{name: "no hook yet", check: "client", result: doctor.Warn, words: "no hook has come yet",
			breaks: func(_ *testing.T, _ *bench, f *fakeBackend) { f.status.Hooks, f.events = nil, nil }},
		{name: "loss that an earlier opening found", check: "log", result: doctor.Warn, words: "lost sequences: 15, 267-269, found 1h0m ago",
			breaks: func(_ *testing.T, _ *bench, f *fakeBackend) {
				f.losses = &losses.Known{Lost: []block.Range{{First: 15, Last: 15}, {First: 267, Last: 269}}, Found: noon.Add(-time.Hour)}
			}},
		{name: "damage that cost nothing", check: "log", result: doctor.Warn, words: "was damaged, and nothing is lost any more: 3.blk at 17: checksum",
			breaks: func(_ *testing.T, _ *bench, f *fakeBackend) {
				f.status.Damage, f.losses = []string{"3.blk at 17: checksum"}, &losses.Known{}
			}},
		{name: "clock that was ahead", check: "clock", result: doctor.Warn, words: "a hook was captured 30 days ahead of the daemon's clock",
			breaks: func(_ *testing.T, _ *bench, f *fakeBackend) {
				f.events = append(f.events, record(2, events.TypeClockCorrected, "", `{"ahead_ms":2592000000}`))
			}},
		{name: "clock that went back", check: "clock", result: doctor.Warn, words: "it went back by 2h0m",
			breaks: func(_ *testing.T, _ *bench, f *fakeBackend) {
				f.events = append(f.events, record(2, events.TypeClockJumped, "", `{"back_ms":7200000}`))
			}},
		{name: "canary", check: "canary", result: doctor.Fail, words: `lost at "bucket latest": nothing there`,
			breaks: func(_ *testing.T, _ *bench, f *fakeBackend) {
				f.canary = api.Canary{Steps: []api.CanaryStep{{Name: "append", OK: true}, {Name: "bucket latest", Detail: "nothing there"}}}
			}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b, f := healthy(t)
			tc.breaks(t, b, f)
			code, checks := b.diagnose()
			got := checks[tc.check]
			if got.Result != tc.result || !strings.Contains(got.Words, tc.words) || (code == 1) != (tc.result == doctor.Fail) {
				t.Errorf("exit %d, check %+v", code, got)
			}
		})
	}
}

func edit(t *testing.T, path, old, text string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(b), old) {
		t.Fatalf("%s has no %q: %v", path, old, err)
	}
	write(t, path, strings.ReplaceAll(string(b), old, text))
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	expect.OK(t, os.Chmod(path, mode))
}

func frame(t *testing.T, b *bench, id string) {
	t.Helper()
	write(t, filepath.Join(b.Home(), "spool", "01KAJ3ZV5T000000000000000"+id+".frame"), "{}\n")
}

func TestDoctorRedaction(t *testing.T) {
	b := newBench(t, nil)
	path := filepath.Join(t.TempDir(), "prompt.txt")
	token := "ghp_" + strings.Repeat("aB3dE6gH9k", 4)[:36] // put together here: no scanner shall take it for a real one
	write(t, path, "hello\nuse "+token+" please\nACME-1234\n")
	write(t, filepath.Join(b.env["HOME"], ".config", "hookline", "config.yaml"), "redact_extra: ['ACME-[0-9]+']\n")
	out := b.must("doctor", "--redaction", path)
	contains(t, out, "[REDACTED:github-token]", "[REDACTED:custom]", "2 secrets would be redacted")
	if strings.Contains(out, token) || strings.Contains(out, "ACME-1234") {
		t.Errorf("the secret is printed: %s", out)
	}
	contains(t, b.must("doctor", "--redaction", path, "--json"), `"kind":"custom",`, `"line":3,"rule":"redact_extra"}`)
}

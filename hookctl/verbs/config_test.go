package verbs

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

func (b *bench) configFile(scope, text string) string {
	b.t.Helper()
	path := map[string]string{
		"user":    filepath.Join(b.env["HOME"], ".config", "hookline", "config.yaml"),
		"project": filepath.Join(b.Cwd, ".claude", "hookline.yaml"),
	}[scope]
	write(b.t, path, text)
	return path
}

func TestConfigShow(t *testing.T) {
	b := newBench(t, nil)
	user := b.configFile("user", "# mine\nfsync: always\n")
	b.env["HOOKLINE_LOG_LEVEL"] = "debug"
	out := b.must("config", "show", "--color", "never")
	for _, want := range []string{"fsync           always            user:2              ", "log_level       debug             HOOKLINE_LOG_LEVEL  ",
		"idle_exit       12h               default             ", "color           never             flag --color        ", "user     " + user + "  read\n",
		"project  " + filepath.Join(b.Cwd, ".claude", "hookline.yaml") + "  not there\n"} {
		contains(t, out, want)
	}
	var got configJSON
	noError(t, json.Unmarshal([]byte(b.must("config", "show", "--json")), &got))
	if got.Values["fsync"] != "always" || got.Origins["fsync"].File != user || got.Origins["fsync"].Line != 2 || len(got.Files) != 3 || got.Problems == nil {
		t.Errorf("got %+v", got)
	}
	if list, ok := got.Values["redact_extra"].([]any); !ok || len(list) != 0 {
		t.Errorf("redact_extra is %v", got.Values["redact_extra"])
	}
}

func TestConfigErrors(t *testing.T) {
	b := newBench(t, nil)
	user := b.configFile("user", "fsync: shared\nflush_intervall: 2s\n")
	project := b.configFile("project", "color: pink\n")
	want := "hookctl: error: " + user + ":2:1: unknown key \"flush_intervall\"\nhookctl: hint: did you mean flush_interval?\n" +
		"hookctl: error: " + project + ":1:8: color: \"pink\" is not one of auto, always, never\nhookctl: hint: the default of color is auto\n"
	for _, args := range [][]string{{"config", "show"}, {"config", "validate"}} {
		if code, _, errs := b.run(args...); code != 1 || errs != want {
			t.Errorf("%v: exit %d, stderr\n%s", args, code, errs)
		}
	}
	code, out, _ := b.run("config", "validate", "--json")
	if code != 1 || !strings.HasPrefix(out, `{"ok":false,"problems":[{"file":`) {
		t.Errorf("exit %d, %q", code, out)
	}
	// Every other verb works with the rest of the configuration.
	b.must("version")
}

func TestConfigValidate(t *testing.T) {
	b := newBench(t, nil)
	b.configFile("user", "fsync: always\n")
	equal(t, b.must("config", "validate"), "1 file read, nothing wrong\n", "stdout")
	equal(t, b.must("config", "validate", "--json"), `{"ok":true,"problems":[]}`+"\n", "stdout")
}

// TestColor: a terminal has colour unless something says no.
func TestColor(t *testing.T) {
	for _, tc := range []struct {
		name     string
		terminal bool
		env      map[string]string
		args     []string
		file     string
		want     bool
	}{
		{name: "pipe"}, {name: "terminal", terminal: true, want: true},
		{name: "NO_COLOR", terminal: true, env: map[string]string{"NO_COLOR": "1"}},
		{name: "CI", terminal: true, env: map[string]string{"CI": "true"}},
		{name: "dumb", terminal: true, env: map[string]string{"TERM": "dumb"}},
		{name: "flag always", args: []string{"--color", "always"}, env: map[string]string{"NO_COLOR": "1"}, want: true},
		{name: "flag never", terminal: true, args: []string{"--color", "never"}},
		{name: "file always", file: "color: always\n", want: true},
		{name: "json", terminal: true, args: []string{"--json", "--color", "always"}},
	} {
		b := newBench(t, newFake())
		b.Terminal = tc.terminal
		for k, v := range tc.env {
			b.env[k] = v
		}
		if tc.file != "" {
			b.configFile("user", tc.file)
		}
		out := b.must(append([]string{"status"}, tc.args...)...)
		if got := strings.ContainsRune(out, '\x1b'); got != tc.want {
			t.Errorf("%s: colour %v", tc.name, got)
		}
	}
}

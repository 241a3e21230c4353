package verbs

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"hookline/expect"
)

// A value is set in its line, or at the end; what else the file has stays.
func TestConfigSet(t *testing.T) {
	b := newBench(t, nil)
	path := filepath.Join(b.env["HOME"], ".config", "hookline", "config.yaml")
	expect.Equal(t, b.must("config", "set", "idle_exit", "1h"), "idle_exit: 1h in "+path+"\n")
	write(t, path, "# mine\nfsync: shared   # as it is\nredact_extra:\n  - 'x.z'\nidle_exit: 1h")
	b.env["HOOKLINE_FSYNC"] = "shared" // counts for a daemon, not for the file
	b.must("config", "set", "fsync", "always")
	contains(t, b.must("config", "set", "color", "never", "--json"), `"key":"color","value":"never"}`)
	text, err := os.ReadFile(path)
	if want := "# mine\nfsync: always   # as it is\nredact_extra:\n  - 'x.z'\nidle_exit: 1h\ncolor: never\n"; err != nil || string(text) != want {
		t.Errorf("%v: %q", err, text)
	}
	for args, want := range map[string]string{
		"config set fsnyc always":    "hookctl: error: there is no key \"fsnyc\" with one value\nhookctl: hint: did you mean fsync?\n",
		"config set fsync sometimes": "hookctl: error: fsync: \"sometimes\" is not one of shared, always\n",
		"config set redact_extra x":  "hookctl: error: there is no key \"redact_extra\" with one value\n",
	} {
		contains(t, b.refuses(strings.Fields(args)...), want)
	}
	expect.Equal(t, string(expect.Value(os.ReadFile(path))(t)), string(text), "a refused value was written")
}

// A value that would break the file is taken back: a file in flow style has no place for a line.
func TestConfigSetTakesBack(t *testing.T) {
	b := newBench(t, nil)
	path := filepath.Join(b.env["HOME"], ".config", "hookline", "config.yaml")
	write(t, path, "{fsync: shared}\n")

	contains(t, b.refuses("config", "set", "idle_exit", "1h"), "config.yaml cannot take a line for one key; it was left as it was\n")
	expect.Equal(t, string(expect.Value(os.ReadFile(path))(t)), "{fsync: shared}\n", "the file after a value that breaks it")
	b.must("config", "validate")
}

func TestConfigEdit(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the editor of this test is a shell script")
	}
	b := newBench(t, nil)
	editor := filepath.Join(t.TempDir(), "editor")
	write(t, editor, "#!/bin/sh\nprintf 'fsnyc: always\\n' >> \"$1\"\n")
	expect.OK(t, os.Chmod(editor, 0o700))
	b.env["EDITOR"] = editor
	contains(t, b.refuses("config", "edit"), `config.yaml:1:1: unknown key "fsnyc"`)
}

// The daemon's log is shown from its end, fit for a terminal.
func TestLog(t *testing.T) {
	b := newBench(t, nil)
	contains(t, b.refuses("log"), "hookd.log: no such file or directory\n")
	path := filepath.Join(b.Home(), "hookd.log")
	write(t, path, "one\ntwo \x1b[2Jred\nthree\n")
	for args, want := range map[string]string{"log": "one\ntwo [2Jred\nthree\n", "log -n 1": "three\n", "log -n 0": "", "log -n all": "one\ntwo [2Jred\nthree\n"} {
		expect.Equal(t, b.must(strings.Fields(args)...), want, args)
	}
}

package settings

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"hookline/expect"
)

const testBinary = "/opt/hookline/bin/hookctl"

// options returns options of the user scope in a fresh home.
func options(t *testing.T) Options {
	t.Helper()
	return Options{Client: Claude, Scope: User, Profile: Full, Home: t.TempDir(), ProjectDir: t.TempDir(), Binary: testBinary}
}

// put writes a settings file and returns its path.
func put(t *testing.T, o Options, text string) string {
	t.Helper()
	path := o.Path()
	expect.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
	expect.OK(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func get(t *testing.T, path string) string {
	t.Helper()
	return string(expect.Value(os.ReadFile(path))(t))
}

func mustInstall(t *testing.T, o Options) Result {
	t.Helper()
	return expect.Value(Install(o))(t)
}

func mustUninstall(t *testing.T, o Options) Result {
	t.Helper()
	return expect.Value(Uninstall(o))(t)
}

// names lists a folder, to show that nothing is left behind.
func names(t *testing.T, dir string) []string {
	t.Helper()
	out := []string{}
	for _, e := range expect.Value(os.ReadDir(dir))(t) {
		out = append(out, e.Name())
	}
	return out
}

// TestREQ_SESSION_16_Profiles compares what each profile writes with testdata; identity.json is the requirement's own list.
func TestREQ_SESSION_16_Profiles(t *testing.T) {
	for p, added := range map[Profile]int{Full: 31, Identity: 5} {
		o := options(t)
		o.Profile = p
		res := mustInstall(t, o)
		expect.Equal(t, get(t, o.Path()), get(t, filepath.Join("testdata", string(p)+".json")), p)
		if !res.Changed || res.Backup != "" || res.Added != added || res.Removed != 0 {
			t.Errorf("%v profile: %+v", p, res)
		}
	}
}

// The shapes a file can have before us. Each goes through both profiles, there and back.
var shapes = map[string]string{
	"empty file":            "",
	"empty object":          `{}`,
	"empty hooks":           `{"hooks":{}}`,
	"empty event":           "{\n  \"hooks\": {\n    \"Stop\": [ ]\n  }\n}\n",
	"commented containers":  "{ \"hooks\": { // mine\n \"Stop\": [ /* none */ ] } }",
	"minified":              `{"model":"opus","env":{"A":"1"},"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a"}]}]}}`,
	"one line":              `{ "model": "opus", "hooks": { "Stop": [ { "hooks": [] } ] } }`,
	"tabs":                  "{\n\t\"model\": \"opus\",\n\t\"hooks\": {\n\t\t\"Stop\": []\n\t}\n}\n",
	"crlf":                  "{\r\n  \"model\": \"opus\"\r\n}\r\n",
	"byte order mark":       "\xef\xbb\xbf{\n  \"model\": \"opus\"\n}\n",
	"trailing commas":       "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": []},\n    ],\n  },\n}\n",
	"line comments":         "{\n  // the model\n  \"model\": \"opus\", // cheap\n  \"a\": 1 // last\n  // end\n}\n// bye",
	"line comment, no line": "{\"a\": 1 // last\n}",
	"odd layout":            "{\"a\"\n:1\n,\"hooks\"\n:\n{\"Stop\"\n:[\n1\n,null]}}",
	"escaped key":           "{\n  \"ho\\u006fks\": {\n    \"St\\u006fp\": [\n      {}\n    ]\n  }\n}\n",
}

func TestThereAndBack(t *testing.T) {
	for name, text := range shapes {
		for _, p := range []Profile{Full, Identity} {
			t.Run(name+"/"+string(p), func(t *testing.T) {
				o := options(t)
				o.Profile = p
				path := put(t, o, text)
				first := mustInstall(t, o)
				if !first.Changed || first.Backup != path+".hookline-backup" || get(t, first.Backup) != text {
					t.Errorf("first install: %+v", first)
				}
				installed := get(t, path)
				if again := mustInstall(t, o); again.Changed || again.Added != 0 || again.Removed != 0 || again.Backup != "" || get(t, path) != installed {
					t.Errorf("second install: %+v", again)
				}
				back := mustUninstall(t, o)
				if got := get(t, path); got != text || back.Removed != first.Added {
					t.Errorf("removed %d, left %q, want %q", back.Removed, got, text)
				}
				if got := names(t, filepath.Dir(path)); !reflect.DeepEqual(got, []string{"settings.json"}) {
					t.Errorf("left behind: %v", got)
				}
				if again := mustUninstall(t, o); again.Changed || again.Removed != 0 {
					t.Errorf("second uninstall: %+v", again)
				}
			})
		}
	}
}

const foreignBoth = `{
  "hooks": {
    "Stop": [
      {"hooks": [{"type": "command", "command": "first"}]},
      {"hooks": [{"type": "command", "command": "hookctl hook Stop"}]}, // old
      {"matcher": "", "hooks": [
        {"type": "command", "command": "second"},
        {"type": "command", "command": "/old/hookctl", "args": ["hook", "Stop"]},
        {"type": "http", "url": "http://localhost/hookctl"}
      ]}
    ],
    "WorktreeCreate": [{"hooks": [{"type": "command", "command": "hookd hook WorktreeCreate"}]}]
  }
}
`

func TestForeignHooksBeforeAndAfterOursStay(t *testing.T) {
	o := options(t)
	path := put(t, o, foreignBoth)
	res := mustInstall(t, o)
	if res.Removed != 3 || res.Added != 31 || !reflect.DeepEqual(res.Foreign, []string{"Stop"}) || res.Backup != "" {
		t.Errorf("%+v", res)
	}
	var client struct {
		Hooks map[string][]struct{ Hooks []struct{ Command string } }
	}
	expect.OK(t, json.Unmarshal(expect.Value(Plain(path))(t), &client))
	var commands []string
	for _, e := range client.Hooks["Stop"] {
		for _, h := range e.Hooks {
			commands = append(commands, h.Command)
		}
	}
	expect.Equal(t, strings.Join(commands, ","), "first,second,,"+testBinary, "commands at Stop")
	res = mustUninstall(t, o)
	want := `{
  "hooks": {
    "Stop": [
      {"hooks": [{"type": "command", "command": "first"}]}, // old
      {"matcher": "", "hooks": [
        {"type": "command", "command": "second"},
        {"type": "http", "url": "http://localhost/hookctl"}
      ]}
    ]
  }
}
`
	if got := get(t, path); got != want || !reflect.DeepEqual(res.Foreign, []string{"Stop"}) {
		t.Errorf("%+v\n%s", res, got)
	}
}

func TestSwitchingProfilesEqualsAFreshInstall(t *testing.T) {
	for _, name := range []string{"empty file", "tabs", "line comments", "odd layout"} {
		text := shapes[name]
		fresh := options(t)
		fresh.Profile = Identity
		put(t, fresh, text)
		mustInstall(t, fresh)
		o := options(t)
		path := put(t, o, text)
		mustInstall(t, o)
		o.Profile = Identity
		res := mustInstall(t, o)
		if res.Removed != 31 || res.Added != 5 || res.Backup != "" || get(t, path) != get(t, fresh.Path()) {
			t.Errorf("%s: full to identity: %+v", name, res)
		}
		o.Profile = Full
		if res := mustInstall(t, o); res.Removed != 5 || res.Added != 31 {
			t.Errorf("%s: identity to full: %+v", name, res)
		}
		expect.Equal(t, get(t, path+backupSuffix), text, name, "backup is")
		if mustUninstall(t, o); get(t, path) != text {
			t.Errorf("%s: left %q", name, get(t, path))
		}
	}
}

func TestDryRunShowsADiffAndWritesNothing(t *testing.T) {
	o := options(t)
	o.Profile, o.DryRun = Identity, true
	path := put(t, o, "{\n  \"model\": \"opus\"\n}")
	res := mustInstall(t, o)
	want := "--- " + path + "\n+++ " + path + "\n@@ -1,3 +1,"
	if !strings.HasPrefix(res.Diff, want) || !strings.Contains(res.Diff, "\n-  \"model\": \"opus\"\n+  \"model\": \"opus\",\n+  \"hooks\": {\n") {
		t.Errorf("diff:\n%s", res.Diff)
	}
	if !strings.HasSuffix(res.Diff, "\n }\n\\ No newline at end of file\n") {
		t.Errorf("diff ends %q", res.Diff[len(res.Diff)-60:])
	}
	if get(t, path) != "{\n  \"model\": \"opus\"\n}" || len(names(t, filepath.Dir(path))) != 1 {
		t.Error("dry run wrote")
	}
	o.DryRun = false
	mustInstall(t, o)
	o.DryRun = true
	if res := mustInstall(t, o); res.Diff != "" || res.Changed {
		t.Errorf("nothing to do: %+v", res)
	}
}

// A program of another name could not be found again, nor one that is looked up.
func TestProgramIsChecked(t *testing.T) {
	for _, program := range []string{"", "bin/hookctl", "/usr/bin/other"} {
		o := options(t)
		o.Binary = program
		if _, err := Install(o); err == nil || len(names(t, o.Home)) != 0 {
			t.Errorf("%q: %v", program, err)
		}
	}
}

// The client writes the file anew, and the user adds to it, between install and uninstall.
func TestUninstallAfterOthersWrote(t *testing.T) {
	o := options(t)
	path := put(t, o, `{"hooks":{"Stop":[{}]}}`)
	mustInstall(t, o)
	var v map[string]any
	expect.OK(t, json.Unmarshal([]byte(get(t, path)), &v))
	v["model"] = "haiku"
	text, _ := json.MarshalIndent(v, "", "  ")
	expect.OK(t, os.WriteFile(path, text, 0o600))
	if mustInstall(t, o).Changed {
		t.Error("install after the client's rewrite changes")
	}
	mustUninstall(t, o)
	expect.Equal(t, get(t, path), "{\n  \"hooks\": {\n    \"Stop\": [\n      {}\n    ]\n  },\n  \"model\": \"haiku\"\n}", "left")
	expect.Equal(t, get(t, path+backupSuffix), `{"hooks":{"Stop":[{}]}}`, "backup")
}

// A user's comment on something that only we needed is reason enough to keep it.
func TestCommentsOutliveOurEntries(t *testing.T) {
	const ours = `{"hooks": [{"type": "command", "command": "hookctl hook Stop" /* goes */}]}`
	cases := map[string]string{
		`{"hooks": /* why */ {"Stop": [OURS]}}`:           `{"hooks": /* why */ {}}`,
		`{"hooks": {"Stop" /* why */: [OURS]}}`:           `{"hooks": {"Stop" /* why */: []}}`,
		"{\"hooks\": {\"Stop\": [ // why\n OURS]}}":       "{\"hooks\": {\"Stop\": [ // why\n]}}",
		"{\"hooks\": {\"Stop\": [1, // why\n OURS, 2]}}":  "{\"hooks\": {\"Stop\": [1, // why\n 2]}}",
		"{\"hooks\": {\"Stop\": [1 // why\n , OURS,\n]}}": "{\"hooks\": {\"Stop\": [1 // why\n ,\n]}}",
		`{"a": 1, "hooks": {"Stop": [OURS]} /* why */}`:   `{"a": 1 /* why */}`,

		"{\"hooks\": {\"Stop\": [1, // why\n OURS,\n OURS]}}":     "{\"hooks\": {\"Stop\": [1 // why\n]}}",
		"{\"hooks\": {\"Stop\": [1, // why\n OURS,\n OURS, 2]}}":  "{\"hooks\": {\"Stop\": [1, // why\n 2]}}",
		"{\"hooks\": {\"Stop\": [1 // why\n , // not\n OURS, ]}}": "{\"hooks\": {\"Stop\": [1 // why\n , // not\n ]}}",
	}
	for before, want := range cases {
		o := options(t)
		path := put(t, o, strings.ReplaceAll(before, "OURS", ours))
		if mustUninstall(t, o); get(t, path) != want {
			t.Errorf("%q: left %q, want %q", before, get(t, path), want)
		}
	}
}

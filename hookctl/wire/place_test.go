package wire

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hookline/expect"
)

// env returns a getenv that knows these variables, each a name and its value.
func env(namesAndValues ...string) func(string) string {
	values := map[string]string{}
	for i := 0; i < len(namesAndValues); i += 2 {
		values[namesAndValues[i]] = namesAndValues[i+1]
	}
	return func(name string) string { return values[name] }
}

func TestHome(t *testing.T) {
	user := "hookline-" + strconv.Itoa(os.Getuid())
	for _, c := range []struct {
		name       string
		env        func(string) string
		home, note string
	}{
		{"default", env("HOME", "/home/me"), "/home/me/.local/state/hookline", ""},
		{"state home", env("HOME", "/home/me", "XDG_STATE_HOME", "/state"), "/state/hookline", ""},
		{"own variable wins", env("HOME", "/home/me", "XDG_STATE_HOME", "/state", "HOOKLINE_HOME", "/h/"), "/h", ""},
		{"below HOME, not read by a shell", env("HOME", "/home/me", "HOOKLINE_HOME", "~/log"), "/home/me/log", ""},
		{
			"HOME unset", env("HOOKLINE_SECOND", "/var/tmp"),
			"/var/tmp/" + user, "HOME is not set, state is in /var/tmp/" + user,
		},
	} {
		home, note := Home(c.env)
		expect.Equal(t, home, c.home, c.name, "home")
		expect.Equal(t, note, c.note, c.name, "note")
	}
}

// A folder that somebody else has made is passed over.
func TestHomelessBesideForeignFolder(t *testing.T) {
	user := "hookline-" + strconv.Itoa(os.Getuid())
	occupied, free := t.TempDir(), t.TempDir()
	expect.OK(t, os.WriteFile(filepath.Join(occupied, user), nil, 0o600))

	home, _ := Home(env("HOOKLINE_SECOND", occupied+string(filepath.ListSeparator)+free))
	expect.Equal(t, home, filepath.Join(free, user), "home")
}

func TestRelativeHome(t *testing.T) {
	home, _ := Home(env("HOOKLINE_HOME", "here"))
	expect.Equal(t, filepath.Base(home), "here", "last part of", home)
	expect.Equal(t, filepath.IsAbs(home), true, "absolute", home)
}

func TestSocket(t *testing.T) {
	run := t.TempDir()
	long := "/" + strings.Repeat("x", 120)
	user := "hookline-" + strconv.Itoa(os.Getuid())
	for _, c := range []struct {
		name   string
		env    func(string) string
		socket string
	}{
		{"in home", env("HOOKLINE_HOME", "/h"), "/h/hookd.sock"},
		{
			"runtime folder", env("HOOKLINE_HOME", "/h", "XDG_RUNTIME_DIR", run),
			run + "/hookline/" + Hash("/h") + ".sock",
		},
		{"runtime folder that is gone", env("HOOKLINE_HOME", "/h", "XDG_RUNTIME_DIR", "/none"), "/h/hookd.sock"},
		{
			"variable of ours wins", env("HOOKLINE_HOME", "/h", "XDG_RUNTIME_DIR", run, "HOOKLINE_SOCKET", "/s/x.sock"),
			"/s/x.sock",
		},
		{
			"temporary folder too long as well", env("HOOKLINE_HOME", long, "TMPDIR", long),
			"/tmp/" + user + "/" + Hash(long+"/hookd.sock") + ".sock",
		},
	} {
		if len(c.socket) > 100 {
			continue // the test's own temporary folder
		}
		expect.Equal(t, Socket(c.env), c.socket, c.name)
	}
	for n := 80; n < 120; n++ {
		home := "/" + strings.Repeat("x", n)
		if got := Socket(env("HOOKLINE_HOME", home)); len(got) > 100 {
			t.Errorf("socket of a home of %d bytes = %s of %d bytes, want at most 100", len(home), got, len(got))
		}
	}
}

// FNV-1a of 32 bits as published, eight digits also where the first are zero.
func TestHash(t *testing.T) {
	for text, want := range map[string]string{"": "811c9dc5", "a": "e40c292c", "foobar": "bf9cf968"} {
		expect.Equal(t, Hash(text), want, "hash of", text)
	}
	for i := range 1000 {
		if got := Hash(strconv.Itoa(i)); len(got) != 8 {
			t.Errorf("hash of %d = %q, want eight digits", i, got)
		}
	}
}

func TestDeadline(t *testing.T) {
	gated := t.TempDir()
	expect.OK(t, os.MkdirAll(filepath.Join(gated, ".claude"), 0o700))
	expect.OK(t, os.WriteFile(filepath.Join(gated, ".claude", "requirements.yaml"), nil, 0o600))
	for _, c := range []struct {
		args, dir string
		want      time.Duration
	}{
		{"hook PreToolUse", "", 100 * time.Millisecond},
		{"hook PreToolUse", gated, 2 * time.Second},
		{"consciousness brief", gated, 60 * time.Millisecond},
		{"consciousness check-identity --auto-dream", "", 500 * time.Millisecond},
		{"session persist-identity", "", 1200 * time.Millisecond},
		{"hook PostToolUse", gated, 500 * time.Millisecond},
		{"hook UserPromptSubmit", "", time.Second},
		{"hook SessionStart", "", 2 * time.Second},
		{"hook Tomorrow", "", 500 * time.Millisecond},
	} {
		args := strings.Fields(c.args)
		got := Deadline(args, Event(args, nil), c.dir)
		expect.Equal(t, got, c.want, "deadline of", c.args)
	}
}

// The first .git upwards counts; of a linked work tree and a submodule it is assumed that they are gated.
func TestGated(t *testing.T) {
	base := expect.Value(filepath.EvalSymlinks(t.TempDir()))(t)
	t.Setenv("HOME", filepath.Join(base, "home"))
	t.Setenv("USERPROFILE", filepath.Join(base, "home"))
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(base, name)
		expect.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
		expect.OK(t, os.WriteFile(path, []byte(text), 0o600))
	}
	for _, gated := range []string{"above", "above/repo", "home", "plain", "dangling"} {
		put(gated+"/.claude/requirements.yaml", "")
	}
	put("above/repo/.git/HEAD", "ref: refs/heads/main\n")
	put("above/repo/a/b/c.txt", "")
	put("above/other/.git/HEAD", "ref: refs/heads/main\n")
	put("above/other/a/c.txt", "")
	put("home/sub/c.txt", "")
	put("plain/sub/c.txt", "")
	put("linked/.git", "gitdir: "+filepath.ToSlash(base)+"/above/repo/.git/worktrees/linked\n")
	put("linked/sub/c.txt", "")
	put("module/.git", "gitdir: ../above/repo/.git/modules/module\n")
	if err := os.Symlink(filepath.Join(base, "above", "repo", "a"), filepath.Join(base, "link")); err != nil {
		t.Skip("no links here: ", err)
	}
	dangling := filepath.Join(base, "dangling/.claude/requirements.yaml")
	expect.OK(t, os.Remove(dangling))
	expect.OK(t, os.Symlink("nowhere", dangling))

	for dir, want := range map[string]bool{
		"above":          true,
		"above/repo":     true,
		"above/repo/a/b": true,
		"above/other":    false,
		"above/other/a":  false,
		"home":           false,
		"home/sub":       false,
		"plain":          true,
		"plain/sub":      false,
		"linked/sub":     true,
		"module":         true,
		"link/b":         true,
		"dangling":       true,
		"nowhere":        false,
	} {
		expect.Equal(t, Gated(filepath.Join(base, dir)), want, "gated:", dir)
	}
}

func TestWhere(t *testing.T) {
	if os.PathSeparator != '/' {
		t.Skip("the paths of this test begin with a slash")
	}
	for body, want := range map[string]string{
		`{"session_id":"x","cwd":"/repo/sub","tool_input":{"cwd":"/other"}}`: "/repo/sub",
		`{"cwd" : "/a b/é"}`:  "/a b/é",
		`{"cwd":"relative"}`:  "/process",
		`{"cwd":"/a\"b"}`:     "/process",
		`{"cwd":"/unfinished`: "/process",
		``:                    "/process",
	} {
		f := Frame{Cwd: "/process", Body: []byte(body)}
		expect.Equal(t, f.Where(), want, "working directory of", body)
	}
}

func TestEvent(t *testing.T) {
	for _, c := range []struct{ args, body, want string }{
		{"hook Stop", `{"hook_event_name":"SessionEnd"}`, "Stop"},
		{"hook", `{"session_id":"x", "hook_event_name" : "SessionEnd"}`, "SessionEnd"},
		{"hook", `{"hook_event_name":7}`, "-"},
		{"hook", `{"hook_event_name":"a/../b"}`, "-"},
		{"hook", `{"hook_event_name":"` + strings.Repeat("x", 65) + `"}`, "-"},
		{"hook ../x", ``, "-"},
		{"session restore-identity", ``, "SessionStart"},
	} {
		got := Event(strings.Split(c.args, " "), []byte(c.body))
		expect.Equal(t, got, c.want, "event of", c.args, c.body)
	}
}

func TestIsHook(t *testing.T) {
	for args, want := range map[string]bool{
		"hook":                         true,
		"hook Stop":                    true,
		"hook --help":                  false,
		"consciousness brief":          true,
		"consciousness brief -h":       false,
		"consciousness inject-context": true,
		"consciousness":                false,
		"consciousness brieff":         false,
		"session restore-identity":     true,
		"session persist-identity":     true,
		"session list":                 false,
		"status":                       false,
		"":                             false,
		"version":                      false,
		"--help":                       false,

		"consciousness check-identity --auto-dream": true,
	} {
		expect.Equal(t, IsHook(strings.Fields(args)), want, "hook:", args)
	}
}

func TestOtherSocket(t *testing.T) {
	home := t.TempDir()
	near := home + "/hookd.sock"
	for _, c := range []struct{ link, socket, want string }{
		{"", near, ""},
		{"", "/run/x.sock", near},
		{"/run/x.sock", near, "/run/x.sock"},
		{"/run/x.sock", "/run/x.sock", ""},
		{"/run/x.sock", "/run/y.sock", "/run/x.sock"},
	} {
		_ = os.Remove(near)
		if c.link != "" {
			if err := os.Symlink(c.link, near); err != nil {
				t.Skip(err)
			}
		}
		expect.Equal(t, OtherSocket(home, c.socket), c.want, "link", c.link, "socket", c.socket)
	}
}

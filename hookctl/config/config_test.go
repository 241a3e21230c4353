package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"hookline/expect"
)

// world is a home, a project and an environment of its own.
type world struct {
	home, dir string
	env       map[string]string
}

func newWorld(t *testing.T) world {
	t.Helper()
	w := world{home: t.TempDir(), dir: t.TempDir(), env: map[string]string{}}
	w.env["HOME"] = w.home
	return w
}

func (w world) write(t *testing.T, scope, text string) string {
	t.Helper()
	path := map[string]string{
		"user":    filepath.Join(w.home, ".config", "hookline", "config.yaml"),
		"project": filepath.Join(w.dir, ".claude", "hookline.yaml"),
		"local":   filepath.Join(w.dir, ".claude", "hookline.local.yaml"),
	}[scope]
	expect.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
	expect.OK(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func (w world) load(flags map[string]string) Config {
	return Load(Options{Getenv: func(k string) string { return w.env[k] }, Dir: w.dir, Flags: flags})
}

// A project's patterns are bounded by what they compile to, over both its files; the user's own are not.
func TestPatternsOfProject(t *testing.T) {
	bomb := "redact_extra:\n" + strings.Repeat("  - (.{1000})\n", 9_000)
	w := newWorld(t)
	w.write(t, "project", "redact_extra: [corp-\\d+]\n")
	local := w.write(t, "local", bomb)
	c := w.load(nil)
	if len(c.Values.RedactExtra) != 2 || len(c.Problems) != 1 {
		t.Fatalf("%d patterns, %d problems", len(c.Values.RedactExtra), len(c.Problems))
	}
	expect.Equal(t, c.Problems[0].Error(), local+":3:5: redact_extra: too much for a project; this expression and those after it are left out")

	w.write(t, "user", "redact_extra:\n"+strings.Repeat("  - (.{1000})\n", 5))
	c = w.load(nil)
	if len(c.Values.RedactExtra) != 7 {
		t.Errorf("%d patterns", len(c.Values.RedactExtra))
	}
}

func TestDefaults(t *testing.T) {
	c := newWorld(t).load(nil)
	for _, k := range Keys() {
		if got := strings.Join(c.Values.Text(k.Name), ","); c.Origins[k.Name].From != "default" || got != strings.Trim(k.Default, "[]") {
			t.Errorf("%s: %q, %+v", k.Name, got, c.Origins[k.Name])
		}
	}
}

func TestCascade(t *testing.T) {
	w := newWorld(t)
	w.env["XDG_CONFIG_HOME"] = filepath.Join(w.home, ".config")
	user := w.write(t, "user", "fsync: always\nlog_level: debug\nidle_exit: 1h\nflush_interval: 5s\nredact_extra: ['ACME-[0-9]+']\nnotify: beep\nprices: ['m 1 2']\n")
	w.write(t, "project", "evidence: strict\ncolor: auto\nredact_extra:\n  - corp-\\d+\nattention: 100 200 300\n")
	w.write(t, "local", "evidence: loose\n")
	w.env["HOOKLINE_FLUSH_INTERVAL"] = "1s"
	w.env["HOOKLINE_COLOR"] = "never"
	c := w.load(map[string]string{"color": "always"})
	want := Values{Fsync: "always", IdleExit: time.Hour, FlushInterval: time.Second, LogLevel: "debug", Color: "always", Evidence: "loose", Attention: [3]int{100, 200, 300},
		Notify: "beep", Listen: "off", Otel: "off", Prices: []string{"m 1 2"}, RedactExtra: []string{"ACME-[0-9]+", `corp-\d+`}}
	if !reflect.DeepEqual(c.Values, want) || len(c.Problems) != 0 {
		t.Fatalf("got %+v, problems %v", c.Values, c.Problems)
	}
	from := map[string]string{}
	for k, o := range c.Origins {
		from[k] = o.From
	}
	wantFrom := map[string]string{"evidence": "local", "fsync": "user", "log_level": "user", "idle_exit": "user", "flush_interval": "env", "color": "flag", "attention": "project", "notify": "user", "listen": "default", "otel": "default", "prices": "user", "record_off": "default", "redact_extra": "project"}
	if !reflect.DeepEqual(from, wantFrom) {
		t.Errorf("origins %v", from)
	}
	if o := c.Origins["fsync"]; o.File != user || o.Line != 1 {
		t.Errorf("origin of fsync %+v", o)
	}
}

func TestProblems(t *testing.T) {
	for _, tc := range []struct{ name, text, want, hint string }{
		{"unknown key", "fsync: shared\nflush_intervall: 2s\n", `:2:1: unknown key "flush_intervall"`, "did you mean flush_interval?"},
		{"choice", "fsync: never\n", `:1:8: fsync: "never" is not one of shared, always`, "the default of fsync is shared"},
		{"range", "flush_interval: 1h\n", `:1:17: flush_interval: 1h is outside 100ms to 1m`, ""},
		{"one threshold", "attention: 5000\n", `:1:12: attention: three rising numbers of tokens are wanted, not "5000"`, ""},
		{"full paths wanted", "record_off: [x]\n", `:1:14: record_off: "x" is no full path`, "write it from / or from ~/"},
		{"list wanted", "redact_extra: abc\n", `:1:15: redact_extra: a list of regular expressions is wanted, not "abc"`, ""},
		{"bad pattern", "redact_extra:\n  - ok\n  - 'a('\n", ":3:5: redact_extra: error parsing regexp: missing closing ): `a(`", "the syntax is RE2's"},
		{"empty pattern", "redact_extra: ['']\n", `:1:16: redact_extra: an empty expression would match everything`, ""},
		{"list", "fsync: [always]\n", `fsync: a list is not one of shared, always`, ""},
		{"mapping", "fsync:\n  mode: shared\n", `fsync: "a mapping" is not one of shared, always`, ""},
		{"not a mapping", "- a\n- b\n", `:1:1: the file is no mapping of keys to values`, ""},
		{"broken", "fsync: [shared\n", `:1:8: `, "until it is valid YAML"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			path := w.write(t, "user", tc.text)
			c := w.load(nil)
			if len(c.Problems) != 1 {
				t.Fatalf("problems %v", c.Problems)
			}
			got := c.Problems[0]
			if !strings.HasPrefix(got.Error(), path+":") || !strings.Contains(got.Error(), tc.want) || !strings.Contains(got.Hint, tc.hint) {
				t.Errorf("got %q, hint %q", got.Error(), got.Hint)
			}
			if c.Values.Fsync != "shared" || c.Values.IdleExit != 12*time.Hour {
				t.Errorf("values changed: %+v", c.Values)
			}
		})
	}
}

func TestProblemOfEnvironmentAndFlag(t *testing.T) {
	w := newWorld(t)
	w.env["HOOKLINE_FSYNC"] = "maybe"
	c := w.load(map[string]string{"idle_exit": "soon"})
	var got []string
	for _, p := range c.Problems {
		got = append(got, p.Error())
	}
	want := []string{`HOOKLINE_FSYNC: "maybe" is not one of shared, always`, `--idle-exit: "soon" is no duration such as 12h`}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
}

// A cloned repository may bring a link to a terminal: it is left out at once, and nothing is read from it.
func TestLinkToADevice(t *testing.T) {
	w := newWorld(t)
	path := w.write(t, "project", "")
	expect.OK(t, os.Remove(path))
	if err := os.Symlink("/dev/ptmx", path); err != nil {
		t.Skip(err)
	}
	w.write(t, "user", strings.Repeat("[", 80_000))
	c := w.load(nil)
	if len(c.Problems) != 2 || c.Problems[0].Message != "nested more than 64 deep" || c.Problems[1].Error() != path+": is no regular file" {
		t.Errorf("problems %v", c.Problems)
	}
}

func FuzzFile(f *testing.F) {
	for _, s := range []string{"fsync: shared", "a: [b", "? x\n: y", "&a fsync: *a", "redact_extra: [1, {a: b}, null]", "<<: 1", "\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		dir := t.TempDir()
		path := filepath.Join(dir, "hookline", "config.yaml")
		if os.MkdirAll(filepath.Dir(path), 0o700) != nil || os.WriteFile(path, []byte(text), 0o600) != nil {
			t.Skip()
		}
		c := Load(Options{Getenv: func(k string) string { return map[string]string{"XDG_CONFIG_HOME": dir}[k] }})
		if c.Values.Fsync != "shared" && c.Values.Fsync != "always" {
			t.Errorf("fsync is %q", c.Values.Fsync)
		}
	})
}

func TestProblemAsAWarning(t *testing.T) {
	p := Problem{File: "/c/hookline.yaml", Line: 2, Column: 1, Key: "fsynk", Message: `unknown key "fsynk"`, Hint: "did you mean fsync?"}
	expect.Equal(t, p.Warning(), `configuration: /c/hookline.yaml:2:1: unknown key "fsynk" (did you mean fsync?)`)
	expect.Equal(t, (Problem{Message: "HOOKLINE_FSYNC: no"}).Warning(), "configuration: HOOKLINE_FSYNC: no")
}

// A clone may neither run a command nor say what things cost, nor how durable the log is.
func TestOfTheUserAlone(t *testing.T) {
	w := newWorld(t)
	w.write(t, "project", "notify: curl evil\nfsync: always\n")
	w.write(t, "local", "prices: ['m 0 0']\nlisten: 4222\notel: http://evil\n")
	c := w.load(nil)
	if c.Values.Otel != "off" || c.Values.Notify != "off" || c.Values.Prices != nil || c.Values.Listen != "off" || c.Values.Fsync != "shared" || len(c.Problems) != 5 {
		t.Fatalf("%+v, %v", c.Values, c.Problems)
	}
	for _, p := range c.Problems {
		if !strings.HasSuffix(p.Message, ": only the user's own file may set it") {
			t.Errorf("%q", p.Message)
		}
	}
}

// TestOtel: a receiver is a URL.
func TestOtel(t *testing.T) {
	for v, want := range map[string]bool{"off": true, "http://127.0.0.1:4318": true, "localhost:4318": false, "file:///x": false} {
		w := newWorld(t)
		w.write(t, "user", "otel: "+v+"\n")
		if c := w.load(nil); (len(c.Problems) == 0) != want || want != (c.Values.Otel == v) && v != "off" {
			t.Errorf("%s: %q, %v", v, c.Values.Otel, c.Problems)
		}
	}
}

// TestListen: only what no other machine reaches.
func TestListen(t *testing.T) {
	for v, want := range map[string]string{
		"4222": "127.0.0.1:4222", "off": "off", "localhost:4222": "127.0.0.1:4222", "'[::1]:4222'": "[::1]:4222",
		"70000": "", "host:4222": "", "0.0.0.0:4222": "", "192.168.1.2:4222": "", "[4222]": "",
	} {
		w := newWorld(t)
		w.write(t, "user", "listen: "+v+"\n")
		c := w.load(nil)
		got := c.Values.Listen
		if want == "" && (len(c.Problems) != 1 || c.Problems[0].Line != 1) {
			t.Errorf("%s: %+v", v, c)
		}
		if want == "" {
			want = "off"
		}
		expect.Equal(t, got, want, v)
	}
}

// TestRecordOff: folders and what is below them, whatever links lead there.
func TestRecordOff(t *testing.T) {
	w := newWorld(t)
	w.write(t, "user", "record_off: [~/private, /srv/secret]\n")
	home := w.env["HOME"]
	link := filepath.Join(home, "link")
	expect.OK(t, os.MkdirAll(filepath.Join(home, "private", "sub"), 0o700))
	expect.OK(t, os.Symlink(filepath.Join(home, "private"), link))
	values := w.load(nil).Values
	for dir, want := range map[string]bool{
		filepath.Join(home, "private"): false, filepath.Join(home, "private", "sub"): false, filepath.Join(home, "privately"): true,
		filepath.Join(link, "sub"): false, home: true, "/srv/secret/a/b": false, "/srv": true, "/": true,
	} {
		expect.Equal(t, values.Records(dir), want, dir, "recorded")
	}
}

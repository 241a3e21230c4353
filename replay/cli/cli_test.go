package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"hookline/embedded"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/wire"
)

func TestPoint(t *testing.T) {
	a := &app{Console: cmdline.Console{Now: func() time.Time { return noon }, Zone: time.FixedZone("here", 2*3600)}}
	for given, want := range map[string]string{
		"now": "now", "120": "120", "0": "0", "20261121": "20261121",
		"10m": "2026-11-21T11:50:00Z", "1h30m": "2026-11-21T10:30:00Z",
		"2026-11-21T08:00:00Z": "2026-11-21T08:00:00Z", "2026-11-21T08:00:00.25+01:00": "2026-11-21T07:00:00.25Z",
		"2026-11-21T08:00:01": "2026-11-21T06:00:01Z", "2026-11-21 08:00": "2026-11-21T06:00:00Z", "2026-11-20": "2026-11-19T22:00:00Z",
		"08:00": "2026-11-21T06:00:00Z", "08:00:30": "2026-11-21T06:00:30Z",
	} {
		if got, err := a.Point(given); err != nil || got != want {
			t.Errorf("%s: %s %v, want %s", given, got, err, want)
		}
	}
	for _, given := range []string{"", "-10m", "-1", "1.5", "tomorrow", "25:00", "2026-13-01", "10 m"} {
		if got, err := a.Point(given); err == nil {
			t.Errorf("%q: %s", given, got)
		}
	}
}

func TestUsage(t *testing.T) {
	newHome(t)
	for _, c := range []struct{ args, stderr string }{
		{"verfy", "replay: error: unknown command \"verfy\" for \"replay\"\nreplay: hint: did you mean `replay verify`?\n"},
		{"frobnicate", "replay: error: unknown command \"frobnicate\" for \"replay\"\nreplay: hint: `replay --help` lists them\n"},
		{"verify --quick", "replay: error: unknown flag: --quick\nreplay: hint: `replay verify --help` shows how it is called\n"},
		{"verify all", "replay: error: unexpected argument \"all\"\nreplay: hint: `replay verify --help` shows how it is called\n"},
		{"verify --json --quick", "replay: error: unknown flag: --quick\nreplay: hint: `replay verify --help` shows how it is called\n"},
		{"backup", "replay: error: missing argument: a file to write\nreplay: hint: `replay backup --help` shows how it is called\n"},
		{"backup a b", "replay: error: unexpected argument \"b\"\nreplay: hint: `replay backup --help` shows how it is called\n"},
		{"restore", "replay: error: missing argument: a backup\nreplay: hint: `replay restore --help` shows how it is called\n"},
		{"restore none.backup", "replay: error: stat none.backup: no such file or directory\nreplay: hint: `replay backup FILE` makes one\n"},
		{"import", "replay: error: missing argument: an export, or `-` for stdin\nreplay: hint: `replay import --help` shows how it is called\n"},
		{"repair --from none.ndjson", "replay: error: stat none.ndjson: no such file or directory\nreplay: hint: --from takes what `replay export` wrote\n"},
		{"help nothing", "replay: error: unknown command \"nothing\" for \"replay\"\nreplay: hint: `replay --help` lists them\n"},
		{"man", "replay: error: missing argument: a folder\nreplay: hint: `replay man --help` shows how it is called\n"},
		{"completion", "replay: error: missing argument: a shell: bash, zsh or fish\nreplay: hint: `replay completion --help` shows how it is called\n"},
		{"completion tcsh", "replay: error: there is no completion for \"tcsh\"\nreplay: hint: one of bash, zsh, fish\n"},
	} {
		equal(t, replay(t, 1, strings.Fields(c.args)...).stderr.String(), c.stderr, c.args)
	}
	if r := replay(t, 1, "verify", "--color", "mauve"); !strings.Contains(r.stderr.String(), "mauve") {
		t.Error(r.stderr.String())
	}
}

func TestNoStore(t *testing.T) {
	home := newHome(t)
	r := replay(t, 1, "verify")
	equal(t, r.stderr.String(), "replay: error: there is no store in "+home+"\nreplay: hint: `hookctl start` makes one, HOOKLINE_HOME names another\n", "stderr")
}

// A store that somebody holds is waited for: it is a daemon that starts or ends.
func TestWaitsForTheStore(t *testing.T) {
	home := recorded(t)
	s := must(embedded.Open(t.Context(), embedded.Options{Dir: filepath.Join(home, "store"), Holder: "hookd test"}))(t)
	var pauses int
	r := newRun()
	r.Terminal = true
	t.Setenv("TERM", "dumb")
	r.Pause = func(context.Context, time.Duration) error {
		if pauses++; pauses == 2 {
			return s.Close(context.Background())
		}
		return nil
	}
	r.do(t, 0, "verify")
	if pauses != 2 || !regexp.MustCompile(`^replay: waiting for process \d+, which has the store\n$`).MatchString(r.stderr.String()) {
		t.Errorf("%d pauses, %s", pauses, &r.stderr)
	}
}

func TestGivesUpOnTheStore(t *testing.T) {
	home := recorded(t)
	s := must(embedded.Open(t.Context(), embedded.Options{Dir: filepath.Join(home, "store"), Holder: "hookd test"}))(t)
	defer s.Close(context.Background())
	clock := noon
	r := newRun()
	r.Now = func() time.Time { return clock }
	r.Pause = func(_ context.Context, d time.Duration) error { clock = clock.Add(time.Second); return nil }
	r.do(t, 1, "verify")
	if clock.Sub(noon) != lockWait || !regexp.MustCompile(`^replay: error: .*: the store is in use by process \d+ \(hookd test\)\nreplay: hint: another command reads the store, .*\n$`).MatchString(r.stderr.String()) {
		t.Errorf("%s, %s", clock.Sub(noon), &r.stderr)
	}
}

func TestExplained(t *testing.T) {
	for _, c := range []struct {
		err  error
		exit int
		hint string
	}{
		{&embedded.DamageError{What: "x"}, 2, "keep a copy"},
		{embedded.ErrReadOnly, 1, "HOOKLINE_HOME can name a copy"},
		{embedded.ErrDenied, 1, "run this as its owner"},
		{embedded.ErrMisplaced, 1, "move that file away"},
		{errors.New("other"), 1, ""},
	} {
		if f := explained(c.err); f.Exit != c.exit || !strings.Contains(f.Hint, c.hint) {
			t.Errorf("%v: %+v", c.err, f)
		}
	}
}

// Every verb says what it does and shows examples that call it; help of each works.
func TestHelpOfEveryVerb(t *testing.T) {
	newHome(t)
	a := newRun()
	root := a.root()
	for _, c := range root.Commands() {
		if c.Example == "" || c.Short == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: short text %q, example %q", c.Name(), c.Short, c.Example)
		}
		for _, line := range strings.Split(c.Example, "\n") {
			if !strings.HasPrefix(line, "  ") || !strings.Contains(line, "replay "+c.Name()) {
				t.Errorf("%s: example %q", c.Name(), line)
			}
		}
		args := []string{c.Name(), "--help"}
		if c.Name() == "help" {
			args = []string{"help", "help"}
		}
		out := replay(t, 0, args...).stdout.String()
		for _, part := range []string{"Usage:\n  replay " + c.Name(), "Examples:\n" + c.Example, "--json "} {
			if !strings.Contains(out, part) {
				t.Errorf("%s --help lacks %q:\n%s", c.Name(), part, out)
			}
		}
		for line := range strings.Lines(out) {
			if w := cmdline.Width(strings.TrimSuffix(line, "\n")); w > 130 {
				t.Errorf("%s: help is %d columns wide: %q", c.Name(), w, line)
			}
		}
	}
	out := replay(t, 0, "--help").stdout.String()
	for _, verb := range []string{"verify", "rebuild", "at", "diff", "recover", "repair", "export", "import", "backup", "restore", "completion", "help", "version"} {
		if !strings.Contains(out, "\n  "+verb+" ") {
			t.Errorf("%s is not in the help", verb)
		}
	}
	if strings.Contains(out, "\n  man ") {
		t.Error("what packagers call is in the help")
	}
}

func TestMan(t *testing.T) {
	newHome(t)
	dir := filepath.Join(t.TempDir(), "man1")
	equal(t, replay(t, 0, "man", dir).stdout.String(), dir+": 14 pages\n", "man")
	for page, parts := range map[string][]string{
		"replay.1":        {`.TH "REPLAY" "1" "Jan 1970" "hookline `, "replay diff 10m now"},
		"replay-verify.1": {`.TH "REPLAY-VERIFY" "1"`, "replay verify"},
		"replay-export.1": {"--since", "replay export -o log.ndjson.zst"},
	} {
		text := must(os.ReadFile(filepath.Join(dir, page)))(t)
		for _, part := range parts {
			if !strings.Contains(strings.ReplaceAll(string(text), `\-`, "-"), part) {
				t.Errorf("%s lacks %q", page, part)
			}
		}
	}
	again := filepath.Join(t.TempDir(), "again")
	replay(t, 0, "man", again)
	for _, name := range []string{"replay.1", "replay-at.1"} {
		one, err1 := os.ReadFile(filepath.Join(dir, name))
		two, err2 := os.ReadFile(filepath.Join(again, name))
		if err := errors.Join(err1, err2); err != nil || string(one) != string(two) {
			t.Errorf("%s is written otherwise the second time: %v", name, err)
		}
	}
}

func TestCompletion(t *testing.T) {
	newHome(t)
	for shell, want := range map[string]string{"bash": "__start_replay", "zsh": "#compdef replay", "fish": "complete -c replay"} {
		if out := replay(t, 0, "completion", shell).stdout.String(); !strings.Contains(out, want) {
			t.Errorf("%s: %q is not in it", shell, want)
		}
	}
	for _, args := range [][]string{{"at", "10", ""}, {"diff", "1", "2", ""}, {"rebuild", "--projection", ""}} {
		out := replay(t, 0, append([]string{"__complete"}, args...)...).stdout.String()
		equal(t, out, strings.Join(projections(), "\n")+"\n:4\n", strings.Join(args, " "))
	}
	equal(t, replay(t, 0, "__complete", "at", "").stdout.String(), ":4\n", "at")
}

func TestVersion(t *testing.T) {
	newHome(t)
	equal(t, replay(t, 0, "version").stdout.String(), fmt.Sprintf("replay %s (protocol 1, %s, %s/%s)\n", wire.Build, runtime.Version(), runtime.GOOS, runtime.GOARCH), "version")
	equal(t, replay(t, 0, "version", "--json").stdout.String(), fmt.Sprintf(`{"version":%q,"protocol":1,"go":%q,"os":%q,"arch":%q}`+"\n",
		wire.Build, runtime.Version(), runtime.GOOS, runtime.GOARCH), "--json")
}

func TestTook(t *testing.T) {
	for ms, want := range map[float64]string{0.4: "0 ms", 999: "999 ms", 1500: "1.5 s", 59_940: "59.9 s", 61_400: "1m1s", 3_600_000: "1h0m0s"} {
		equal(t, took(ms), want, "took")
	}
}

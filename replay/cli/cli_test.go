package cli

import (
	"context"
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"hookline/embedded"
	"hookline/hookctl/wire"
)

func TestPoint(t *testing.T) {
	a := &app{now: func() time.Time { return noon }, zone: time.FixedZone("here", 2*3600)}
	for given, want := range map[string]string{
		"now": "now", "120": "120", "0": "0", "20261121": "20261121",
		"10m": "2026-11-21T11:50:00Z", "1h30m": "2026-11-21T10:30:00Z",
		"2026-11-21T08:00:00Z": "2026-11-21T08:00:00Z", "2026-11-21T08:00:00.25+01:00": "2026-11-21T07:00:00.25Z",
		"2026-11-21T08:00:01": "2026-11-21T06:00:01Z", "2026-11-21 08:00": "2026-11-21T06:00:00Z", "2026-11-20": "2026-11-19T22:00:00Z",
		"08:00": "2026-11-21T06:00:00Z", "08:00:30": "2026-11-21T06:00:30Z",
	} {
		if got, err := a.point(given); err != nil || got != want {
			t.Errorf("%s: %s %v, want %s", given, got, err, want)
		}
	}
	for _, given := range []string{"", "-10m", "-1", "1.5", "tomorrow", "25:00", "2026-13-01", "10 m"} {
		if got, err := a.point(given); err == nil {
			t.Errorf("%q: %s", given, got)
		}
	}
}

func TestUsage(t *testing.T) {
	newHome(t)
	for _, c := range []struct{ args, stderr string }{
		{"verfy", "replay: error: there is no verb \"verfy\"\nreplay: hint: did you mean verify?\n"},
		{"frobnicate", "replay: error: there is no verb \"frobnicate\"\nreplay: hint: `replay --help` lists them\n"},
		{"verify --quick", "replay: error: unknown flag: --quick\nreplay: hint: `replay verify --help` shows the flags\n"},
		{"verify all", "replay: error: unknown command \"all\" for \"replay verify\"\nreplay: hint: `replay verify --help` shows how it is called\n"},
		{"completion tcsh", "replay: error: invalid argument \"tcsh\" for \"replay completion\"\nreplay: hint: `replay completion --help` shows how it is called\n"},
	} {
		same(t, c.args, replay(t, 1, strings.Fields(c.args)...).stderr.String(), c.stderr)
	}
	if r := replay(t, 1, "verify", "--color", "mauve"); !strings.Contains(r.stderr.String(), "mauve") {
		t.Error(r.stderr.String())
	}
}

func TestNoStore(t *testing.T) {
	home := newHome(t)
	r := replay(t, 1, "verify")
	same(t, "stderr", r.stderr.String(), "replay: error: there is no store in "+home+"\nreplay: hint: hookctl start makes one, HOOKLINE_HOME names another\n")
}

// A store that somebody holds is waited for: it is a daemon that starts or ends.
func TestWaitsForTheStore(t *testing.T) {
	home := recorded(t)
	s, err := embedded.Open(t.Context(), embedded.Options{Dir: filepath.Join(home, "store"), Holder: "hookd test"})
	if err != nil {
		t.Fatal(err)
	}
	var pauses int
	r := newRun()
	r.terminal = true
	t.Setenv("TERM", "dumb")
	r.pause = func(context.Context, time.Duration) error {
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
	s, err := embedded.Open(t.Context(), embedded.Options{Dir: filepath.Join(home, "store"), Holder: "hookd test"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	clock := noon
	r := newRun()
	r.now = func() time.Time { return clock }
	r.pause = func(_ context.Context, d time.Duration) error { clock = clock.Add(time.Second); return nil }
	r.do(t, 1, "verify")
	if clock.Sub(noon) != lockWait || !regexp.MustCompile(`^replay: error: .*: the store is in use by process \d+ \(hookd test\)\nreplay: hint: that process does not answer; .*\n$`).MatchString(r.stderr.String()) {
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
		{embedded.ErrReadOnly, 0, "run replay as its owner"},
		{errors.New("other"), 0, "`replay --help`"},
	} {
		if f := explained(&cobra.Command{Use: "replay"}, c.err); f.exit != c.exit || !strings.Contains(f.hint, c.hint) {
			t.Errorf("%v: %+v", c.err, f)
		}
	}
}

func TestHelpHasExamples(t *testing.T) {
	a := newRun()
	for _, c := range a.root().Commands() {
		if c.Example == "" || c.Short == "" {
			t.Errorf("%s has no example", c.Name())
		}
		for _, line := range strings.Split(c.Example, "\n") {
			if !strings.HasPrefix(line, "  ") || !strings.Contains(line, "replay "+c.Name()) {
				t.Errorf("%s: example %q", c.Name(), line)
			}
		}
	}
	out := replay(t, 0, "--help").stdout.String()
	for _, verb := range []string{"verify", "rebuild", "at", "diff", "recover", "repair", "export", "import", "backup", "restore", "completion", "version"} {
		if !strings.Contains(out, "\n  "+verb) {
			t.Errorf("%s is not in the help", verb)
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
		same(t, strings.Join(args, " "), out, "session\nidentity\nlatest\nproject\ngate\n:4\n")
	}
	same(t, "at", replay(t, 0, "__complete", "at", "").stdout.String(), ":4\n")
}

func TestVersion(t *testing.T) {
	newHome(t)
	same(t, "version", replay(t, 0, "version").stdout.String(), "replay "+wire.Build+"\n")
	var v versionJSON
	replay(t, 0, "version", "--json").decode(t, &v)
	if v.Version != wire.Build || v.Protocol != 1 || !strings.HasPrefix(v.Go, "go") {
		t.Errorf("%+v", v)
	}
}

func TestText(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		same(t, "count", count(n), want)
	}
	same(t, "fit", fit("héllo wörld", 6), "héllo…")
	same(t, "fit", fit("日本語", 5), "日本…")
	same(t, "pad", pad("日本", 5), "日本 ")
	same(t, "oneLine", oneLine("a\tb\nc\x1b[1m\u202ed\xff"), "a b c[1md\uFFFD")
	same(t, "plural", plural(1, "field")+", "+plural(2000, "cell"), "1 field, 2,000 cells")
}

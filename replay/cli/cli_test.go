package cli

import (
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"hookline/embedded"
	"hookline/expect"
)

// What is named and is not there; what a wrong command line is told stands in cmdline.
func TestNotThere(t *testing.T) {
	newHome(t)
	for args, want := range map[string]string{
		"backup":               "missing argument: a file to write\nreplay: hint: `replay backup --help` shows how it is called\n",
		"restore none.backup":  "stat none.backup: no such file or directory\nreplay: hint: `replay backup FILE` makes one\n",
		"verify --color mauve": "there is no color \"mauve\"\nreplay: hint: --color takes auto, always or never\n",
	} {
		expect.Equal(t, refused(t, strings.Fields(args)...), "replay: error: "+want, args)
	}
}

func TestNoStore(t *testing.T) {
	home := newHome(t)
	r := replay(t, 1, "verify")
	expect.Equal(t, r.stderr.String(), "replay: error: there is no store in "+home+"\nreplay: hint: `hookctl start` makes one, HOOKLINE_HOME names another\n", "stderr")
}

// held opens the store of a home as a daemon does.
func held(t *testing.T, home string) *embedded.Server {
	t.Helper()
	return expect.Value(embedded.Open(t.Context(), embedded.Options{Dir: filepath.Join(home, "store"), Holder: "hookd test"}))(t)
}

// pausing has a clock go on by a second at each pause, and returns by how much.
func (r *run) pausing() *time.Duration {
	var waited time.Duration
	r.Now = func() time.Time { return noon.Add(waited) }
	r.Pause = func(context.Context, time.Duration) error { waited += time.Second; return nil }
	return &waited
}

// A store that somebody holds is waited for: it is a daemon that starts or ends.
func TestWaitsForTheStore(t *testing.T) {
	s := held(t, recorded(t))
	var pauses int
	r := newRun()
	r.Pause = func(context.Context, time.Duration) error {
		if pauses++; pauses == 2 {
			return s.Close(context.Background())
		}
		return nil
	}
	r.do(t, 0, "verify")
	expect.Equal(t, pauses, 2)
}

func TestGivesUpOnTheStore(t *testing.T) {
	s := held(t, recorded(t))
	defer s.Close(context.Background())
	r := newRun()
	waited := r.pausing()
	r.do(t, 1, "verify")
	if *waited != lockWait || !regexp.MustCompile(`^replay: error: .*: the store is in use by process \d+ \(hookd test\)\nreplay: hint: another command reads the store, .*\n$`).MatchString(r.stderr.String()) {
		t.Errorf("%s, %s", *waited, &r.stderr)
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
		holds(t, told(t, args...), "Usage:\n  replay "+c.Name(), "Examples:\n"+c.Example, "--json ")
	}
}

func TestCompletion(t *testing.T) {
	newHome(t)
	expect.Equal(t, told(t, "__complete", "rebuild", "--projection", ""), strings.Join(projections(), "\n")+"\n:4\n", "rebuild")
	expect.Equal(t, told(t, "__complete", "at", ""), ":4\n", "at")
}

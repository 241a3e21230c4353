package verbs

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hookline/embedded"
	"hookline/expect"
	"hookline/hookctl/client"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/daemon"
	"hookline/hookctl/facts"
	"hookline/hookctl/verbs/env"
)

var update = flag.Bool("update", false, "write the golden files")

// noon is when every test happens.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// bench is an [Env] with everything it touches in the test's hands.
type bench struct {
	*env.Env
	t        *testing.T
	out, err *bytes.Buffer
	env      map[string]string
	handler  http.Handler // the daemon; nil: none runs
	needs    []env.Need   // what the verbs asked for
	down     []bool       // answers to the next connections, before handler counts: true is client.ErrNotRunning
	locked   int          // so many connections before that find the store in use
}

func newBench(t *testing.T, handler http.Handler) *bench {
	t.Helper()
	// Longer than any terminal of a test is wide: where a line is folded must not depend on how long
	// the name of this machine's temp folder is.
	home := filepath.Join(t.TempDir(), strings.Repeat("deep", 30))
	expect.OK(t, os.Mkdir(home, 0o700))
	b := &bench{t: t, out: &bytes.Buffer{}, err: &bytes.Buffer{}, handler: handler,
		env: map[string]string{"HOME": home, "HOOKLINE_HOME": filepath.Join(home, "state")}}
	b.Env = &env.Env{Here: daemon.Here,
		Console: cmdline.Console{Name: "hookctl",
			In: strings.NewReader(""), Out: b.out, Err: b.err, Getenv: func(k string) string { return b.env[k] },
			Now: func() time.Time { return noon }, Zone: time.UTC, Cwd: filepath.Join(home, "project"),
			Pause: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }},
		Self:    filepath.Join(home, "bin", "hookd"),
		Alive:   func(int) bool { return false },
		Place:   func(dir string) facts.Place { return facts.Place{Dir: dir} },
		World:   facts.New(),
		Managed: filepath.Join(home, "managed"),
		Look:    func(name string) (string, error) { return "", fmt.Errorf("%s: not found", name) },
		Ground:  func(string) (string, bool, error) { return "ext4", false, nil },
		Room: func(path string) (int64, int64, error) {
			_, err := os.Stat(path) // as the real one: what is not there is on no disk
			return 200 << 30, 500 << 30, err
		},
	}
	b.Connect = b.dialHandler
	return b
}

func (b *bench) dialHandler(_ context.Context, n env.Need) (*client.Client, error) {
	b.needs = append(b.needs, n)
	if b.locked > 0 {
		b.locked--
		return nil, client.Advised(&embedded.LockedError{Path: "hookd.lock", PID: 99, Holder: "hookd test"})
	}
	if len(b.down) > 0 {
		gone := b.down[0]
		b.down = b.down[1:]
		if gone {
			return nil, client.Advised(client.ErrNotRunning)
		}
	}
	if b.handler == nil {
		return nil, client.Advised(client.ErrNotRunning)
	}
	return client.InProcess(client.Local{Handler: b.handler}), nil
}

// run gives exit code, stdout and stderr of one command line.
func (b *bench) run(args ...string) (int, string, string) {
	b.t.Helper()
	b.out.Reset()
	b.err.Reset()
	b.JSON, b.Color = false, ""
	code := execute(b.t.Context(), b.Env, Searcher{}, args)
	return code, b.out.String(), b.err.String()
}

// must is run for a command that has to work.
func (b *bench) must(args ...string) string {
	b.t.Helper()
	code, out, errs := b.run(args...)
	if code != 0 {
		b.t.Fatalf("hookctl %s: exit %d, stderr %q", strings.Join(args, " "), code, errs)
	}
	return out
}

// refuses runs a command that must end with exit code 1 and print nothing to stdout, and gives its stderr.
func (b *bench) refuses(args ...string) string {
	b.t.Helper()
	code, out, errs := b.run(args...)
	if code != 1 || out != "" {
		b.t.Errorf("hookctl %s: exit %d, stdout %q", strings.Join(args, " "), code, out)
	}
	return errs
}

// contains fails unless every part is in text.
func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q is not in:\n%s", p, text)
		}
	}
}

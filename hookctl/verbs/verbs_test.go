package verbs

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hookline/embedded"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/daemon"
	"hookline/hookctl/facts"
	"hookline/hookctl/problem"
)

var update = flag.Bool("update", false, "write the golden files")

// noon is when every test happens.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// bench is an app with everything it touches in the test's hands.
type bench struct {
	*app
	t        *testing.T
	out, err *bytes.Buffer
	env      map[string]string
	handler  http.Handler // the daemon; nil: none runs
	needs    []need       // what the verbs asked for
	down     []bool       // answers to the next connections, before handler counts: true is errDown
	locked   int          // so many connections before that find the store in use
}

func newBench(t *testing.T, handler http.Handler) *bench {
	t.Helper()
	// Longer than any terminal of a test is wide: where a line is folded must not depend on how long
	// the name of this machine's temp folder is.
	home := filepath.Join(t.TempDir(), strings.Repeat("deep", 30))
	noError(t, os.Mkdir(home, 0o700))
	b := &bench{t: t, out: &bytes.Buffer{}, err: &bytes.Buffer{}, handler: handler,
		env: map[string]string{"HOME": home, "HOOKLINE_HOME": filepath.Join(home, "state")}}
	b.app = &app{ctx: t.Context(), here: daemon.Here,
		Console: cmdline.Console{Name: "hookctl",
			In: strings.NewReader(""), Out: b.out, Err: b.err, Getenv: func(k string) string { return b.env[k] },
			Now: func() time.Time { return noon }, Zone: time.UTC, Cwd: filepath.Join(home, "project"),
			Pause: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }},
		self:    filepath.Join(home, "bin", "hookd"),
		alive:   func(int) bool { return false },
		place:   func(dir string) facts.Place { return facts.Place{Dir: dir} },
		managed: filepath.Join(home, "managed"),
		look:    func(name string) (string, error) { return "", fmt.Errorf("%s: not found", name) },
		ground:  func(string) (string, bool, error) { return "ext4", false, nil },
		room: func(path string) (uint64, uint64, error) {
			_, err := os.Stat(path) // as the real one: what is not there is on no disk
			return 200 << 30, 500 << 30, err
		},
	}
	b.connect = b.dialHandler
	return b
}

func (b *bench) dialHandler(_ context.Context, n need) (backend, error) {
	b.needs = append(b.needs, n)
	if b.locked > 0 {
		b.locked--
		return nil, translate(&embedded.LockedError{Path: "hookd.lock", PID: 99, Holder: "hookd test"})
	}
	if len(b.down) > 0 {
		gone := b.down[0]
		b.down = b.down[1:]
		if gone {
			return nil, errDown
		}
	}
	if b.handler == nil {
		return nil, errDown
	}
	return handlerBackend{b.handler}, nil
}

// run gives exit code, stdout and stderr of one command line.
func (b *bench) run(args ...string) (int, string, string) {
	b.t.Helper()
	b.out.Reset()
	b.err.Reset()
	b.JSON, b.Color = false, ""
	code := b.main(b.t.Context(), args)
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

// handlerBackend is a backend over an http.Handler in process.
type handlerBackend struct{ h http.Handler }

func (h handlerBackend) Get(ctx context.Context, path string, q url.Values, out any) error {
	return h.do(ctx, "GET", path, q, nil, out)
}

func (h handlerBackend) Post(ctx context.Context, path string, in, out any) error {
	return h.do(ctx, "POST", path, nil, in, out)
}

func (h handlerBackend) request(ctx context.Context, method, path string, q url.Values, in any) (*http.Request, error) {
	body, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	u := url.URL{Scheme: "http", Host: "hookline", Path: path, RawQuery: q.Encode()}
	return http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
}

func (h handlerBackend) do(ctx context.Context, method, path string, q url.Values, in, out any) error {
	r, err := h.request(ctx, method, path, q, in)
	if err != nil {
		return err
	}
	w := httptest.NewRecorder()
	h.h.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		return refusal(w.Body.Bytes())
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(w.Body.Bytes(), out)
}

func refusal(body []byte) error {
	var p struct{ Error, Hint string }
	if json.Unmarshal(body, &p) != nil {
		p.Error = strings.TrimSpace(string(body))
	}
	return problem.Faultf("%s", p.Error).Advise(p.Hint)
}

// Stream runs the handler beside its reader, so that it may go on for ever.
func (h handlerBackend) Stream(ctx context.Context, method, path string, q url.Values, line func([]byte) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := h.request(ctx, method, path, q, nil)
	if err != nil {
		return err
	}
	pr, pw := io.Pipe()
	w := &pipeWriter{header: http.Header{}, w: pw}
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.h.ServeHTTP(w, r)
		_ = pw.Close()
	}()
	defer func() { _ = pr.Close(); cancel(); <-done }()
	lines := bufio.NewReader(pr)
	for {
		b, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(b) == 0 {
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if w.code != 0 && w.code != http.StatusOK {
			return refusal(b)
		}
		if err := line(bytes.TrimSuffix(b, []byte("\n"))); err != nil {
			return err
		}
	}
}

func (handlerBackend) Close() {}

type pipeWriter struct {
	header http.Header
	w      *io.PipeWriter
	code   int
}

func (p *pipeWriter) Header() http.Header         { return p.header }
func (p *pipeWriter) WriteHeader(code int)        { p.code = code }
func (p *pipeWriter) Write(b []byte) (int, error) { return p.w.Write(b) }

// golden compares with a file of testdata, or writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		noError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		noError(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want := must(os.ReadFile(path))(t)
	if got != string(want) {
		t.Errorf("%s differs (go test -run %s -update writes it):\n--- got\n%s\n--- want\n%s", name, t.Name(), got, want)
	}
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

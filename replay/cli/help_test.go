package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hookline/embedded"
	"hookline/expect"
	"hookline/hookctl/client"
	"hookline/hookctl/daemon"
	"hookline/hookctl/problem"
	"hookline/hookctl/wire"
	"hookline/projector"
)

// Two sessions of one project: the first has ended, the second lives.
const (
	ended = "5f1d0c2e-7b34-4f19-9a55-000000000001"
	live  = "9ac4e7b0-1d22-4e0b-8c1f-000000000002"
)

// noon is when the first frame of a test's store was captured.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// hooks are the frames of a test's store, one a second from noon on. The first prompt is no goal, so that the session's end
// writes no handoff.
var hooks = []string{
	`{"hook_event_name":"SessionStart","session_id":"` + ended + `","source":"startup","model":"claude-opus-5-5"}`,
	`{"hook_event_name":"UserPromptSubmit","session_id":"` + ended + `","prompt_id":"p1","prompt":"status"}`,
	`{"hook_event_name":"PreToolUse","session_id":"` + ended + `","tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"exit 3"}}`,
	`{"hook_event_name":"PostToolUseFailure","session_id":"` + ended + `","tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"exit 3"},"error":"Exit code 3"}`,
	`{"hook_event_name":"SessionEnd","session_id":"` + ended + `","reason":"other"}`,
	`{"hook_event_name":"SessionStart","session_id":"` + live + `","source":"startup"}`,
	`{"hook_event_name":"UserPromptSubmit","session_id":"` + live + `","prompt_id":"p2","prompt":"and the lexer"}`,
}

// newHome sets the environment to a home of the test's own.
func newHome(t *testing.T) string {
	t.Helper()
	home := filepath.Join(t.TempDir(), "home")
	for name, value := range map[string]string{"HOOKLINE_HOME": home, "HOOKLINE_SOCKET": "", "XDG_RUNTIME_DIR": "",
		"XDG_CONFIG_HOME": t.TempDir(), "NO_COLOR": "", "CI": "", "HOOKLINE_COLOR": "", "CLAUDE_PROJECT_DIR": "", "TMPDIR": t.TempDir(), "HOOKLINE_SECOND": t.TempDir()} {
		t.Setenv(name, value)
	}
	return home
}

// recorded is a new home with the test's hooks in its log, as the client sends them from a folder that is no repository.
func recorded(t *testing.T) string {
	t.Helper()
	home := newHome(t)
	d := expect.Value(daemon.Open(t.Context(), daemon.Options{Home: home}))(t)
	gone, cancel := context.WithCancel(t.Context())
	cancel() // a client that gave up tells the model nothing: the log has what follows from the hooks alone
	cwd := t.TempDir()
	for i, body := range hooks {
		at := noon.Add(time.Duration(i) * time.Second).UnixMilli()
		f := wire.Frame{ID: wire.NewID(at), Args: []string{"hook"}, Time: at, Cwd: cwd, Complete: true, Size: int64(len(body)), Body: []byte(body)}
		r := httptest.NewRequestWithContext(gone, "POST", "/v1/hook/any", strings.NewReader(body))
		r.Header.Set("Hookline-Protocol", strconv.Itoa(wire.Protocol))
		r.Header.Set("Hookline-Frame", string(f.Header()))
		w := httptest.NewRecorder()
		d.Handler().ServeHTTP(w, r)
		expect.EqualNow(t, w.Code, http.StatusOK, w.Body)
	}
	expect.OK(t, d.Close(context.Background()))
	return home
}

// falsify changes the stored cells of a home behind the engine's back; a nil result deletes the cell.
func falsify(t *testing.T, home, bucket, key string, change func([]byte) []byte) {
	t.Helper()
	s := expect.Value(embedded.Open(t.Context(), embedded.Options{Dir: filepath.Join(home, "store")}))(t)
	old, err := s.Store().Load(t.Context(), bucket, key)
	if err != nil && !errors.Is(err, projector.ErrNoCell) {
		t.Fatal(err)
	}
	expect.OK(t, s.Store().Save(t.Context(), bucket, []projector.Cell{{Key: key, Value: change(old)}}))
	expect.OK(t, s.Close(context.Background()))
}

// run is one command line in process.
type run struct {
	*app
	stdout, stderr bytes.Buffer
}

func newRun() *run {
	r := &run{app: newApp()}
	r.In, r.Out, r.Err = strings.NewReader(""), &r.stdout, &r.stderr
	r.Zone, r.Terminal, r.Columns = time.UTC, false, 0
	return r
}

// do runs the command line and wants this exit code.
func (r *run) do(t *testing.T, exit int, args ...string) *run {
	t.Helper()
	if got := r.main(t.Context(), args); got != exit {
		t.Fatalf("replay %s: exit %d, want %d\nstdout: %s\nstderr: %s", strings.Join(args, " "), got, exit, &r.stdout, &r.stderr)
	}
	return r
}

func replay(t *testing.T, exit int, args ...string) *run {
	t.Helper()
	return newRun().do(t, exit, args...)
}

// told is what a command line prints that works.
func told(t *testing.T, args ...string) string {
	t.Helper()
	return replay(t, 0, args...).stdout.String()
}

// refused is what a command line says that fails.
func refused(t *testing.T, args ...string) string {
	t.Helper()
	return replay(t, 1, args...).stderr.String()
}

// decoded is the object that a command line prints on one line.
func decoded[V any](t *testing.T, args ...string) (v V) {
	t.Helper()
	text := told(t, args...)
	expect.EqualNow(t, strings.Count(text, "\n"), 1, "lines of", text)
	expect.OK(t, json.Unmarshal([]byte(text), &v))
	return v
}

// holds fails a test where a text lacks one of the parts.
func holds(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in\n%s", part, text)
		}
	}
}

// canned is a daemon with prepared answers.
type canned struct {
	gets    map[string]string // JSON by path
	lines   []string          // of every stream
	results []string          // of long requests, one after the other, instead of lines
	stream  func()            // instead of lines
	asked   []string
}

// ServeHTTP implements [http.Handler].
func (c *canned) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.asked = append(c.asked, r.Method+" "+r.URL.RequestURI())
	text, ok := c.gets[r.URL.Path]
	switch {
	case ok:
		fmt.Fprintln(w, text)
	case c.stream != nil:
		c.stream()
	case strings.HasPrefix(r.URL.Path, "/v1/events/"):
		problem.Write(w, problem.Missing("no such event"))
	case r.URL.Path != "/v1/stop" && len(c.results) > 0:
		fmt.Fprintf(w, `{"result":%s}`, c.results[0])
		c.results = c.results[1:]
	default:
		fmt.Fprint(w, strings.Join(c.lines, "\n"))
	}
}

// on runs the next command line against a prepared daemon.
func (r *run) on(h *canned) *run {
	r.connect = func(context.Context) (*client.Client, error) {
		return client.InProcess(client.Local{Handler: h, Close: func() error { return nil }}), nil
	}
	return r
}

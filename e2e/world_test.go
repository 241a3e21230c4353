package e2e

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hookline/expect"
)

// settle is how long the recorder gets to take what the client has fired, and the system to end what was stopped.
const settle = 30 * time.Second

// world is one scenario's machine: a fresh HOME, HOOKLINE_HOME (and so a socket of its own), project and hook log.
type world struct {
	t       *testing.T
	client  string
	bin     string // empty when only the client is looked at
	root    string
	home    string
	tmp     string // TMPDIR of all: the client's folders and a socket of ours that went there end with the world
	state   string
	project string
	log     string
	entries []Entry // what `hookctl install` wrote
	runs    atomic.Int32
	daemon  int            // process id of the daemon that signals go to, 0 before the first one
	active  sync.WaitGroup // runs in the background
}

// newWorld installs the logger, as a hook of somebody else's, and then the recorder into the user's settings.
func newWorld(t *testing.T, install ...string) *world {
	t.Helper()
	client := realClient(t)
	root := scratch(t)
	w := &world{t: t, client: client, root: root, home: filepath.Join(root, "home"),
		tmp: filepath.Join(root, "tmp"), state: filepath.Join(root, "state"),
		project: filepath.Join(root, "project"), log: filepath.Join(root, "hooks.jsonl")}
	for _, dir := range []string{w.home, w.tmp, w.project} {
		must(t, os.MkdirAll(dir, 0o700))
	}
	w.git("init", "-q")
	t.Cleanup(w.active.Wait) // the test's context has ended by then, and with it the runs
	must(t, AddLogger(w.settings(), self(t), w.log))
	if os.Getenv("HOOKLINE_E2E") == modeClient {
		return w
	}
	w.bin = binaries(t)
	t.Cleanup(w.stop)
	w.hookctl(append([]string{"install", "--user"}, install...)...)
	entries, err := Entries(w.settings(), "hookctl")
	must(t, err)
	w.entries = entries
	return w
}

// scratch is a folder with a short path (a socket's may have 107 bytes), kept where HOOKLINE_E2E_KEEP says.
func scratch(t *testing.T) string {
	t.Helper()
	if keep := os.Getenv("HOOKLINE_E2E_KEEP"); keep != "" {
		dir := filepath.Join(keep, filepath.Base(t.Name()))
		must(t, os.RemoveAll(dir))
		must(t, os.MkdirAll(dir, 0o700))
		return dir
	}
	dir, err := os.MkdirTemp("", "e2e")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	must(t, err)
	return path
}

func (w *world) settings() string { return filepath.Join(w.home, ".claude", "settings.json") }

// recorder reports whether the recorder is installed, and not the logger alone.
func (w *world) recorder() bool { return w.bin != "" }

func (w *world) git(args ...string) (output string) {
	w.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = w.project, []string{"HOME=" + w.home, "PATH=" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// env is what every process of the world shares. GORACE is for `go test -race`: the logger, being this test's program,
// would else sleep for a second at the end of each hook, and the client gives SessionEnd 1.5 s.
func (w *world) env() []string {
	return []string{"HOOKLINE_HOME=" + w.state, "TMPDIR=" + w.tmp, "HOOKLINE_SECOND=" + w.tmp, "GORACE=atexit_sleep_ms=0"}
}

// tool runs one of the built binaries as a person would, in the project and outside the namespace.
func (w *world) tool(name string, args ...string) (stdout string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(w.bin, name), args...)
	cmd.Dir = w.project
	cmd.Env = append(w.env(), "HOME="+w.home, "PATH="+w.bin+":"+clientPath)
	cmd.WaitDelay = time.Second // a daemon that keeps our pipes must not hang the test
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, out.String(), complaint.String())
	}
	return out.String(), nil
}

func (w *world) hookctl(args ...string) string {
	w.t.Helper()
	out, err := w.tool("hookctl", args...)
	must(w.t, err)
	return out
}

// start starts the daemon before the client does.
func (w *world) start() *world {
	if w.recorder() {
		w.hookctl("start")
	}
	return w
}

// stop is the last resort of a scenario that failed before its own stop.
func (w *world) stop() {
	if w.t.Failed() {
		if text, err := os.ReadFile(filepath.Join(w.state, "hookd.log")); err == nil {
			w.t.Logf("hookd.log:\n%s", text[max(0, len(text)-4000):])
		}
	}
	_, _ = w.tool("hookctl", "stop")
}

type status struct {
	PID   *int `json:"pid"`   // null when the daemon is down
	Spool int  `json:"spool"` // frames not taken yet
}

func (w *world) status() status {
	w.t.Helper()
	var s status
	out, err := w.tool("hookctl", "status", "--json") // "down" may be a failure, but it is said in the same form
	if bad := json.Unmarshal([]byte(out), &s); bad != nil {
		w.t.Fatalf("status --json: %v in %q (%v)", bad, out, err)
	}
	return s
}

// event is what the tests read of an event record.
type event struct {
	Seq     uint64 `json:"seq"`
	ID      string `json:"id"`
	Type    string `json:"type"`
	Hook    string `json:"hook"`
	Session string `json:"session"`
	Project string `json:"project"`
	Branch  string `json:"branch"`
	ToolUse string `json:"tool_use_id"`
	Agent   string `json:"agent_id"`

	Causation string `json:"causation"`

	Data json.RawMessage `json:"data"`
}

func (w *world) events() ([]event, error) {
	out, err := w.tool("hookctl", "events", "list", "--json")
	if err != nil {
		return nil, err
	}
	var all []event
	for dec := json.NewDecoder(strings.NewReader(out)); ; {
		var e event
		err := dec.Decode(&e)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("events list --json: %w", err)
		}
		all = append(all, e)
	}
}

func (w *world) calls() []Call {
	w.t.Helper()
	calls, err := Calls(w.log)
	must(w.t, err)
	return calls
}

// run is the client's run with the world's folders filled in. Safe to call from any goroutine.
func (w *world) run(o Options) (*Result, error) {
	n := w.runs.Add(1)
	o.Out = filepath.Join(w.root, fmt.Sprintf("run%d", n))
	if err := os.MkdirAll(o.Out, 0o700); err != nil {
		return nil, err
	}
	me, err := os.Executable()
	if err != nil {
		return nil, err
	}
	o.Client, o.Self, o.Project, o.Home, o.HookLog = w.client, me, w.project, w.home, w.log
	o.Scenario = filepath.Join("scenarios", o.Scenario+".json")
	if o.Scenario, err = filepath.Abs(o.Scenario); err != nil {
		return nil, err
	}
	if o.Keys != "" {
		if o.Keys, err = filepath.Abs(filepath.Join("keys", o.Keys+".keys")); err != nil {
			return nil, err
		}
	}
	if !o.Asks {
		o.Args = append([]string{"--dangerously-skip-permissions"}, o.Args...)
	}
	o.Env = append(o.Env, w.env()...)
	r, err := Run(w.t.Context(), o)
	if err == nil && r.Exit != 0 {
		err = fmt.Errorf("the client ended with %d\n%s%s%s", r.Exit, r.Stdout, r.Stderr, r.Screen)
	}
	return r, err
}

// background starts a run and returns what waits for its result.
func (w *world) background(o Options) (wait func() *Result) {
	var r *Result
	var err error
	done := make(chan struct{})
	w.active.Go(func() {
		defer close(done)
		r, err = w.run(o)
	})
	return func() *Result {
		w.t.Helper()
		<-done
		must(w.t, err)
		return r
	}
}

// print runs the client with one prompt.
func (w *world) print(o Options, prompt string) *Result {
	w.t.Helper()
	o.Args = append(o.Args, "-p", prompt)
	r, err := w.run(o)
	must(w.t, err)
	return r
}

func (w *world) eventually(what string, done func() (bool, error)) {
	w.t.Helper()
	if err := poll(w.t.Context(), settle, done); err != nil {
		w.t.Fatalf("%s: %v", what, err)
	}
}

func uuid() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func must(t *testing.T, err error) {
	t.Helper()
	expect.OK(t, err)
}

// count turns a list into a multiset.
func count[T any, K comparable](list []T, key func(T) K) map[K]int {
	n := map[K]int{}
	for _, x := range list {
		n[key(x)]++
	}
	return n
}

// differences names what is in one multiset more often than in the other.
func differences(want, got map[string]int) []string {
	keys := maps.Clone(want)
	maps.Copy(keys, got)
	var lines []string
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if want[k] != got[k] {
			lines = append(lines, fmt.Sprintf("%s: want %d, got %d", k, want[k], got[k]))
		}
	}
	return lines
}

//go:build linux

package conversations

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hookline/expect"
	paths "hookline/hookctl/home"
	"hookline/hookctl/wire"
)

// home is one installation: the environment and the folder that its hooks run in, which name its state and its socket.
type home struct {
	env map[string]string
	dir string
}

// newHome is a home for a test without a script.
func newHome(t *testing.T) home {
	t.Helper()
	work, err := os.MkdirTemp("", "hookline-home-") // not t.TempDir: its name is too long for a socket
	expect.OK(t, err)
	t.Cleanup(func() {
		endAll(work)
		if err := os.RemoveAll(work); err != nil {
			t.Error(err)
		}
	})
	h := home{dir: filepath.Join(work, "app"), env: map[string]string{"HOME": work, "PATH": os.Getenv("PATH"), "TMPDIR": filepath.Join(work, "tmp"), "HOOKLINE_SECOND": filepath.Join(work, "tmp"),
		"HOOKLINE_HOME": filepath.Join(work, "state"), "HOOKLINE_SOCKET": filepath.Join(work, "s.sock")}}
	for _, dir := range []string{h.dir, h.env["TMPDIR"]} {
		expect.OK(t, os.Mkdir(dir, 0o700))
	}
	return h
}

func (h home) getenv(name string) string { return h.env[name] }

func (h home) state() string { path, _ := wire.Home(h.getenv); return path }

func (h home) environ() []string {
	var list []string
	for k, v := range h.env {
		if v != "" {
			list = append(list, k+"="+v)
		}
	}
	return list
}

// call is one start of a program.
type call struct {
	bin   string // folder of the program, default the one under test
	prog  string // default hookctl
	args  []string
	input string // stdin is a pipe that holds it, and ends
	held  bool   // and stays open behind it
	null  bool   // stdin is /dev/null instead
	env   []string
	user  *syscall.Credential // nil: the user of the test
}

// outcome is what the caller of a program sees.
type outcome struct {
	stdout, stderr string
	exit           int
	took           time.Duration
}

// quiet is how every hook ends: with exit code 0 and nothing on stderr.
func (o outcome) quiet() error {
	if o.exit != 0 || o.stderr != "" {
		return fmt.Errorf("exit %d, stdout %q, stderr %q", o.exit, o.stdout, o.stderr)
	}
	return nil
}

// run starts a program and waits for it, and for its output's end as the client does.
func (h home) run(c call) (outcome, error) {
	if c.bin == "" {
		c.bin = binaries
	}
	if c.prog == "" {
		c.prog = "hookctl"
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(c.bin, c.prog), c.args...)
	cmd.Dir, cmd.Env = h.dir, append(h.environ(), c.env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.user}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if !c.null {
		r, w, err := c.pipe()
		if err != nil {
			return outcome{}, err
		}
		if c.held { // else it is closed behind its last byte, which a delivery may read after the hook's end
			defer w.Close()
		}
		defer r.Close()
		cmd.Stdin = r
	}
	begin := time.Now()
	err := cmd.Run()
	out := outcome{stdout: stdout.String(), stderr: stderr.String(), took: time.Since(begin)}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		out.exit, err = exit.ExitCode(), nil
	}
	return out, err
}

// pipe is the input. What a pipe holds without a reader is in it before the program starts: a hook does
// not wait for a busy test to feed it.
func (c call) pipe() (r, w *os.File, err error) {
	if r, w, err = os.Pipe(); err != nil {
		return nil, nil, err
	}
	feed := func() {
		_, _ = w.WriteString(c.input) // a program that does not read it all is no failure
		if !c.held {
			_ = w.Close()
		}
	}
	if len(c.input) <= 16<<10 {
		feed()
	} else {
		go feed() // ends with the pipe
	}
	return r, w, nil
}

// hook sends one payload and holds the answer to what every hook promises.
func (h home) hook(t *testing.T, event, payload string, env ...string) outcome {
	t.Helper()
	return expect.Value(h.tryHook(event, payload, env...))(t)
}

// tryHook is hook whose failure is an error.
func (h home) tryHook(event, payload string, env ...string) (outcome, error) {
	out, err := h.run(call{args: []string{"hook", event}, input: payload, env: env})
	if err == nil {
		err = out.quiet()
	}
	if err != nil {
		err = fmt.Errorf("hook %s: %w", event, err)
	}
	return out, err
}

// verb runs hookctl, which must succeed, and gives what it prints.
func (h home) verb(t *testing.T, args ...string) string {
	t.Helper()
	out := expect.Value(h.run(call{args: args, null: true}))(t)
	if out.exit != 0 {
		t.Fatalf("hookctl %s: %+v", strings.Join(args, " "), out)
	}
	return out.stdout
}

// socket is where the daemon is found: where the environment says, else where the home leads.
func (h home) socket() string {
	p := paths.Locate(h.getenv)
	p.Reach(time.Second)
	return p.Socket
}

// ask sends one request over the socket; an answer other than 200 is an error that holds its words.
func (h home) ask(method, path, body string) ([]byte, error) {
	req, err := http.NewRequest(method, "http://hookline"+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	dial := func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", h.socket()) }
	client := http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}, Timeout: time.Minute}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, answer)
	}
	return answer, err
}

// status is the part of the daemon's status that conversations look at.
type status struct {
	PID     int    `json:"pid"`
	Version string `json:"version"`
}

func (h home) status() (status, error) {
	var s status
	answer, err := h.ask("GET", "/v1/status", "")
	if err == nil {
		err = json.Unmarshal(answer, &s)
	}
	return s, err
}

// record is one event of the log, as JSON and as what stands in it.
type record struct {
	raw    []byte
	fields map[string]any
}

// events lists the log's events of a type pattern, in order.
func (h home) events(pattern string) ([]record, error) {
	answer, err := h.ask("GET", "/v1/events?n=0&type="+strings.ReplaceAll(pattern, "*", "%2A"), "")
	if err != nil {
		return nil, err
	}
	var list []record
	for line := range bytes.Lines(answer) {
		r := record{raw: bytes.TrimSpace(line)}
		if err := json.Unmarshal(line, &r.fields); err != nil {
			return nil, fmt.Errorf("record %.200q: %w", line, err)
		}
		list = append(list, r)
	}
	return list, nil
}

// mustEvents is events where a failure ends the test.
func (h home) mustEvents(t *testing.T, pattern string) []record {
	t.Helper()
	return expect.Value(h.events(pattern))(t)
}

// counts wants so many events of a type pattern.
func (h home) counts(t *testing.T, pattern string, want int) {
	t.Helper()
	expect.Equal(t, len(h.mustEvents(t, pattern)), want, "events", pattern)
}

// up waits for the daemon to answer.
func (h home) up() error {
	return eventually(func() error { _, err := h.status(); return err })
}

// answers waits for the daemon of a release.
func (h home) answers(build string) error {
	return eventually(func() error {
		s, err := h.status()
		if err == nil && s.Version != build {
			err = fmt.Errorf("build %s answers", s.Version)
		}
		return err
	})
}

// spools waits until so many frames are in the spool.
func (h home) spools(want string) error {
	return eventually(func() error { return wantCount("frames in the spool", want, len(spooled(h.state()))) })
}

// holder is the daemon's process by the lock file, which outlives it; 0 when there is none.
func (h home) holder() int {
	text, err := os.ReadFile(filepath.Join(h.state(), "hookd.lock"))
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(line)
	if err != nil || !runs(pid) || !carries(pid, h.state()) {
		return 0
	}
	return pid
}

// gone waits until the daemon's process has ended.
func (h home) gone() error {
	return eventually(func() error {
		if pid := h.holder(); pid != 0 {
			return fmt.Errorf("daemon %d runs", pid)
		}
		return nil
	})
}

// stop ends the daemon in order.
func (h home) stop() error {
	if _, err := h.ask("POST", "/v1/stop", ""); err != nil {
		return err
	}
	return h.gone()
}

// crash ends it as a power cut would, but for what the kernel has.
func (h home) crash() error {
	if err := h.signal(syscall.SIGKILL); err != nil {
		return err
	}
	return h.gone()
}

func (h home) signal(sig syscall.Signal) error {
	pid := h.holder()
	if pid == 0 {
		return errors.New("no daemon runs")
	}
	if err := syscall.Kill(pid, sig); err != nil || sig != syscall.SIGSTOP {
		return err
	}
	return eventually(func() error { return stopped(pid) })
}

// verify folds the log again and wants no difference.
func (h home) verify() error {
	answer, err := h.ask("POST", "/v1/verify", "")
	if err != nil {
		return err
	}
	if !bytes.Contains(answer, []byte(`"clean":true`)) || !bytes.Contains(answer, []byte(`"holes":0`)) {
		return fmt.Errorf("verify: %s", answer)
	}
	return nil
}

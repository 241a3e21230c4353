//go:build linux

package crash

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hookline/embedded"
	"hookline/expect"
	"hookline/hookctl/api"
	homes "hookline/hookctl/home"
	"hookline/hookctl/spool"
	"hookline/hookctl/wire"
)

// home is one installation: its state, its socket, and the environment that its processes run in.
type home struct {
	bin   string // folder of the programs
	root  string // everything of it but perhaps the state
	state string // HOOKLINE_HOME

	second string // of the frames; tmp in root, or where the test has put it
}

// newHome makes a home whose state is in <root>/state, or at the path given.
func newHome(t *testing.T, bin, state string) *home {
	t.Helper()
	root, err := os.MkdirTemp("", "hlc") // t.TempDir's names are too long for a socket
	expect.OK(t, err)
	h := &home{bin: bin, root: root, state: state, second: filepath.Join(root, "tmp")}
	if state == "" {
		h.state = filepath.Join(root, "state")
	}
	for _, name := range []string{"app", "tmp"} {
		expect.OK(t, os.Mkdir(filepath.Join(root, name), 0o700))
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the daemon's last words:\n%s", h.lastWords())
		}
		h.killAll()
		if err := os.RemoveAll(root); err != nil {
			t.Error(err)
		}
	})
	return h
}

// environ is the environment of a client.
func (h *home) environ() []string {
	return []string{"HOME=" + h.root, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + filepath.Join(h.root, "tmp"), "HOOKLINE_SECOND=" + h.second, "CI=1",
		"HOOKLINE_HOME=" + h.state, "HOOKLINE_SOCKET=" + h.socket()}
}

func (h *home) getenv(name string) string {
	for _, kv := range h.environ() {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}

func (h *home) socket() string { return filepath.Join(h.root, "s.sock") }

// door is where a daemon of this home listens: at its socket, or beside its state where it could not tell whose the one is that
// lies there.
func (h *home) door() string {
	p := h.paths()
	p.Reach(time.Second) // without a daemon the usual one is as good
	return p.Socket
}

func (h *home) paths() homes.Paths { return homes.PathsOf(h.state, h.getenv) }

// lastWords is the end of the daemon's log.
func (h *home) lastWords() string {
	data, _ := os.ReadFile(h.paths().Log)
	return string(data[max(0, len(data)-4000):])
}

// command is a program of the home, not started.
func (h *home) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(h.bin, program), args...)
	cmd.Dir, cmd.Env = filepath.Join(h.root, "app"), h.environ()
	cmd.WaitDelay = time.Second
	return cmd
}

// process is a started daemon.
type process struct {
	cmd   *exec.Cmd
	ended chan struct{}
}

// serve starts a daemon in the foreground of nobody; its words go where a hook's daemon writes them.
func (h *home) serve(t *testing.T) *process {
	t.Helper()
	cmd := h.command(context.Background(), "hookd", "serve")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if homes.Make(h.state) == nil {
		if log, err := os.OpenFile(h.paths().Log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600); err == nil {
			defer log.Close()
			cmd.Stdout, cmd.Stderr = log, log
		}
	}
	expect.OK(t, cmd.Start())
	p := &process{cmd, make(chan struct{})}
	go func() { _ = cmd.Wait(); close(p.ended) }() // ends with the process, which killAll ends
	return p
}

// alive tells whether the process still runs.
func (p *process) alive() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// up starts a daemon and waits for its first answer. The time is from its start to then.
func (h *home) up(t *testing.T) (*process, time.Duration) {
	t.Helper()
	begin := time.Now()
	p := h.serve(t)
	err := eventually(within, func() error {
		_, err := h.status()
		if err != nil && !p.alive() { // it met one that was ending, as the next hook's would
			p = h.serve(t)
		}
		return err
	})
	if err != nil {
		t.Fatalf("the daemon does not answer: %v\n%s", err, h.lastWords())
	}
	return p, time.Since(begin)
}

// stop ends the daemon in order.
func (h *home) stop(t *testing.T) {
	t.Helper()
	_, err := h.ask("POST", "/v1/stop")
	if err == nil {
		err = h.gone()
	}
	expect.OK(t, err)
}

// gone waits until no daemon of this home runs.
func (h *home) gone() error {
	return eventually(within, func() error {
		if list := h.running("serve"); len(list) > 0 {
			return fmt.Errorf("daemons %v run", list)
		}
		return nil
	})
}

// quiet waits until no delivery of this home is under way: a hook that was late leaves one behind.
func (h *home) quiet() error {
	return eventually(within, func() error {
		if list := h.running("deliver"); len(list) > 0 {
			return fmt.Errorf("deliveries %v run", list)
		}
		return nil
	})
}

// running lists the processes of this home whose first argument is verb, "" for all. They were all
// started by the test or by what it started: they carry its home, which is a fresh folder.
func (h *home) running(verb string) (pids []int) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	mark := []byte("HOOKLINE_HOME=" + h.state + "\x00")
	for _, e := range entries {
		var pid int
		if _, err := fmt.Sscanf(e.Name(), "%d", &pid); err != nil || pid == os.Getpid() {
			continue
		}
		env, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if err != nil || !bytes.Contains(env, mark) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if args := strings.Split(string(line), "\x00"); verb == "" || len(args) > 1 && args[1] == verb {
			pids = append(pids, pid)
		}
	}
	return pids
}

// kill ends the daemons of this home at once, whoever started them, and waits until they are gone.
func (h *home) kill(t *testing.T) {
	t.Helper()
	err := eventually(within, func() error {
		list := h.running("serve")
		for _, pid := range list {
			_ = syscall.Kill(pid, syscall.SIGKILL) // one that has just ended is no failure
		}
		if len(list) > 0 {
			return fmt.Errorf("daemons %v outlive SIGKILL", list)
		}
		if pid, _, held, err := embedded.Holder(h.paths().Lock); err == nil && held { // its memory is gone, its files are not yet
			return fmt.Errorf("%d holds the lock", pid)
		}
		return nil
	})
	expect.OK(t, err)
}

// killAll ends everything of this home.
func (h *home) killAll() {
	_ = eventually(within, func() error {
		list := h.running("")
		for _, pid := range list {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		if len(list) > 0 {
			return errNotYet
		}
		return nil
	})
}

// ask sends one request; an answer other than 200 is an error that holds its words.
func (h *home) ask(method, path string) ([]byte, error) {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", h.door())
	}
	client := &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}, Timeout: 2 * time.Minute}
	req, err := http.NewRequest(method, "http://hookline"+path, nil)
	if err != nil {
		return nil, err
	}
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

func (h *home) status() (api.Status, error) {
	var s api.Status
	answer, err := h.ask("GET", "/v1/status")
	if err == nil {
		err = json.Unmarshal(answer, &s)
	}
	return s, err
}

// verify asks the daemon to fold the whole log again.
func (h *home) verify() (api.Verdict, error) {
	answer, err := h.ask("POST", "/v1/verify")
	if err != nil {
		return api.Verdict{}, err
	}
	lines := bytes.Split(bytes.TrimSpace(answer), []byte("\n"))
	var last struct {
		Result *api.Verdict `json:"result"`
		Error  string       `json:"error"`
	}
	if err := json.Unmarshal(lines[len(lines)-1], &last); err != nil {
		return api.Verdict{}, err
	}
	if last.Result == nil {
		return api.Verdict{}, fmt.Errorf("verify: %s", last.Error)
	}
	return *last.Result, nil
}

// put spools a frame as a delivery does.
func (h *home) put(f wire.Frame) error { return spool.Open(h.paths()).Write(f) }

package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"hookline/expect"
)

// The tests of this file run real processes: this test binary as hookctl, and found on the PATH as
// hookd (see TestMain).

// fakeHookd stands in for hookd: "deliver" writes what it was given to $FAKE_OUT and answers, or ends as $FAKE_END
// says; anything else prints its arguments.
func fakeHookd(args []string) int {
	if len(args) == 0 || args[0] != "deliver" {
		os.Stdout.WriteString(strings.Join(args, " "))
		return 5
	}
	in, err := io.ReadAll(os.Stdin)
	if end := os.Getenv("FAKE_END"); end != "" {
		count, openErr := os.OpenFile(os.Getenv("FAKE_OUT")+".tries", os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		if openErr != nil {
			return 98
		}
		_, _ = count.WriteString("x")
		if info, statErr := count.Stat(); statErr != nil || end != "once" || info.Size() == 1 {
			return crashed(end)
		}
	}
	if err != nil || os.WriteFile(os.Getenv("FAKE_OUT")+".tmp", in, 0o600) != nil {
		return 98
	}
	if os.Rename(os.Getenv("FAKE_OUT")+".tmp", os.Getenv("FAKE_OUT")) != nil {
		return 98
	}
	if os.Getenv("FAKE_KEPT") != "" {
		os.Stdout.Write([]byte{Kept})
	}
	if hold := os.Getenv("FAKE_HOLD"); hold != "" { // until the test closes the connection
		if c, err := net.Dial("unix", hold); err == nil {
			_, _ = c.Read(make([]byte, 1))
		}
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			_ = self.Kill() // at once: the test's folder is about to go
		}
		return 0
	}
	os.Stdout.WriteString(string(Kept) + okHead + "Hookline-Stdout: 7\r\nContent-Length: 14\r\n\r\nrelayedwarning")
	return 0
}

// crashed ends a delivery without an answer.
func crashed(how string) int {
	if how == "kept" {
		os.Stdout.Write([]byte{Kept})
	}
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		_ = self.Kill()
	}
	return 98
}

// client is one run of hookctl in a world of its own.
type client struct {
	t      *testing.T
	dir    string
	env    []string
	stdin  io.Reader
	stdout bytes.Buffer
	stderr bytes.Buffer
}

func newClient(t *testing.T, stdin string) *client {
	dir := t.TempDir()
	self := expect.Value(os.Executable())(t)
	if err := os.Symlink(self, filepath.Join(dir, "hookd")); err != nil {
		t.Skip(err)
	}
	return &client{t: t, dir: dir, stdin: strings.NewReader(stdin), env: []string{
		"WIRE_TEST_AS=hookctl", "PATH=" + dir, "HOME=" + dir, "HOOKLINE_HOME=" + dir, "FAKE_OUT=" + filepath.Join(dir, "out"), "GOCOVERDIR=" + dir,
	}}
}

func (c *client) run(args ...string) int {
	c.t.Helper()
	self := expect.Value(os.Executable())(c.t)
	cmd := exec.Command(self)
	cmd.Args = append([]string{"hookctl"}, args...)
	cmd.Env, cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.env, c.dir, c.stdin, &c.stdout, &c.stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		c.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

// expect compares a run's outcome.
func (c *client) expect(code, wantCode int, stdout, stderr string) {
	c.t.Helper()
	if code != wantCode || c.stdout.String() != stdout || c.stderr.String() != stderr {
		c.t.Errorf("exit %d\nstdout %q\nstderr %q", code, c.stdout.String(), c.stderr.String())
	}
}

// delivered is what fakeHookd was given.
func (c *client) delivered() Frame {
	c.t.Helper()
	data, err := os.ReadFile(filepath.Join(c.dir, "out"))
	for until := time.Now().Add(30 * time.Second); err != nil && time.Now().Before(until); time.Sleep(2 * time.Millisecond) {
		data, err = os.ReadFile(filepath.Join(c.dir, "out"))
	}
	expect.OK(c.t, err)
	var f Frame
	head, body, _ := bytes.Cut(data, []byte("\n"))
	expect.OK(c.t, json.Unmarshal(head, &f))
	f.Body = body
	return f
}

// pipe makes the client's stdin a pipe that stays open until the test's end or until it closes it.
func (c *client) pipe() (w *os.File) {
	c.t.Helper()
	r, w, err := os.Pipe()
	expect.OK(c.t, err)
	c.t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	c.stdin = r
	return w
}

// daemon answers one request and hands it to the test.
func (c *client) daemon() <-chan Frame {
	frames := make(chan Frame, 1)
	socket := listen(c.t, func(conn net.Conn) {
		r, body := takeRequest(conn)
		f := Frame{}
		if r != nil && json.Unmarshal([]byte(r.Header.Get("Hookline-Frame")), &f) == nil && r.Method == http.MethodPost {
			f.Body = body
			frames <- f
		}
		_, _ = io.WriteString(conn, okHead+"Hookline-Stdout: 2\r\nContent-Length: 4\r\n\r\nhier")
		conn.Close()
	})
	c.env = append(c.env, "HOOKLINE_SOCKET="+socket)
	return frames
}

func TestHook(t *testing.T) {
	key := "sk-ant-" + strings.Repeat("k", 40)
	c := newClient(t, `{"hook_event_name":"Stop"}`+"\n")
	frames := c.daemon()
	c.env = append(c.env, "CLAUDE_CODE_SESSION_ID=s1", "ANTHROPIC_API_"+"KEY="+key, "CLAUDE_CODE_MESSAGING_"+"TOKEN="+key)
	c.expect(c.run("hook", "Stop"), 1, "hi", "er")
	f := <-frames
	if string(f.Body) != `{"hook_event_name":"Stop"}` || !f.Complete || f.Size != 26 || f.Note != "" {
		t.Errorf("%+v", f)
	}
	if f.PPID != os.Getpid() || f.Cwd == "" || f.Binary == "" || time.Since(time.UnixMilli(f.Time)) > time.Minute ||
		strings.Join(f.Args, " ") != "hook Stop" {
		t.Errorf("%+v", f)
	}
	if len(f.Env) != 1 || f.Env["CLAUDE_CODE_SESSION_ID"] != "s1" {
		t.Errorf("only the listed variables may leave: %v", f.Env)
	}
}

// S0 REQ-11: the brief must not wait for an input.
func TestBriefReadsNoInput(t *testing.T) {
	c := newClient(t, "")
	c.pipe()
	frames := c.daemon()
	c.expect(c.run("consciousness", "brief"), 1, "hi", "er")
	if f := <-frames; !f.Complete || len(f.Body) != 0 || f.Note != "" {
		t.Errorf("%+v", f)
	}
}

// An input that comes in pieces is read to its end, with pauses that are longer than the hook's deadline.
func TestHookSlowInput(t *testing.T) {
	c := newClient(t, "")
	w := c.pipe()
	body := `{"session_id":"s1","x":"` + strings.Repeat("y", 1000) + `"}`
	go func() {
		for _, piece := range []string{body[:5], body[5:500], body[500:]} {
			_, _ = w.WriteString(piece)
			time.Sleep(200 * time.Millisecond) // a slow client, not a wait of the test
		}
		w.Close()
	}()
	frames := c.daemon()
	c.expect(c.run("hook", "PreToolUse"), 1, "hi", "er")
	if f := <-frames; !f.Complete || string(f.Body) != body || f.Note != "" {
		t.Errorf("%.100s", f.Header())
	}
}

// An input that does not go on is sent as it is; SessionEnd has little time.
func TestHookUnfinishedInput(t *testing.T) {
	c := newClient(t, "")
	expect.Value(c.pipe().WriteString(`{"session_id":"s1","x":`))(t)
	frames := c.daemon()
	c.env = append(c.env, "WIRE_TEST_HURRY=1")
	c.run("hook", "SessionEnd") // its answer may come too late on a busy machine
	if f := <-frames; f.Complete || string(f.Body) != `{"session_id":"s1","x":` || f.Note != "input not complete at the deadline" {
		t.Errorf("%+v", f)
	}
}

// A delivery that ends without an answer is tried once more. Where both end, the user is told, and a record without
// content is left of the hook. The exit code of a crash is never relayed.
func TestDeliveryDies(t *testing.T) {
	lost := `{"systemMessage":"hookline: this hook was not recorded: the recorder's delivery ended twice without an answer; ` + "`hookctl tail --type hook.refused`" + ` shows such hooks"}` + "\n"
	for _, c := range []struct {
		end, args, stdout, stderr string
		code, tries, kept         int
	}{
		{"once", "hook PreToolUse", "relayed", "warning", 1, 2, 0},
		{"killed", "hook PreToolUse", lost, "", 0, 2, 1},
		{"kept", "hook PreToolUse", "", "", 0, 1, 0},
		{"killed", "consciousness inject-context", string(Degraded([]string{"consciousness", "inject-context"})),
			"hookline: this hook was not recorded: the recorder's delivery ended twice without an answer; `hookctl tail --type hook.refused` shows such hooks\n", 0, 2, 1},
	} {
		client := newClient(t, `{"session_id":"s-1","tool_use_id":"t1","tool_input":{"key":"very secret"}}`)
		client.env = append(client.env, "FAKE_END="+c.end)
		client.expect(client.run(strings.Fields(c.args)...), c.code, c.stdout, c.stderr)
		if tries, err := os.ReadFile(filepath.Join(client.dir, "out.tries")); err != nil || len(tries) != c.tries {
			t.Errorf("%s: %d tries, %v", c.end, len(tries), err)
		}
		files := expect.Value(filepath.Glob(filepath.Join(client.dir, "spool", "*")))(t)
		expect.Equal(t, len(files), c.kept, c.end, files)
		for _, file := range files {
			if text := expect.Value(os.ReadFile(file))(t); !bytes.HasSuffix(text, []byte("\n"+`{"session_id":"s-1","tool_use_id":"t1"}`)) {
				t.Errorf("%s: %s", c.end, text)
			}
		}
	}
}

// Where a delivery had kept the frame before it was ended, that is not replaced.
func TestLossBesideFrame(t *testing.T) {
	t.Setenv("HOOKLINE_HOME", t.TempDir())
	f := Frame{ID: NewID(1)}
	expect.OK(t, keepLoss(f, "Stop"))
	if err := keepLoss(f, "Stop"); !errors.Is(err, os.ErrExist) {
		t.Errorf("%v", err)
	}
}

// Nothing is written into a home, or a spool in it, that others can change.
func TestLossInOpenHome(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("skipped on Windows: modes say nothing there")
	}
	for _, open := range []string{".", "spool"} {
		home := t.TempDir()
		t.Setenv("HOOKLINE_HOME", home)
		spool := filepath.Join(home, "spool")
		expect.OK(t, errors.Join(os.Mkdir(spool, 0o700), os.Chmod(filepath.Join(home, open), 0o777)))
		if err := keepLoss(Frame{ID: NewID(1)}, "Stop"); err == nil {
			t.Errorf("%s is open to others: the loss was kept", open)
		}
		if left, err := os.ReadDir(spool); err != nil || len(left) > 0 {
			t.Errorf("%s is open to others: %v, %v", open, left, err)
		}
	}
}

// A delivery that has not kept the frame in time is told as such: it may still do it.
func TestDeliveryKeepsNothing(t *testing.T) {
	c := newClient(t, `{"a":1}`)
	c.env = append(c.env, "WIRE_TEST_HURRY=1", "FAKE_HOLD="+listen(t, func(net.Conn) {}))
	c.expect(c.run("hook", "PostToolUse"), 0, `{"systemMessage":"hookline: this hook was perhaps not recorded: the machine is too busy to write it in time"}`+"\n", "")
}

// A delivery that takes too long goes on alone; the hook ends in time with the degraded answer.
func TestHookInTroubleAndLate(t *testing.T) {
	body := `{"x":"` + strings.Repeat("y", 1<<20) + `"}`
	c := newClient(t, body)
	c.env = append(c.env, "WIRE_TEST_HURRY=1", "FAKE_KEPT=1", "FAKE_HOLD="+listen(t, func(net.Conn) {}))
	c.expect(c.run("consciousness", "inject-context"), 0, string(Degraded([]string{"consciousness", "inject-context"})), "")
	if f := c.delivered(); string(f.Body) != body || !f.Complete || len(f.ID) != 26 {
		t.Errorf("%.200s", f.Header())
	}
}

func TestHookdMissing(t *testing.T) {
	lost := `{"systemMessage":"hookline: this hook was not recorded: no daemon, and hookd was not found; reinstall with ` + "`make install`" + `"}` + "\n"
	for _, c := range []struct {
		args, stdout, stderr string
		code                 int
	}{
		{"hook Stop", lost, "", 0},
		{"consciousness brief", "[C:? r=? IC=?]\n", "", 0},
		{"session restore-identity", "", "hookline: this hook was not recorded: no daemon, and hookd was not found; reinstall with `make install`\n", 0},
		{"status", "", "hookctl: error: hookd was not found beside hookctl, nor on the PATH\nhookctl: hint: install both into one folder (make install)\n", 1},
	} {
		client := newClient(t, "{}")
		client.env = append(client.env, "PATH=/nowhere")
		client.expect(client.run(strings.Fields(c.args)...), c.code, c.stdout, c.stderr)
	}
}

func TestPeoplesVerbs(t *testing.T) {
	for _, args := range []string{"status --json", "hook --help", "version", ""} {
		c := newClient(t, "")
		c.expect(c.run(strings.Fields(args)...), 5, args, "")
	}
}

func TestTakesJSON(t *testing.T) {
	for event, want := range map[string]bool{"Stop": true, "-": true, "PreCompact": false, "PostCompact": false, "WorktreeCreate": false, "MessageDisplay": false} {
		expect.Equal(t, TakesJSON([]string{"hook", event}, event), want, event)
	}
	if TakesJSON([]string{"consciousness", "brief", "--hook"}, "PreToolUse") {
		t.Error("a verb prints plain text")
	}
}

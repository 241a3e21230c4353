package wire

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The tests of this file run real processes: this test binary as hookctl, and found on the PATH as
// hookd (see TestMain).

// fakeHookd stands in for hookd: "deliver" writes what it was given to $FAKE_OUT and answers,
// anything else prints its arguments.
func fakeHookd(args []string) int {
	if len(args) == 0 || args[0] != "deliver" {
		os.Stdout.WriteString(strings.Join(args, " "))
		return 5
	}
	var frame io.Reader = os.Stdin
	if strings.Contains(strings.Join(args, " "), "--rest") {
		frame = io.MultiReader(os.NewFile(3, "frame"), os.Stdin)
	}
	in, err := io.ReadAll(frame)
	if err != nil || os.WriteFile(os.Getenv("FAKE_OUT")+".tmp", in, 0o600) != nil {
		return 98
	}
	if os.Rename(os.Getenv("FAKE_OUT")+".tmp", os.Getenv("FAKE_OUT")) != nil {
		return 98
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
	os.Stdout.WriteString("relayed")
	os.Stderr.WriteString("warning")
	return 1
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
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(dir, "hookd")); err != nil {
		t.Skip(err)
	}
	return &client{t: t, dir: dir, stdin: strings.NewReader(stdin), env: []string{
		"WIRE_TEST_AS=hookctl", "PATH=" + dir, "HOME=" + dir, "HOOKLINE_HOME=" + dir, "FAKE_OUT=" + filepath.Join(dir, "out"), "GOCOVERDIR=" + dir,
	}}
}

func (c *client) run(args ...string) int {
	c.t.Helper()
	self, err := os.Executable()
	if err != nil {
		c.t.Fatal(err)
	}
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
	if err != nil {
		c.t.Fatal(err)
	}
	head, body, _ := bytes.Cut(data, []byte("\n"))
	f := Frame{}
	if err := json.Unmarshal(head, &f); err != nil {
		c.t.Fatalf("%s: %v", head, err)
	}
	f.Body = body
	return f
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

func TestHookDisabled(t *testing.T) {
	c := newClient(t, `{}`)
	c.env = append(c.env, "HOOKLINE_DISABLED=1")
	c.expect(c.run("hook", "Stop"), 0, "", "")
}

// S0 REQ-11: the brief must not wait for an input.
func TestBriefReadsNoInput(t *testing.T) {
	c := newClient(t, "")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	defer r.Close()
	c.stdin = r
	frames := c.daemon()
	c.expect(c.run("consciousness", "brief"), 1, "hi", "er")
	if f := <-frames; !f.Complete || len(f.Body) != 0 || f.Note != "" {
		t.Errorf("%+v", f)
	}
}

// A hook without input tells the user, and the refused input is recorded.
func TestHookWithoutInput(t *testing.T) {
	message := `{"systemMessage":"hookline: hook Stop got no input, so there was nothing to record; ` + "`hookctl doctor`" + ` checks the hook entries"}` + "\n"
	for _, c := range []struct {
		stdin  io.Reader
		event  string
		stdout string
	}{{nil, "Stop", message}, {strings.NewReader(""), "Stop", message}, {nil, "PreCompact", "hi"}} {
		client := newClient(t, "")
		client.stdin = c.stdin // nil is /dev/null
		frames := client.daemon()
		client.expect(client.run("hook", c.event), 1, c.stdout, "er")
		if f := <-frames; f.Complete || len(f.Body) != 0 || f.Size != 0 || f.Note != "no input" {
			t.Errorf("%+v", f)
		}
	}
}

// Input that has not ended in time is read on by the delivery; the hook answers as if there was no daemon.
func TestHookUnfinishedInput(t *testing.T) {
	c := newClient(t, "")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	defer r.Close()
	if _, err := w.WriteString(`{"session_id":"s1","x":`); err != nil {
		t.Fatal(err)
	}
	c.stdin, c.env = r, append(c.env, "WIRE_TEST_HURRY=1")
	c.expect(c.run("hook", "PostToolUse"), 0, "", "")
	if _, err := w.WriteString(`1}`); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	if f := c.delivered(); f.Complete || string(f.Body) != `{"session_id":"s1","x":1}` || f.Note != "input not complete at the deadline" {
		t.Errorf("%+v", f)
	}
}

// HOME unset is no reason to fail; where the state went stands in the frame.
func TestHookWithoutHome(t *testing.T) {
	c := newClient(t, `{}`)
	frames := c.daemon()
	c.env = append(c.env, "HOME=", "HOOKLINE_HOME=", "TMPDIR=/nowhere")
	c.run("hook", "Stop")
	if f := <-frames; !strings.HasPrefix(f.Note, "HOME is not set, state is in /nowhere/hookline-") {
		t.Errorf("%+v", f)
	}
}

func TestHookInTrouble(t *testing.T) {
	body := `{"x":"` + strings.Repeat("y", 1<<20) + `"}`
	c := newClient(t, body)
	c.expect(c.run("hook", "SessionStart"), 1, "relayed", "warning")
	if f := c.delivered(); string(f.Body) != body || !f.Complete || len(f.ID) != 26 {
		t.Errorf("%.200s", f.Header())
	}
}

// A delivery that takes too long goes on alone; the hook ends in time with the degraded answer.
func TestHookInTroubleAndLate(t *testing.T) {
	for _, verb := range []struct{ args, stdout string }{
		{"hook SessionStart", ""},
		{"consciousness inject-context", "[System Consciousness]\nState: DORMANT (C=0.00)\nKuramoto r=0.00, Identity IC=1.00 (healthy)\nGuidance: Initialize consciousness context\n"},
	} {
		c := newClient(t, `{"a":1}`)
		c.env = append(c.env, "WIRE_TEST_HURRY=1", "FAKE_HOLD="+listen(t, func(net.Conn) {}))
		start := time.Now()
		c.expect(c.run(strings.Fields(verb.args)...), 0, verb.stdout, "")
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("%s took %v", verb.args, took)
		}
		if f := c.delivered(); string(f.Body) != `{"a":1}` {
			t.Errorf("%+v", f)
		}
	}
}

func TestHookdMissing(t *testing.T) {
	lost := `{"systemMessage":"hookline: this hook was not recorded: no daemon, and hookd cannot be started (file does not exist); reinstall with ` + "`make install`" + `"}` + "\n"
	for _, c := range []struct {
		args, stdout, stderr string
		code                 int
	}{
		{"hook Stop", lost, "", 0},
		{"hook PreCompact", "", "", 0},
		{"consciousness brief", "[C:? r=? IC=?]\n", "", 0},
		{"session restore-identity", "", "", 0},
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

func TestSpeaks(t *testing.T) {
	for event, want := range map[string]bool{"Stop": true, "-": true, "PreCompact": false, "PostCompact": false, "WorktreeCreate": false, "MessageDisplay": false} {
		if got := Speaks([]string{"hook", event}, event); got != want {
			t.Errorf("%s: %v", event, got)
		}
	}
	if Speaks([]string{"consciousness", "brief", "--hook"}, "PreToolUse") {
		t.Error("a verb prints plain text")
	}
}

func TestUnheardOnceAnHour(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOOKLINE_HOME", home)
	if !unheard("no input") || unheard("no input") || !unheard("another cause") {
		t.Error("a cause is not told once")
	}
	mark := filepath.Join(home, "told", Hash("no input"))
	if err := os.Chtimes(mark, time.Time{}, time.Now().Add(-61*time.Minute)); err != nil {
		t.Fatal(err)
	}
	if !unheard("no input") {
		t.Error("it is never told again")
	}
	t.Setenv("HOOKLINE_HOME", filepath.Join(mark, "no", "folder"))
	for range 2 {
		if !unheard("no input") {
			t.Error("what cannot be remembered is not told")
		}
	}
}

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
		tries := countTry()
		if end != "once" || tries == 1 {
			return crashed(end)
		}
	}

	out := os.Getenv("FAKE_OUT")
	if err != nil || os.WriteFile(out+".tmp", in, 0o600) != nil {
		return 98
	}
	if os.Rename(out+".tmp", out) != nil {
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

// countTry adds this delivery to the file of the tries and returns how many there were.
func countTry() int {
	file, err := os.OpenFile(os.Getenv("FAKE_OUT")+".tries", os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return 1
	}
	defer file.Close()
	_, _ = file.WriteString("x")
	info, err := file.Stat()
	if err != nil {
		return 1
	}
	return int(info.Size())
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
		"WIRE_TEST_AS=hookctl",
		"PATH=" + dir,
		"HOME=" + dir,
		"HOOKLINE_HOME=" + dir,
		"FAKE_OUT=" + filepath.Join(dir, "out"),
		"GOCOVERDIR=" + dir,
	}}
}

func (c *client) run(args ...string) int {
	c.t.Helper()
	self := expect.Value(os.Executable())(c.t)
	cmd := exec.Command(self)
	cmd.Args = append([]string{"hookctl"}, args...)
	cmd.Env = c.env
	cmd.Dir = c.dir
	cmd.Stdin = c.stdin
	cmd.Stdout = &c.stdout
	cmd.Stderr = &c.stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		c.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

// expect compares a run's outcome.
func (c *client) expect(code, wantCode int, stdout, stderr string) {
	c.t.Helper()
	expect.Equal(c.t, code, wantCode, "exit code")
	expect.Equal(c.t, c.stdout.String(), stdout, "stdout")
	expect.Equal(c.t, c.stderr.String(), stderr, "stderr")
}

// delivered returns the frame that fakeHookd was given.
func (c *client) delivered() Frame {
	c.t.Helper()
	path := filepath.Join(c.dir, "out")
	data, err := os.ReadFile(path)
	until := time.Now().Add(30 * time.Second)
	for err != nil && time.Now().Before(until) {
		time.Sleep(2 * time.Millisecond)
		data, err = os.ReadFile(path)
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
		r, body := readRequest(conn)
		if r != nil && r.Method == http.MethodPost {
			var f Frame
			if err := json.Unmarshal([]byte(r.Header.Get("Hookline-Frame")), &f); err == nil {
				f.Body = body
				frames <- f
			}
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
	expect.Equal(t, string(f.Body), `{"hook_event_name":"Stop"}`, "body")
	expect.Equal(t, f.Complete, true, "complete")
	expect.Equal(t, f.Size, 26, "size")
	expect.Equal(t, f.Note, "", "note")

	expect.Equal(t, strings.Join(f.Args, " "), "hook Stop", "arguments")
	expect.Equal(t, f.PPID, os.Getpid(), "parent process")
	if f.Cwd == "" {
		t.Error("working directory is empty")
	}
	if f.Binary == "" {
		t.Error("executable is empty")
	}
	if age := time.Since(time.UnixMilli(f.Time)); age > time.Minute {
		t.Errorf("time of the frame was %v ago, want less than a minute", age)
	}

	expect.Equal(t, f.Env["CLAUDE_CODE_SESSION_ID"], "s1", "session in the environment")
	expect.Equal(t, len(f.Env), 1, "number of variables that left the client:", f.Env)
}

// S0 REQ-11: the brief must not wait for an input.
func TestBriefReadsNoInput(t *testing.T) {
	c := newClient(t, "")
	c.pipe()
	frames := c.daemon()
	c.expect(c.run("consciousness", "brief"), 1, "hi", "er")
	f := <-frames
	expect.Equal(t, string(f.Body), "", "body")
	expect.Equal(t, f.Complete, true, "complete")
	expect.Equal(t, f.Note, "", "note")
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
	f := <-frames
	expect.Equal(t, string(f.Body), body, "body")
	expect.Equal(t, f.Complete, true, "complete")
	expect.Equal(t, f.Note, "", "note")
}

// An input that does not go on is sent as it is; SessionEnd has little time.
func TestHookUnfinishedInput(t *testing.T) {
	c := newClient(t, "")
	expect.Value(c.pipe().WriteString(`{"session_id":"s1","x":`))(t)
	frames := c.daemon()
	c.env = append(c.env, "WIRE_TEST_HURRY=1")
	c.run("hook", "SessionEnd") // its answer may come too late on a busy machine
	f := <-frames
	expect.Equal(t, string(f.Body), `{"session_id":"s1","x":`, "body")
	expect.Equal(t, f.Complete, false, "complete")
	expect.Equal(t, f.Note, "input not complete at the deadline", "note")
}

// A delivery that ends without an answer is tried once more. Where both end, the user reads that, and a record without
// content is left of the hook. The exit code of a crash is never relayed.
func TestDeliveryDies(t *testing.T) {
	const lost = "hookline: this hook was not recorded: the recorder's delivery ended twice without an answer; " +
		"`hookctl tail --type hook.refused` shows such hooks"
	const lostMessage = `{"systemMessage":"` + lost + `"}` + "\n"
	dormant := string(Degraded([]string{"consciousness", "inject-context"}))
	for _, c := range []struct {
		end, args, stdout, stderr string
		code, tries, kept         int
	}{
		{"once", "hook PreToolUse", "relayed", "warning", 1, 2, 0},
		{"killed", "hook PreToolUse", lostMessage, "", 0, 2, 1},
		{"kept", "hook PreToolUse", "", "", 0, 1, 0},
		{"killed", "consciousness inject-context", dormant, lost + "\n", 0, 2, 1},
	} {
		client := newClient(t, `{"session_id":"s-1","tool_use_id":"t1","tool_input":{"key":"very secret"}}`)
		client.env = append(client.env, "FAKE_END="+c.end)
		client.expect(client.run(strings.Fields(c.args)...), c.code, c.stdout, c.stderr)
		tries := expect.Value(os.ReadFile(filepath.Join(client.dir, "out.tries")))(t)
		expect.Equal(t, len(tries), c.tries, c.end, c.args, "deliveries")

		files := expect.Value(filepath.Glob(filepath.Join(client.dir, "spool", "*")))(t)
		expect.Equal(t, len(files), c.kept, c.end, c.args, "files in the spool:", files)
		for _, file := range files {
			_, body, _ := bytes.Cut(expect.Value(os.ReadFile(file))(t), []byte("\n"))
			expect.Equal(t, string(body), `{"session_id":"s-1","tool_use_id":"t1"}`, c.end, c.args, "body in the spool")
		}
	}
}

// Where a delivery had kept the frame before it was ended, that is not replaced.
func TestLossBesideFrame(t *testing.T) {
	t.Setenv("HOOKLINE_HOME", t.TempDir())
	f := Frame{ID: NewID(1)}
	expect.OK(t, keepLoss(f, "Stop"))
	err := keepLoss(f, "Stop")
	if !errors.Is(err, os.ErrExist) {
		t.Errorf("error of a second loss = %v, want %v", err, os.ErrExist)
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
		expect.OK(t, os.Mkdir(spool, 0o700))
		expect.OK(t, os.Chmod(filepath.Join(home, open), 0o777))

		err := keepLoss(Frame{ID: NewID(1)}, "Stop")
		if err == nil {
			t.Errorf("%s is open to others: no error, want a refusal", open)
		}
		left := expect.Value(os.ReadDir(spool))(t)
		expect.Equal(t, len(left), 0, open, "is open to others; files in the spool:", left)
	}
}

// Of a delivery that has not kept the frame in time, the user reads that it may still do it.
func TestDeliveryKeepsNothing(t *testing.T) {
	c := newClient(t, `{"a":1}`)
	c.env = append(c.env, "WIRE_TEST_HURRY=1", "FAKE_HOLD="+listen(t, func(net.Conn) {}))
	const message = `{"systemMessage":"hookline: this hook was perhaps not recorded: ` +
		`the machine is too busy to write it in time"}` + "\n"
	c.expect(c.run("hook", "PostToolUse"), 0, message, "")
}

// A delivery that takes too long goes on alone; the hook ends in time with the degraded answer.
func TestHookInTroubleAndLate(t *testing.T) {
	body := `{"x":"` + strings.Repeat("y", 1<<20) + `"}`
	c := newClient(t, body)
	c.env = append(c.env, "WIRE_TEST_HURRY=1", "FAKE_KEPT=1", "FAKE_HOLD="+listen(t, func(net.Conn) {}))
	c.expect(c.run("consciousness", "inject-context"), 0, string(Degraded([]string{"consciousness", "inject-context"})), "")

	f := c.delivered()
	expect.Equal(t, string(f.Body), body, "body")
	expect.Equal(t, f.Complete, true, "complete")
	expect.Equal(t, len(f.ID), 26, "length of the id", f.ID)
}

func TestHookdMissing(t *testing.T) {
	const lost = "hookline: this hook was not recorded: no daemon, and hookd was not found; reinstall with `make install`"
	const missing = "hookctl: error: hookd was not found beside hookctl, nor on the PATH\n" +
		"hookctl: hint: install both into one folder (make install)\n"
	for _, c := range []struct {
		args, stdout, stderr string
		code                 int
	}{
		{"hook Stop", `{"systemMessage":"` + lost + `"}` + "\n", "", 0},
		{"consciousness brief", "[C:? r=? IC=?]\n", "", 0},
		{"session restore-identity", "", lost + "\n", 0},
		{"status", "", missing, 1},
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
	for event, want := range map[string]bool{
		"Stop":           true,
		"-":              true,
		"PreCompact":     false,
		"PostCompact":    false,
		"WorktreeCreate": false,
		"MessageDisplay": false,
	} {
		expect.Equal(t, TakesJSON([]string{"hook", event}, event), want, "stdout of", event, "takes JSON:")
	}

	if TakesJSON([]string{"consciousness", "brief", "--hook"}, "PreToolUse") {
		t.Error("stdout of a verb takes JSON, want plain text")
	}
}

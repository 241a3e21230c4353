//go:build unix

package deliver

import (
	"bytes"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hookline/expect"
	"hookline/hookctl/home"
	"hookline/hookctl/home/hometest"
	"hookline/hookctl/spool"
	"hookline/hookctl/wire"
)

// The processes that [home.Paths.StartDaemon] starts are this test binary; they take their part before any test runs.
var _ = hometest.Act(func(args []string) int { return Command(args) })

// patience is how long a delivery may take; where nothing has to be waited for, it takes milliseconds.
const patience = time.Minute

// delivered runs [Run] with a starter of the test's own.
func delivered(t *testing.T, f wire.Frame, spawn func(home.Paths, time.Time) error) (stdout, stderr string, code int) {
	t.Helper()
	var out, errw bytes.Buffer
	in := bytes.NewReader(append(append(f.Header(), '\n'), f.Body...))
	if spawn == nil {
		spawn = home.Paths.StartDaemon
	}
	code = Run(in, &out, &errw, Options{Spawn: spawn, Until: time.Now().Add(patience), Kept: func() {}})
	return out.String(), errw.String(), code
}

func frameOf(args, body string) wire.Frame {
	f := hometest.Frame(time.Now().UnixMilli(), body)
	f.Args = strings.Fields(args)
	return f
}

// starting is what [home.Paths.StartDaemon] says while somebody else starts the daemon.
func starting(home.Paths, time.Time) error { return home.ErrStarting }

func TestDegraded(t *testing.T) {
	for _, c := range []struct{ args, stdout, stderr string }{
		{"hook PostToolUse", "", ""},
		{"consciousness brief", "[C:? r=? IC=?]\n", ""},
		{"consciousness brief --hook", "", ""},
		{"consciousness inject-context", "[System Consciousness]\nState: DORMANT (C=0.00)\nKuramoto r=0.00, Identity IC=1.00 (healthy)\nGuidance: Initialize consciousness context\n", "Context retrieval timed out after 1s\n"},
	} {
		p := hometest.Home(t, "none")
		stdout, stderr, code := delivered(t, frameOf(c.args, `{"a":1}`), starting)
		if stdout != c.stdout || stderr != c.stderr || code != 0 {
			t.Errorf("%s: %d %q %q", c.args, code, stdout, stderr)
		}
		want := 1
		if c.args == "consciousness brief" {
			want = 0 // it asks, and records nothing
		}
		expect.Equal(t, spool.Open(p).Count(), want, c.args, "frames spooled")
	}
}

// Nothing that is secret reaches the disk, in the body or beside it.
func TestRedacts(t *testing.T) {
	p := hometest.Home(t, "none")
	secret := "ghp" + "_" + strings.Repeat("aB3dE6gH9", 4)
	f := frameOf("hook PostToolUse "+secret, `{"tool_input":{"command":"echo `+secret+`"}}`)
	f.Cwd = "/home/" + secret
	delivered(t, f, starting)
	s := spool.Open(p)
	frames, err := s.List()
	expect.OK(t, err)
	data, err := os.ReadFile(frames[0].Path)
	if err != nil || bytes.Contains(data, []byte(secret)) || bytes.Count(data, []byte("[REDACTED:")) != 3 {
		t.Errorf("%s %v", data, err)
	}
	if got, err := s.Read(frames[0]); err != nil || got.ID != f.ID || got.Redacted != 3 {
		t.Errorf("%+v %v", got, err)
	}
}

// The start of a session waits for the daemon it started and gets the real answer.
func TestSessionStart(t *testing.T) {
	for _, args := range []string{"hook SessionStart", "session restore-identity"} {
		p := hometest.Home(t, "answer")
		stdout, stderr, code := delivered(t, frameOf(args, `{}`), nil)
		if stdout != "restored" || stderr != "" || code != 0 || spool.Open(p).Count() != 0 {
			t.Errorf("%d %q %q", code, stdout, stderr)
		}
	}
}

// gatedDir is a project with requirements.
func gatedDir(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), ".claude")
	expect.OK(t, os.Mkdir(dir, 0o755))
	expect.OK(t, os.WriteFile(filepath.Join(dir, "requirements.yaml"), []byte("version: '1.0'\n"), 0o644))
	return filepath.Dir(dir)
}

// Where a gate may stand the hook waits for the daemon: without one every edit would pass.
func TestWaitsAtGates(t *testing.T) {
	for _, c := range []struct {
		args   string
		gated  bool
		stdout string
		spool  int
	}{
		{"hook PreToolUse", true, "restored", 0},
		{"hook PreToolUse", false, "", 1},
		{"hook PostToolUse", true, "", 1},
	} {
		hometest.Home(t, "answer")
		f := frameOf(c.args, `{}`)
		f.Cwd = t.TempDir()
		if c.gated {
			f.Env, f.Cwd = map[string]string{"CLAUDE_PROJECT_DIR": f.Cwd}, gatedDir(t) // the client was launched elsewhere
		}
		stdout, stderr, code := delivered(t, f, nil)
		if stdout != c.stdout || stderr != "" || code != 0 {
			t.Errorf("%+v: %d %q %q", c, code, stdout, stderr)
		}
		if c.spool == 0 && spool.Open(home.Locate(os.Getenv)).Count() != 0 {
			t.Errorf("%+v: sent and spooled", c)
		}
	}
}

// A daemon that has other frames to take first is asked again, where an answer is waited for.
func TestWaitsForItsTurn(t *testing.T) {
	p := hometest.Home(t, "none")
	l := expect.Value(net.Listen("unix", p.Socket))(t)
	asked := 0
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked++; asked < 3 {
			http.Error(w, "frames of this session wait", http.StatusServiceUnavailable)
			return
		}
		for name, v := range map[string]string{"Hookline-Protocol": "1", "Hookline-Exit": "0", "Hookline-Stdout": "6", "Content-Length": "6"} {
			w.Header().Set(name, v)
		}
		_, _ = w.Write([]byte("denied"))
	})}
	go func() { _ = srv.Serve(l) }() // ends with the listener
	defer srv.Close()

	f := frameOf("hook PreToolUse", `{}`)
	f.Cwd = gatedDir(t)
	if stdout, stderr, code := delivered(t, f, starting); stdout != "denied" || stderr != "" || code != 0 {
		t.Errorf("%d %q %q", code, stdout, stderr)
	}
}

// A gate that could not be asked is said, once.
func TestGateUnanswered(t *testing.T) {
	p := hometest.Home(t, "none")
	l := expect.Value(net.Listen("unix", p.Socket))(t)
	defer l.Close()
	f := frameOf("hook PreToolUse", `{}`)
	f.Cwd = gatedDir(t)
	want := `{"systemMessage":"hookline: the recorder did not answer in time; this hook is kept and recorded later, the gates of this repository were not checked. ` + "`hookctl doctor`" + ` tells why"}` + "\n"
	for _, want := range []string{want, ""} {
		var out, errw bytes.Buffer
		in := bytes.NewReader(append(append(f.Header(), '\n'), f.Body...))
		code := Run(in, &out, &errw, Options{Spawn: starting, Until: time.Now().Add(300 * time.Millisecond), Kept: func() {}})
		if out.String() != want || errw.Len() != 0 || code != 0 {
			t.Errorf("%d %q %q", code, out.String(), errw.String())
		}
	}
}

// A daemon that dies at its start is not waited for; the user hears of it once.
func TestDaemonDies(t *testing.T) {
	p := hometest.Home(t, "die")
	before := time.Now()
	stdout, _, code := delivered(t, frameOf("hook SessionStart", `{}`), nil)
	want := `{"systemMessage":"hookline: the recorder does not start (the daemon failed to start a moment ago: the store is on fire); hooks are kept and recorded when it does. ` + "`hookctl doctor`" + ` tells what to do"}` + "\n"
	if stdout != want || code != 0 || time.Since(before) > patience/2 {
		t.Errorf("%v: %d %q", time.Since(before), code, stdout)
	}
	stdout, _, _ = delivered(t, frameOf("hook SessionStart", `{}`), func(p home.Paths, _ time.Time) error { return p.LastStart().Err() })
	if stdout != "" {
		t.Errorf("told again: %q", stdout)
	}
	expect.Equal(t, spool.Open(p).Count(), 2, "frames spooled")
}

func TestRestoreIdentityDegraded(t *testing.T) {
	p := hometest.Home(t, "none")
	stdout, stderr, code := delivered(t, frameOf("session restore-identity", `{}`), func(p home.Paths, _ time.Time) error {
		return nil // starts nothing: nobody holds the lock
	})
	if stdout != "" || !strings.HasPrefix(stderr, "hookline: the recorder does not start (") || strings.Count(stderr, "\n") != 1 || code != 1 {
		t.Errorf("%d %q %q", code, stdout, stderr)
	}
	expect.Equal(t, spool.Open(p).Count(), 1, "frames")
}

// A prompt without a daemon is told why there is no context: time ran out only where something was waited for.
func TestInjectContextDegraded(t *testing.T) {
	p := hometest.Home(t, "none")
	broken := func(home.Paths, time.Time) error { return fmt.Errorf("the store is on fire") }
	started := func(home.Paths, time.Time) error { return nil }
	hung := expect.Value(net.Listen("unix", p.Socket))(t)
	if _, stderr, code := delivered(t, frameOf("consciousness inject-context", `{}`), started); stderr != "Context retrieval timed out after 1s\n" || code != 0 {
		t.Errorf("%d %q", code, stderr)
	}
	hung.Close()

	if _, stderr, code := delivered(t, frameOf("consciousness inject-context", `{"a":1}`), started); stderr != "Context not retrieved: no recorder was running; it has been started\n" || code != 0 {
		t.Errorf("%d %q", code, stderr)
	}
	want := "hookline: the recorder does not start (the store is on fire); hooks are kept and recorded when it does. `hookctl doctor` tells what to do\n"
	for _, said := range []string{want, "Context not retrieved: the recorder does not start (the store is on fire)\n"} {
		if _, stderr, code := delivered(t, frameOf("consciousness inject-context", `{"a":2}`), broken); stderr != said || code != 0 {
			t.Errorf("%d %q", code, stderr)
		}
	}
}

// A daemon that hangs (stopped, or busy) accepts connections: no second one is started.
func TestDaemonHangs(t *testing.T) {
	p := hometest.Home(t, "none")
	l := expect.Value(net.Listen("unix", p.Socket))(t)
	defer l.Close()
	stdout, stderr, code := delivered(t, frameOf("hook Stop", `{}`), func(home.Paths, time.Time) error {
		t.Error("a second daemon was started")
		return nil
	})
	if stdout+stderr != "" || code != 0 || spool.Open(p).Count() != 1 {
		t.Errorf("%d %q %q", code, stdout, stderr)
	}
	want := `{"systemMessage":"hookline: the recorder did not answer in time; this hook is kept and recorded later, the agent goes on without its identity's state. ` +
		"`hookctl doctor` tells why" + `"}` + "\n"
	for _, said := range []string{want, ""} { // at a prompt the user looks; once an hour
		if stdout, stderr, code := delivered(t, frameOf("hook UserPromptSubmit", `{"prompt":"x"}`), starting); stdout != said || stderr != "" || code != 0 {
			t.Errorf("%d %q %q", code, stdout, stderr)
		}
	}
}

// A home that cannot be written: the frame is kept elsewhere and the user hears why nothing starts.
func TestReadOnlyHome(t *testing.T) {
	hometest.Home(t, "none")
	t.Setenv("HOOKLINE_HOME", hometest.Unwritable(t))
	stdout, _, code := delivered(t, frameOf("hook Stop", `{}`), nil)
	if !strings.HasPrefix(stdout, `{"systemMessage":"hookline: the recorder does not start (`) || code != 0 {
		t.Errorf("%d %q", code, stdout)
	}
	if stdout, _, _ = delivered(t, frameOf("hook Stop", `{}`), nil); stdout != "" {
		t.Errorf("told again: %q", stdout)
	}
	frames, err := spool.Open(home.PathsOf(os.Getenv("HOOKLINE_HOME"), os.Getenv)).List()
	if err != nil || len(frames) != 2 || filepath.Dir(frames[0].Path) != home.Locate(os.Getenv).Fallbacks[0] {
		t.Errorf("%v %v", frames, err)
	}
}

// A disk that is full when the daemon is to start is told as that, once, whatever file had no room.
func TestFullDisk(t *testing.T) {
	p := hometest.Home(t, "none")
	want := `{"systemMessage":"hookline: the disk of ` + p.Home + ` is full; hooks are kept where there is room and recorded when there is space again"}` + "\n"
	for i, said := range []string{want, ""} {
		stdout, stderr, code := delivered(t, frameOf("hook PostToolUse", `{}`), func(p home.Paths, _ time.Time) error {
			return &fs.PathError{Op: "write", Path: fmt.Sprintf("%s.%d.tmp", p.SpawnState, i), Err: syscall.EDQUOT}
		})
		if stdout != said || stderr != "" || code != 0 {
			t.Errorf("hook %d: %d %q %q", i, code, stdout, stderr)
		}
	}
	expect.Equal(t, spool.Open(p).Count(), 2, "frames")
}

// TC-SESSION-22: IoError is exit 1; the other codes are the answer's (hook.TestTC_SESSION_22_ExitCodes).
func TestTC_SESSION_22_IoError(t *testing.T) {
	hometest.Home(t, "none")
	t.Setenv("HOOKLINE_HOME", hometest.Unwritable(t))
	t.Setenv("HOOKLINE_SECOND", hometest.Unwritable(t))
	stdout, _, code := delivered(t, frameOf("hook Stop", `{}`), nil)
	if !strings.HasPrefix(stdout, `{"systemMessage":"hookline: this hook is lost, it could not be written anywhere: spool frame 01`) || code != 0 {
		t.Errorf("%d %q", code, stdout)
	}
	stdout, stderr, code := delivered(t, frameOf("session restore-identity", `{}`), nil) // REQ-17
	if stdout != "" || !strings.HasPrefix(stderr, "hookline: this hook is lost") || code != 1 {
		t.Errorf("%d %q %q", code, stdout, stderr)
	}
	stdout, stderr, code = delivered(t, frameOf("session persist-identity", `{}`), nil) // ERR-SESSION-04
	if stdout != "" || !strings.HasPrefix(stderr, "Failed to persist identity: spool frame 01") || code != 1 {
		t.Errorf("%d %q %q", code, stdout, stderr)
	}
}

func TestGarbage(t *testing.T) {
	hometest.Home(t, "none")
	var out, errw bytes.Buffer
	code := Run(strings.NewReader("{}\n"), &out, &errw, Options{Spawn: starting})
	if code != 1 || out.Len() != 0 || !strings.HasPrefix(errw.String(), "hookctl: error: unreadable frame: id ") {
		t.Errorf("%d %q %q", code, out.String(), errw.String())
	}
}

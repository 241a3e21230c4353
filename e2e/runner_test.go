package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// standIn is a run whose client is a shell script.
func standIn(t *testing.T, script string) Options {
	t.Helper()
	if err := Namespaces(); err != nil {
		lacking(t, err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir()) // as the client's shell names it
	must(t, err)
	o := Options{Client: filepath.Join(dir, "client"), Self: self(t), Out: filepath.Join(dir, "out"),
		Project: filepath.Join(dir, "project"), Home: filepath.Join(dir, "home"), HookLog: filepath.Join(dir, "hooks.jsonl"),
		Limit: 30 * time.Second}
	must(t, os.MkdirAll(o.Out, 0o700))
	must(t, os.MkdirAll(filepath.Join(o.Project, "sub"), 0o700))
	must(t, os.WriteFile(o.Client, []byte("#!/bin/sh\n"+script), 0o700))
	scenario, err := filepath.Abs("scenarios/basic.json")
	must(t, err)
	o.Scenario = scenario
	return o
}

func TestRunIsolatesTheClient(t *testing.T) {
	t.Setenv("E2E_SECRET_OF_THE_USER", "x")
	o := standIn(t, `cat /proc/net/dev; env; pwd; echo "args $*"; echo trouble >&2; exit 3`)
	o.Subdir, o.Args, o.Env = "sub", []string{"-p", "hello"}, []string{"HOOKLINE_HOME=/x"}
	r, err := Run(t.Context(), o)
	must(t, err)
	if r.Exit != 3 || r.Stderr != "trouble\n" {
		t.Errorf("exit %d, stderr %q", r.Exit, r.Stderr)
	}
	links := regexp.MustCompile(`(?m)^ *(\w+):`).FindAllStringSubmatch(r.Stdout, -1)
	if len(links) != 1 || links[0][1] != "lo" {
		t.Errorf("network interfaces: %v, want lo alone", links)
	}
	for _, want := range []string{"HOOKLINE_HOME=/x\n", "HOME=" + o.Home + "\n", "DISABLE_TELEMETRY=1\n",
		"ANTHROPIC_BASE_URL=http://127.0.0.1:", "\n" + filepath.Join(o.Project, "sub") + "\n", "debug.log -p hello\n"} {
		if !strings.Contains(r.Stdout, want) {
			t.Errorf("stdout lacks %q:\n%s", want, r.Stdout)
		}
	}
	if strings.Contains(r.Stdout, "E2E_SECRET_OF_THE_USER") {
		t.Error("the client sees the environment of the test")
	}
}

func TestRunEndsAtItsLimit(t *testing.T) {
	o := standIn(t, `sleep 600 & wait`)
	o.Limit = 300 * time.Millisecond
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "did not end within 300ms") {
		t.Errorf("error: %v", err)
	}
	noneNames(t, o.Client)
}

// A test that fails while a run goes on in the background cancels it; the client must not outlive that.
func TestRunEndsWithItsContext(t *testing.T) {
	o := standIn(t, `echo up > "$HOME/up"; sleep 600 & wait`)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := Run(ctx, o)
		done <- err
	}()
	must(t, poll(t.Context(), settle, func() (bool, error) { return exists(filepath.Join(o.Home, "up")), nil }))
	cancel()
	if err := <-done; err == nil {
		t.Error("a cancelled run has a result")
	}
	noneNames(t, o.Client)
}

// When the test dies, its end of the pipe closes; that must take the client along.
func TestInsideEndsWithItsParent(t *testing.T) {
	o := standIn(t, `echo up > "$HOME/up"; sleep 600 & wait`)
	file := filepath.Join(o.Out, "spec.json")
	must(t, os.MkdirAll(o.Home, 0o700))
	must(t, writeJSONFile(file, spec{Options: o, Dir: o.Project, Key: fakeKey()}))
	cmd := exec.Command(o.Self, roleInside, file)
	isolate(cmd)
	lifeline, err := cmd.StdinPipe()
	must(t, err)
	must(t, cmd.Start())
	must(t, poll(t.Context(), settle, func() (bool, error) { return exists(filepath.Join(o.Home, "up")), nil }))
	must(t, lifeline.Close())
	if err := cmd.Wait(); err == nil {
		t.Error("inside ended with 0")
	}
	noneNames(t, o.Client)
}

// noneNames waits until no process has the path among its arguments.
func noneNames(t *testing.T, path string) {
	t.Helper()
	must(t, poll(t.Context(), settle, func() (bool, error) {
		left, err := ProcessesOf(path)
		return len(left) == 0, err
	}))
}

func TestKeysDriveATerminal(t *testing.T) {
	needTmux(t)
	o := standIn(t, `echo "ready"; while read -r line; do echo "got <$line>"; [ "$line" = bye ] && exit 5; done`)
	o.Keys = filepath.Join(o.Project, "test.keys")
	must(t, os.WriteFile(o.Keys, []byte("# comment\nwait 5 ^ready\ntype one  two\nkey Enter\nwait 5 got <one  two>\n\ncalm 5\nshot mid\n"+
		"fired 5 Stop\ntype bye\nkey Enter\nexit 5\n"), 0o600))
	must(t, appendCall(o.HookLog, strings.NewReader(`{"hook_event_name":"Stop","session_id":"s"}`)))
	r, err := Run(t.Context(), o)
	must(t, err)
	if r.Exit != 5 || !strings.Contains(r.Screen, "got <bye>") {
		t.Errorf("exit %d, screen:\n%s", r.Exit, r.Screen)
	}
	mid, err := os.ReadFile(filepath.Join(o.Out, "shot.mid.txt"))
	must(t, err)
	if !strings.Contains(string(mid), "got <one  two>") || strings.Contains(string(mid), "bye") {
		t.Errorf("shot:\n%s", mid)
	}
}

func TestKeysThatFail(t *testing.T) {
	needTmux(t)
	for keys, want := range map[string]string{
		"\nwait 0 never shown":   "line 2: wait for \"never shown\": deadline passed; the screen:",
		"fired 0 Stop":           "line 1: wait for hook Stop, call 1: deadline passed",
		"exit 0":                 "line 1: wait for the program's end: deadline passed",
		"sleep 5":                "line 1: unknown word \"sleep\"",
		"wait x y":               "line 1: wait: seconds: ",
		"wait 1 (":               "line 1: error parsing regexp",
		"wait 5 up\nkey Nonsens": "", // tmux types the letters of an unknown key
	} {
		o := standIn(t, `echo up; read -r x`)
		o.Keys = filepath.Join(o.Project, "test.keys")
		must(t, os.WriteFile(o.Keys, []byte(keys+"\n"), 0o600))
		_, err := Run(t.Context(), o)
		if want == "" && err == nil {
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", keys, err, want)
		}
	}
}

func TestClientFromTheEnvironment(t *testing.T) {
	file := filepath.Join(t.TempDir(), "claude")
	t.Setenv("HOOKLINE_E2E_CLIENT", file)
	if _, err := Client(t.Context()); err == nil || !strings.Contains(err.Error(), "no Claude Code client: HOOKLINE_E2E_CLIENT: ") {
		t.Errorf("missing client: %v", err)
	}
	must(t, os.WriteFile(file, []byte("#!/bin/sh\necho '2.1.329 (Claude Code)'\n"), 0o700))
	path, err := Client(t.Context())
	if err != nil || path != file {
		t.Fatalf("%q %v", path, err)
	}
	if version, err := Version(t.Context(), path); err != nil || version != "2.1.329" {
		t.Errorf("version %q %v", version, err)
	}
}

func TestProcessesOf(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	byEnv := exec.Command("sleep", "600")
	byEnv.Env = []string{"HOOKLINE_HOME=" + state}
	byArg := exec.Command("sh", "-c", "sleep 600 & wait", filepath.Join(state, "x.sock"))
	byArg.Env = []string{"PATH=" + clientPath}
	other := exec.Command("sleep", "600")
	other.Env = []string{"HOOKLINE_HOME=" + state + "2"}
	for _, cmd := range []*exec.Cmd{byEnv, byArg, other} {
		ownGroup(cmd)
		must(t, cmd.Start())
		t.Cleanup(func() { _ = killGroup(cmd); _ = cmd.Wait() })
	}
	var pids []int
	must(t, poll(t.Context(), settle, func() (bool, error) { // between fork and exec they still look like this test
		found, err := ProcessesOf(state)
		pids = nil
		for _, p := range found {
			pids = append(pids, p.PID)
		}
		slices.Sort(pids)
		return len(pids) == 2, err
	}))
	want := []int{byEnv.Process.Pid, byArg.Process.Pid}
	slices.Sort(want)
	if !slices.Equal(pids, want) {
		t.Errorf("found %v, want %v", pids, want)
	}
}

func TestScopes(t *testing.T) {
	for scope, want := range map[Scope]string{ScopeUser: "/h/.claude/settings.json", ScopeProject: "/p/.claude/settings.json",
		ScopeLocal: "/p/.claude/settings.local.json"} {
		if got := scope.Settings("/h", "/p"); got != want {
			t.Errorf("%s: %s, want %s", scope, got, want)
		}
	}
}

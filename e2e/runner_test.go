package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"hookline/expect"
)

// Options is one run of the client.
type Options struct {
	Client string // path of the real client
	Self   string // a program that hands its arguments to Role; os.Executable() in a test
	Out    string // folder for what the run leaves behind; must exist

	Project string   // the project's folder
	Subdir  string   // launch directory below it; empty for the project itself
	Home    string   // HOME of the client, which also holds its user settings
	Args    []string // arguments of the client
	Env     []string // NAME=value pairs on top of the fixed environment
	Asks    bool     // the client asks for permission; else it is told to ask for none

	Scenario string            // scenario file
	Vars     map[string]string // values for ${NAME} in the scenario beside PROJECT and OUT
	Keys     string            // key script: the client runs interactively
	HookLog  string            // log of AddLogger, for the key script's `fired`

	Limit time.Duration // the run is killed after it; zero means one minute
}

// Result is what a run left behind. Interactive runs have a Screen and no Stdout.
type Result struct {
	Stdout, Stderr string
	Screen         string
	Debug          string // the client's own debug log
	Exit           int
	Requests       []Request
}

// spec is what the inside process is told.
type spec struct {
	Options
	Dir string
	Key string
}

// outcome is what the inside process tells.
type outcome struct {
	Exit int
}

// Run starts the client in a namespace that holds loopback only and waits for its end. A client that exits with a
// status other than 0 is a result; an error means that the harness could not do its part, or that the limit was hit.
// Runs may go on side by side; two in one Home share what the client keeps there.
func Run(ctx context.Context, o Options) (*Result, error) {
	if o.Limit == 0 {
		o.Limit = time.Minute
	}
	s := spec{Options: o, Dir: filepath.Join(o.Project, o.Subdir), Key: fakeKey()}
	if err := writeClientState(o.Home, s.Dir, s.Key); err != nil {
		return nil, err
	}
	file := filepath.Join(o.Out, "spec.json")
	if err := writeJSONFile(file, s); err != nil {
		return nil, err
	}
	if err := startInside(ctx, o, file); err != nil {
		return nil, err
	}
	return collect(o)
}

// insideGrace is what the inside process gets beyond the client's limit to stop and tidy up by itself.
const insideGrace = 10 * time.Second

// startInside runs the second half of Run. Its stdin is a pipe that nothing is written to: when this process dies, the
// pipe ends, and the other side takes that as the order to stop.
func startInside(ctx context.Context, o Options, file string) error {
	ctx, cancel := context.WithTimeout(ctx, o.Limit+insideGrace)
	defer cancel()
	cmd := exec.CommandContext(ctx, o.Self, roleInside, file)
	isolate(cmd)
	cmd.Dir = o.Out
	lifeline, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("start inside: %w", err)
	}
	defer lifeline.Close()
	cmd.Cancel = lifeline.Close     // killed outright, it would leave the client behind
	cmd.WaitDelay = 5 * time.Second // then it is killed, or its pipes closed should a child have kept them
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("run inside the namespace: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
}

func collect(o Options) (*Result, error) {
	var end outcome
	if err := readJSONFile(filepath.Join(o.Out, "outcome.json"), &end); err != nil {
		return nil, err
	}
	requests, err := readLines[Request](filepath.Join(o.Out, "requests.jsonl"))
	if err != nil {
		return nil, err
	}
	r := &Result{Exit: end.Exit, Requests: requests}
	for name, into := range map[string]*string{"stdout": &r.Stdout, "stderr": &r.Stderr, "debug.log": &r.Debug,
		"screen.txt": &r.Screen} {
		text, err := os.ReadFile(filepath.Join(o.Out, name))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("collect: %w", err)
		}
		*into = string(text)
	}
	return r, nil
}

// fakeKey has the form of a key and opens nothing. It is put together here so that no file holds one whole.
func fakeKey() string {
	return strings.Join([]string{"sk", "ant", "test", strings.Repeat("0", 40)}, "-")
}

// writeClientState answers, once per home, what the client would ask on its first start: theme, key, trust in dir.
func writeClientState(home, dir, key string) error {
	file := filepath.Join(home, ".claude.json")
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Join(home, ".claude"), 0o700); err != nil {
		return fmt.Errorf("client state: %w", err)
	}
	return writeJSONFile(file, map[string]any{
		"hasCompletedOnboarding": true, "numStartups": 5, "theme": "dark", "lastOnboardingVersion": "9.9.9",
		"bypassPermissionsModeAccepted": true,
		"customApiKeyResponses":         map[string][]string{"approved": {key[len(key)-20:]}, "rejected": {}},
		"projects": map[string]any{dir: map[string]any{"hasTrustDialogAccepted": true,
			"hasCompletedProjectOnboarding": true, "allowedTools": []string{}}},
	})
}

func writeJSONFile(file string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encode %s: %w", filepath.Base(file), err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(file), err)
	}
	return nil
}

func readJSONFile(file string, into any) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read %s: %w", filepath.Base(file), err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("parse %s: %w", filepath.Base(file), err)
	}
	return nil
}

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
		expect.Equal(t, scope.Settings("/h", "/p"), want, scope)
	}
}

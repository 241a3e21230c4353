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
	"strings"
	"testing"
	"time"
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
		return err
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
			return nil, err
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
		return err
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
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

func readJSONFile(file string, into any) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
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

// noneNames waits until no process has the path among its arguments.
func noneNames(t *testing.T, path string) {
	t.Helper()
	must(t, poll(t.Context(), settle, func() (bool, error) {
		left, err := ProcessesOf(path)
		return len(left) == 0, err
	}))
}

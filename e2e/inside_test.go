package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// clientPath is the PATH of the client: the system's tools and nothing of the user's.
const clientPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// inside is the second half of Run, in the new namespace: loopback, the API, the client, its outcome.
func inside(file string) error {
	var s spec
	if err := readJSONFile(file, &s); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.Limit)
	defer cancel()
	go func() { // ends with the process: a read of stdin cannot be called off
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	if err := loopbackUp(); err != nil {
		return err
	}
	address, stop, err := startAPI(s)
	if err != nil {
		return err
	}
	defer stop()
	exit, err := startClient(ctx, s, clientEnv(s, address))
	if err != nil {
		return err
	}
	return writeJSONFile(filepath.Join(s.Out, "outcome.json"), outcome{Exit: exit})
}

// startAPI serves the scenario on a free port of loopback until stop is called.
func startAPI(s spec) (address string, stop func(), err error) {
	vars := map[string]string{"PROJECT": s.Project, "OUT": s.Out}
	for name, value := range s.Vars {
		vars[name] = value
	}
	sc, err := LoadScenario(s.Scenario, vars)
	if err != nil {
		return "", nil, err
	}
	log, err := os.Create(filepath.Join(s.Out, "requests.jsonl"))
	if err != nil {
		return "", nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, errors.Join(err, log.Close())
	}
	server := &http.Server{Handler: NewAPI(sc, log), ReadHeaderTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener) // always http.ErrServerClosed, after stop
	}()
	return listener.Addr().String(), func() {
		_ = server.Close()
		<-done
		_ = log.Close()
	}, nil
}

// clientEnv is the whole environment of the client. IS_SANDBOX lets root skip permissions, which is safe here: there is
// no network, and the folders are the test's own.
func clientEnv(s spec, address string) []string {
	return append([]string{
		"PATH=" + clientPath, "HOME=" + s.Home, "TERM=xterm-256color", "LANG=C.UTF-8", "SHELL=/bin/sh",
		"ANTHROPIC_API_KEY=" + s.Key, "ANTHROPIC_BASE_URL=http://" + address, "IS_SANDBOX=1",
		"DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
	}, s.Env...)
}

func startClient(ctx context.Context, s spec, env []string) (exit int, err error) {
	args := append([]string{"--debug-file", filepath.Join(s.Out, "debug.log")}, s.Args...)
	if s.Keys != "" {
		return interact(ctx, s, env, args)
	}
	cmd := exec.CommandContext(ctx, s.Client, args...)
	ownGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd) }
	cmd.WaitDelay = time.Second
	cmd.Dir, cmd.Env = s.Dir, env
	for name, stream := range map[string]*io.Writer{"stdout": &cmd.Stdout, "stderr": &cmd.Stderr} {
		f, err := os.Create(filepath.Join(s.Out, name))
		if err != nil {
			return 0, err
		}
		defer f.Close()
		*stream = f
	}
	err = cmd.Run()
	if ctx.Err() != nil {
		return 0, fmt.Errorf("the client did not end within %s", s.Limit)
	}
	var status *exec.ExitError
	if err != nil && !errors.As(err, &status) {
		return 0, err
	}
	return cmd.ProcessState.ExitCode(), nil
}

// pollStep is short against every deadline here and long against a look at a file or a screen.
const pollStep = 20 * time.Millisecond

// errDeadline is poll's end without success.
var errDeadline = errors.New("deadline passed")

// poll looks until done says yes, fails, or the limit passes.
func poll(ctx context.Context, limit time.Duration, done func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(pollStep)
	defer tick.Stop()
	for {
		ok, err := done()
		if ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return errDeadline
		case <-tick.C:
		}
	}
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// home is one throw-away installation: a home folder, a project with git, and at most one daemon.
type home struct {
	*bench
	state   string // HOOKLINE_HOME
	project string
	session string
	env     []string
}

// newHome makes an empty home whose hooks belong to one session.
func (b *bench) newHome() *home {
	root := must(os.MkdirTemp(b.temp, "home-"))
	h := &home{bench: b, state: filepath.Join(root, "state"), project: filepath.Join(root, "project"), session: newSession()}
	check(os.Mkdir(h.state, 0o700))
	h.env = []string{"HOME=" + root, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + b.temp, "HOOKLINE_SECOND=" + b.temp, "HOOKLINE_HOME=" + h.state,
		"CLAUDE_CODE_SESSION_ID=" + h.session, "CLAUDE_PROJECT_DIR=" + h.project, "CLAUDE_PID=" + strconv.Itoa(os.Getpid())}
	check(exec.CommandContext(b.ctx, "git", "init", "-q", h.project).Run())
	h.age()
	b.homes = append(b.homes, h)
	return h
}

// age waits until the project's files have some age: a file that was written this moment is looked at anew by every
// hook for two seconds, since its time proves nothing yet, and the first figures would be of that.
func (h *home) age() { rest(h.ctx, 3*time.Second) }

// running returns a home with a daemon and a session that has begun.
func (b *bench) running() *home {
	h := b.newHome()
	h.run("hookctl", "start")
	h.hook("SessionStart", h.sessionStart())
	return h
}

// outcome is a process that ended: its time from fork to exit in milliseconds, and what it printed.
type outcome struct {
	wall   float64
	stdout string
}

// says ends the run unless a program printed certain words.
func (o outcome) says(words string) outcome {
	if !strings.Contains(o.stdout, words) {
		check(fmt.Errorf("%q is not in %q", words, o.stdout))
	}
	return o
}

// trouble is what a hook says of trouble of ours; a warning about the identity (an edit repeated a hundred times has one) is none.
var trouble = regexp.MustCompile(`"systemMessage":"hookline: (?:[^I]|I[^C])`)

// try runs a process in this home to its end. An exit other than 0 is an error, and of a process with input, which is a
// hook, any words about trouble: a hook exits with 0 then too.
func (h *home) try(cmd *exec.Cmd, stdin []byte) (outcome, error) {
	cmd.Env = h.env
	cmd.Dir = h.project
	cmd.Stdin = bytes.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout = &stdout
	cmd.Stderr = &stderr

	begin := time.Now()
	err := cmd.Run()
	o := outcome{since(begin), stdout.String()}
	if err == nil && stdin != nil && (stderr.Len() > 0 || trouble.MatchString(o.stdout)) {
		err = errors.New("trouble")
	}
	if err != nil {
		err = fmt.Errorf("%q: %w, stdout %q, stderr %q", cmd.Args, err, o.stdout, stderr.Bytes())
	}
	return o, err
}

// timed runs a process that must not fail.
func (h *home) timed(cmd *exec.Cmd, stdin []byte) outcome { return must(h.try(cmd, stdin)) }

// command is one of the binaries under test.
func (h *home) command(name string, args ...string) *exec.Cmd {
	return exec.CommandContext(h.ctx, filepath.Join(h.bin, name), args...)
}

// run runs one of the binaries.
func (h *home) run(name string, args ...string) outcome {
	return h.timed(h.command(name, args...), nil)
}

// hook runs the process of one hook.
func (h *home) hook(event string, body []byte) outcome {
	return h.timed(h.command("hookctl", "hook", event), body)
}

// send runs the process of a tool's hook, which may fail.
func (h *home) send(body []byte) error {
	_, err := h.try(h.command("hookctl", "hook", "PostToolUse"), body)
	return err
}

// tool runs the process of a hook of the n-th tool call, with 2 KB.
func (h *home) tool(n int) float64 { return h.hook("PostToolUse", h.testRun(n)).wall }

// empty runs the process to compare with, in the same surroundings.
func (h *home) empty(int) float64 {
	return h.timed(exec.CommandContext(h.ctx, filepath.Join(h.temp, "empty")), nil).wall
}

// status is what the measures read of `hookctl status --json`.
type status struct {
	PID  int                   `json:"pid"`
	Live []struct{ ID string } `json:"live"`
}

func (h *home) status() (s status) {
	check(json.Unmarshal([]byte(h.run("hookctl", "status", "--json").stdout), &s))
	return s
}

// stop ends the daemon in order; it is gone then.
func (h *home) stop() { h.run("hookctl", "stop") }

// kill ends the daemon without a chance to write anything.
func (h *home) kill() {
	check(must(os.FindProcess(h.status().PID)).Kill())
}

func rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
		check(ctx.Err())
	case <-time.After(d):
	}
}

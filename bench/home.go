package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/gofrs/flock"
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
	check(os.Mkdir(h.project, 0o700))
	h.env = []string{"HOME=" + root, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + b.temp, "HOOKLINE_SECOND=" + b.temp, "HOOKLINE_HOME=" + h.state,
		"CLAUDE_CODE_SESSION_ID=" + h.session, "CLAUDE_PROJECT_DIR=" + h.project, "CLAUDE_PID=" + strconv.Itoa(os.Getpid())}
	must(h.timed(exec.CommandContext(b.ctx, "git", "init", "-q"), nil))
	h.age()
	b.homes = append(b.homes, h)
	return h
}

// age makes the project an hour old: the files of one that was made this moment are looked at anew by every hook for
// two seconds, since their times prove nothing yet, and the first figures would be of that.
func (h *home) age() {
	old := time.Now().Add(-time.Hour)
	check(filepath.WalkDir(h.project, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, old, old)
	}))
}

// running returns a home with a daemon and a session that has begun.
func (b *bench) running() *home {
	h := b.newHome()
	h.run("hookctl", "start")
	h.hook("SessionStart", h.sessionStart())
	return h
}

// outcome is a process that ended: its time from fork to exit, and what it printed.
type outcome struct {
	wall   time.Duration
	stdout []byte
}

// trouble is what a hook says of trouble of ours; a warning about the identity (an edit repeated a hundred times has one) is none.
var trouble = regexp.MustCompile(`"systemMessage":"hookline: (?:[^I]|I[^C])`)

// timed runs a process in this home to its end. An exit other than 0 is an error, and of a process with input, which is a
// hook, any words about trouble: a hook exits with 0 then too.
func (h *home) timed(cmd *exec.Cmd, stdin []byte) (outcome, error) {
	cmd.Env = h.env
	cmd.Dir = h.project
	cmd.Stdin = bytes.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout = &stdout
	cmd.Stderr = &stderr

	begin := time.Now()
	err := cmd.Run()
	o := outcome{time.Since(begin), stdout.Bytes()}
	if err == nil && stdin != nil && (stderr.Len() > 0 || trouble.Match(o.stdout)) {
		err = errors.New("trouble")
	}
	if err != nil {
		err = fmt.Errorf("%q: %w after %s, stdout %q, stderr %q", cmd.Args, err, o.wall, o.stdout, stderr.Bytes())
	}
	return o, err
}

// command is one of the binaries under test.
func (h *home) command(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(h.ctx, filepath.Join(h.bin, name), args...)
	cmd.Env = h.env
	return cmd
}

// run runs one of the binaries.
func (h *home) run(name string, args ...string) outcome {
	return must(h.timed(h.command(name, args...), nil))
}

// tryHook runs the process of one hook.
func (h *home) tryHook(event string, body []byte) (outcome, error) {
	return h.timed(h.command("hookctl", "hook", event), body)
}

// hook runs the process of one hook, which must not fail.
func (h *home) hook(event string, body []byte) outcome {
	return must(h.tryHook(event, body))
}

// empty runs the process to compare with, in the same surroundings.
func (h *home) empty() time.Duration {
	return must(h.timed(exec.CommandContext(h.ctx, filepath.Join(h.temp, "empty")), nil)).wall
}

// status is what the measures read of `hookctl status --json`.
type status struct {
	PID  int                   `json:"pid"` // 0 when no daemon runs
	Live []struct{ ID string } `json:"live"`
}

func (h *home) status() status {
	var s status
	check(json.Unmarshal(h.run("hookctl", "status", "--json").stdout, &s))
	return s
}

// stop ends the daemon in order.
func (h *home) stop() {
	h.run("hookctl", "stop")
	h.until("the daemon's end", h.gone)
}

// kill ends the daemon without a chance to write anything.
func (h *home) kill() {
	check(must(os.FindProcess(h.status().PID)).Kill())
}

// gone reports that no process serves this home: a daemon holds the spawn lock for as long as it lives.
func (h *home) gone() bool {
	lock := flock.New(filepath.Join(h.state, "spawn.lock"))
	free, err := lock.TryLock()
	return err == nil && free && lock.Unlock() == nil
}

// until polls a condition for twenty seconds.
func (h *home) until(what string, done func() bool) {
	deadline := time.Now().Add(20 * time.Second)
	for !done() {
		if time.Now().After(deadline) {
			check(errors.New("waited in vain for " + what))
		}
		rest(h.ctx, 5*time.Millisecond)
	}
}

func rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
		check(ctx.Err())
	case <-time.After(d):
	}
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/gofrs/flock"
)

// home is one throw-away installation: a home folder, a project with git, and at most one daemon.
type home struct {
	bench   *bench
	state   string // HOOKLINE_HOME
	project string
	session string
	env     []string
}

// newHome makes an empty home whose hooks belong to one session.
func (b *bench) newHome() (*home, error) {
	root, err := os.MkdirTemp(b.temp, "home-")
	if err != nil {
		return nil, err
	}
	h := &home{bench: b, state: filepath.Join(root, "state"), project: filepath.Join(root, "project"), session: newSession()}
	err = errors.Join(os.Mkdir(h.state, 0o700), os.Mkdir(h.project, 0o700))
	h.env = []string{"HOME=" + root, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + b.temp, "HOOKLINE_SECOND=" + b.temp, "HOOKLINE_HOME=" + h.state,
		"CLAUDE_CODE_SESSION_ID=" + h.session, "CLAUDE_PROJECT_DIR=" + h.project, "CLAUDE_PID=" + strconv.Itoa(os.Getpid())}
	git := exec.Command("git", "init", "-q")
	git.Dir = h.project
	git.Env = h.env
	_ = git.Run() // without git the project is a plain folder

	b.homes = append(b.homes, h)
	return h, errors.Join(err, h.age())
}

// age makes the project an hour old: the files of one that was made this moment are looked at anew by every hook for
// two seconds, since their times prove nothing yet, and the first figures would be of that.
func (h *home) age() error {
	old := time.Now().Add(-time.Hour)
	return filepath.WalkDir(h.project, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(path, old, old))
	})
}

// running returns a home with a daemon and a session that has begun.
func (b *bench) running(ctx context.Context) (*home, error) {
	h, err := b.newHome()
	if err != nil {
		return nil, err
	}
	if _, err := h.run(ctx, "hookctl", "start"); err != nil {
		return nil, err
	}
	_, err = h.hook("SessionStart", h.sessionStart()).timed(ctx)
	return h, err
}

// hook is the process of one hook.
func (h *home) hook(event string, body []byte) program {
	p := h.program("hookctl", "hook", event)
	p.stdin = body
	return p
}

// program is one of the binaries under test in this home.
func (h *home) program(name string, args ...string) program {
	return program{path: filepath.Join(h.bench.bin, name), args: args, env: h.env, dir: h.project}
}

// run runs one of the binaries and gives its wall time.
func (h *home) run(ctx context.Context, name string, args ...string) (time.Duration, error) {
	o, err := h.program(name, args...).run(ctx)
	return o.wall, err
}

// empty is the process to compare with, in the same surroundings.
func (h *home) empty(ctx context.Context) func(int) (time.Duration, error) {
	p := program{path: h.bench.empty, env: h.env, dir: h.project}
	return func(int) (time.Duration, error) { return p.timed(ctx) }
}

// status is what the measures read of `hookctl status --json`.
type status struct {
	PID   int                            `json:"pid"` // 0 when no daemon runs
	Spool int                            `json:"spool"`
	Hooks map[string]struct{ Count int } `json:"hooks"`
}

func (h *home) status(ctx context.Context) (status, error) {
	var s status
	o, err := h.program("hookctl", "status", "--json").run(ctx)
	if err == nil {
		err = json.Unmarshal(o.stdout, &s)
	}
	return s, err
}

// recorded checks that hooks are in the log or in the spool, by their names: a hook that was not recorded must not
// count as a fast one. A client that gave up waiting for the answer left its frame to `hookd deliver`, which may still
// be busy with it, so a few seconds are given.
func (h *home) recorded(ctx context.Context, sent map[string]int) error {
	return until(ctx, 5*time.Second, fmt.Sprintf("%v to be recorded", sent), func() bool {
		s, err := h.status(ctx)
		missing := 0
		for name, n := range sent {
			missing += max(0, n-s.Hooks[name].Count)
		}
		return err == nil && missing <= s.Spool
	})
}

// stop ends the daemon in order; without one it does nothing.
func (h *home) stop(ctx context.Context) error {
	_, err := h.run(ctx, "hookctl", "stop")
	return errors.Join(err, until(ctx, 20*time.Second, "the daemon's end", h.gone))
}

// kill ends the daemon without a chance to write anything.
func (h *home) kill(ctx context.Context) error {
	s, err := h.status(ctx)
	if err != nil {
		return err
	}
	p, err := os.FindProcess(s.PID)
	if err != nil {
		return err
	}
	return p.Kill()
}

// gone tells that no process serves this home: a daemon holds the spawn lock for as long as it lives.
func (h *home) gone() bool {
	lock := flock.New(filepath.Join(h.state, "spawn.lock"))
	free, err := lock.TryLock()
	return err == nil && free && lock.Unlock() == nil
}

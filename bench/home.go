package main

import (
	"encoding/json"
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
	git := exec.Command("git", "init", "-q")
	git.Dir = h.project
	git.Env = h.env
	_ = git.Run() // without git the project is a plain folder
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

// program is one of the binaries under test in this home.
func (h *home) program(name string, args ...string) program {
	return program{path: filepath.Join(h.bin, name), args: args, env: h.env, dir: h.project}
}

// run runs one of the binaries and gives its wall time.
func (h *home) run(name string, args ...string) time.Duration {
	return must(h.program(name, args...).run(h.ctx)).wall
}

// hookProgram is the process of one hook.
func (h *home) hookProgram(event string, body []byte) program {
	p := h.program("hookctl", "hook", event)
	p.stdin = body
	return p
}

// hook runs it.
func (h *home) hook(event string, body []byte) outcome {
	return must(h.hookProgram(event, body).run(h.ctx))
}

// empty runs the process to compare with, in the same surroundings.
func (h *home) empty() time.Duration {
	return must(program{path: filepath.Join(h.temp, "empty"), env: h.env, dir: h.project}.run(h.ctx)).wall
}

// status is what the measures read of `hookctl status --json`.
type status struct {
	PID   int                            `json:"pid"` // 0 when no daemon runs
	Spool int                            `json:"spool"`
	Live  []struct{ ID string }          `json:"live"`
	Hooks map[string]struct{ Count int } `json:"hooks"`
}

func (h *home) status() status {
	var s status
	check(json.Unmarshal(must(h.program("hookctl", "status", "--json").run(h.ctx)).stdout, &s))
	return s
}

// recorded checks that hooks are in the log or in the spool, by their names: a hook that was not recorded must not
// count as a fast one. A client that gave up waiting for the answer left its frame to `hookd deliver`, which may still
// be busy with it, so a few seconds are given.
func (h *home) recorded(sent map[string]int) {
	until(h.ctx, 5*time.Second, fmt.Sprintf("%v to be recorded", sent), func() bool {
		s := h.status()
		missing := 0
		for name, n := range sent {
			missing += max(0, n-s.Hooks[name].Count)
		}
		return missing <= s.Spool
	})
}

// stop ends the daemon in order.
func (h *home) stop() {
	h.run("hookctl", "stop")
	until(h.ctx, 20*time.Second, "the daemon's end", h.gone)
}

// kill ends the daemon without a chance to write anything.
func (h *home) kill() {
	check(must(os.FindProcess(h.status().PID)).Kill())
}

// gone tells that no process serves this home: a daemon holds the spawn lock for as long as it lives.
func (h *home) gone() bool {
	lock := flock.New(filepath.Join(h.state, "spawn.lock"))
	free, err := lock.TryLock()
	return err == nil && free && lock.Unlock() == nil
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"hookline/hookctl/daemon"
	"hookline/hookctl/wire"
)

// home is one throw-away installation: a home folder, a project with git, and at most one daemon.
type home struct {
	bench   *bench
	state   string // HOOKLINE_HOME
	project string
	session string
	socket  string
	env     []string
	http    *http.Client
	child   *os.Process // the daemon, when we started it ourselves
	exited  chan struct{}
}

// newHome makes an empty home whose hooks belong to one session.
func (b *bench) newHome(name string) (*home, error) {
	h := &home{bench: b, state: filepath.Join(b.temp, name, "state"), project: filepath.Join(b.temp, name, "project"), session: newSession()}
	for _, dir := range []string{h.state, h.project} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	h.env = []string{"HOME=" + filepath.Join(b.temp, name), "PATH=" + os.Getenv("PATH"), "TMPDIR=" + b.temp, "HOOKLINE_SECOND=" + b.temp, "HOOKLINE_HOME=" + h.state,
		"CLAUDE_CODE_SESSION_ID=" + h.session, "CLAUDE_PROJECT_DIR=" + h.project, "CLAUDE_PID=" + strconv.Itoa(os.Getpid())}
	git := exec.Command("git", "init", "-q")
	git.Dir, git.Env = h.project, h.env
	_ = git.Run() // without git the project is a plain folder
	h.socket = wire.Socket(h.getenv)
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", h.socket)
	}
	h.http = &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}, Timeout: 10 * time.Second}
	b.homes = append(b.homes, h)
	return h, nil
}

func (h *home) getenv(name string) string {
	for _, kv := range h.env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}

// hook is the process of one hook.
func (h *home) hook(event string, body []byte) program {
	return program{path: h.bench.hookctl, args: []string{"hook", event}, env: h.env, dir: h.project, stdin: body}
}

// emptyProgram is the process to compare with, in the same surroundings.
func (h *home) emptyProgram() program {
	return program{path: h.bench.empty, env: h.env, dir: h.project}
}

// running gives a home with a daemon and a session that has begun.
func (b *bench) running(ctx context.Context, name string) (*home, error) {
	h, err := b.newHome(name)
	if err != nil {
		return nil, err
	}
	if err := h.start(ctx); err != nil {
		return nil, err
	}
	_, err = h.hook("SessionStart", h.sessionStart()).timed(ctx)
	return h, err
}

// start runs the daemon as a child and waits for its socket.
func (h *home) start(ctx context.Context) error {
	log, err := os.OpenFile(filepath.Join(h.state, "hookd.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	h.child, err = os.StartProcess(h.bench.hookd, []string{h.bench.hookd, "serve"}, &os.ProcAttr{Dir: h.state, Env: h.env, Files: []*os.File{nil, log, log}})
	if err != nil {
		return err
	}
	h.exited = make(chan struct{})
	go func(p *os.Process, exited chan struct{}) { _, _ = p.Wait(); close(exited) }(h.child, h.exited)
	return until(ctx, 20*time.Second, "the daemon to open its socket", func() bool { return wire.Alive(h.socket, time.Now().Add(time.Second)) })
}

// status asks the daemon.
func (h *home) status() (daemon.Status, error) {
	var s daemon.Status
	resp, err := h.http.Get("http://hookline/v1/status")
	if err != nil {
		return s, err
	}
	defer resp.Body.Close()
	return s, json.NewDecoder(resp.Body).Decode(&s)
}

// recorded checks that n hooks of a kind are in the log or in the spool: a hook that was not recorded
// must not count as a fast one. It tells how many were late: the client gave up waiting for the answer
// and left the frame to `hookd deliver`, which may still be busy with it, so a few seconds are given.
func (h *home) recorded(ctx context.Context, hook string, n int) (late, error) {
	var s daemon.Status
	var err error
	there := func() bool {
		s, err = h.status()
		return err == nil && s.Hooks[hook].Count+s.Spool >= n
	}
	if waited := until(ctx, 5*time.Second, "the last hooks", there); waited != nil {
		return 0, fmt.Errorf("%d hooks %s were sent, %d recorded, %d are in the spool (%w)", n, hook, s.Hooks[hook].Count, s.Spool, errors.Join(err, waited))
	}
	return late(s.Hooks[hook].Count - n + s.Spool), nil
}

// late is a number of hooks that were answered without the daemon.
type late int

// note is what the table says of them: nothing where there are none.
func (n late) note() string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; %d were late and went through the spool", int(n))
}

// stop ends the daemon in order, and by its pid when it does not end; it returns when the process is
// gone. Without a daemon it does nothing.
func (h *home) stop() {
	s, err := h.status()
	if err != nil && h.child == nil {
		return
	}
	if resp, err := h.http.Post("http://hookline/v1/stop", "", nil); err == nil {
		resp.Body.Close()
	}
	if until(context.Background(), 15*time.Second, "", h.gone) == nil {
		h.child = nil
		return
	}
	h.bench.say("the daemon did not stop; it is killed")
	switch {
	case h.child != nil:
		_ = h.child.Kill()
		<-h.exited
		h.child = nil
	case s.PID != nil:
		if p, err := os.FindProcess(*s.PID); err == nil {
			_ = p.Kill()
		}
	}
}

// gone tells that no process serves this home: our child was waited for, and one that a hook started
// holds the spawn lock for as long as it lives.
func (h *home) gone() bool {
	if h.child != nil {
		select {
		case <-h.exited:
			return true
		default:
			return false
		}
	}
	lock := flock.New(filepath.Join(h.state, "spawn.lock"))
	free, err := lock.TryLock()
	if err != nil || !free {
		return false
	}
	return lock.Unlock() == nil
}

// until polls a condition.
func until(ctx context.Context, limit time.Duration, what string, done func() bool) error {
	deadline := time.Now().Add(limit)
	for !done() {
		if time.Now().After(deadline) {
			return errors.New("waited in vain for " + what)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(2 * time.Millisecond):
		}
	}
	return nil
}

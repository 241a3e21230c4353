//go:build unix

package client

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hookline/embedded"
	"hookline/expect"
	"hookline/hookctl/home"
	"hookline/hookctl/home/hometest"
	"hookline/hookctl/problem"
)

// The processes that [home.Paths.StartDaemon] starts are this test binary; they take their part before any test runs.
var _ = hometest.Act(nil)

// A daemon that was stopped accepts connections and never answers: people's commands say so.
func TestConnectDaemonStopped(t *testing.T) {
	p := hometest.Home(t, "none")
	l, err := net.Listen("unix", p.Socket)
	expect.OK(t, err)
	defer l.Close()
	for _, start := range []bool{false, true} {
		_, err = Connect(context.Background(), Options{Start: start, Answer: 30 * time.Millisecond})
		var p *problem.Error
		if !errors.As(err, &p) || p.Message != "the daemon (process 0) does not answer within 30ms" || !strings.HasPrefix(p.Hint, "it may be stopped") {
			t.Errorf("%t: %v", start, err)
		}
	}
}

// A daemon that ends between its accepting a connection and its answer does not run, and is no trouble.
func TestConnectDaemonEnding(t *testing.T) {
	p := hometest.Home(t, "none")
	l := expect.Value(net.Listen("unix", p.Socket))(t)
	defer l.Close()
	go func() {
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			c.Close()
		}
	}()
	if _, err := Connect(t.Context(), Options{Answer: 30 * time.Second}); !errors.Is(err, ErrNotRunning) {
		t.Errorf("%v, want ErrNotRunning", err)
	}
}

// That the log is the reason is told by exit code and hint, at the first try and at one that is too early for another start.
func TestStartOnDamagedLog(t *testing.T) {
	p := hometest.Home(t, "gone")
	for _, message := range []string{"start the daemon: the log is damaged: its files are gone",
		"start the daemon: the daemon failed to start a moment ago: the log is damaged: its files are gone"} {
		_, err := startAndConnect(t.Context(), p, Options{Wait: 30 * time.Second})
		want := problem.Error{Message: message, Exit: 2, Status: 500,
			Hint: "`replay repair --dry-run` tells what is damaged, `replay repair --from EXPORT` restores the events of an export; hooks are kept in the spool meanwhile"}
		var got *problem.Error
		if !errors.As(err, &got) || *got != want {
			t.Errorf("%+v\nwant %+v", err, want)
		}
	}
}

// A daemon that is ending holds the lock a moment longer than it can be seen: whoever finds it taken tries again.
func TestStartBehindAnEndingDaemon(t *testing.T) {
	p := hometest.Home(t, "answer")
	lock := expect.Value(home.LockFile(p.SpawnLock))(t)
	time.AfterFunc(50*time.Millisecond, func() { lock.Close() })
	c := expect.Value(Connect(t.Context(), Options{Start: true}))(t)
	_ = c.Close()
	if n := len(hometest.Starts(p)); n != 1 {
		t.Errorf("%d daemons were started: %v", n, hometest.Starts(p))
	}
}

// A daemon that folds a long log says how far it has come: that is no daemon that does not answer.
func TestConnectDaemonReading(t *testing.T) {
	p := hometest.Home(t, "none")
	s, err := embedded.Open(t.Context(), embedded.Options{Dir: filepath.Join(p.Home, "store"), Holder: "hookd 1.0"})
	expect.OK(t, err)
	defer s.Close(context.Background())

	starting, err := home.LockFile(p.SpawnLock)
	expect.OK(t, err)
	defer starting.Close()
	expect.OK(t, s.Doing("reading the log (5 of 9)"))
	_, err = startAndConnect(t.Context(), p, Options{Wait: 30 * time.Millisecond})
	if err == nil || !strings.HasSuffix(err.Error(), ") is reading the log (5 of 9)") {
		t.Error(err)
	}
}

//go:build unix

package daemon

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hookline/expect"
	"hookline/hookctl/api"
	"hookline/hookctl/client"
	"hookline/hookctl/home"
	"hookline/hookctl/home/hometest"
)

// standing is a listener of a home with a lock, which answers 200 to everything. Only the test has it ensured.
func standing(t *testing.T) (*listener, *bytes.Buffer) {
	t.Helper()
	dir := hometest.SocketDir(t)
	p := home.Paths{Home: filepath.Join(dir, "home"), Socket: filepath.Join(dir, "s"), Lock: filepath.Join(dir, "home", "hookd.lock")}
	expect.OK(t, errors.Join(os.Mkdir(p.Home, 0o700), os.WriteFile(p.Lock, nil, 0o600)))
	var log bytes.Buffer
	srv := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	l := expect.Value(openListener(p, srv, slog.New(slog.NewTextHandler(&log, nil))))(t)
	t.Cleanup(func() { srv.Close() })
	return l, &log
}

func served(ctx context.Context, socket string) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c := client.Over(socket)
	defer func() { _ = c.Close() }()
	_, err := api.Alive.Call(ctx, c, api.None{})
	return err == nil
}

func (l *listener) answers(t *testing.T) bool {
	t.Helper()
	return served(t.Context(), l.paths.Socket)
}

// A socket that was removed, or is a dead daemon's, is opened again, for this user alone.
func TestListenerOpensAgain(t *testing.T) {
	l, log := standing(t)
	expect.OK(t, errors.Join(os.Remove(l.paths.Socket), stale(l.paths.Socket)))
	if l.answers(t) {
		t.Error("it still answers")
	}
	l.ensure()
	file := expect.Value(os.Stat(l.paths.Socket))(t)
	folder := expect.Value(os.Stat(filepath.Dir(l.paths.Socket)))(t)
	if !l.answers(t) || !strings.Contains(log.String(), "the socket was removed and is open again") || file.Mode().Perm() != 0o600 || folder.Mode().Perm() != 0o700 {
		t.Errorf("%s; socket %s, folder %s", log, file.Mode(), folder.Mode())
	}
	if l.remove(); l.answers(t) {
		t.Error("it is not shut")
	}
}

// What another daemon serves is not taken from it, and not removed at the end.
func TestListenerLeavesAnothersSocket(t *testing.T) {
	l, log := standing(t)
	expect.OK(t, os.Remove(l.paths.Socket))
	other := expect.Value(net.Listen("unix", l.paths.Socket))(t)
	defer other.Close()
	l.ensure()
	l.ensure()
	expect.Equal(t, strings.Count(log.String(), "another process listens on "+l.paths.Socket), 1, "told", "times", log)
	if l.remove(); !home.Serves(l.paths.Socket, "", time.Now().Add(patience)) {
		t.Error("the other's socket is gone")
	}
}

// A daemon whose home is gone must not take hooks into files that nobody will find.
func TestListenerStaysShutWithoutItsHome(t *testing.T) {
	l, log := standing(t)
	expect.OK(t, errors.Join(os.Remove(l.paths.Socket), os.RemoveAll(l.paths.Home)))
	l.ensure()
	if l.answers(t) || !strings.Contains(log.String(), "was removed under this daemon") {
		t.Errorf("it opened; %s", log)
	}
}

// Where the socket's folder cannot be had, as when a login's runtime folder ends with it or is another user's, the
// socket is in the home; from the home a link leads to it wherever it is.
func TestListenerMovesHome(t *testing.T) {
	l, log := standing(t)
	l.paths.Link = filepath.Join(l.paths.Home, "hookd.sock")
	l.paths.Near = l.paths.Link
	l.ensure()
	if to, err := os.Readlink(l.paths.Link); err != nil || to != l.paths.Socket {
		t.Fatalf("the link leads to %q, %v; want %q", to, err, l.paths.Socket)
	}
	caller := home.Paths{Home: l.paths.Home, Socket: filepath.Join(l.paths.Home, "none.sock")}
	if !caller.Reach(patience) || caller.Socket != l.paths.Socket {
		t.Errorf("a caller with another environment has %q", caller.Socket)
	}
	l.paths.Socket = filepath.Join(l.paths.Lock, "s") // a file is in the way
	expect.OK(t, os.Remove(l.path()))
	l.ensure()
	if l.path() != l.paths.Near || !served(t.Context(), l.paths.Near) || !strings.Contains(log.String(), "the socket is opened in the home instead") {
		t.Errorf("no answer at %q; %s", l.path(), log)
	}
	if caller = l.paths; !caller.Reach(patience) || caller.Socket != l.paths.Near {
		t.Errorf("a caller with the daemon's environment has %q", caller.Socket)
	}
	l.ensure()
	l.remove()
	if _, err := os.Lstat(l.paths.Link); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is left: %v", l.paths.Link, err)
	}
}

// stale makes a socket that nobody serves.
func stale(path string) error {
	l, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	return l.Close()
}

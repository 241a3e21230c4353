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

// standing is a door of a home with a lock, which answers 200 to everything. Its looks are the test's.
func standing(t *testing.T) (*door, *bytes.Buffer) {
	t.Helper()
	dir := hometest.SocketDir(t)
	p := home.Paths{Home: filepath.Join(dir, "home"), Socket: filepath.Join(dir, "s"), Lock: filepath.Join(dir, "home", "hookd.lock")}
	expect.OK(t, errors.Join(os.Mkdir(p.Home, 0o700), os.WriteFile(p.Lock, nil, 0o600)))
	var log bytes.Buffer
	srv := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	d := expect.Value(openDoor(p, srv, slog.New(slog.NewTextHandler(&log, nil))))(t)
	t.Cleanup(func() { srv.Close() })
	return d, &log
}

func served(ctx context.Context, socket string) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c := client.Over(socket)
	defer func() { _ = c.Close() }()
	_, err := api.Alive.Call(ctx, c, api.None{})
	return err == nil
}

func (d *door) answers(t *testing.T) bool {
	t.Helper()
	return served(t.Context(), d.paths.Socket)
}

// A socket that was removed, or is a dead daemon's, is opened again, for this user alone.
func TestDoorOpensAgain(t *testing.T) {
	d, log := standing(t)
	expect.OK(t, errors.Join(os.Remove(d.paths.Socket), stale(d.paths.Socket)))
	if d.answers(t) {
		t.Error("it still answers")
	}
	d.look()
	file := expect.Value(os.Stat(d.paths.Socket))(t)
	folder := expect.Value(os.Stat(filepath.Dir(d.paths.Socket)))(t)
	if !d.answers(t) || !strings.Contains(log.String(), "the socket was removed and is open again") || file.Mode().Perm() != 0o600 || folder.Mode().Perm() != 0o700 {
		t.Errorf("%s; socket %s, folder %s", log, file.Mode(), folder.Mode())
	}
	if d.shut(); d.answers(t) {
		t.Error("it is not shut")
	}
}

// What another daemon serves is not taken from it, and not removed at the end.
func TestDoorLeavesAnothersSocket(t *testing.T) {
	d, log := standing(t)
	expect.OK(t, os.Remove(d.paths.Socket))
	other := expect.Value(net.Listen("unix", d.paths.Socket))(t)
	defer other.Close()
	d.look()
	d.look()
	expect.Equal(t, strings.Count(log.String(), "another process listens on "+d.paths.Socket), 1, "told", "times", log)
	if d.shut(); !home.Serves(d.paths.Socket, "", time.Now().Add(patience)) {
		t.Error("the other's socket is gone")
	}
}

// A daemon whose home is gone must not take hooks into files that nobody will find.
func TestDoorStaysShutWithoutItsHome(t *testing.T) {
	d, log := standing(t)
	expect.OK(t, errors.Join(os.Remove(d.paths.Socket), os.RemoveAll(d.paths.Home)))
	d.look()
	if d.answers(t) || !strings.Contains(log.String(), "was removed under this daemon") {
		t.Errorf("it opened; %s", log)
	}
}

// Where the socket's folder cannot be had, as when a login's runtime folder ends with it or is another user's, the
// door is in the home; from the home a link leads to it wherever it is.
func TestDoorMovesHome(t *testing.T) {
	d, log := standing(t)
	d.paths.Link = filepath.Join(d.paths.Home, "hookd.sock")
	d.paths.Near = d.paths.Link
	d.look()
	if to, err := os.Readlink(d.paths.Link); err != nil || to != d.paths.Socket {
		t.Fatalf("the link leads to %q, %v; want %q", to, err, d.paths.Socket)
	}
	caller := home.Paths{Home: d.paths.Home, Socket: filepath.Join(d.paths.Home, "none.sock")}
	if !caller.Reach(patience) || caller.Socket != d.paths.Socket {
		t.Errorf("a caller with another environment has %q", caller.Socket)
	}
	d.paths.Socket = filepath.Join(d.paths.Lock, "s") // a file is in the way
	expect.OK(t, os.Remove(d.path()))
	d.look()
	if d.path() != d.paths.Near || !served(t.Context(), d.paths.Near) || !strings.Contains(log.String(), "the socket is opened in the home instead") {
		t.Errorf("no answer at %q; %s", d.path(), log)
	}
	if caller = d.paths; !caller.Reach(patience) || caller.Socket != d.paths.Near {
		t.Errorf("a caller with the daemon's environment has %q", caller.Socket)
	}
	d.look()
	d.shut()
	if _, err := os.Lstat(d.paths.Link); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is left: %v", d.paths.Link, err)
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

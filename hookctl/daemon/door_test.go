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
	return c.Get(ctx, "/v1/status", nil, nil) == nil
}

func (d *door) answers(t *testing.T) bool {
	t.Helper()
	return served(t.Context(), d.paths.Socket)
}

func TestDoorOpensAgain(t *testing.T) {
	for name, spoil := range map[string]func(socket string) error{
		"removed":         os.Remove,
		"a dead daemon's": func(s string) error { return errors.Join(os.Remove(s), stale(s)) },
	} {
		d, log := standing(t)
		if err := spoil(d.paths.Socket); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d.answers(t) {
			t.Errorf("%s: it still answers", name)
		}
		d.look()
		if !d.answers(t) || !strings.Contains(log.String(), "the socket was removed and is open again") {
			t.Errorf("%s: no answer; %s", name, log)
		}
		if d.shut(); d.answers(t) {
			t.Errorf("%s: it is not shut", name)
		}
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

// The socket is ours alone. What a daemon of this home has left is no obstacle; whatever else is there stays, and the
// daemon listens in the home.
func TestListen(t *testing.T) {
	for name, c := range map[string]struct {
		make  func(path string) error
		left  bool // the home's link leads there
		taken bool
	}{
		"nothing":                {func(string) error { return nil }, false, true},
		"a stale one of ours":    {stale, true, true},
		"a stale one of another": {stale, false, false},
		"a file":                 {func(path string) error { return os.WriteFile(path, []byte("kept"), 0o600) }, true, false},
	} {
		dir := hometest.SocketDir(t)
		p := home.Paths{Home: filepath.Join(dir, "home"), Socket: filepath.Join(dir, "run", "s.sock")}
		p.Link = filepath.Join(p.Home, "hookd.sock")
		p.Near, p.Lock = p.Link, filepath.Join(p.Home, "hookd.lock")
		expect.OK(t, errors.Join(home.PrivateDir(p.Home), home.PrivateDir(filepath.Dir(p.Socket)), c.make(p.Socket)))
		if c.left {
			if err := os.Symlink(p.Socket, p.Link); err != nil {
				t.Skip(err)
			}
		}
		before, _ := os.Lstat(p.Socket)
		srv := &http.Server{}
		d, err := openDoor(p, srv, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if (d.path() == p.Socket) != c.taken {
			t.Errorf("%s: the daemon listens at %s", name, d.path())
		}
		file, err := os.Stat(d.path())
		folder, err2 := os.Stat(filepath.Dir(d.path()))
		if err != nil || err2 != nil || file.Mode().Perm() != 0o600 || folder.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v %v", name, err, err2)
		}
		d.shut()
		if err := errors.Join(srv.Close(), p.ClearSockets()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		after, err := os.Lstat(p.Socket)
		if c.taken != (err != nil) || !c.taken && !os.SameFile(before, after) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

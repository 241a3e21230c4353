package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"hookline/hookctl/home"
)

// ensureEvery is how often the daemon looks whether its socket is still there. One look is 3 µs, but waking an idle
// process is most of a millisecond; a session's start waits 1.6 s for an answer.
const ensureEvery = time.Second

// listener keeps the daemon's socket open. Whatever cleans folders may remove it (of temporary files, or a
// runtime folder at the end of a login): then no client finds the daemon, while its lock keeps others
// from starting. So it is looked for, and opened again, in the home where its place is gone or another's. One
// goroutine looks; failed and path may be asked by any.
type listener struct {
	paths   home.Paths
	at      atomic.Pointer[string] // paths.Socket, or paths.Near
	log     *slog.Logger
	srv     *http.Server
	lock    fs.FileInfo  // of the home that was opened
	current net.Listener // what clients find; nil before the first
	file    fs.FileInfo  // its socket; nil where the platform has no such file
	logged  string       // the trouble that stands in the log
	failed  chan error   // why the socket no longer accepts connections
}

// openListener opens the socket of a home whose lock we hold, and serves it.
func openListener(p home.Paths, srv *http.Server, log *slog.Logger) (*listener, error) {
	l := &listener{paths: p, log: log, srv: srv, failed: make(chan error, 1)}
	l.lock, _ = os.Lstat(p.Lock)
	return l, l.open()
}

func (l *listener) open() error {
	socket := l.paths.Socket
	had := l.at.Load()
	opened, err := listenUnix(l.paths, socket, l.paths.OursToTake(socket) || had != nil && *had == socket)
	if near := l.paths.Near; err != nil && near != "" && near != socket {
		l.log.Warn("the socket is opened in the home instead", "err", err)
		socket = near
		opened, err = listenUnix(l.paths, socket, l.paths.OursToTake(socket))
	}
	if err != nil {
		return err
	}
	l.at.Store(&socket)
	l.link()
	if u, ok := opened.(*net.UnixListener); ok {
		u.SetUnlinkOnClose(false) // by then the path may be another's
	}
	if l.current != nil { // a hook that waits there unaccepted spools its frame
		_ = l.current.Close()
	}
	l.current = opened
	l.file, _ = os.Lstat(socket)
	go func() { // ends with its listener: at the end of the daemon, or when another has taken its place
		err := l.srv.Serve(opened)
		if !errors.Is(err, net.ErrClosed) && !errors.Is(err, http.ErrServerClosed) {
			l.failed <- err
		}
	}()
	return nil
}

// path returns the path of the open socket.
func (l *listener) path() string { return *l.at.Load() }

// link makes the link in the home that leads to the socket, see [wire.OtherSocket]. Where it cannot be made, callers with
// another environment spool their frames.
func (l *listener) link() {
	socket, temp := l.path(), l.paths.Link+".new"
	if to, err := os.Readlink(l.paths.Link); l.paths.Link == "" || socket == l.paths.Link || err == nil && to == socket {
		return
	}
	_ = os.Remove(temp)
	if err := os.Symlink(socket, temp); err == nil {
		_ = os.Rename(temp, l.paths.Link)
	}
}

// ensure opens the socket again when it is gone, or belongs to a process that ended; not where another daemon serves the path, or
// our home was removed too and what would be recorded in it is lost.
func (l *listener) ensure() {
	if l.file == nil || l.ours() {
		l.link()
		l.logged = ""
		return
	}
	lock, err := os.Lstat(l.paths.Lock)
	switch {
	case l.lock != nil && (err != nil || !os.SameFile(lock, l.lock)):
		err = fmt.Errorf("the home %s was removed under this daemon", l.paths.Home)
	case home.Serves(l.path(), "", time.Now().Add(time.Second)):
		err = fmt.Errorf("another process listens on %s", l.path())
	default:
		err = l.open()
	}
	if err == nil {
		l.log.Warn("the socket was removed and is open again", "socket", l.path())
	} else if l.logged != err.Error() {
		l.logged = err.Error()
		l.log.Error("the socket was removed and cannot be opened", "err", err)
	}
}

// ours reports whether the path leads to our socket. The time is compared too, since inode numbers are used again.
func (l *listener) ours() bool {
	now, err := os.Lstat(l.path())
	return err == nil && os.SameFile(now, l.file) && now.ModTime().Equal(l.file.ModTime())
}

// remove removes the socket if it is ours; connections that were made are served to their end. Nothing may call ensure any
// more.
func (l *listener) remove() {
	if l.file == nil || l.ours() {
		_ = os.Remove(l.path())
	}
	if to, err := os.Readlink(l.paths.Link); err == nil && to == l.path() {
		_ = os.Remove(l.paths.Link)
	}
}

// listenUnix opens a socket in a folder of 0700, itself 0600. What is stale of this home is removed: the lock, which we
// hold, says that there is no other daemon.
func listenUnix(p home.Paths, path string, ours bool) (net.Listener, error) {
	if err := home.PrivateDir(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("socket folder: %w", err)
	}
	if err := p.RemoveSocket(path, ours); err != nil {
		return nil, fmt.Errorf("remove stale socket: %w", err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

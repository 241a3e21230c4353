package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/mod/semver"

	"hookline/hookctl/home"
	"hookline/hookctl/safeopen"
	"hookline/hookctl/wire"
)

// lookEvery is how often the daemon looks whether its socket is still there. One look is 3 µs, but waking an idle
// process is most of a millisecond; a session's start waits 1.6 s for an answer.
const lookEvery = time.Second

// door keeps the daemon's socket open. Whatever cleans folders may remove it (of temporary files, or a
// runtime folder at the end of a login): then no client finds the daemon, while its lock keeps others
// from starting. So it is looked for, and opened again, in the home where its place is gone or another's. One
// goroutine looks; failed and path may be asked by any.
type door struct {
	paths  home.Paths
	at     atomic.Pointer[string] // paths.Socket, or paths.Near
	log    *slog.Logger
	srv    *http.Server
	lock   fs.FileInfo  // of the home that was opened
	now    net.Listener // what clients find; nil before the first
	file   fs.FileInfo  // its socket; nil where the platform has no such file
	told   string       // the trouble that stands in the log
	failed chan error   // why the socket no longer accepts connections
}

// openDoor opens the socket of a home whose lock we hold, and serves it.
func openDoor(p home.Paths, srv *http.Server, log *slog.Logger) (*door, error) {
	d := &door{paths: p, log: log, srv: srv, failed: make(chan error, 1)}
	d.lock, _ = os.Lstat(p.Lock)
	return d, d.open()
}

func (d *door) open() error {
	socket := d.paths.Socket
	had := d.at.Load()
	l, err := listen(d.paths, socket, d.paths.OursToTake(socket) || had != nil && *had == socket)
	if near := d.paths.Near; err != nil && near != "" && near != socket {
		d.log.Warn("the socket is opened in the home instead", "err", err)
		socket = near
		l, err = listen(d.paths, socket, d.paths.OursToTake(socket))
	}
	if err != nil {
		return err
	}
	d.at.Store(&socket)
	d.link()
	if u, ok := l.(*net.UnixListener); ok {
		u.SetUnlinkOnClose(false) // by then the path may be another's
	}
	if d.now != nil { // a hook that waits there unaccepted spools its frame
		_ = d.now.Close()
	}
	d.now = l
	d.file, _ = os.Lstat(socket)
	go func() { // ends with its listener: at the end of the daemon, or when another has taken its place
		err := d.srv.Serve(l)
		if !errors.Is(err, net.ErrClosed) && !errors.Is(err, http.ErrServerClosed) {
			d.failed <- err
		}
	}()
	return nil
}

// path returns the path of the open socket.
func (d *door) path() string { return *d.at.Load() }

// link makes the link in the home that leads to the socket, see [wire.OtherSocket]. Where it cannot be made, callers with
// another environment spool their frames.
func (d *door) link() {
	socket, temp := d.path(), d.paths.Link+".new"
	if to, err := os.Readlink(d.paths.Link); d.paths.Link == "" || socket == d.paths.Link || err == nil && to == socket {
		return
	}
	_ = os.Remove(temp)
	if err := os.Symlink(socket, temp); err == nil {
		_ = os.Rename(temp, d.paths.Link)
	}
}

// look opens the socket again when it is gone, or belongs to a process that ended; not where another daemon serves the path, or
// our home was removed too and what would be recorded in it is lost.
func (d *door) look() {
	if d.file == nil || d.ours() {
		d.link()
		d.told = ""
		return
	}
	lock, err := os.Lstat(d.paths.Lock)
	switch {
	case d.lock != nil && (err != nil || !os.SameFile(lock, d.lock)):
		err = fmt.Errorf("the home %s was removed under this daemon", d.paths.Home)
	case home.Serves(d.path(), "", time.Now().Add(time.Second)):
		err = fmt.Errorf("another process listens on %s", d.path())
	default:
		err = d.open()
	}
	if err == nil {
		d.log.Warn("the socket was removed and is open again", "socket", d.path())
	} else if d.told != err.Error() {
		d.told = err.Error()
		d.log.Error("the socket was removed and cannot be opened", "err", err)
	}
}

// ours reports whether the path leads to our socket. The time is compared too, since inode numbers are used again.
func (d *door) ours() bool {
	now, err := os.Lstat(d.path())
	return err == nil && os.SameFile(now, d.file) && now.ModTime().Equal(d.file.ModTime())
}

// shut removes the socket if it is ours; connections that were made are served to their end. The
// watching must be over.
func (d *door) shut() {
	if d.file == nil || d.ours() {
		_ = os.Remove(d.path())
	}
	if to, err := os.Readlink(d.paths.Link); err == nil && to == d.path() {
		_ = os.Remove(d.paths.Link)
	}
}

// listen opens the socket in a folder of 0700, itself 0600. What is stale of this home is removed: the lock, which we
// hold, says that there is no other daemon.
func listen(p home.Paths, path string, ours bool) (net.Listener, error) {
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

type peerKey struct{}

// peer is the process at the other end of a connection.
type peer struct {
	stranger bool // another user
	pid      int  // 0 where the kernel does not say
}

// noticeBuild ends this daemon for another one when the client belongs to a newer build than this daemon: the daemon of that build, beside
// the program that asks, takes the home. It runs as this user from then on, so no other user may be able to write there. The
// client still waits for its answer, or the program could not be told from its process.
func (d *Daemon) noticeBuild(ctx context.Context, build, binary string) {
	if !newer(build, wire.Build) || d.handOver.Load() != nil {
		return
	}
	name := "hookd"
	if runtime.GOOS == "windows" {
		name = "hookd.exe"
	}
	sender, _ := ctx.Value(peerKey{}).(peer)
	client := sender.program(binary)
	if client == "" {
		return
	}
	next := filepath.Join(filepath.Dir(client), name)
	if err := safeopen.CheckProgram(next); err != nil {
		d.log.Warn("not handing over to a newer build", "build", build, "err", err)
		return
	}
	d.handOver.Store(&next)
	d.log.Info("handing over", "to", next, "build", build)
	d.stop("hand_over")
}

// newer compares builds by semantic versioning; what cannot be read is not newer.
func newer(a, b string) bool {
	a, b = "v"+strings.TrimPrefix(a, "v"), "v"+strings.TrimPrefix(b, "v")
	return semver.IsValid(a) && semver.IsValid(b) && semver.Compare(a, b) > 0
}

package home

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"hookline/hookctl/wire"
)

// Serves reports whether a daemon accepts connections at socket, and does not say that it serves another home than the one
// with this mark, where there is one. One that hangs is not waited for.
func Serves(socket, mark string, until time.Time) bool {
	if soon := time.Now().Add(100 * time.Millisecond); soon.Before(until) && mark != "" {
		until = soon
	}
	c, err := wire.Dial(socket, until)
	if err != nil {
		return false
	}
	defer c.Close()
	if mark == "" {
		return true
	}
	if _, err := io.WriteString(c, "GET "+wire.AlivePath+" HTTP/1.1\r\nHost: hookline\r\nHookline-Home: "+mark+"\r\nConnection: close\r\n\r\n"); err != nil {
		return true
	}
	answer := make([]byte, len(wire.Misdirected))
	_, err = io.ReadFull(c, answer)
	return err != nil || string(answer) != wire.Misdirected
}

// ClearSockets removes the sockets that a daemon of this home has left. No process may hold its lock.
func (p Paths) ClearSockets() error {
	var failed []error
	for _, path := range []string{p.Socket, p.Near, p.Link} {
		if err := p.RemoveSocket(path, p.OursToTake(path)); err != nil && !errors.Is(err, errNotOurs) {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// OursToTake reports whether a daemon of this home has listened at a path: it lies in the home, or the home's link leads to
// it. What HOOKLINE_SOCKET names may be anything.
func (p Paths) OursToTake(path string) bool {
	if filepath.Dir(path) == p.Home {
		return true
	}
	to, err := os.Readlink(p.Link)
	return err == nil && to == path
}

var errNotOurs = errors.New("is there, and is no socket that a daemon of this home has left")

// RemoveSocket removes a stale stream socket, or a link in its place, if it is ours, and a plain file that has the name of the
// home's socket. Everything else stays and is an error.
func (p Paths) RemoveSocket(path string, ours bool) error {
	info, err := os.Lstat(path)
	if path == "" || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	kind := info.Mode().Type()
	removable := kind == fs.ModeSocket || kind == fs.ModeSymlink || kind == 0 && path == p.Link
	if !ours || !removable || Private(filepath.Dir(path)) != nil {
		return fmt.Errorf("%s %w", path, errNotOurs)
	}
	if kind == fs.ModeSocket {
		c, err := net.DialTimeout("unix", path, time.Second)
		if err == nil {
			c.Close()
		}
		if err == nil || runtime.GOOS != "windows" && !errors.Is(err, syscall.ECONNREFUSED) { // it is served, or takes no streams
			return fmt.Errorf("%s %w", path, errNotOurs)
		}
	}
	return os.Remove(path)
}

package wire

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"hookline/expect"
)

// A stopped daemon's queue fills up; then connecting itself hangs.
func TestDoQueueFull(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "q")
	fd := expect.Value(syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0))(t)
	t.Cleanup(func() { syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: socket}); err != nil {
		t.Skip(err)
	}
	expect.OK(t, syscall.Listen(fd, 0))
	for full := false; !full; {
		c := expect.Value(syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK, 0))(t)
		t.Cleanup(func() { syscall.Close(c) })
		full = syscall.Connect(c, &syscall.SockaddrUnix{Name: socket}) != nil
	}

	_, err := Do(time.Now().Add(50*time.Millisecond), socket, "Stop", Frame{})
	if !errors.Is(err, ErrTimeout) {
		t.Errorf("error of a daemon with a full queue = %v, want %v", err, ErrTimeout)
	}
}

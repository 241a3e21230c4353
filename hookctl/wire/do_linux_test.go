package wire

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A stopped daemon's queue fills up; then connecting itself hangs.
func TestDoQueueFull(t *testing.T) {
	socket := fullQueue(t)
	if _, err := Do(time.Now().Add(50*time.Millisecond), socket, "Stop", Frame{}); !errors.Is(err, ErrTimeout) {
		t.Errorf("%v", err)
	}
}

// fullQueue is a socket whose accept queue is full.
func fullQueue(t *testing.T) string {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "q")
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: socket}); err != nil {
		t.Skip(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	for {
		c, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { syscall.Close(c) })
		if err := syscall.Connect(c, &syscall.SockaddrUnix{Name: socket}); err != nil {
			return socket
		}
	}
}

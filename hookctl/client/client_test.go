package client

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"hookline/expect"
	"hookline/hookctl/home/hometest"
)

// A daemon that ends between a connection and its answer is told from one that refuses.
func TestClientOfAnEndedDaemon(t *testing.T) {
	socket := filepath.Join(hometest.SocketDir(t), "s")
	l := expect.Value(net.Listen("unix", socket))(t)
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	taken := make(chan struct{})
	go func() {
		defer close(taken)
		if c, err := l.Accept(); err == nil {
			c.Close()
		}
	}()
	for _, state := range []string{"cut", "nobody listens", "no socket"} {
		switch state {
		case "nobody listens":
			<-taken
			l.Close()
		case "no socket":
			os.Remove(socket)
		}
		c := Over(socket)
		if err := c.Post(t.Context(), "/v1/stop", nil, nil); !errors.Is(err, ErrNotRunning) {
			t.Errorf("%s: %v", state, err)
		}
		c.http.CloseIdleConnections()
	}
}

// Which trouble an ended daemon makes depends on how far the request had come.
func TestHasEnded(t *testing.T) {
	for err, want := range map[error]bool{syscall.EPIPE: true, syscall.ECONNRESET: true, syscall.ECONNREFUSED: true, syscall.ENOENT: true,
		io.EOF: true, io.ErrUnexpectedEOF: true, errors.New("http: server closed idle connection"): true,
		context.DeadlineExceeded: false, syscall.EACCES: false} {
		in := &url.Error{Op: "Post", URL: "http://hookline/v1/stop", Err: err}
		expect.Equal(t, hasEnded(in), want, in)
	}
}

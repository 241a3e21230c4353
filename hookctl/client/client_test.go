package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hookline/embedded"
	"hookline/expect"
	"hookline/hookctl/api"
	"hookline/hookctl/home/hometest"
	"hookline/hookctl/problem"
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
		if _, err := api.Stop.Call(t.Context(), c, api.StopRequest{}); !errors.Is(err, ErrNotRunning) {
			t.Errorf("stop a daemon, %s: error %v, want %v", state, err, ErrNotRunning)
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

// What is wrong with the log has its exit code and its hint also where only words travel.
func TestDamageIsAdvised(t *testing.T) {
	err := Advised(fmt.Errorf("fold: %w", embedded.ErrLogDamaged))
	p := problem.Of(err)
	expect.Equal(t, p.Exit, 2, "exit code of", err)
	expect.Equal(t, p.Message, "fold: "+embedded.ErrLogDamaged.Error(), "message of", err)
	if !strings.HasPrefix(p.Hint, "keep a copy") {
		t.Errorf("hint of %v = %q, want it to begin with \"keep a copy\"", err, p.Hint)
	}
}

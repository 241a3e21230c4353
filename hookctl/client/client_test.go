package client

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"

	"hookline/hookctl/home/hometest"
)

// A daemon that ends between a connection and its answer is told from one that refuses.
func TestClientOfAnEndedDaemon(t *testing.T) {
	socket := filepath.Join(hometest.SocketDir(t), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
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
		if err := c.Post(t.Context(), "/v1/stop", nil, nil); !errors.Is(err, ErrEnded) {
			t.Errorf("%s: %v", state, err)
		}
		c.http.CloseIdleConnections()
	}
}

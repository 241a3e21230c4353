//go:build unix

package daemon

import (
	"errors"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hookline/hookctl/client"
	"hookline/hookctl/problem"
)

// A daemon that accepts connections has the store, whether it answers or not: nobody else opens it.
func TestConnectDaemonStopped(t *testing.T) {
	dir := newHome(t)
	shut(t, open(t, dir))
	socket := filepath.Join(dir, "s")
	t.Setenv("HOOKLINE_HOME", dir)
	t.Setenv("HOOKLINE_SOCKET", socket)
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Skip(err) // the path can be too long
	}
	defer l.Close()
	_, err = client.Connect(t.Context(), client.Options{Answer: 30 * time.Millisecond, Here: Here})
	var p *problem.Error
	if !errors.As(err, &p) || !strings.HasSuffix(p.Message, ") does not answer within 30ms") || !strings.HasPrefix(p.Hint, "it may be stopped") {
		t.Errorf("%v", err)
	}
}

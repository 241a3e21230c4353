//go:build unix

package daemon

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"hookline/embedded"
	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/api"
)

func listening(t *testing.T, d *Daemon, want func(*api.Listening) bool) *api.Listening {
	t.Helper()
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		if is := d.Status().Listen; is != nil && want(is) {
			return is
		}
	}
	t.Fatalf("%+v", d.Status().Listen)
	return nil
}

// The door opens when the port is free again, its file holds a URL with credentials for nobody else, which stay.
func TestListenForNATS(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	expect.OK(t, err)
	defer busy.Close()
	d := opened(t)
	d.opts.Listen = busy.Addr().String()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { d.keeper.serveFeed(ctx); close(ended) }()
	defer func() { stop(); <-ended }()
	listening(t, d, func(is *api.Listening) bool {
		return strings.Contains(is.Problem, "address already in use") && is.Address == ""
	})

	_ = busy.Close()
	is := listening(t, d, func(is *api.Listening) bool { return is.Address != "" })
	info, err := os.Stat(is.Credentials)
	if err != nil || info.Mode().Perm() != 0o600 || is.Problem != "" {
		t.Fatalf("%v %+v", err, is)
	}
	to, err := os.ReadFile(is.Credentials)
	expect.OK(t, err)
	password, err := passwordIn(is.Credentials)
	if err != nil || string(to) != "nats://"+embedded.FeedUser+":"+password+"@"+is.Address+"\n" {
		t.Errorf("%q, password %q, %v", to, password, err)
	}

	nc := expect.Value(nats.Connect(strings.TrimSpace(string(to))))(t)
	defer nc.Close()
	got := make(chan *nats.Msg, 100)
	expect.Value(nc.ChanSubscribe("ev.>", got))(t)
	expect.OK(t, nc.Flush())
	take(t, d, startOf("s-1"))
	select {
	case m := <-got:
		var r events.Record
		if err := json.Unmarshal(m.Data, &r); err != nil || r.Session != "s-1" || r.Appended.IsZero() || !strings.HasSuffix(m.Subject, ".s-1."+r.Type) {
			t.Errorf("%s: %s, %v", m.Subject, m.Data, err)
		}
	case <-time.After(patience):
		t.Fatal("nothing came")
	}
}

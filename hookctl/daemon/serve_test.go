//go:build unix

package daemon

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/client"
	"hookline/hookctl/home"
	"hookline/hookctl/home/hometest"
	"hookline/hookctl/spool"
)

func TestIdleExit(t *testing.T) {
	c := &clock{time.Now().Truncate(time.Millisecond)}
	d := openAt(t, newHome(t), c)
	defer shut(t, d)
	stopped := func() string {
		d.exitWhenIdle(t.Context())
		select {
		case r := <-d.stopping:
			return r
		default:
			return ""
		}
	}
	f := startOf("s-1")
	take(t, d, f)
	c.at = c.at.Add(50 * time.Hour)
	expect.EqualNow(t, stopped(), "", "with a live session")
	take(t, d, hookFrame(`{"hook_event_name":"SessionEnd","session_id":"s-1"}`))
	expect.EqualNow(t, stopped(), "", "at once")
	c.at = c.at.Add(time.Hour)
	expect.EqualNow(t, stopped(), "", "after an hour")
	c.at = c.at.Add(time.Millisecond)
	expect.EqualNow(t, stopped(), "idle", "after more")
	d.opts.IdleExit = -1
	expect.EqualNow(t, stopped(), "", "though never")
}

// The dream's end is shown to followers only when it is on disk; and dreams at the end are recorded before the stop.
func TestStopIsLast(t *testing.T) {
	d := open(t, newHome(t))
	take(t, d, startOf("s-1"))
	expect.Value(d.doDream(t.Context(), dreamOrder{Session: "s-1", Phase: "full"}, nil))(t)
	home := d.opts.Home
	expect.OK(t, d.shutdown(d.httpServer(), "stop"))
	d = open(t, home)
	defer shut(t, d)
	recs := logOf(t, d)
	expect.Equal(t, recs[len(recs)-1].Type, "daemon.stopped", "the last record is")
}

func TestRotate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hookd.log")
	expect.OK(t, os.WriteFile(path, []byte(strings.Repeat("x", 8<<20)), 0o600))
	_ = rotate(path)
	if info, err := os.Stat(path); err != nil || info.Size() != 8<<20 {
		t.Fatalf("rotated at its bound: %v", err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	expect.OK(t, err)
	defer f.Close()
	_, _ = f.WriteString("y")
	_ = rotate(path)
	_, _ = f.WriteString("z") // our own stdio goes on in the emptied file
	now, _ := os.ReadFile(path)
	old, err := os.Stat(path + ".1")
	if err != nil || string(now) != "z" || old.Size() != 8<<20+1 || old.Mode().Perm() != 0o600 {
		t.Errorf("%q, %v", now, err)
	}
	_ = rotate(filepath.Join(t.TempDir(), "none"))
}

// The whole life: serve, hooks over the socket, stop; the log tells it and the next start is clean.
func TestServeAndStop(t *testing.T) {
	dir := hometest.SocketDir(t)
	newHome(t)
	p := home.PathsOf(filepath.Join(dir, "h"), os.Getenv)
	p.Socket = filepath.Join(dir, "s")
	expect.OK(t, spool.Open(p).Write(startOf("s-1")))
	done := make(chan error, 1)
	go func() { done <- serve(t.Context(), p, Options{Home: p.Home}.withDefaults()) }()
	c := client.Over(p.Socket)
	defer c.Close()
	deadline := time.Now().Add(patience)
	var s client.Status
	for c.Get(t.Context(), "/v1/status", nil, &s) != nil || s.Spool != 0 { // which is taken behind the open socket
		if time.Now().After(deadline) {
			t.Fatal("the daemon does not answer")
		}
		time.Sleep(5 * time.Millisecond)
	}
	if s.Spool != 0 || s.LiveSessions != 1 || s.Socket != p.Socket {
		t.Errorf("%+v", s)
	}
	plain := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", p.Socket)
	}}}
	defer plain.CloseIdleConnections()
	resp, err := plain.Get("http://hookline/v1/events?n=0&follow=1")
	expect.OK(t, err)
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	stop, err := plain.Post("http://hookline/v1/stop?reason=restart", "", nil)
	if err != nil || stop.StatusCode != http.StatusOK {
		t.Fatal(stop, err)
	}
	stop.Body.Close()
	expect.OK(t, <-done)
	for lines.Scan() { // the follower goes home in order
	}
	if err := lines.Err(); err != nil {
		t.Errorf("follower: %v", err)
	}
	d := open(t, p.Home)
	defer shut(t, d)
	recs := logOf(t, d)
	expect.EqualNow(t, strings.Join(typesOf(recs), " "), "daemon.started session.started identity.restored daemon.stopped")
	started, stopped := recs[0].Event.(*events.DaemonStarted), recs[3].Event.(*events.DaemonStopped)
	if started.PID != os.Getpid() || started.Spooled != 1 || stopped.Reason != "restart" || !d.ground.Report().Clean {
		t.Errorf("%+v %+v clean %v", started, stopped, d.ground.Report().Clean)
	}
}

//go:build unix

package daemon

import (
	"encoding/json"
	"errors"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hookline/expect"
	"hookline/hookctl/client"
	"hookline/hookctl/problem"
	"hookline/replay/check"
)

// The commands' client against a store in this process.
func TestConnectInProcess(t *testing.T) {
	dir := newHome(t)
	t.Setenv("HOOKLINE_HOME", dir)
	if _, err := client.Connect(t.Context(), client.Options{Home: dir, Here: Here}); err == nil || err.Error() != "there is no store in "+dir {
		t.Fatalf("%v", err)
	}
	d := open(t, dir)
	take(t, d, startOf("s-1"))
	shut(t, d)
	c, err := client.Connect(t.Context(), client.Options{Home: dir, Here: Here})
	expect.OK(t, err)
	defer c.Close()
	var s client.Status
	if err := c.Get(t.Context(), "/v1/status", nil, &s); err != nil || s.Seq != 3 {
		t.Errorf("%v %+v", err, s)
	}
	var raw []byte
	if err := c.Get(t.Context(), "/v1/events/1", url.Values{"raw": {"1"}}, &raw); err != nil || string(raw) != `{"hook_event_name":"SessionStart","session_id":"s-1","source":"startup"}`+"\n" {
		t.Errorf("%v %s", err, raw)
	}
	var refused *problem.Error
	if err := c.Get(t.Context(), "/v1/events/99", nil, nil); !errors.As(err, &refused) || refused.Message != "no event 99 is in the log" || refused.Hint != "`hookctl events list` shows the newest" || refused.Exit != 1 || refused.Status != 404 {
		t.Errorf("%+v", err)
	}
	lines := 0
	if err := c.Stream(t.Context(), "GET", "/v1/events", nil, func(line []byte) error { lines++; return nil }); err != nil || lines != 3 {
		t.Errorf("%d lines, %v", lines, err)
	}
	stop := errors.New("enough")
	if err := c.Stream(t.Context(), "GET", "/v1/events", nil, func([]byte) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("%v", err)
	}
	var result struct {
		Result check.Verdict `json:"result"`
	}
	err = c.Stream(t.Context(), "POST", "/v1/verify", nil, func(line []byte) error {
		if strings.HasPrefix(string(line), `{"result"`) {
			return json.Unmarshal(line, &result)
		}
		return nil
	})
	if v := result.Result; err != nil || !v.Clean || v.Events != 3 || v.Read != 3 || v.Exit != 0 || v.Holes != 0 {
		t.Errorf("%v %+v", err, v)
	}
	if err := c.Stream(t.Context(), "GET", "/v1/events", url.Values{"type": {"["}}, func([]byte) error { return nil }); !errors.As(err, &refused) || refused.Status != 400 {
		t.Errorf("%v", err)
	}
}

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

//go:build unix

package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/home/hometest"
)

// stalledWriter is a client that has stopped reading.
type stalledWriter struct {
	http.ResponseWriter
	blocked chan struct{}
	once    sync.Once
	free    chan struct{}
}

func (w *stalledWriter) Write(b []byte) (int, error) {
	w.once.Do(func() { close(w.blocked) })
	<-w.free
	return len(b), nil
}

// A reader of anything that has stopped reading (Ctrl-Z) holds up no hook and no flush.
func TestStalledReaderHoldsUpNothing(t *testing.T) {
	for _, path := range []string{"GET /v1/cells/session", "GET /v1/events?n=0&follow=1", "POST /v1/verify"} {
		t.Run(path, func(t *testing.T) {
			d := opened(t)
			take(t, d, startOf("s-1"))
			w := &stalledWriter{ResponseWriter: httptest.NewRecorder(), blocked: make(chan struct{}), free: make(chan struct{})}
			done := make(chan struct{})
			method, target, _ := strings.Cut(path, " ")
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				defer close(done)
				d.Handler().ServeHTTP(w, httptest.NewRequestWithContext(ctx, method, target, nil))
			}()
			defer func() { cancel(); close(w.free); <-done }()
			<-w.blocked
			ok := make(chan error, 1)
			go func() {
				_, err := d.Take(context.Background(), bashOf("s-1", 1))
				if err == nil {
					_, err = d.view.Flush(context.Background())
				}
				ok <- err
			}()
			select {
			case err := <-ok:
				expect.OK(t, err)
			case <-time.After(patience):
				t.Error("a hook waits for the reader")
			}
		})
	}
}

// A follower sees every record once, in order.
func TestFollowSeesEachOnce(t *testing.T) {
	d := opened(t)
	srv := httptest.NewServer(d.Handler())
	defer srv.Close()
	take(t, d, startOf("s-1"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, "GET", srv.URL+"/v1/events?n=0&follow=1", nil)
	resp := expect.Value(http.DefaultClient.Do(req))(t)
	defer resp.Body.Close()
	together(200, func(i int) { take(t, d, bashOf(fmt.Sprintf("s-%d", i%5), i)) })
	last, _ := d.stream.Last()
	in := json.NewDecoder(resp.Body)
	for want := uint64(1); want <= last; want++ {
		var r events.Record
		expect.OK(t, in.Decode(&r))
		expect.EqualNow(t, r.Seq, want, "sequence")
	}
}

// A follower that has stopped reading holds up the end of the daemon for a moment only, and the end is no error.
func TestStalledFollowerAndShutdown(t *testing.T) {
	d := open(t, newHome(t))
	sock := filepath.Join(hometest.SocketDir(t), "s")
	l, err := net.Listen("unix", sock)
	expect.OK(t, err)
	srv := d.keeper.httpServer()
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	c, err := net.Dial("unix", sock)
	expect.OK(t, err)
	defer c.Close()
	fmt.Fprintf(c, "GET /v1/events?n=0&follow=1 HTTP/1.1\r\nHost: x\r\n\r\n")
	expect.Value(c.Read(make([]byte, 1)))(t)
	pad := strings.Repeat("x", 15<<10)
	for i := range 60 {
		take(t, d, hookFrame(fmt.Sprintf(`{"hook_event_name":"UserPromptSubmit","session_id":"s-1","prompt":"%d %s"}`, i, pad)))
	}
	begin := time.Now()
	err = d.keeper.shutdown(srv, "stop")
	if took := time.Since(begin); err != nil || took > patience {
		t.Errorf("shutdown took %v: %v", took, err)
	}
}

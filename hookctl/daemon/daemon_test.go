//go:build unix

package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/api"
	"hookline/hookctl/client"
	"hookline/hookctl/home/hometest"
	"hookline/hookctl/wire"
	"hookline/projector/session"
)

// together runs fn n times at once.
func together(n int, fn func(i int)) {
	var wg sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-begin
			fn(i)
		})
	}
	close(begin)
	wg.Wait()
}

// clock is a time that tests set.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func openAt(t *testing.T, home string, c *clock) *Daemon {
	t.Helper()
	return expect.Value(Open(t.Context(), Options{Home: home, Now: c.now, IdleExit: time.Hour}))(t)
}

func sessionState(t *testing.T, d *Daemon, id string) session.State {
	t.Helper()
	s, _ := d.session(t.Context(), id)
	return s
}

func typesOf(recs []events.Record) []string {
	out := make([]string, 0, len(recs))
	for _, r := range recs {
		out = append(out, r.Type)
	}
	return out
}

// surface is a way to the daemon's endpoints without a socket.
func surface(d *Daemon) api.Caller { return client.InProcess(client.Local{Handler: d.Handler()}) }

// noProgress hears how far long work is.
func noProgress(_, _ uint64) {}

// ask sends one request to the handler.
func ask(t *testing.T, d *Daemon, method, target, body string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Hookline-Build", wire.Build) // so that an unknown parameter or member is an error
	d.Handler().ServeHTTP(w, r)
	return w.Code, strings.TrimSpace(w.Body.String())
}

// emit appends an event by command.
func emit(t *testing.T, d *Daemon, order string) {
	t.Helper()
	code, body := ask(t, d, "POST", "/v1/do/emit", order)
	expect.EqualNow(t, code, 200, body)
}

// found returns the events of a type in the log.
func found[E events.Event](t *testing.T, d *Daemon) (list []E) {
	t.Helper()
	for _, r := range logOf(t, d) {
		if e, ok := r.Event.(E); ok {
			list = append(list, e)
		}
	}
	return list
}

func inJSON(t *testing.T, v any) string {
	t.Helper()
	return string(expect.Value(json.Marshal(v))(t))
}

// counts returns the number of events in the log by type.
func counts(t *testing.T, d *Daemon) map[string]int {
	t.Helper()
	n := map[string]int{}
	for _, r := range logOf(t, d) {
		n[r.Type]++
	}
	return n
}

// patience bounds what is waited for; on an idle machine it comes at once.
const patience = 30 * time.Second

// newHome returns a home that nobody has used yet, apart from the machine's own.
func newHome(t *testing.T) string {
	t.Helper()
	hometest.Isolate(t)
	return filepath.Join(t.TempDir(), "home")
}

// hookFrame is a frame of `hook` with this body, captured now.
func hookFrame(body string) wire.Frame {
	ms := time.Now().UnixMilli()
	return wire.Frame{ID: wire.NewID(ms), Args: []string{"hook"}, Time: ms, Complete: true, Size: int64(len(body)), Body: []byte(body), Env: map[string]string{}}
}

func startOf(session string) wire.Frame {
	return hookFrame(`{"hook_event_name":"SessionStart","session_id":"` + session + `","source":"startup"}`)
}

func bashOf(session string, n int) wire.Frame {
	return hookFrame(fmt.Sprintf(`{"hook_event_name":"PostToolUse","session_id":%q,"tool_name":"Bash","tool_use_id":"toolu_%d","tool_input":{"command":"ls"},"tool_response":{"stdout":"x"}}`, session, n))
}

// endOf is the end of a session.
func endOf(session string) wire.Frame {
	return hookFrame(`{"hook_event_name":"SessionEnd","session_id":"` + session + `","reason":"other"}`)
}

// readOf is a Read of a file with this content.
func readOf(n int, content string) wire.Frame {
	return hookFrame(fmt.Sprintf(`{"hook_event_name":"PostToolUse","session_id":"s-1","tool_name":"Read","tool_use_id":"t%d","tool_response":{"content":%q}}`, n, content))
}

// logOf is the log without what models were told, which is appended beside the answers: see toldOf.
func logOf(t *testing.T, d *Daemon) []events.Record {
	t.Helper()
	return slices.DeleteFunc(allOf(t, d), func(r events.Record) bool { return r.Type == events.TypeContextInjected })
}

// toldOf is what models were told.
func toldOf(t *testing.T, d *Daemon) []events.Record {
	t.Helper()
	return slices.DeleteFunc(allOf(t, d), func(r events.Record) bool { return r.Type != events.TypeContextInjected })
}

func allOf(t *testing.T, d *Daemon) []events.Record {
	t.Helper()
	var recs []events.Record
	expect.OK(t, d.stream.Read(context.Background(), 1, 0, func(r events.Record) error { recs = append(recs, r); return nil }))
	return recs
}

func mustVerify(t *testing.T, d *Daemon) {
	t.Helper()
	v, err := d.Verify(context.Background(), nil)
	if err != nil || !v.Clean {
		t.Fatalf("verify: %v\n%+v", err, v)
	}
}

// startIn returns the start of a session in a folder.
func startIn(dir, session string) wire.Frame {
	f := startOf(session)
	f.Env["CLAUDE_PROJECT_DIR"] = dir
	return f
}

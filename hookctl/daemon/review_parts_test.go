//go:build unix

package daemon

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hookline/events"
	"hookline/hookctl/client"
	"hookline/hookctl/home"
	"hookline/hookctl/home/hometest"
	"hookline/hookctl/spool"
	"hookline/hookctl/wire"
	"hookline/projector"
)

func recordAt(seq uint64) events.Record {
	return events.NewRecord(seq, events.Envelope{ID: fmt.Sprint(seq), Type: events.TypeTurnStopped, Version: 1, Data: []byte(`{}`)})
}

func seqs(recs []events.Record) string {
	var out []string
	for _, r := range recs {
		out = append(out, fmt.Sprint(r.Seq))
	}
	return strings.Join(out, " ")
}

// The hub shows what is on disk, in order, and says when the log must be read.
func TestReviewHub(t *testing.T) {
	h := newHub()
	recs, ok, changed := h.after(0)
	if len(recs) != 0 || !ok {
		t.Fatalf("%v %v", recs, ok)
	}
	for seq := uint64(1); seq <= 3; seq++ {
		h.keep(recordAt(seq))
	}
	if recs, ok, _ := h.after(0); len(recs) != 0 || !ok {
		t.Errorf("shown before it is on disk: %s", seqs(recs))
	}
	h.wake(2)
	select {
	case <-changed:
	default:
		t.Error("nobody was woken")
	}
	h.wake(1) // late, of an earlier hook
	for after, want := range map[uint64]string{0: "1 2", 1: "2", 2: "", 9: ""} {
		if recs, ok, _ := h.after(after); seqs(recs) != want || !ok {
			t.Errorf("after %d: %s %v", after, seqs(recs), ok)
		}
	}
	for seq := uint64(4); seq <= 3000; seq++ {
		h.keep(recordAt(seq))
	}
	h.wake(3000)
	if _, ok, _ := h.after(100); ok {
		t.Error("what has left the memory is said to be there")
	}
	if len(h.recent) > 2*hubSize {
		t.Errorf("%d records are kept", len(h.recent))
	}
	first := h.recent[0].Seq
	if recs, ok, _ := h.after(first - 1); !ok || len(recs) != len(h.recent) || recs[0].Seq != first {
		t.Errorf("%d records, %v", len(recs), ok)
	}
}

// Counters stay bounded whatever names come.
func TestReviewHookCounts(t *testing.T) {
	var c hookCounts
	now := time.Date(2026, 11, 21, 8, 0, 0, 5e5, time.FixedZone("", 3600))
	for i := range 1000 {
		c.saw(fmt.Sprint("H", i), now)
	}
	c.saw("", now)
	c.saw("H1", now)
	kinds, _ := c.copies()
	if len(kinds) > 202 || kinds["H1"].Count != 2 || kinds["(other)"].Count != 1000-201 || !kinds["H1"].Last.Equal(now.Truncate(time.Millisecond)) || kinds["H1"].Last.Location() != time.UTC {
		t.Errorf("%d kinds, %+v, %+v", len(kinds), kinds["H1"], kinds["(other)"])
	}
	for i := range 1000 {
		c.second(fmt.Sprint("/b/", i))
	}
	if _, installs := c.copies(); len(installs) != 100 {
		t.Errorf("%d installs", len(installs))
	}
}

// stuckDisk fails to remove, as a crash between the record and the removal does.
type stuckDisk struct {
	spool.Files
	stuck bool
}

func (d *stuckDisk) Remove(path string) error {
	if d.stuck {
		return errors.New("read-only file system")
	}
	return d.Files.Remove(path)
}

// A drain that stops between the record and the removal counts each frame once, also after a restart.
func TestReviewDrainStopsInTheMiddle(t *testing.T) {
	dir := reviewHome(t)
	d := open(t, dir)
	d.spool = spool.OpenOn(home.PathsOf(dir, os.Getenv), &stuckDisk{stuck: true})
	for i := range 5 {
		f := bashOf("s-1", i)
		if err := d.spool.Write(f); err != nil {
			t.Fatal(err)
		}
	}
	d.drain(t.Context())
	d.drain(t.Context())
	if n := d.spool.Count(); n != 5 {
		t.Fatalf("%d frames wait", n)
	}
	shut(t, d)
	d = open(t, dir)
	defer shut(t, d)
	if n := d.drain(t.Context()); n != 5 || d.spool.Count() != 0 {
		t.Fatalf("%d taken, %d wait", n, d.spool.Count())
	}
	recs := logOf(t, d)
	if len(recs) != 5 {
		t.Errorf("%d records", len(recs))
	}
	for i, r := range recs {
		if r.Facts == nil || !r.Facts.Spooled {
			t.Errorf("%d: %+v", i, r.Facts)
		}
	}
	mustVerify(t, d)
}

// Requests precede their outcomes when both come from the spool.
func TestReviewDrainKeepsOrder(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	base := time.Now().UnixMilli()
	bodies := []string{`{"hook_event_name":"SessionStart","session_id":"s","source":"startup"}`, `{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_use_id":"t"}`,
		`{"hook_event_name":"PostToolUse","session_id":"s","tool_name":"Bash","tool_use_id":"t"}`, `{"hook_event_name":"Stop","session_id":"s"}`}
	for _, i := range []int{3, 1, 0, 2} {
		if err := d.spool.Write(func() (f wire.Frame) {
			f = hometest.Frame(base+int64(i), bodies[i])
			f.Args, f.Cwd = []string{"hook"}, ""
			return f
		}()); err != nil {
			t.Fatal(err)
		}
	}
	if n := d.drain(t.Context()); n != 4 {
		t.Fatalf("%d taken", n)
	}
	recs := logOf(t, d)
	if got := strings.Join(typesOf(recs), " "); got != "session.started identity.restored tool.requested tool.succeeded turn.stopped" {
		t.Fatal(got)
	}
	if recs[3].Causation != recs[2].ID {
		t.Errorf("caused by %q", recs[3].Causation)
	}
}

func TestReviewRotate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hookd.log")
	if err := os.WriteFile(path, []byte(strings.Repeat("x", 8<<20)), 0o600); err != nil {
		t.Fatal(err)
	}
	rotate(path)
	if info, err := os.Stat(path); err != nil || info.Size() != 8<<20 {
		t.Fatalf("rotated at its bound: %v", err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, _ = f.WriteString("y")
	rotate(path)
	_, _ = f.WriteString("z") // our own stdio goes on in the emptied file
	now, _ := os.ReadFile(path)
	old, err := os.Stat(path + ".1")
	if err != nil || string(now) != "z" || old.Size() != 8<<20+1 || old.Mode().Perm() != 0o600 {
		t.Errorf("%q, %v", now, err)
	}
	rotate(filepath.Join(t.TempDir(), "none"))
}

func TestReviewCellsAtDiff(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	take(t, d, startOf("c68c8a51-e89d-45af-bd06-f5c764bc3b27")) // 1, 2
	take(t, d, startOf("d1"))                                   // 3, 4
	take(t, d, hookFrame(`{"hook_event_name":"Stop","session_id":"d1"}`))
	code, body := ask(t, d, "GET", "/v1/cells/session?prefix=d", "")
	if code != 200 || !strings.HasPrefix(body, `{"key":"d1","seq":5,"state":{"id":"d1",`) || strings.Contains(body, "\n") {
		t.Errorf("%d %s", code, body)
	}
	if code, body := ask(t, d, "GET", "/v1/cells/session/c68c8a51", ""); code != 200 || !strings.HasPrefix(body, `{"key":"c68c8a51-e89d-45af-bd06-f5c764bc3b27","seq":2,`) {
		t.Errorf("%d %s", code, body)
	}
	for target, want := range map[string]string{
		"/v1/cells/nothing":           `{"error":"no projection is called \"nothing\"","hint":"projections: session, identity, latest, project, gate","exit":1}`,
		"/v1/cells/session/nobody":    "{\"error\":\"there is no session \\\"nobody\\\"\",\"hint\":\"`hookctl session list --all` lists them\",\"exit\":1}",
		"/v1/cells/latest/identity.x": `{"error":"projection latest has no cell \"identity.x\"","exit":1}`,
		"/v1/at?projection=nothing":   `{"error":"no projection is called \"nothing\"","hint":"projections: session, identity, latest, project, gate","exit":1}`,
	} {
		if code, body := ask(t, d, "GET", target, ""); code != 404 || body != want {
			t.Errorf("%s: %d %s", target, code, body)
		}
	}
	if code, body := ask(t, d, "GET", "/v1/at?point=99", ""); code != 400 || body != `{"error":"the log ends at sequence 5","exit":1}` {
		t.Errorf("%d %s", code, body)
	}
	var at struct {
		Seq   uint64
		Cells []namedCell
	}
	_, body = ask(t, d, "GET", "/v1/at?point=2&projection=session", "")
	if err := json.Unmarshal([]byte(body), &at); err != nil || at.Seq != 2 || len(at.Cells) != 1 || at.Cells[0].Key != "c68c8a51-e89d-45af-bd06-f5c764bc3b27" {
		t.Errorf("%v %s", err, body)
	}
	diffs := func(a, b string) string {
		var out struct{ Diffs []projector.Diff }
		_, body := ask(t, d, "GET", "/v1/diff?projection=session&a="+a+"&b="+b, "")
		if err := json.Unmarshal([]byte(body), &out); err != nil {
			t.Fatal(err)
		}
		var words []string
		for _, x := range out.Diffs {
			if x.Field == "turns" || x.Field == "" {
				words = append(words, x.Key+" "+x.Field+" "+x.Want[:min(8, len(x.Want))]+">"+x.Got[:min(8, len(x.Got))])
			}
		}
		return strings.Join(words, ", ")
	}
	for _, c := range [][3]string{{"4", "5", "d1 turns (absent)>1"}, {"5", "4", "d1 turns 1>(absent)"}, {"2", "3", `d1  (absent)>{"id":"d`}, {"5", "5", ""}, {"now", "5", ""}} {
		if got := diffs(c[0], c[1]); got != c[2] {
			t.Errorf("%s to %s: %s", c[0], c[1], got)
		}
	}
}

// Rebuild mends cells that somebody changed and names what was otherwise; a dry run only names it.
func TestReviewRebuild(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	take(t, d, startOf("s-1"))
	if _, err := d.view.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	cell := []projector.Cell{{Key: "session.v3.s-1", Value: []byte(`{"seq":2,"state":{"id":"s-1","status":"ended","started":"2026-11-21T08:00:00Z","last_active":"2026-11-21T08:00:00Z","events":1}}`)}, {Key: "session.v3.stranger", Value: []byte(`{"seq":1,"state":{}}`)}}
	if err := d.ground.Store().Save(t.Context(), projector.BucketSnapshot, cell); err != nil {
		t.Fatal(err)
	}
	v, err := d.Verify(t.Context(), nil)
	if err != nil || v.Clean || v.Exit != 1 {
		t.Fatalf("%v %+v", err, v)
	}
	_, body := ask(t, d, "POST", "/v1/rebuild?projection=session&dry_run=1", "")
	if !strings.Contains(body, `"dry_run":true`) || !strings.Contains(body, `"field":"state.status","want":"\"live\"","got":"\"ended\""`) || !strings.Contains(body, `session.v3.stranger`) {
		t.Errorf("%s", body)
	}
	if v, _ := d.Verify(t.Context(), nil); v.Clean {
		t.Error("a dry run changed something")
	}
	if _, body = ask(t, d, "POST", "/v1/rebuild?projection=session", ""); !strings.Contains(body, `"result"`) {
		t.Errorf("%s", body)
	}
	mustVerify(t, d)
	if code, body := ask(t, d, "POST", "/v1/rebuild?projection=nothing", ""); code != 404 {
		t.Errorf("%d %s", code, body)
	}
}

func TestReviewDreamDoor(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	take(t, d, startOf("s-1"))
	for body, want := range map[string]int{`{"session":"s-1","phase":"full"}`: 200, `{"session":"s-1","phase":"nap"}`: 400, `{"session":"nobody","phase":"full"}`: 404, `{"session":"","phase":"full"}`: 404, `{`: 400} {
		if code, answer := ask(t, d, "POST", "/v1/dream", body); code != want {
			t.Errorf("%s: %d %s", body, code, answer)
		}
	}
	d.effects.Wait()
	recs := logOf(t, d)
	if got := strings.Join(typesOf(recs), " "); got != "session.started identity.restored dream.triggered dream.completed" {
		t.Fatal(got)
	}
	if recs[3].Causation != recs[2].ID || recs[2].Causation != "" || recs[3].Correlation != "s-1" {
		t.Errorf("%q, %q", recs[3].Causation, recs[2].Causation)
	}
}

// The socket is ours alone, and a stale one is no obstacle.
func TestReviewListen(t *testing.T) {
	dir, err := os.MkdirTemp("", "hl")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	sock := filepath.Join(dir, "run", "s.sock")
	if err := os.MkdirAll(filepath.Dir(sock), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(sock, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := listen(sock)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	file, _ := os.Stat(sock)
	folder, _ := os.Stat(filepath.Dir(sock))
	if file.Mode().Perm() != 0o600 || folder.Mode().Perm() != 0o700 {
		t.Errorf("%v in %v", file.Mode(), folder.Mode())
	}
}

// The whole life: serve, hooks over the socket, stop; the log tells it and the next start is clean.
func TestReviewServeAndStop(t *testing.T) {
	dir, err := os.MkdirTemp("", "hl")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	reviewHome(t)
	p := home.PathsOf(filepath.Join(dir, "h"), os.Getenv)
	p.Socket = filepath.Join(dir, "s")
	if err := spool.Open(p).Write(startOf("s-1")); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- serve(t.Context(), p, Options{Home: p.Home}.withDefaults()) }()
	c := client.Over(p.Socket)
	defer c.Close()
	deadline := time.Now().Add(10 * time.Second)
	var s Status
	for c.Get(t.Context(), "/v1/status", nil, &s) != nil {
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
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	stop, err := plain.Post("http://hookline/v1/stop?reason=restart", "", nil)
	if err != nil || stop.StatusCode != http.StatusOK {
		t.Fatal(stop, err)
	}
	stop.Body.Close()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	for lines.Scan() { // the follower goes home in order
	}
	if err := lines.Err(); err != nil {
		t.Errorf("follower: %v", err)
	}
	d := open(t, p.Home)
	defer shut(t, d)
	recs := logOf(t, d)
	if got := strings.Join(typesOf(recs), " "); got != "session.started identity.restored daemon.started daemon.stopped" {
		t.Fatal(got)
	}
	started, stopped := recs[2].Event.(*events.DaemonStarted), recs[3].Event.(*events.DaemonStopped)
	if started.PID != os.Getpid() || started.Spooled != 1 || stopped.Reason != "restart" || !d.ground.Report().Clean {
		t.Errorf("%+v %+v clean %v", started, stopped, d.ground.Report().Clean)
	}
}

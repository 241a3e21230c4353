//go:build unix

package daemon

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hookline/events"
	"hookline/hookctl/wire"
	"hookline/projector"
	"hookline/projector/session"
)

var reviewSecret = "ghp" + "_" + strings.Repeat("aB3dE6gH9", 4)

// A capture time that no calendar has must not make the log unreadable.
func TestReviewStrangeTimes(t *testing.T) {
	for _, ms := range []int64{-1, -62135596800001, 253402300800000, 1 << 60, 0} {
		t.Run(fmt.Sprint(ms), func(t *testing.T) {
			home := reviewHome(t)
			d := open(t, home)
			f := startOf("s-1")
			f.Time = ms
			take(t, d, f)
			take(t, d, bashOf("s-1", 1))
			n := 0
			err := d.stream.Read(t.Context(), 1, 0, func(r events.Record) error {
				n++
				_, err := json.Marshal(r)
				return err
			})
			if err != nil || n < 2 {
				t.Errorf("%d records read: %v", n, err)
			}
			shut(t, d)
			d, err = Open(t.Context(), Options{Home: home})
			if err != nil {
				t.Fatalf("the next start: %v", err)
			}
			mustVerify(t, d)
			shut(t, d)
		})
	}
}

func TestReviewStrangeIDs(t *testing.T) {
	home := reviewHome(t)
	d := open(t, home)
	for i, id := range []string{"a.b.c", "*", ">", " ", "a b", "a/b/../c", "a\nb", "a\x00b", strings.Repeat("x", 5000), strings.Repeat("🙂", 200), "ev.p.s", "%2e", "_", "~", "=", "A", "a"} {
		b, _ := json.Marshal(map[string]any{"hook_event_name": "SessionStart", "session_id": id, "source": "startup"})
		if _, err := d.Take(t.Context(), hookFrame(string(b))); err != nil {
			t.Errorf("%d %.20q: %v", i, id, err)
		}
		b, _ = json.Marshal(map[string]any{"hook_event_name": "SessionEnd", "session_id": id, "reason": "other"})
		if _, err := d.Take(t.Context(), hookFrame(string(b))); err != nil {
			t.Errorf("%d %.20q: %v", i, id, err)
		}
	}
	keys, _ := d.keys(t.Context(), session.Name)
	if len(keys) != 17 {
		t.Errorf("%d sessions: %q", len(keys), keys)
	}
	mustVerify(t, d)
	shut(t, d)
	d = open(t, home)
	mustVerify(t, d)
	shut(t, d)
}

// Large members that are no tool content.
func TestReviewLargeMembers(t *testing.T) {
	big := strings.Repeat("n", 900<<10)
	for _, c := range []map[string]any{
		{"hook_event_name": big, "session_id": "s-1"},
		{"hook_event_name": "PreToolUse", "session_id": "s-1", "tool_name": "Bash", "tool_use_id": big},
		{"hook_event_name": "PreToolUse", "session_id": "s-1", "tool_name": big, "tool_use_id": "t"},
		{"hook_event_name": "SubagentStart", "session_id": "s-1", "agent_id": big},
		{"hook_event_name": "Stop", "session_id": "s-1", "cwd": "/" + big},
		{"hook_event_name": "Stop", "session_id": big + big},
	} {
		d := open(t, reviewHome(t))
		b, _ := json.Marshal(c)
		if _, err := d.Take(t.Context(), hookFrame(string(b))); err != nil {
			t.Errorf("%.30v: %v", c["hook_event_name"], err)
		}
		if _, err := d.view.Flush(t.Context()); err != nil {
			t.Errorf("%.30v: %v", c["hook_event_name"], err)
		}
		shut(t, d)
	}
}

// Many tools with long names: the cell stays storable.
func TestReviewCellStaysSmall(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	for i := range 24 {
		var long strings.Builder
		for long.Len() < 800<<10 {
			long.WriteString(wire.NewID(int64(i)))
		}
		name := long.String()
		b, _ := json.Marshal(map[string]any{"hook_event_name": "PreToolUse", "session_id": "s-1", "tool_name": name, "tool_use_id": fmt.Sprint(i)})
		take(t, d, hookFrame(string(b)))
	}
	if _, err := d.view.Flush(t.Context()); err != nil {
		t.Errorf("flush: %.300v", err)
	}
}

// A member of another type than this build expects does not make the hook another one.
func TestReviewMistypedMember(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	take(t, d, hookFrame(`{"hook_event_name":"PreToolUse","session_id":"s-1","tool_name":"Bash","tool_use_id":"toolu_1","cwd":"/"}`))
	take(t, d, hookFrame(`{"hook_event_name":"PostToolUse","session_id":"s-1","tool_name":"Bash","tool_use_id":"toolu_1","duration_ms":"12"}`))
	recs := logOf(t, d)
	r := recs[len(recs)-1]
	if r.Type != "tool.succeeded" || r.Hook != "PostToolUse" || r.ToolUseID != "toolu_1" || r.Causation == "" {
		t.Errorf("%s hook %q call %q cause %q %T %+v", r.Type, r.Hook, r.ToolUseID, r.Causation, r.Event, r.Event)
	}
}

// A follower sees every record once, in order.
func TestReviewFollowSeesEachOnce(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	srv := httptest.NewServer(d.Handler())
	defer srv.Close()
	take(t, d, startOf("s-1"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, "GET", srv.URL+"/v1/events?n=0&follow=1", nil)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Add(1)
		go func() { defer wg.Done(); take(t, d, bashOf(fmt.Sprintf("s-%d", i%5), i)) }()
	}
	wg.Wait()
	last, _ := d.stream.Last()
	in := bufio.NewScanner(resp.Body)
	in.Buffer(nil, 1<<20)
	want := uint64(1)
	for want <= last && in.Scan() {
		if len(in.Bytes()) == 0 {
			continue
		}
		var r events.Record
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if r.Seq != want {
			t.Fatalf("sequence %d after %d", r.Seq, want-1)
		}
		want++
	}
}

// tail -f --since with a point ahead shows nothing before it.
func TestReviewFollowFromAhead(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	srv := httptest.NewServer(d.Handler())
	defer srv.Close()
	take(t, d, startOf("s-1"))
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, "GET", srv.URL+"/v1/events?n=0&follow=1&since=6", nil)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for i := range 8 {
		take(t, d, bashOf("s-1", i))
	}
	in := bufio.NewScanner(resp.Body)
	in.Scan()
	if !strings.HasPrefix(in.Text(), `{"seq":6,`) {
		t.Errorf("%.60s", in.Text())
	}
}

// A follower that has stopped reading holds up the end of the daemon for a moment only, and the end is no error.
func TestReviewStalledFollowerAndShutdown(t *testing.T) {
	home := reviewHome(t)
	d := open(t, home)
	sock := filepath.Join(t.TempDir(), "s")
	l, err := listen(sock)
	if err != nil {
		t.Fatal(err)
	}
	srv := d.httpServer()
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	c, err := net.Dial("unix", sock)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "GET /v1/events?n=0&follow=1 HTTP/1.1\r\nHost: x\r\n\r\n")
	one := make([]byte, 1)
	if _, err := c.Read(one); err != nil {
		t.Fatal(err)
	}
	pad := strings.Repeat("x", 15<<10)
	for i := range 60 {
		take(t, d, hookFrame(fmt.Sprintf(`{"hook_event_name":"UserPromptSubmit","session_id":"s-1","prompt":"%d %s"}`, i, pad)))
	}
	begin := time.Now()
	err = d.shutdown(srv, "stop")
	if took := time.Since(begin); err != nil || took > 3*time.Second {
		t.Errorf("shutdown took %v: %v", took, err)
	}
}

// What a crash in the middle of the canary leaves is no difference of the projections.
func TestReviewCanaryLeftover(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	take(t, d, startOf("s-1"))
	for _, b := range []string{projector.BucketSnapshot, projector.BucketLatest, projector.BucketCache} {
		if err := d.ground.Store().Save(t.Context(), b, []projector.Cell{{Key: projector.ProbePrefix + "x", Value: []byte("x")}}); err != nil {
			t.Fatal(err)
		}
	}
	mustVerify(t, d)
}

// Canaries and verify at once do not disturb each other.
func TestReviewCanaryDuringVerify(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	take(t, d, startOf("s-1"))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			d.canary(ctx)
		}
	}()
	for range 20 {
		v, err := d.Verify(t.Context(), nil)
		if err != nil || !v.Clean {
			t.Errorf("%v %+v", err, v)
			break
		}
	}
	cancel()
	<-done
}

// A rebuild of one projection does not forget that a cell of another one is broken.
func TestReviewRebuildOneKeepsOthersBroken(t *testing.T) {
	home := reviewHome(t)
	d := open(t, home)
	take(t, d, startOf("s-1"))
	shut(t, d)
	d = open(t, home)
	if err := d.ground.Store().Save(t.Context(), projector.BucketSnapshot, []projector.Cell{{Key: "identity.v4.s-1", Value: []byte("{broken")}}); err != nil {
		t.Fatal(err)
	}
	shut(t, d)
	d = open(t, home)
	defer shut(t, d)
	take(t, d, bashOf("s-1", 1))
	if b := d.view.Broken(); len(b) != 1 || b[0] != "identity.v4.s-1" {
		t.Fatalf("%q", b)
	}
	if _, err := d.view.Rebuild(t.Context(), d.stream.Read, "session", nil); err != nil {
		t.Log(err) // it may say that the other one is still broken
	}
	d.heal(t.Context())
	mustVerify(t, d)
}

// Secrets cut in two at the end of cut-off input.
func TestReviewSecretCutAtTheEnd(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	body := `{"hook_event_name":"UserPromptSubmit","session_id":"s-1","prompt":"use ` + reviewSecret[:34]
	f := hookFrame(body)
	f.Complete = false
	take(t, d, f)
	for _, r := range logOf(t, d) {
		if bytes.Contains(r.Data, []byte(reviewSecret[:24])) {
			t.Errorf("%s", r.Data)
		}
	}
}

// Redacting twice is redacting once.
func TestReviewRedactTwice(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	for _, s := range []string{
		`DB_PASS` + `WORD=correct-horse`, `export API_KEY='` + reviewSecret + `'`, `Authorization: Bearer ` + reviewSecret, `https://me:` + reviewSecret + `@host/x`,
		`password: "` + reviewSecret + `"`, `--token ` + reviewSecret, `{"api_key":"` + reviewSecret + `"}`, "-----BEGIN RSA PRIVATE" + " KEY-----\nMIIabc\n-----END RSA PRIVATE" + " KEY-----",
		`aws_secret_access_key = ` + strings.Repeat("Ab1/", 10), `Cookie: session=` + reviewSecret, `MY_SECRET=[REDACTED:github-token]`,
	} {
		b, _ := json.Marshal(map[string]string{"prompt": s})
		once, n := d.redactor.JSON(b)
		twice, m := d.redactor.JSON(once)
		if !bytes.Equal(once, twice) {
			t.Errorf("%s\n1: %s (%d)\n2: %s (%d)", s, once, n.Count, twice, m.Count)
		}
	}
}

func TestReviewNewer(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{{"0.1.0-rc.10", "0.1.0-rc.9", true}, {"0.1.0-rc.9", "0.1.0-rc.10", false}, {"0.1.0+a-b", "0.1.0", false}, {"0.1.0", "0.1.0+a-b", false}, {"0.1.0", "0.1.0-rc", true}, {"0.10.0", "0.9.0", true}, {"v1.0.0", "1.0.0", false}, {"-1.0.0", "-2.0.0", false}} {
		if got := newer(c.a, c.b); got != c.want {
			t.Errorf("newer(%q,%q) = %v", c.a, c.b, got)
		}
	}
}

// The session of a process that has two is the one that was active last, every time.
func TestReviewByProcessIsTheNewest(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	for _, s := range []string{"s-1", "s-2", "s-3"} {
		f := startOf(s)
		f.Env["CLAUDE_PID"] = fmt.Sprint(os.Getpid())
		f.Time += int64(s[2])
		take(t, d, f)
	}
	for range 20 {
		f := hookFrame("")
		f.Env["CLAUDE_PID"] = fmt.Sprint(os.Getpid())
		if got := d.sessionOf(f); got != "s-3" {
			t.Fatalf("%q", got)
		}
	}
}

// A compaction of a session that nobody knows restores nothing.
func TestReviewCompactOfUnknown(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	a := take(t, d, hookFrame(`{"hook_event_name":"SessionStart","session_id":"s-9","source":"compact"}`))
	if strings.Contains(string(a.Stdout), "Identity restored from s-9") {
		t.Errorf("%s", a.Stdout)
	}
}

// The newest identity is the one that was newest, not the one whose end was heard of last.
func TestReviewLateEndIsNotLatest(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	old := startOf("s-old")
	old.Time -= 7200_000
	take(t, d, old)
	end := hookFrame(`{"hook_event_name":"SessionEnd","session_id":"s-old","reason":"other"}`)
	end.Time -= 7100_000
	take(t, d, startOf("s-new"))
	take(t, d, hookFrame(`{"hook_event_name":"SessionEnd","session_id":"s-new","reason":"other"}`))
	if _, err := d.take(t.Context(), end, true); err != nil { // from the spool, an hour late
		t.Fatal(err)
	}
	a := take(t, d, startOf("s-3"))
	if !strings.Contains(string(a.Stdout), "Identity restored from s-new.") {
		t.Errorf("%s", a.Stdout)
	}
}

// Own content that looks like a blob comes back as it was.
func TestReviewBlobLookalike(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	f := hookFrame(`{"hook_event_name":"PostToolUse","session_id":"s-1","tool_name":"Bash","tool_use_id":"t","tool_response":{"$blob":"sha256:00","size":1,"head":"x"}}`)
	take(t, d, f)
	w := httptest.NewRecorder()
	d.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/v1/events/"+f.ID+"?raw=1", nil))
	if w.Code != 200 || !sameJSON(t, f.Body, w.Body.Bytes()) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// The dream's end is shown to followers only when it is on disk; and dreams at the end are recorded before the stop.
func TestReviewStopIsLast(t *testing.T) {
	d := open(t, reviewHome(t))
	take(t, d, startOf("s-1"))
	if _, err := d.Dream(t.Context(), "s-1", "full"); err != nil {
		t.Fatal(err)
	}
	home := d.opts.Home
	if err := d.shutdown(d.httpServer(), "stop"); err != nil {
		t.Fatal(err)
	}
	d = open(t, home)
	defer shut(t, d)
	recs := logOf(t, d)
	if r := recs[len(recs)-1]; r.Type != "daemon.stopped" {
		t.Errorf("the last record is %s", r.Type)
	}
}

func TestReviewEmitRefusals(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	take(t, d, startOf("s-1"))
	n := len(logOf(t, d))
	for _, b := range []string{
		`{"type":"no.such","data":{}}`, `{"type":"canary.sent","data":[]}`, `{"type":"canary.sent","data":"x"}`, `{"type":"canary.sent","data":null}`,
		`{"type":"identity.observed","session":"s-1","data":{"accuracy":2}}`, `{"type":"identity.observed","session":"s-1","data":{}}`,
		`{"type":"identity.observed","session":"nobody","data":{"accuracy":1}}`, `{"type":"identity.observed","data":{"accuracy":1}}`, `{`, ``,
		`{"type":"canary.sent","project":"../x y.*>","data":{"nonce":"1"}}`,
		`{"type":"session.deleted","data":{}}`, `{"type":"tool.succeeded","session":"s-1","data":{"tool_name":"Bash"}}`,
		`{"type":"identity.persisted","session":"s-1","project":"other","data":{"reason":"command"}}`,
	} {
		w := httptest.NewRecorder()
		d.Handler().ServeHTTP(w, httptest.NewRequest("POST", "/v1/emit", strings.NewReader(b)))
		if w.Code < 400 {
			t.Errorf("%s: %d %s", b, w.Code, w.Body)
		}
	}
	if m := len(logOf(t, d)); m != n {
		t.Errorf("%d events were appended", m-n)
	}
}

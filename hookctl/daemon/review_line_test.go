//go:build unix

package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"hookline/events"
	"hookline/hookctl/deliver"
	"hookline/hookctl/home"
	"hookline/hookctl/spool"
	"hookline/hookctl/wire"
	"hookline/projector"
	"hookline/projector/identity"
	"hookline/projector/session"
)

// reviewHome is a new home and its places.
func reviewHome(t *testing.T) string {
	t.Helper()
	t.Setenv("XDG_RUNTIME_DIR", "")
	t.Setenv("HOOKLINE_SOCKET", "")
	t.Setenv("TMPDIR", t.TempDir())
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

func logOf(t *testing.T, d *Daemon) []events.Record {
	t.Helper()
	var recs []events.Record
	if err := d.stream.Read(context.Background(), 1, 0, func(r events.Record) error { recs = append(recs, r); return nil }); err != nil {
		t.Fatal(err)
	}
	return recs
}

func mustVerify(t *testing.T, d *Daemon) {
	t.Helper()
	v, err := d.Verify(context.Background(), nil)
	if err != nil || !v.Clean {
		t.Fatalf("verify: %v\n%+v", err, v)
	}
}

// A frame that was redacted on its way into the spool is the hook it was, not a refused one.
func TestReviewSpooledSecretStaysAHook(t *testing.T) {
	dir := reviewHome(t)
	secret := "ghp" + "_" + strings.Repeat("aB3dE6gH9", 4)
	f := hookFrame(`{"hook_event_name":"UserPromptSubmit","session_id":"s-1","prompt":"use ` + secret + `"}`)
	if err := spool.Open(home.PathsOf(dir, os.Getenv)).Write(deliver.Redacted(f)); err != nil {
		t.Fatal(err)
	}
	d := open(t, dir)
	defer shut(t, d)
	if n := d.drain(t.Context()); n != 1 {
		t.Fatalf("%d taken", n)
	}
	recs := logOf(t, d)
	if recs[0].Type != "prompt.submitted" || recs[0].Redacted != 1 {
		t.Fatalf("%s redacted %d: %s", recs[0].Type, recs[0].Redacted, recs[0].Data)
	}
}

// The daemon took a frame but the client heard nothing and spooled it: it is the same frame.
func TestReviewSpooledAfterTakenCountsOnce(t *testing.T) {
	home := reviewHome(t)
	d := open(t, home)
	defer shut(t, d)
	secret := "ghp" + "_" + strings.Repeat("aB3dE6gH9", 4)
	f := hookFrame(`{"hook_event_name":"UserPromptSubmit","session_id":"s-1","prompt":"export DB_PASS` + `WORD=correct-horse ` + secret + `"}`)
	take(t, d, f)
	before := len(logOf(t, d))
	if err := d.spool.Write(deliver.Redacted(f)); err != nil {
		t.Fatal(err)
	}
	if n := d.drain(t.Context()); n != 1 {
		t.Fatalf("%d taken", n)
	}
	if recs := logOf(t, d); len(recs) != before {
		t.Fatalf("recorded again as %s", recs[len(recs)-1].Type)
	}
	if s := d.Status(); s.Again != 1 || s.Conflicts != 0 || s.Spool != 0 {
		t.Fatalf("again %d, conflicts %d, spool %d", s.Again, s.Conflicts, s.Spool)
	}
}

// flakyStore fails one load.
type flakyStore struct {
	projector.Store
	mu   sync.Mutex
	fail int
}

func (s *flakyStore) Load(ctx context.Context, bucket, key string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail > 0 && strings.HasPrefix(key, "session.") {
		s.fail--
		return nil, errors.New("load: no answer")
	}
	return s.Store.Load(ctx, bucket, key)
}

// An event that could not be folded at once is folded later, not lost behind the position.
func TestReviewFailedFoldIsMadeUp(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	take(t, d, startOf("s-1"))
	if _, err := d.view.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	flaky := &flakyStore{Store: d.ground.Store()}
	view, err := projector.OpenView(t.Context(), flaky, projector.Tables())
	if err != nil {
		t.Fatal(err)
	}
	d.view = view
	flaky.fail = 3
	if a, err := d.Take(t.Context(), bashOf("s-1", 1)); err != nil {
		t.Logf("refused: %v %v", a, err)
	}
	flaky.mu.Lock()
	flaky.fail = 0
	flaky.mu.Unlock()
	take(t, d, bashOf("s-1", 2))
	mustVerify(t, d)
}

// Callers that leave in the middle lose no fold.
func TestReviewCancelledCallersLoseNoFold(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	take(t, d, startOf("s-1"))
	for i := range 150 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.IntN(1500))*time.Microsecond)
		_, _ = d.take(ctx, bashOf("s-1", i), true)
		cancel()
		if i%10 == 0 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.IntN(1500))*time.Microsecond)
			_, _ = d.Emit(ctx, events.Envelope{Type: events.TypeIdentityPersisted, Session: "s-1", Data: []byte(`{"reason":"command"}`)})
			cancel()
		}
	}
	take(t, d, bashOf("s-1", 1000))
	mustVerify(t, d)
}

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
func TestReviewStalledReaderHoldsUpNothing(t *testing.T) {
	for _, path := range []string{"GET /v1/cells/session", "GET /v1/events?n=0", "GET /v1/events?n=0&follow=1", "GET /v1/cells/session/s-1", "POST /v1/verify", "GET /v1/at"} {
		t.Run(path, func(t *testing.T) {
			d := open(t, reviewHome(t))
			defer shut(t, d)
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
				if err != nil {
					t.Fatal(err)
				}
			case <-time.After(2 * time.Second):
				t.Error("a hook waits for the reader")
			}
		})
	}
}

// A frame that cannot be recorded does not hold up those behind it.
func TestReviewPoisonInSpool(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	var b bytes.Buffer
	b.WriteString(`{"hook_event_name":"PostToolUse","session_id":"s-1","tool_name":"mcp__a__b","tool_use_id":"toolu_1","tool_response":[`)
	for i := 0; b.Len() < 24<<20; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%d", rand.Uint64())
	}
	b.WriteString(`]}`)
	bad := hookFrame(b.String())
	if err := d.spool.Write(bad); err != nil {
		t.Fatal(err)
	}
	good := startOf("s-2")
	good.Time, good.ID = bad.Time+1, wire.NewID(bad.Time+1)
	if err := d.spool.Write(good); err != nil {
		t.Fatal(err)
	}
	d.drain(t.Context())
	if n := d.spool.Count(); n != 0 {
		t.Errorf("%d frames are stuck", n)
	}
	types := map[string]int{}
	for _, r := range logOf(t, d) {
		types[r.Type]++
	}
	if types["session.started"] != 1 {
		t.Errorf("the frame behind was not taken: %v", types)
	}
}

// The state before the first event is empty.
func TestReviewPastBeforeTheLogIsEmpty(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	take(t, d, startOf("s-1"))
	for _, q := range []string{"0", "2001-01-01T00:00:00Z"} {
		w := httptest.NewRecorder()
		d.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/v1/at?point="+q, nil))
		if got, want := strings.TrimSpace(w.Body.String()), `{"cells":[],"seq":0}`; got != want {
			t.Errorf("at %s: %.200s", q, got)
		}
		w = httptest.NewRecorder()
		d.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/v1/diff?a="+q+"&b=now&projection=session", nil))
		if !strings.Contains(w.Body.String(), `"(absent)"`) {
			t.Errorf("diff from %s: %.200s", q, w.Body)
		}
	}
}

// A cell that is found broken while the daemon runs is whole after the next start, however soon it
// was stopped.
func TestReviewBrokenCellThenStop(t *testing.T) {
	home := reviewHome(t)
	d := open(t, home)
	take(t, d, startOf("s-1"))
	take(t, d, bashOf("s-1", 1))
	shut(t, d)
	d = open(t, home)
	for _, k := range []string{"identity.v4.s-1", "session.v3.s-1"} {
		if err := d.ground.Store().Save(t.Context(), projector.BucketSnapshot, []projector.Cell{{Key: k, Value: []byte("{broken")}}); err != nil {
			t.Fatal(err)
		}
	}
	shut(t, d)
	d = open(t, home)
	take(t, d, bashOf("s-1", 2))
	shut(t, d)
	d = open(t, home)
	defer shut(t, d)
	mustVerify(t, d)
}

// A project is recorded although the frame that met it first was a duplicate.
func TestReviewProjectSeenIsNotLost(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	one, two := t.TempDir(), t.TempDir()
	a := hookFrame(`{"hook_event_name":"Stop","session_id":"s-1"}`)
	a.Env["CLAUDE_PROJECT_DIR"] = one
	take(t, d, a)
	b := hookFrame(`{"hook_event_name":"Stop","session_id":"s-1"}`) // a second install's
	b.Env["CLAUDE_PROJECT_DIR"] = two
	take(t, d, b)
	c := startOf("s-2")
	c.Env["CLAUDE_PROJECT_DIR"] = two
	take(t, d, c)
	seen := 0
	for _, r := range logOf(t, d) {
		if r.Type == events.TypeProjectSeen {
			seen++
		}
	}
	if seen != 2 {
		t.Errorf("%d of 2 projects are in the log", seen)
	}
}

// Status counts a hook once, however often its frame came.
func TestReviewStatusCountsOnce(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	f := hookFrame(`{"hook_event_name":"Stop","session_id":"s-1"}`)
	take(t, d, f)
	take(t, d, f)
	again := hookFrame(`{"hook_event_name":"Stop","session_id":"s-1"}`)
	take(t, d, again)
	if n := d.Status().Hooks["Stop"].Count; n != 1 {
		t.Errorf("Stop counted %d times", n)
	}
}

// The plain brief answers for the session that stdin names.
func TestReviewBriefHonoursInput(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	take(t, d, startOf("s-1"))
	f := hookFrame(`{"hook_event_name":"PreToolUse","session_id":"s-1","tool_name":"Edit"}`)
	f.Args = []string{"consciousness", "brief"}
	if a := take(t, d, f); string(a.Stdout) != "[C:CON r=1.00 IC=1.00]\n" {
		t.Errorf("%q", a.Stdout)
	}
}

// Nothing of a frame but its body may carry a secret into the log either.
func TestReviewSecretsBesideTheBody(t *testing.T) {
	home := reviewHome(t)
	d := open(t, home)
	secret := "ghp" + "_" + strings.Repeat("aB3dE6gH9", 4)
	dir := filepath.Join(t.TempDir(), "x-"+secret)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	f := hookFrame(`{"hook_event_name":"SessionStart","session_id":"s-1","source":"startup"}`)
	f.Env["CLAUDE_PROJECT_DIR"], f.Cwd, f.Note, f.Binary = dir, dir, "note "+secret, "/opt/"+secret+"/hookctl"
	f.Env["CLAUDE_CODE_ENTRYPOINT"] = secret
	take(t, d, f)
	second := hookFrame(`{"hook_event_name":"SessionStart","session_id":"s-1","source":"startup"}`)
	second.Binary = f.Binary
	take(t, d, second)
	w := httptest.NewRecorder()
	d.Handler().ServeHTTP(w, httptest.NewRequest("POST", "/v1/emit", strings.NewReader(`{"type":"canary.sent","project":"`+secret+`","data":{"nonce":"`+secret+`"}}`)))
	for _, r := range logOf(t, d) {
		b, _ := json.Marshal(r)
		if i := bytes.Index(b, []byte(secret)); i >= 0 {
			t.Errorf("%s: …%.120s", r.Type, b[max(0, i-60):])
		}
	}
	shut(t, d)
}

func TestReviewWarnsOncePerCause(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	long := strings.Repeat("x", 5000)
	a := take(t, d, bashOf(long, 1))
	b := take(t, d, bashOf(long, 2))
	if want := `{"systemMessage":"hookline: session_id exceeds 100 characters and was truncated"}` + "\n"; string(a.Stdout) != want || len(b.Stdout) != 0 {
		t.Errorf("%q, then %q", a.Stdout, b.Stdout)
	}
}

// 64 hooks at once while everything else goes on: each counts once and the buckets are the log's.
func TestReviewCrowd(t *testing.T) {
	before := runtime.NumGoroutine()
	home := reviewHome(t)
	d := open(t, home)
	ctx, stop := context.WithCancel(t.Context())
	var side sync.WaitGroup
	loop := func(fn func()) {
		side.Add(1)
		go func() {
			defer side.Done()
			for ctx.Err() == nil {
				fn()
			}
		}()
	}
	loop(func() { _, _ = d.view.Flush(ctx) })
	loop(func() { _, _ = d.Verify(ctx, nil) })
	loop(func() { _, _ = d.view.Rebuild(ctx, d.stream.Read, "", nil) })
	loop(func() { d.Status(); d.reap(ctx) })
	loop(func() {
		w := httptest.NewRecorder()
		d.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/v1/cells/identity", nil))
	})
	loop(func() { _, _ = d.Dream(ctx, "s-1", "full") })
	loop(func() {
		_ = d.view.Read(ctx, func(r projector.Reader) error {
			projector.State[identity.State](r, identity.Name, "s-1")
			projector.State[session.State](r, session.Name, "s-2")
			return nil
		})
	})
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s := fmt.Sprintf("s-%d", i%4)
			if i < 4 {
				take(t, d, startOf(s))
			}
			f := bashOf(s, i)
			for range 3 {
				if _, err := d.Take(context.Background(), f); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	stop()
	side.Wait()
	n := 0
	for _, r := range logOf(t, d) {
		if r.Type == events.TypeToolSucceeded {
			n++
		}
	}
	if n != 64 {
		t.Errorf("%d of 64 calls", n)
	}
	mustVerify(t, d)
	shut(t, d)
	deadline := time.Now().Add(5 * time.Second)
	for runtime.NumGoroutine() > before && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines before, %d after", before, after)
	}
}

//go:build unix

package daemon

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hookline/expect"
	"hookline/hookctl/deliver"
	"hookline/hookctl/home"
	"hookline/hookctl/redact"
	"hookline/hookctl/wire"
)

// The daemon took a frame but the client heard nothing and spooled it: it is the same frame.
func TestSpooledAfterTakenCountsOnce(t *testing.T) {
	home := newHome(t)
	d := open(t, home)
	defer shut(t, d)
	f := hookFrame(`{"hook_event_name":"UserPromptSubmit","session_id":"s-1","prompt":"export DB_PASS` + `WORD=correct-horse ` + givenSecret + `"}`)
	take(t, d, f)
	before := len(logOf(t, d))
	expect.OK(t, d.spool.Write(deliver.Redacted(f, redact.Extra{})))
	expect.EqualNow(t, d.intake.drainer.drain(t.Context()), 1, "taken")
	if recs := logOf(t, d); len(recs) != before {
		t.Fatalf("recorded again as %s", recs[len(recs)-1].Type)
	}
	if s := d.Status(); s.Again != 1 || s.Conflicts != 0 || s.Spool != 0 {
		t.Fatalf("again %d, conflicts %d, spool %d", s.Again, s.Conflicts, s.Spool)
	}
}

// What is named like a frame and is no file, or cannot be opened, does not hold up those behind it.
func TestNoFilesInSpool(t *testing.T) {
	d := opened(t)
	dir := home.PathsOf(d.opts.Home, os.Getenv).Spool
	expect.OK(t, home.PrivateDir(dir))
	for i := range 2 * catchUpWithin {
		expect.OK(t, os.Mkdir(filepath.Join(dir, wire.NewID(int64(i))+".frame"), 0o700))
	}
	if err := os.Symlink("/dev/ptmx", filepath.Join(dir, wire.NewID(1)+".frame")); err != nil {
		t.Skip(err)
	}
	expect.OK(t, d.spool.Write(startOf("s-1")))
	taken := 0
	for range 4 {
		taken += expect.Value(d.intake.drainer.drainSome(t.Context(), catchUpWithin, ""))(t)
	}
	if taken != 1 || d.spool.Quarantined() != 1 || d.spool.Count() != 2*catchUpWithin {
		t.Errorf("%d taken, %d set aside, %d left", taken, d.spool.Quarantined(), d.spool.Count())
	}
}

// A frame that cannot be recorded does not hold up those behind it.
func TestPoisonInSpool(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, much work: nothing for the race detector")
	}
	d := opened(t)
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
	expect.OK(t, d.spool.Write(bad))
	good := startOf("s-2")
	good.Time, good.ID = bad.Time+1, wire.NewID(bad.Time+1)
	expect.OK(t, d.spool.Write(good))
	d.intake.drainer.drain(t.Context())
	expect.Equal(t, d.spool.Count(), 0)
	expect.Equal(t, counts(t, d)["session.started"], 1, "frames behind were taken")
}

// sendHook sends a live hook to the daemon's handler.
func sendHook(d *Daemon, f wire.Frame, protocol string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/v1/hook/", bytes.NewReader(f.Body))
	r.Header.Set("Hookline-Protocol", protocol)
	r.Header.Set("Hookline-Frame", string(f.Header()))
	w := httptest.NewRecorder()
	d.Handler().ServeHTTP(w, r)
	return w
}

// However many frames wait, those of a hook's own session are taken before it, and those of others stay for the loop.
func TestOwnSessionFirst(t *testing.T) {
	d := opened(t)
	for range 2 * catchUpWithin {
		expect.OK(t, d.spool.Write(hookFrame(`{"hook_event_name":"Notification","session_id":"other","message":"m"}`)))
	}
	expect.OK(t, d.spool.Write(toolFrame("PreToolUse", "s-1", "t1")))

	expect.EqualNow(t, sendHook(d, toolFrame("PostToolUse", "s-1", "t1"), "1").Code, http.StatusOK, "status")
	var got []string
	for _, r := range logOf(t, d) {
		if r.Session == "s-1" && r.ToolUseID == "t1" {
			got = append(got, r.Type)
		}
	}
	if !slices.Equal(got, []string{"tool.requested", "tool.succeeded"}) || d.spool.Count() != 2*catchUpWithin {
		t.Errorf("recorded %v, %d frames wait", got, d.spool.Count())
	}
}

// A hook whose session's frames cannot be taken in its time is not recorded before them: it goes back to be spooled.
func TestBehindWhatWaits(t *testing.T) {
	d := opened(t)
	expect.OK(t, d.spool.Write(toolFrame("PreToolUse", "s-1", "t1")))
	before := len(logOf(t, d))
	d.intake.drainer.turn <- struct{}{} // another one takes frames, and takes long
	expect.Equal(t, sendHook(d, toolFrame("PostToolUse", "s-1", "t1"), "1").Code, http.StatusServiceUnavailable, "status")
	if got := len(logOf(t, d)); got != before {
		t.Errorf("%d events were recorded", got-before)
	}
	<-d.intake.drainer.turn
}

func toolFrame(event, session, call string) wire.Frame {
	f := hookFrame(`{"hook_event_name":"` + event + `","session_id":"` + session + `","tool_name":"Edit","tool_use_id":"` + call + `"}`)
	f.Args = []string{"hook", event}
	return f
}

//go:build unix

package conversations

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"hookline/expect"
	"hookline/hookctl/wire"
)

// toolFrame is the i-th frame of a flood. The ids are the same every time, so that a second flood is a
// delivery of the first one's frames.
func toolFrame(h home, session string, i int) wire.Frame {
	body := object("session_id", session, "hook_event_name", "PostToolUse", "tool_name", "Read", "tool_use_id", "flood_"+strconv.Itoa(i),
		"tool_input", map[string]any{"file_path": "/app/" + strconv.Itoa(i)}, "tool_response", map[string]any{"type": "text"})
	at := floodTime.Add(time.Duration(i) * time.Millisecond).UnixMilli()
	id := wire.NewID(at)[:10] + fmt.Sprintf("%016d", i)
	return wire.Frame{ID: id, Args: []string{"hook", "PostToolUse"}, Cwd: h.dir, Time: at, Env: map[string]string{}, Complete: true,
		Size: int64(len(body)), Body: []byte(body)}
}

// floodTime is when the floods' frames were captured: just now, for whoever asks how old they are.
var floodTime = time.Now()

// cmdFlood sends N frames to the daemon, eight at a time; each must be acknowledged.
func cmdFlood(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	h := homeOf(ts)
	ts.Check(h.flood(args[1], n))
}

func (h home) flood(session string, n int) error {
	work, failed := make(chan int), make(chan error, n)
	var senders sync.WaitGroup
	for range 8 {
		senders.Go(func() {
			for i := range work {
				if _, err := h.send(toolFrame(h, session, i)); err != nil {
					failed <- err
				}
			}
		})
	}
	for i := range n {
		work <- i
	}
	close(work)
	senders.Wait()
	close(failed)
	return <-failed
}

// cmdSpool puts the flood's first N frames into the spool instead.
func cmdSpool(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	h := homeOf(ts)
	for i := range n {
		ts.Check(putInSpool(h.state(), toolFrame(h, args[1], i)))
	}
}

// crowd is how many hooks run at once: four times what the largest batch of parallel tools has shown.
const crowd = 200

// Two hundred processes at once, as several sessions with parallel tools start them (EC-SESSION-13):
// each is recorded once, none is refused, and the identity is what the log says.
func TestCrowd_EC_SESSION_13(t *testing.T) {
	h := newHome(t)
	h.hook(t, "SessionStart", startPayload("one"))
	var group sync.WaitGroup
	outcomes, errs := make([]outcome, crowd), make([]error, crowd)
	for i := range crowd {
		group.Go(func() {
			payload := object("session_id", "one", "hook_event_name", "PostToolUse", "tool_name", "Edit", "tool_use_id", "call_"+strconv.Itoa(i))
			outcomes[i], errs[i] = h.run(call{args: []string{"hook", "PostToolUse"}, input: payload})
		})
	}
	group.Wait()
	for i, out := range outcomes {
		if errs[i] != nil || out.exit != 0 || out.stderr != "" || strings.Contains(out.stdout, "lost") {
			t.Errorf("hook %d: %v, exit %d, stdout %q, stderr %q", i, errs[i], out.exit, out.stdout, out.stderr)
		}
	}
	wantEachOnce(t, h, "tool.succeeded", crowd)
	if err := h.verify(); err != nil {
		t.Error(err)
	}
}

// A crowd that meets no daemon: one is started, all wait in the spool, and each counts once.
func TestCrowdStartsOneDaemon(t *testing.T) {
	h := newHome(t)
	const n = 40
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			event := []string{"PreToolUse", "SessionStart"}[i%10/9] // every tenth waits for the daemon
			payload := object("session_id", "s"+strconv.Itoa(i), "hook_event_name", event, "tool_name", "Edit", "source", "startup", "tool_use_id", "call_"+strconv.Itoa(i))
			if out, err := h.run(call{args: []string{"hook", event}, input: payload}); err != nil || out.exit != 0 || out.stderr != "" {
				t.Errorf("hook %d: %v, exit %d, stderr %q", i, err, out.exit, out.stderr)
			}
		})
	}
	group.Wait()
	expect.OK(t, h.up())
	wantEachOnce(t, h, "tool.requested", n-n/10)
	wantEachOnce(t, h, "session.started", n/10)
	expect.Equal(t, len(h.mustEvents(t, "daemon.started")), 1, "daemons were started")
	if err := h.verify(); err != nil {
		t.Error(err)
	}
}

// wantEachOnce waits until n events of a type are in the log and the spool is empty, each event of
// another call or session.
func wantEachOnce(t *testing.T, h home, pattern string, n int) {
	t.Helper()
	expect.OK(t, eventually(func() error {
		list, err := h.events(pattern)
		if err == nil && len(list) != n {
			refused, _ := h.events("hook.refused")
			err = fmt.Errorf("%d %s instead of %d, %d hooks refused", len(list), pattern, n, len(refused))
		}
		if err == nil {
			err = wantCount("frames in the spool", "0", len(spooled(h.state())))
		}
		return err
	}))
	seen := map[string]bool{}
	for _, r := range h.mustEvents(t, pattern) {
		key := fmt.Sprint(r.fields["session"], " ", r.fields["tool_use_id"])
		if seen[key] {
			t.Errorf("%s counts twice", key)
		}
		seen[key] = true
	}
}

// persist-identity while all projections are rebuilt: slower perhaps, but exit 0 and saved.
func TestPersistDuringRebuild_EC_SESSION_09(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.hook(t, "SessionStart", startPayload("one"))
	expect.OK(t, h.flood("one", 500))
	rebuilt := make(chan error, 1)
	go func() { _, err := h.ask("POST", "/v1/rebuild", ""); rebuilt <- err }()
	out, err := h.run(call{args: []string{"session", "persist-identity"}, input: `{"session_id":"one"}`})
	if err != nil || out != (outcome{took: out.took}) {
		t.Errorf("%+v, %v", out, err)
	}
	if err := <-rebuilt; err != nil {
		t.Error(err)
	}
	expect.Equal(t, len(h.mustEvents(t, "identity.persisted")), 1, "snapshots")
	if err := h.verify(); err != nil {
		t.Error(err)
	}
}

// cmdCalls runs N tool calls one after the other, each with its request and its outcome.
func cmdCalls(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	h := homeOf(ts)
	for i := range n {
		for _, event := range []string{"PreToolUse", "PostToolUse"} {
			payload := object("session_id", args[1], "hook_event_name", event, "tool_name", "Read", "tool_use_id", args[1]+strconv.Itoa(i))
			out, err := h.run(call{args: []string{"hook", event}, input: payload})
			ts.Check(err)
			if out.exit != 0 || out.stderr != "" {
				ts.Fatalf("%s: exit %d, stderr %q", event, out.exit, out.stderr)
			}
		}
	}
}

// cmdPaired wants each outcome behind its request in the log.
func cmdPaired(ts *testscript.TestScript, _ bool, _ []string) {
	all, err := homeOf(ts).events("tool.*")
	ts.Check(err)
	requested := map[any]bool{}
	for _, r := range all {
		switch id := r.fields["tool_use_id"]; {
		case r.fields["type"] == "tool.requested":
			requested[id] = true
		case !requested[id]:
			ts.Fatalf("the outcome of %v stands before its request", id)
		}
	}
}

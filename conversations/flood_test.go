//go:build linux

package conversations

import (
	"errors"
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
	f := h.frame("PostToolUse", body, floodTime.Add(time.Duration(i)*time.Millisecond))
	f.ID = f.ID[:10] + fmt.Sprintf("%016d", i)
	return f
}

// floodTime is when the floods' frames were captured: just now, for whoever asks how old they are.
var floodTime = time.Now()

// cmdFlood sends N frames to the daemon, eight at a time; each must be acknowledged.
func cmdFlood(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(homeOf(ts).flood(args[1], number(ts, args[0])))
}

func (h home) flood(session string, n int) error {
	return atOnce(8, n, func(i int) error {
		_, err := h.send(toolFrame(h, session, i))
		return err
	})
}

// atOnce does n things, at most so many at a time, and gives what failed.
func atOnce(most, n int, do func(i int) error) error {
	work, failed := make(chan int), make([]error, n)
	var workers sync.WaitGroup
	for range most {
		workers.Go(func() {
			for i := range work {
				failed[i] = do(i)
			}
		})
	}
	for i := range n {
		work <- i
	}
	close(work)
	workers.Wait()
	return errors.Join(failed...)
}

// cmdSpool puts the flood's first N frames into the spool instead.
func cmdSpool(ts *testscript.TestScript, _ bool, args []string) {
	h := homeOf(ts)
	for i := range number(ts, args[0]) {
		ts.Check(h.keep(toolFrame(h, args[1], i)))
	}
}

// crowd is how many hooks run at once: four times what the largest batch of parallel tools has shown.
const crowd = 200

// Two hundred processes at once, as several sessions with parallel tools start them (EC-SESSION-13):
// each is recorded once, none is refused, and the identity is what the log says.
func TestCrowd_EC_SESSION_13(t *testing.T) {
	h := newHome(t)
	h.hook(t, "SessionStart", startPayload("one"))
	expect.OK(t, atOnce(crowd, crowd, func(i int) error {
		out, err := h.tryHook("PostToolUse", editPayload(i))
		if err == nil && strings.Contains(out.stdout, "lost") {
			err = fmt.Errorf("hook %d: %s", i, out.stdout)
		}
		return err
	}))
	wantEachOnce(t, h, "tool.succeeded", crowd)
	expect.OK(t, h.verify())
}

// editPayload is the outcome of the i-th edit of session "one".
func editPayload(i int) string {
	return object("session_id", "one", "hook_event_name", "PostToolUse", "tool_name", "Edit", "tool_use_id", "call_"+strconv.Itoa(i))
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
	expect.OK(t, <-rebuilt)
	h.counts(t, "identity.persisted", 1)
	expect.OK(t, h.verify())
}

// cmdCalls runs N tool calls one after the other, each with its request and its outcome.
func cmdCalls(ts *testscript.TestScript, _ bool, args []string) {
	h := homeOf(ts)
	for i := range number(ts, args[0]) {
		for _, event := range []string{"PreToolUse", "PostToolUse"} {
			payload := object("session_id", args[1], "hook_event_name", event, "tool_name", "Read", "tool_use_id", args[1]+strconv.Itoa(i))
			_, err := h.tryHook(event, payload)
			ts.Check(err)
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

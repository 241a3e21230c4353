//go:build unix

package daemon

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"hookline/hookctl/hook"
	"hookline/hookctl/wire"
)

// together runs fn n times at once.
func together(n int, fn func(i int)) {
	var wg sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			<-begin
			fn(i)
		}()
	}
	close(begin)
	wg.Wait()
}

// One frame, delivered 64 times at once: it counts once, and every answer says the same and comes
// after its events are on disk.
func TestReviewOneFrameManyTimes(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	f := startOf("s-1")
	answers := make([]hook.Answer, 64)
	together(64, func(i int) {
		a, err := d.Take(context.Background(), f)
		if err != nil {
			t.Error(err)
		}
		answers[i] = a
	})
	want := `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"New session initialized"}}` + "\n"
	for i, a := range answers {
		if string(a.Stdout) != want {
			t.Errorf("%d: %s", i, a.Stdout)
		}
	}
	if got := strings.Join(typesOf(logOf(t, d)), " "); got != "session.started identity.restored" {
		t.Error(got)
	}
	if s := d.Status(); s.Again != 63 || s.Hooks["SessionStart"].Count != 1 {
		t.Errorf("again %d, counted %d", s.Again, s.Hooks["SessionStart"].Count)
	}
}

// Two installs that send every hook at the same time: each hook counts once.
func TestReviewTwoInstallsAtOnce(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	dir := t.TempDir()
	together(64, func(i int) {
		f := bashOf("s-1", i/2)
		f.Binary = []string{"/a/hookctl", "/b/hookctl"}[i%2]
		f.Env["CLAUDE_PROJECT_DIR"] = dir
		if _, err := d.Take(context.Background(), f); err != nil {
			t.Error(err)
		}
	})
	n := map[string]int{}
	for _, typ := range typesOf(logOf(t, d)) {
		n[typ]++
	}
	if n["tool.succeeded"] != 32 || n["project.seen"] != 1 || n["frame.duplicated"] < 1 || n["frame.duplicated"] > 2 || len(n) != 3 {
		t.Errorf("%v", n)
	}
	if s := d.Status(); s.Hooks["PostToolUse"].Count != 32 {
		t.Errorf("%+v", s.Hooks)
	}
	mustVerify(t, d)
}

// Two sessions at once in one project never see each other's values.
func TestReviewSessionsDoNotMix(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	dir := t.TempDir()
	for _, s := range []string{"calm", "failing"} {
		take(t, d, startIn(dir, s))
	}
	together(16, func(i int) {
		f := bashOf("calm", i)
		if i%2 == 1 {
			f = hookFrame(fmt.Sprintf(`{"hook_event_name":"PostToolUseFailure","session_id":"failing","tool_name":"Bash","tool_use_id":"f%d","tool_input":{"command":"false"},"error":"Exit code 1"}`, i))
		}
		f.Env["CLAUDE_PROJECT_DIR"] = dir
		if _, err := d.Take(context.Background(), f); err != nil {
			t.Error(err)
		}
	})
	brief := func(s string) string {
		f := hookFrame("")
		f.Args, f.Env["CLAUDE_CODE_SESSION_ID"] = []string{"consciousness", "brief"}, s
		return strings.TrimSpace(string(take(t, d, f).Stdout))
	}
	if got := brief("calm"); !strings.HasPrefix(got, "[C:") || !strings.Contains(got, " r=1.00 IC=") || strings.Contains(got, "DOR") {
		t.Errorf("calm: %s", got)
	}
	d.effects.Wait() // the crisis dreams
	if got := brief("failing"); got == brief("calm") {
		t.Errorf("failing: %s", got)
	}
	if got := brief("nobody"); got != "[C:? r=? IC=?]" {
		t.Errorf("nobody: %s", got)
	}
	if s := sessionState(t, d, "calm"); s.Failures != 0 || s.Events != 9 {
		t.Errorf("%+v", s)
	}
	if s := sessionState(t, d, "failing"); s.Failures != 8 || s.Events != 9 {
		t.Errorf("%+v", s)
	}
	mustVerify(t, d)
}

// A crisis dreams once in its cool-down, as events that point to each other.
func TestReviewCrisisDreamsOnce(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	take(t, d, startOf("s-1"))
	said := ""
	for i := range 12 {
		a := take(t, d, hookFrame(fmt.Sprintf(`{"hook_event_name":"PostToolUseFailure","session_id":"s-1","tool_name":"Bash","tool_use_id":"f%d","tool_input":{"command":"false"},"error":"Exit code 1"}`, i)))
		said += string(a.Stdout)
	}
	d.effects.Wait()
	if n := strings.Count(said, "dream triggered"); n != 1 {
		t.Errorf("%d times: %s", n, said)
	}
	var ids []string
	var triggered, completed int
	for _, r := range logOf(t, d) {
		ids = append(ids, r.ID)
		switch r.Type {
		case "dream.triggered":
			triggered++
			if r.Causation != ids[len(ids)-2] {
				t.Errorf("triggered by %q", r.Causation)
			}
		case "dream.completed":
			completed++
		}
	}
	if triggered != 1 || completed != 1 {
		t.Errorf("%d triggered, %d completed", triggered, completed)
	}
	mustVerify(t, d)
}

// The plain brief leaves no record and counts no hook.
func TestReviewBriefIsNoRecord(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	take(t, d, startOf("s-1"))
	before := len(logOf(t, d))
	for range 3 {
		f := hookFrame("")
		f.Args = []string{"consciousness", "brief"}
		f.Env["CLAUDE_CODE_SESSION_ID"] = "s-1"
		if a := take(t, d, f); string(a.Stdout) != "[C:CON r=1.00 IC=1.00]\n" || a.Exit != 0 {
			t.Errorf("%+v", a)
		}
	}
	if n := len(logOf(t, d)); n != before {
		t.Errorf("%d records more", n-before)
	}
	f := wire.Frame{ID: wire.NewID(1), Args: []string{"consciousness", "brief", "--hook"}, Time: startOf("s").Time, Complete: true,
		Body: []byte(`{"hook_event_name":"PreToolUse","session_id":"s-1","tool_name":"Edit","tool_use_id":"t"}`), Env: map[string]string{}}
	f.Size = int64(len(f.Body))
	if a := take(t, d, f); string(a.Stdout) != `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"[C:CON r=1.00 IC=1.00]"}}`+"\n" {
		t.Errorf("%s", a.Stdout)
	}
}

// A secret on the command line of a hook entry stays out of the log and the status.
func TestReviewSecretsInArguments(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	for i, body := range []string{`{"session_id":"s-1"}`, `[]`} {
		f := hookFrame(body)
		f.Args = []string{"hook", reviewSecret, fmt.Sprint(i)}
		take(t, d, f)
	}
	f := hookFrame(`{"session_id":"s-1"}`)
	f.Args = []string{reviewSecret, reviewSecret}
	take(t, d, f)
	for _, r := range logOf(t, d) {
		if b, _ := r.MarshalJSON(); strings.Contains(string(b), reviewSecret) {
			t.Errorf("%s", b)
		}
	}
	if s := fmt.Sprintf("%+v", d.Status()); strings.Contains(s, reviewSecret) {
		t.Error("status shows it")
	}
}

// A session whose process was used again by another program is gone all the same.
func TestReviewReapReusedPID(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	f := startOf("s-1")
	f.Env["CLAUDE_PID"] = fmt.Sprint(os.Getpid())
	take(t, d, f)
	d.reap(t.Context())
	if s := sessionState(t, d, "s-1"); s.Status != "live" || s.Process().Start == 0 {
		t.Fatalf("%s %+v", s.Status, s.Process())
	}
	d.live.mu.Lock()
	s := d.live.by["s-1"]
	s.process.Start++ // as if the pid were another's
	d.live.by["s-1"] = s
	d.live.mu.Unlock()
	d.reap(t.Context())
	if s := sessionState(t, d, "s-1"); s.Status != "reaped" || s.EndReason != "process_gone" {
		t.Errorf("%s %s", s.Status, s.EndReason)
	}
}

// The frame of a session that ended long ago, out of the spool, does not give it a stranger's process:
// the process is asked after when the frame was captured, not when it is drained.
func TestReviewSpooledFrameHasNoLivingProcess(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	f := startOf("s-1")
	f.ID = wire.NewID(f.Time - 3600_000)
	f.Time -= 3600_000
	f.Env["CLAUDE_PID"] = fmt.Sprint(os.Getpid()) // began after the frame was captured
	if err := d.spool.Write(f); err != nil {
		t.Fatal(err)
	}
	if n := d.drain(t.Context()); n != 1 {
		t.Fatalf("%d taken", n)
	}
	if s := sessionState(t, d, "s-1"); s.Process().PID != 0 {
		t.Errorf("%+v", s.Process())
	}
}

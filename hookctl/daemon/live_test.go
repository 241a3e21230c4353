//go:build unix

package daemon

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"

	"hookline/expect"
	"hookline/hookctl/wire"
)

// The frame of a session that ended long ago, out of the spool, does not give it a stranger's process:
// the process is asked after when the frame was captured, not when it is drained.
func TestSpooledFrameHasNoLivingProcess(t *testing.T) {
	d := opened(t)
	f := startOf("s-1")
	f.Time -= 3600_000
	f.ID = wire.NewID(f.Time)
	f.Env["CLAUDE_PID"] = fmt.Sprint(os.Getpid()) // began after the frame was captured
	expect.OK(t, d.spool.Write(f))
	expect.EqualNow(t, d.intake.drainer.drain(t.Context()), 1, "taken")
	if s := sessionState(t, d, "s-1"); s.Process().PID != 0 {
		t.Errorf("%+v", s.Process())
	}
}

// A session whose process has gone is ended and its identity kept; a later event revives it.
func TestReapAndRevive(t *testing.T) {
	d := opened(t)
	child := exec.Command("cat") // ends with its input
	in := expect.Value(child.StdinPipe())(t)
	expect.OK(t, child.Start())
	f := startOf("s-1")
	f.Env["CLAUDE_PID"] = fmt.Sprint(child.Process.Pid)
	take(t, d, f)
	d.intake.reap(t.Context())
	if s := sessionState(t, d, "s-1"); s.Status != "live" || s.Process().PID != child.Process.Pid {
		t.Fatalf("%s, pid %d", s.Status, s.Process().PID)
	}
	_ = in.Close()
	_ = child.Wait()
	d.intake.reap(t.Context())
	s := sessionState(t, d, "s-1")
	if s.Status != "reaped" || s.EndReason != "process_gone" || s.Ended == nil || d.Status().LiveSessions != 0 {
		t.Fatalf("%+v", s)
	}
	d.intake.reap(t.Context()) // once
	recs := logOf(t, d)
	last := typesOf(recs)[len(recs)-2:]
	if want := []string{"session.reaped", "identity.persisted"}; !slices.Equal(last, want) || recs[len(recs)-1].Causation != recs[len(recs)-2].ID {
		t.Fatalf("%q, cause %q", last, recs[len(recs)-1].Causation)
	}
	take(t, d, bashOf("s-1", 1))
	if s := sessionState(t, d, "s-1"); s.Status != "live" || s.EndReason != "" || s.Ended != nil {
		t.Errorf("%+v", s)
	}
	mustVerify(t, d)
}

// The session of a process that has two is the one that was active last, every time.
func TestByProcessIsTheNewest(t *testing.T) {
	d := opened(t)
	for _, s := range []string{"s-1", "s-2", "s-3"} {
		f := startOf(s)
		f.Env["CLAUDE_PID"] = fmt.Sprint(os.Getpid())
		f.Time += int64(s[2])
		take(t, d, f)
	}
	for range 20 {
		f := hookFrame("")
		f.Env["CLAUDE_PID"] = fmt.Sprint(os.Getpid())
		id, _ := d.intake.sessionByProcess(t.Context(), f)
		expect.EqualNow(t, id, "s-3")
	}
}

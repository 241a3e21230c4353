//go:build unix

package daemon

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/api"
	"hookline/hookctl/problem"
	"hookline/hookctl/wire"
	"hookline/projector/identity"
	"hookline/replay/past"
)

// tuesday is when the tests of recovery begin.
var tuesday = time.Date(2026, 11, 17, 9, 0, 0, 0, time.UTC)

// oldLog makes logs whose frames were captured at set times.
type oldLog struct {
	t   *testing.T
	d   *Daemon
	dir string
}

func pastIn(t *testing.T) oldLog {
	return oldLog{t: t, d: open(t, newHome(t)), dir: t.TempDir()}
}

// hook takes one frame, captured so long after tuesday.
func (p oldLog) hook(after time.Duration, body string) {
	p.t.Helper()
	f := hookFrame(body)
	f.Time = tuesday.Add(after).UnixMilli()
	f.ID, f.Env["CLAUDE_PROJECT_DIR"], f.Cwd = wire.NewID(f.Time), p.dir, p.dir
	take(p.t, p.d, f)
}

func (p oldLog) start(after time.Duration, session string) {
	p.hook(after, `{"hook_event_name":"SessionStart","session_id":"`+session+`","source":"startup"}`)
}

func (p oldLog) end(after time.Duration, session string) {
	p.hook(after, `{"hook_event_name":"SessionEnd","session_id":"`+session+`","reason":"other"}`)
}

func (p oldLog) fail(after time.Duration, session string, n int) {
	for i := range n {
		p.hook(after+time.Duration(i)*10*time.Second, fmt.Sprintf(`{"hook_event_name":"PostToolUseFailure","session_id":%q,"tool_name":"Bash","tool_use_id":"t-%s-%d","tool_input":{"command":"x"},"error":"x"}`, session, after, i))
	}
}

func (p oldLog) state(session string) identity.State {
	p.t.Helper()
	s, _ := identityOf(p.t, p.d, session)
	return s
}

func (p oldLog) latest() string {
	p.t.Helper()
	s, _ := stateOf[identity.Pointer](p.t.Context(), p.d.core, identity.PointerName, identity.PointerKey(p.state("good").Project))
	return s.Session
}

// recover asks through the surface, as `replay recover` does.
func (p oldLog) recover(r api.RecoverRequest) (past.Recovered, error) {
	p.t.Helper()
	r.Cwd = p.dir
	return api.Recover.Run(p.t.Context(), surface(p.d), r, noProgress)
}

// twoDays is a project with a good session that ended on tuesday and one that went wrong on wednesday.
func twoDays(t *testing.T) oldLog {
	p := pastIn(t)
	p.start(0, "good")
	p.fail(time.Minute, "good", 1)
	p.end(time.Hour, "good")
	p.start(24*time.Hour, "bad")
	p.fail(25*time.Hour, "bad", 3) // one more is a crisis, whose dream comes when it comes
	p.end(26*time.Hour, "bad")
	return p
}

// The newest snapshot at or before a moment becomes the one that the next session starts from; the log
// keeps everything (S0, recovery by timestamp).
func TestRecoverProject(t *testing.T) {
	p := twoDays(t)
	defer shut(t, p.d)
	was, wrong := p.state("good"), p.state("bad")
	if p.latest() != "bad" || wrong.Integration >= was.Integration {
		t.Fatalf("latest %s, r %v and %v", p.latest(), was.Integration, wrong.Integration)
	}
	length := len(allOf(t, p.d))
	dry, err := p.recover(api.RecoverRequest{At: "2026-11-17T20:00:00Z", DryRun: true})
	if err != nil || dry.Event != "" || dry.Target != "good" || dry.Replaces != "bad" || dry.Snapshot != tuesday.Add(time.Hour).UnixMilli() || len(allOf(t, p.d)) != length {
		t.Fatalf("%+v %v", dry, err)
	}
	got, err := p.recover(api.RecoverRequest{At: "2026-11-17T20:00:00Z"})
	if err != nil || got.After != dry.After || got.Before != dry.Before || got.After.R != was.Integration {
		t.Fatalf("%+v %v", got, err)
	}
	recs := allOf(t, p.d)[length:]
	e, ok := recs[0].Event.(*events.IdentityRecovered)
	if !ok || e.Replaces != "bad" || e.Session != "good" || e.At != "2026-11-17T20:00:00Z" || recs[0].ID != got.Event || recs[1].Type != "identity.persisted" || len(recs) != 2 {
		t.Errorf("%q, %+v", typesOf(recs), recs[0].Event)
	}
	if now := p.state("good"); p.latest() != "good" || now.PurposeVector != was.PurposeVector || now.Live {
		t.Errorf("latest %s, %+v", p.latest(), now)
	}
	p.start(48*time.Hour, "next")
	if next := p.state("next"); next.PreviousSessionID != "good" || next.Integration != was.Integration {
		t.Errorf("the next session starts from %s with r %v", next.PreviousSessionID, next.Integration)
	}
	mustVerify(t, p.d)
}

// A moment before any snapshot, an unknown session, no project: refused with a reason.
func TestRecoverRefuses(t *testing.T) {
	p := twoDays(t)
	defer shut(t, p.d)
	elsewhere := oldLog{t: t, d: p.d, dir: t.TempDir()}
	for _, c := range []struct {
		p    oldLog
		ask  api.RecoverRequest
		want string
	}{
		{p, api.RecoverRequest{At: "2026-11-17T08:00:00Z"}, "this folder's project had no identity at or before 2026-11-17T08:00:00Z"},
		{p, api.RecoverRequest{At: "2026-11-17T08:00:00Z", Session: "good"}, "session good had no identity at 2026-11-17T08:00:00Z"},
		{p, api.RecoverRequest{At: "now", Session: "nobody"}, `there is no session "nobody"`},
		{p, api.RecoverRequest{At: "yesterday"}, `"yesterday" is no sequence, time or duration`},
		{p, api.RecoverRequest{At: "99999"}, "no event 99999 is in the log"},
		{elsewhere, api.RecoverRequest{At: "now"}, "this folder's project had no identity at or before "},
		{oldLog{t: t, d: p.d}, api.RecoverRequest{At: "now"}, "no project is known here"},
	} {
		_, err := c.p.recover(c.ask)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("recover at %q in %q: %v, want %s", c.ask.At, c.p.dir, err, c.want)
		}
	}
}

// By a sequence it is the state there, also of a session that never ended; and the live session gets it.
func TestRecoverSessionIntoTheLiveOne(t *testing.T) {
	p := twoDays(t)
	defer shut(t, p.d)
	p.start(48*time.Hour, "live")
	var at uint64
	for _, r := range allOf(t, p.d) {
		if r.Session == "bad" && r.Type == "session.started" {
			at = r.Seq + 1 // its identity.restored: before anything went wrong
		}
	}
	got, err := p.recover(api.RecoverRequest{At: past.AtSeq(at), Session: "bad"})
	if err != nil || got.Session != "bad" || got.Target != "live" || got.Seq != at || got.Snapshot != 0 || got.Replaces != "bad" {
		t.Fatalf("%+v %v", got, err)
	}
	if s := p.state("live"); s.PreviousSessionID != "bad" || s.Integration != p.state("good").Integration || !s.Live || p.latest() != "live" {
		t.Errorf("latest %s, %+v", p.latest(), s)
	}
	mustVerify(t, p.d)
}

// A deletion stays: what was deleted is neither found nor named into life again. And where the pointer has
// nothing left, the index still finds what is there (EC-SESSION-03).
func TestRecoverPassesOverDeleted(t *testing.T) {
	p := twoDays(t)
	defer shut(t, p.d)
	emit(t, p.d, `{"type":"session.deleted","session":"bad","data":{}}`)
	if got, err := p.recover(api.RecoverRequest{At: past.Now}); err != nil || got.Session != "good" {
		t.Errorf("%+v %v", got, err)
	}
	_, err := p.recover(api.RecoverRequest{At: "2026-11-18T11:00:00Z", Session: "bad"})
	if err == nil || !strings.Contains(err.Error(), "session bad ") {
		t.Errorf("%v", err)
	}
	if _, err = p.recover(api.RecoverRequest{At: "12", Session: "bad"}); err == nil || err.Error() != "session bad was deleted since; a deletion is not undone" {
		t.Errorf("%v", err)
	}
	mustVerify(t, p.d)
}

// An old session that never ended and comes into a log in use is over as of its last event: it does not become the newest
// identity of its project.
func TestImportedSessionIsOld(t *testing.T) {
	old := pastIn(t)
	old.start(0, "never-ended")
	old.fail(time.Minute, "never-ended", 1)
	file := exportOf(t, old.d, "")
	shut(t, old.d)

	p := oldLog{t: t, d: open(t, newHome(t)), dir: old.dir}
	defer shut(t, p.d)
	p.start(24*time.Hour, "good")
	p.end(25*time.Hour, "good")
	expect.EqualNow(t, p.latest(), "good", "the newest identity is")
	mustImport(t, p.d, file)
	p.d.intake.reap(t.Context())
	s := p.state("never-ended")
	if !s.Persisted || s.PersistedAtMS > tuesday.Add(2*time.Minute).UnixMilli() || p.latest() != "good" {
		t.Errorf("persisted at %v, the newest identity is %q", time.UnixMilli(s.PersistedAtMS).UTC(), p.latest())
	}
	mustVerify(t, p.d)
}

// lose has the log lose one record, as a bad sector does, and opens it again.
func (p *oldLog) lose(session, typ string) {
	p.t.Helper()
	lost := ""
	for _, r := range allOf(p.t, p.d) {
		if r.Session == session && r.Type == typ {
			lost = r.ID
		}
	}
	home := p.d.opts.Home
	shut(p.t, p.d)
	spoil(p.t, blockPath(home, 1), lost, 40)
	p.d = open(p.t, home)
}

// Where the event of the newest snapshot is lost, the identity is the one that was folded up to the moment, and that is said;
// the next session starts from it, as the verb promises.
func TestRecoverWithoutTheSnapshotsEvent(t *testing.T) {
	p := twoDays(t)
	was := p.state("bad")
	p.lose("bad", events.TypeIdentityPersisted)
	defer func() { shut(t, p.d) }()
	expect.EqualNow(t, p.latest(), "good", "the newest snapshot that is left is of")

	got, err := p.recover(api.RecoverRequest{At: "2026-11-18T20:00:00Z"})
	expect.OK(t, err)
	expect.Equal(t, got.Session, "bad", "session of the identity")
	expect.Equal(t, got.Folded, true, "it is folded, without a snapshot")
	expect.Equal(t, got.Snapshot, int64(0), "time of a snapshot")
	expect.Equal(t, got.After.R, was.Integration, "r of the identity")
	expect.Equal(t, p.latest(), "bad", "the project's newest identity")

	p.start(48*time.Hour, "next")
	next := p.state("next")
	expect.Equal(t, next.PreviousSessionID, "bad", "the next session starts from")
	expect.Equal(t, next.Integration, was.Integration, "with r")

	earlier, err := p.recover(api.RecoverRequest{At: "2026-11-17T20:00:00Z", DryRun: true})
	expect.OK(t, err)
	expect.Equal(t, earlier.Session+" "+fmt.Sprint(earlier.Folded), "good false", "the snapshot before")
	shut(t, p.d)
	p.d = open(t, p.d.opts.Home) // what an opening has lost is new to it
	mustVerify(t, p.d)
}

// Before the project's first snapshot it is the session that had begun.
func TestRecoverBeforeTheFirstSnapshot(t *testing.T) {
	p := twoDays(t)
	defer shut(t, p.d)
	got, err := p.recover(api.RecoverRequest{At: "2026-11-17T09:30:00Z", DryRun: true})
	expect.OK(t, err)
	expect.Equal(t, got.Session+" "+fmt.Sprint(got.Folded), "good true", "identity before the first snapshot")
}

// Of several live sessions none is guessed: they are listed, and --into names one, which the next session starts from.
func TestRecoverWithSeveralLive(t *testing.T) {
	p := twoDays(t)
	defer shut(t, p.d)
	for id, pid := range map[string]int{"live-1": os.Getpid(), "live-2": os.Getppid()} {
		f := startIn(p.dir, id)
		f.Env["CLAUDE_PID"] = strconv.Itoa(pid)
		take(t, p.d, f)
	}
	request := api.RecoverRequest{At: "2026-11-17T20:00:00Z"}
	_, err := p.recover(request)
	var refused *problem.Error
	if !errors.As(err, &refused) {
		t.Fatalf("recover with two live sessions: %v, want a refusal", err)
	}
	expect.Equal(t, refused.Message, "2 sessions of the project are live: live-1, live-2", "refusal")
	expect.Equal(t, refused.Hint, "--into SESSION names the one that gets the identity, for example --into live-1", "hint")

	request.Into = "live-1"
	got, err := p.recover(request)
	expect.OK(t, err)
	expect.Equal(t, got.Target, "live-1", "target")
	expect.Equal(t, p.state("live-1").PreviousSessionID, "good", "its identity is of")
	take(t, p.d, startIn(p.dir, "next"))
	expect.Equal(t, p.state("next").PreviousSessionID, "live-1", "the next session starts from")

	elsewhere := oldLog{t: t, d: p.d, dir: t.TempDir()}
	take(t, p.d, startIn(elsewhere.dir, "other"))
	request.Into = "other"
	_, err = p.recover(request)
	if err == nil || err.Error() != "session other is of another project than the identity of good" {
		t.Errorf("recover into another project: %v", err)
	}
	mustVerify(t, p.d)
}

package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"github.com/oklog/ulid/v2"

	"hookline/events"
	"hookline/hookctl/hook"
	"hookline/hookctl/wire"
	"hookline/projector/intake"
)

// Exactly once: what happens to a frame that was seen before.

// judge asks the window, and for a frame older than the window the log.
func (d *Daemon) judge(ctx context.Context, env *events.Envelope, digest intake.Digest, install string) (intake.Verdict, intake.Entry, error) {
	verdict, first := d.window.Judge(env, digest, install)
	if verdict != intake.Fresh || !d.mayBeOlder(env) {
		return verdict, first, nil
	}
	seq, err := d.inLog(ctx, env.ID)
	if err == nil {
		err = d.foldTo(ctx, seq) // one whose acknowledgement was lost is not folded yet
	}
	if err != nil || seq == 0 {
		return verdict, first, err
	}
	rec, err := d.stream.Get(ctx, seq)
	if err != nil {
		return verdict, first, err
	}
	first = intake.Entry{ID: env.ID, Seq: seq, Digest: intake.DigestOf(rec.Data), Time: rec.Time}
	if first.Digest != digest {
		return intake.Conflict, first, nil
	}
	return intake.Again, first, nil
}

// inLog finds an event by its id, 0 when the log has none.
func (d *Daemon) inLog(ctx context.Context, id string) (uint64, error) {
	if seq, ok := d.lookedUp[id]; ok {
		return seq, nil
	}
	from, err := d.seqBefore(ctx, id)
	if err != nil {
		return 0, err
	}
	found, err := d.stream.FindIDs(ctx, from, map[string]struct{}{id: {}})
	return found[id], err
}

// lateAfter is how old a frame must be before the log is asked for it: the retries of a hook that
// is still running are younger and inside the window.
const lateAfter = 2 * time.Second

// mayBeOlder tells whether a frame that the window does not know can be in the log before it: it is
// late, it was captured before the window's oldest record came, and there are records before that.
func (d *Daemon) mayBeOlder(env *events.Envelope) bool {
	oldest, at := d.window.Oldest()
	return oldest > 1 && env.Time.Before(at) && d.opts.Now().Sub(env.Time) > lateAfter
}

// answerAgain gives a repeated frame its answer once more; nothing is counted.
func (d *Daemon) answerAgain(ctx context.Context, in hook.Input, w hook.World, first intake.Entry) (hook.Answer, uint64, error) {
	d.hooks.again.Add(1)
	after, err := d.after(ctx, in)
	if err != nil {
		return hook.Answer{}, 0, err
	}
	after.Warned, in.Warnings = true, d.unheard(in)
	after.Verdict = d.verdictAgain(ctx, in, w, first)
	if _, ok := in.Event.(*events.SessionStarted); ok {
		after.Restored = d.restoredAfter(ctx, first.Seq)
	}
	if err := d.greet(ctx, in, w, &after); err != nil {
		return hook.Answer{}, 0, err
	}
	return hook.Render(in, after), first.Seq, nil
}

// restoredAfter finds the identity.restored that was decided with the record at seq.
func (d *Daemon) restoredAfter(ctx context.Context, seq uint64) *events.IdentityRestored {
	const batch = 8 // a decision has fewer events than that
	own, err := d.stream.Get(ctx, seq)
	if err != nil {
		return nil
	}
	for next := seq + 1; next < seq+batch; next++ {
		rec, err := d.stream.Get(ctx, next)
		if err != nil {
			return nil
		}
		if e, ok := rec.Event.(*events.IdentityRestored); ok && rec.Causation == own.ID {
			return e
		}
	}
	return nil
}

// refuseConflict keeps a frame whose id is taken by other content as an event of its own. It is recorded
// and told once, however often it is delivered: its event's id follows from the frame's id and content.
func (d *Daemon) refuseConflict(ctx context.Context, f wire.Frame, in hook.Input) (hook.Answer, uint64, error) {
	digest := intake.DigestOf(in.Data)
	id := conflictID(f.ID, digest)
	known, err := d.inLog(ctx, id)
	if err != nil || known > 0 {
		return hook.Answer{}, known, err
	}
	seq, err := d.noteAs(ctx, id, in, &events.FrameConflicted{Frame: f.ID, Digest: "sha256:" + hex.EncodeToString(digest[:]), Data: in.Data})
	if err != nil {
		return hook.Answer{}, 0, err
	}
	d.hooks.conflicts.Add(1)
	return hook.JSON(in.Name(), "", "hookline: a frame id came twice with different content; recorded as frame.conflicted"), seq, nil
}

// conflictID is the id of the event about a frame's second content: of the frame's time, the rest from both.
func conflictID(frame string, digest intake.Digest) string {
	id, err := ulid.ParseStrict(frame)
	if err != nil {
		return frame + "-" + hex.EncodeToString(digest[:])
	}
	sum := sha256.Sum256(append([]byte(frame), digest[:]...))
	copy(id[6:], sum[:])
	return id.String()
}

// countSecond counts a hook that a second install sent; the install is named in the log once a session. Its answer
// is the gates' verdict alone: what is told was told to the first.
func (d *Daemon) countSecond(ctx context.Context, f wire.Frame, in hook.Input, w hook.World, first intake.Entry) (hook.Answer, uint64, error) {
	d.hooks.seconds.Add(1)
	install := d.clean(installOf(f))
	d.hooks.second(install)

	verdict, seq, err := d.verdictOfSecond(ctx, in, w, first)
	if err != nil {
		return hook.Answer{}, 0, err
	}

	if d.first(in.Session + " second install " + install) {
		seq, err = d.note(ctx, in, &events.FrameDuplicated{Original: first.ID, Install: install, First: d.clean(first.Install)})
	}
	return hook.Refusal(in, verdict), max(seq, first.Seq), err
}

// verdictOfSecond is the verdict on a hook that another install sent first, and the sequence that it rests on. What
// was decided with the first is repeated; where no gate saw the first (it came by an identity verb, or too late), the
// decision is made now and recorded.
func (d *Daemon) verdictOfSecond(ctx context.Context, in hook.Input, w hook.World, first intake.Entry) (hook.Verdict, uint64, error) {
	if w.Gates == nil {
		return hook.Verdict{}, 0, nil
	}
	if v := d.verdictAgain(ctx, in, w, first); v.Refuses() {
		return v, 0, nil
	}

	own, err := d.stream.Get(ctx, first.Seq)
	if err != nil {
		return hook.Verdict{}, 0, err
	}
	judged := own.Facts == nil || own.Facts.Profile == ""
	if judged && !refusable(in.Event) {
		return hook.Verdict{}, 0, nil
	}

	past, err := d.past(ctx, in, w)
	if err != nil {
		return hook.Verdict{}, 0, err
	}
	w.Verdict = d.judgeGates(ctx, in, w, past.Session)
	envs := hook.Derived(in, w, first.ID)
	if len(envs) == 0 {
		return w.Verdict, 0, nil
	}
	seq, err := d.append(ctx, envs, nil)
	if errors.Is(err, errRaced) { // this second hit was delivered before
		err = nil
	}
	return w.Verdict, seq, err
}

// installOf names the install that sent a frame: its binary, and how the hook entry calls it where
// that is another name.
func installOf(f wire.Frame) string {
	if f.Invoked == "" || f.Invoked == f.Binary {
		return f.Binary
	}
	return f.Binary + " as " + f.Invoked
}

// note appends an event about a frame that is not the frame's own.
func (d *Daemon) note(ctx context.Context, in hook.Input, e events.Event) (uint64, error) {
	return d.noteAs(ctx, wire.NewID(d.opts.Now().UnixMilli()), in, e)
}

func (d *Daemon) noteAs(ctx context.Context, id string, in hook.Input, e events.Event) (uint64, error) {
	k, _ := events.Lookup(e.Type())
	data, err := json.Marshal(e)
	if err != nil {
		return 0, err
	}
	now := d.opts.Now().UTC().Truncate(time.Millisecond)
	env := events.Envelope{ID: id, Type: k.Type, Version: k.Version(), Time: now, Session: in.Session, Correlation: in.Session,
		Causation: in.Frame, Data: data}
	return d.append(ctx, []events.Envelope{env}, nil)
}

package recorder

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/hook"
	"hookline/projector"
)

// Told is what became of a hook, and what there is to say.
type Told struct {
	Seen    Verdict // whether it was taken before
	Verdict hook.Verdict
	Items   []hook.Item
	Overdue bool           // Items tell what a start could not: [Recorder.Answered] is to be called
	Effects []events.Event // that follow from the fold; they come back through [Recorder.Do]
	Cause   string         // id of the event that counted
	Seq     uint64         // on disk
}

// FirstOfInstall reports whether the install that sent the hook had not sent it before.
func (t Told) FirstOfInstall() bool { return t.Seen == Fresh || t.Seen == SecondHit }

// Record takes one hook: judged exactly once, decided, appended and folded, and told from the view that covers its own
// events. It returns when they are on disk. An error means that nothing was recorded: the sender must keep it.
func (r *Recorder) Record(ctx context.Context, in hook.Input, w hook.World, install string) (Told, error) {
	told, err := r.inOrder(ctx, in, w, install)
	if err == nil {
		err = r.Sync(ctx, told.Seq)
	}
	if err != nil {
		if told.Overdue {
			r.Answered(in)
		}
		return Told{}, err
	}
	return told, nil
}

// Answered says that the answer to a hook whose outcome is [Told].Overdue was passed on, and what it told was given to
// [Recorder.Later], or that nobody reads it: then another hook may tell what the start could not.
func (r *Recorder) Answered(in hook.Input) {
	r.order.Lock()
	defer r.order.Unlock()
	if r.onWay[in.Session] == in.Frame {
		delete(r.onWay, in.Session)
	}
}

// overdue returns what a start of the hook's session had to say and could not, unless the answer to another hook that is on its
// way tells it. The caller holds r.order.
func (r *Recorder) overdue(in hook.Input, w hook.World, past projector.Reader) []hook.Item {
	frame, another := r.onWay[in.Session]
	if w.Facts.Spooled || another && frame != in.Frame {
		return nil
	}
	items := hook.Overdue(in, w, hook.Reader{Reader: past})
	if items != nil {
		r.onWay[in.Session] = in.Frame
	}
	return items
}

// inOrder does the one step that orders the log.
func (r *Recorder) inOrder(ctx context.Context, in hook.Input, w hook.World, install string) (Told, error) {
	r.order.Lock()
	defer r.order.Unlock()
	if err := ctx.Err(); err != nil { // the wait took too long: the sender has kept it
		return Told{}, err
	}
	if err := r.settle(ctx); err != nil { // a log that takes nothing says so again below
		r.log.Error("record what was told", "err", err)
	}

	seen, first, err := r.judge(ctx, in, install)
	if err != nil {
		return Told{}, err
	}
	switch seen {
	case Again:
		return r.again(ctx, in, w, first)
	case Conflict:
		return r.conflict(ctx, in, first)
	case SecondHit:
		return r.second(ctx, in, w, install, first)
	}

	var envs []events.Envelope
	var overdue []hook.Item
	err = r.view.Read(ctx, func(past projector.Reader) error {
		envs = hook.Decide(in, w, hook.Reader{Reader: past})
		overdue = r.overdue(in, w, past)
		return nil
	})
	if err != nil {
		return Told{}, err
	}

	recs, err := r.append(ctx, r.stream.Append, envs, origin{event: in.Event, install: install})
	if dup := (*embedded.DuplicateError)(nil); errors.As(err, &dup) { // the log had it already, and the window had not
		return r.again(ctx, in, w, taken{ID: in.Frame, Seq: dup.Found[in.Frame]})
	}
	if err != nil {
		delete(r.onWay, in.Session)
		return Told{}, err
	}

	var decided []events.Event
	for _, rec := range recs[1:] {
		decided = append(decided, rec.Event)
	}
	told, err := r.tell(ctx, Told{Cause: in.Frame, Seq: recs[len(recs)-1].Seq}, in, w, decided)
	return told.with(overdue), err
}

// with returns the same with what a start could not tell before it.
func (t Told) with(overdue []hook.Item) Told {
	t.Overdue = overdue != nil
	t.Items = append(overdue, t.Items...)
	return t
}

// tell adds to told what there is to say of a hook and of the events that were decided with it.
func (r *Recorder) tell(ctx context.Context, told Told, in hook.Input, w hook.World, decided []events.Event) (Told, error) {
	err := r.view.Read(ctx, func(now projector.Reader) error {
		rd := hook.Reader{Reader: now, Decided: decided}
		told.Verdict = hook.Refuse(in, w, rd)
		told.Items = hook.Tell(in, w, rd, told.Seen == Again)
		if told.Seen == Fresh {
			told.Effects = hook.Follow(in, w, rd)
		}
		return nil
	})
	return told, err
}

// judge reports whether a frame was taken before: it asks the window, and for a frame older than the window the log.
func (r *Recorder) judge(ctx context.Context, in hook.Input, install string) (Verdict, taken, error) {
	env := events.Envelope{ID: in.Frame, Session: in.Session, Time: in.Time, ToolUseID: hook.ToolUseID(in.Event)}
	if in.Hook != nil {
		env.Hook = in.Name()
	}
	digest := digestOf(in.Data)

	seen, first := r.window.Judge(&env, digest, install)
	oldest, at := r.window.Oldest()
	mayBeOlder := oldest > 1 && env.Time.Before(at) && r.opts.Now().Sub(env.Time) > lateAfter
	if seen != Fresh || !mayBeOlder {
		return seen, first, nil
	}

	found, err := r.Find(ctx, env.ID)
	seq := found[env.ID]
	if err == nil {
		err = r.foldTo(ctx, seq) // one whose acknowledgement was lost is not folded yet
	}
	if err != nil || seq == 0 {
		return seen, first, err
	}

	rec, err := r.stream.Get(ctx, seq)
	if err != nil {
		return seen, first, err
	}
	first = taken{ID: env.ID, Seq: seq, Digest: digestOf(rec.Data), Time: rec.Time}
	if first.Digest != digest {
		return Conflict, first, nil
	}
	return Again, first, nil
}

// lateAfter is the age above which the log is asked for a frame: the retries of a hook that is still running are
// younger and inside the window.
const lateAfter = 2 * time.Second

// Find returns the sequences of the events that the log has of these ids. It searches from a minute before the
// time of the oldest id, since clocks may have been set.
func (r *Recorder) Find(ctx context.Context, ids ...string) (map[string]uint64, error) {
	if len(ids) == 0 {
		return map[string]uint64{}, nil
	}
	wanted := make(map[string]struct{}, len(ids))
	for _, id := range ids {
		wanted[id] = struct{}{}
	}

	from := uint64(1)
	if ms, ok := events.IDTime(slices.Min(ids)); ok {
		seq, err := r.stream.SeqAtTime(ctx, time.UnixMilli(ms).Add(-time.Minute))
		if err != nil {
			return nil, err
		}
		from = max(seq, from)
	}
	return r.stream.FindIDs(ctx, from, wanted)
}

// again returns the answer to a repeated frame once more; nothing is counted.
func (r *Recorder) again(ctx context.Context, in hook.Input, w hook.World, first taken) (Told, error) {
	var overdue []hook.Item
	err := r.view.Read(ctx, func(now projector.Reader) error {
		overdue = r.overdue(in, w, now)
		return nil
	})
	if err != nil {
		return Told{}, err
	}
	told, err := r.tell(ctx, Told{Seen: Again, Cause: first.ID, Seq: first.Seq}, in, w, r.decidedWith(ctx, first))
	return told.with(overdue), err
}

// decisionOf is the number of sequences after a hook's event in which the events decided with it are looked for.
const decisionOf = 64

// decidedWith returns the events that were decided with a recorded hook.
func (r *Recorder) decidedWith(ctx context.Context, first taken) []events.Event {
	var list []events.Event
	for seq := first.Seq + 1; seq < first.Seq+decisionOf; seq++ {
		rec, err := r.stream.Get(ctx, seq)
		if err != nil || rec.Causation != first.ID {
			return list
		}
		list = append(list, rec.Event)
	}
	return list
}

// conflict keeps a frame whose id is taken by other content as an event of its own. It is recorded and told once,
// however often it is delivered: its event's id follows from the frame's id and content.
func (r *Recorder) conflict(ctx context.Context, in hook.Input, first taken) (Told, error) {
	if in.Lost() { // a delivery had kept the frame after all
		return Told{Seen: Again, Seq: first.Seq}, nil
	}

	digest := digestOf(in.Data)
	ulidOf, _ := ulid.ParseStrict(in.Frame) // no frame comes without one; the time stays, the rest is of both contents
	sum := sha256.Sum256(append([]byte(in.Frame), digest[:]...))
	copy(ulidOf[6:], sum[:])
	id := ulidOf.String()
	known, err := r.Find(ctx, id)
	if err != nil || len(known) > 0 {
		return Told{Seen: Again, Seq: known[id]}, err
	}

	e := &events.FrameConflicted{Frame: in.Frame, Digest: "sha256:" + hex.EncodeToString(digest[:]), Data: in.Data}
	seq, err := r.note(ctx, events.Envelope{ID: id, Session: in.Session, Causation: in.Frame}, e)
	if err != nil {
		return Told{}, err
	}
	words := "a frame id came twice with different content; recorded as frame.conflicted"
	return Told{Seen: Conflict, Cause: id, Seq: seq,
		Items: []hook.Item{{ID: "session.conflict", Text: words, Same: id, Event: id, User: true}}}, nil
}

// note appends an event about a frame and returns its sequence.
func (r *Recorder) note(ctx context.Context, base events.Envelope, e events.Event) (uint64, error) {
	envs, err := Envelopes(r.opts.Now(), base, e)
	if err != nil {
		return 0, err
	}
	recs, err := r.append(ctx, r.stream.Append, envs, origin{})
	if err != nil {
		return 0, err
	}
	return recs[0].Seq, nil
}

// second takes a hook that another install sent first: the install is named in the log once a session, and the answer
// is the verdict alone, since what is told was told to the first. What was decided with the first is repeated; where no gate
// saw the first (it came by an identity verb, or too late), the decision is made now and recorded.
func (r *Recorder) second(ctx context.Context, in hook.Input, w hook.World, install string, first taken) (Told, error) {
	told := Told{Seen: SecondHit, Cause: first.ID, Seq: first.Seq}
	rd := hook.Reader{Decided: r.decidedWith(ctx, first)}
	if told.Verdict = hook.Refuse(in, w, rd); !told.Verdict.Refuses() {
		late, err := r.decideLate(ctx, in, w, first)
		if err != nil {
			return Told{}, err
		}
		for _, rec := range late {
			rd.Decided = append(rd.Decided, rec.Event)
			told.Seq = max(told.Seq, rec.Seq)
		}
		told.Verdict = hook.Refuse(in, w, rd)
	}

	key := in.Session + " " + install
	if r.named[key] {
		return told, nil
	}
	if len(r.named) >= 4096 {
		clear(r.named)
	}
	r.named[key] = true

	e := &events.FrameDuplicated{Original: first.ID, Install: install, First: first.Install}
	seq, err := r.note(ctx, events.Envelope{Session: in.Session, Causation: in.Frame}, e)
	told.Seq = max(told.Seq, seq)
	return told, err
}

// decideLate decides about a hook's gates where none saw it first, and returns what it appended.
func (r *Recorder) decideLate(ctx context.Context, in hook.Input, w hook.World, first taken) ([]events.Record, error) {
	own, err := r.stream.Get(ctx, first.Seq)
	if err != nil {
		return nil, err
	}
	byVerb := own.Facts != nil && own.Facts.Profile != ""
	if !byVerb && !hook.Refusable(in.Event) {
		return nil, nil
	}

	var envs []events.Envelope
	err = r.view.Read(ctx, func(past projector.Reader) error {
		envs = hook.DecideAgain(in, w, hook.Reader{Reader: past}, first.ID)
		return nil
	})
	if err != nil || len(envs) == 0 {
		return nil, err
	}
	recs, err := r.append(ctx, r.stream.Append, envs, origin{})
	if errors.Is(err, embedded.ErrDuplicate) { // this second hit was delivered before
		for _, env := range envs {
			recs = append(recs, events.NewRecord(0, env))
		}
		err = nil
	}
	return recs, err
}

package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/hook"
	"hookline/hookctl/wire"
	"hookline/projector"
	"hookline/projector/identity"
	"hookline/projector/intake"
)

// Take records one frame and gives the answer. It returns only when the frame's events are on disk.
// An error means that nothing was recorded: whoever sent the frame must keep it.
func (d *Daemon) Take(ctx context.Context, f wire.Frame) (hook.Answer, error) {
	return d.take(ctx, f, false)
}

func (d *Daemon) take(ctx context.Context, f wire.Frame, spooled bool) (hook.Answer, error) {
	d.touched.Store(d.opts.Now().UnixMilli())
	if call := hook.ParseCall(f.Args); call.Verb == hook.VerbBrief && !call.AsHook {
		return d.brief(ctx, f), nil
	}
	in, err := d.prepare(f)
	if err != nil {
		return hook.Answer{}, err
	}
	in = d.named(ctx, f, in)
	w, found := d.look(ctx, f, in)
	if nobodys(in) {
		return d.answerNobody(ctx, in, w)
	}
	if !spooled { // nobody reads the answer of what waited
		in.Warnings = append(in.Warnings, d.atStart(f, in)...)
	}
	if w.Facts.Spooled = spooled; spooled { // whoever has that pid now is not who sent it
		w.Facts.PID, w.Facts.PIDStart, w.Facts.Client = 0, 0, ""
	}
	w.Gates, found.gates = d.gatesOf(ctx, f, &in, w, found)
	answer, seq, err := d.record(ctx, f, in, w, found)
	if err != nil {
		d.endWhenBroken(err)
		return hook.Answer{}, err
	}
	if err := d.stream.Sync(ctx, seq); err != nil {
		d.endWhenBroken(err)
		return hook.Answer{}, fmt.Errorf("sync the log: %w", err)
	}
	d.hub.wake(seq)
	return answer, nil
}

// endWhenBroken ends the daemon in order when the store takes nothing any more, or is damaged: the next
// start opens it anew, checked, and frames wait in the spool meanwhile.
func (d *Daemon) endWhenBroken(err error) {
	switch {
	case errors.Is(err, embedded.ErrWriteStuck):
		d.stop("write_stuck")
	case errors.Is(err, embedded.ErrLogDamaged):
		d.stop("log_damaged")
	}
}

// prepare is everything that needs neither the past nor an order: redact, cut, decode.
func (d *Daemon) prepare(f wire.Frame) (hook.Input, error) {
	f.Note, f.Args = d.clean(f.Note), slices.Clone(f.Args)
	for i, a := range f.Args {
		f.Args[i] = d.clean(a)
	}
	if at := time.UnixMilli(f.Time).UTC(); at.Year() < 2000 || at.Year() >= 2100 {
		f.Note = strings.TrimPrefix(f.Note+"; capture time "+strconv.FormatInt(f.Time, 10)+" replaced", "; ")
		f.Time = d.opts.Now().UnixMilli()
	}
	redactor := d.extras.of(d.redactor, d.opts.Redact, f.Launch(), d.opts.Now()).Remembering(d.memories.of(f.Body))
	body, report := redactor.JSON(f.Body)
	body, err := hook.Cut(body, d.ground.Blobs().Put)
	if err != nil {
		return hook.Input{}, err
	}
	return hook.Decode(f, body, report.Count+f.Redacted), nil
}

// record is the one step that orders the log. It returns the sequence that must be on disk before
// the answer may go out.
func (d *Daemon) record(ctx context.Context, f wire.Frame, in hook.Input, w hook.World, found sights) (hook.Answer, uint64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := ctx.Err(); err != nil { // the wait took too long: whoever sent it has kept it
		return hook.Answer{}, 0, err
	}
	d.clockWentBack(ctx)
	w.Found = d.projectNews(ctx, w.Project, found.session)
	if w.Gates != nil && w.Gates.Project != w.Project {
		w.Gates.Found = d.projectNews(ctx, w.Gates.Project, found.gates)
	}
	digest := intake.DigestOf(in.Data)
	probe := events.Envelope{ID: in.Frame, Session: in.Session, Time: in.Time, ToolUseID: hook.ToolUseID(in.Event)}
	if in.Hook != nil {
		probe.Hook = in.Name()
	}
	verdict, first, err := d.judge(ctx, &probe, digest, installOf(f))
	if err != nil {
		return hook.Answer{}, 0, err
	}
	switch verdict {
	case intake.Again:
		return d.answerAgain(ctx, in, w, first)
	case intake.Conflict:
		if f.Lost { // a delivery had kept the frame after all
			return hook.Answer{}, first.Seq, nil
		}
		return d.refuseConflict(ctx, f, in)
	case intake.SecondHit:
		return d.countSecond(ctx, f, in, w, first)
	}
	return d.recordFresh(ctx, f, in, w, digest)
}

func (d *Daemon) recordFresh(ctx context.Context, f wire.Frame, in hook.Input, w hook.World, digest intake.Digest) (hook.Answer, uint64, error) {
	past, err := d.past(ctx, in, w)
	if err != nil {
		return hook.Answer{}, 0, err
	}
	w.Verdict = d.judgeGates(ctx, in, w, past.Session)
	envs := hook.Decide(in, past, w)
	seq, err := d.append(ctx, envs, &origin{event: in.Event, digest: digest, install: installOf(f)})
	if errors.Is(err, errRaced) { // the log had it already: the window was behind
		return d.answerAgain(ctx, in, w, intake.Entry{ID: in.Frame, Seq: seq})
	}
	if err != nil {
		return hook.Answer{}, 0, err
	}
	after, err := d.after(ctx, in)
	if err != nil {
		return hook.Answer{}, 0, err
	}
	after.Verdict = w.Verdict
	if after.Restored = restoredOf(envs); in.Starts() && !w.Facts.Spooled {
		after.Damage = d.damageWords(in)
	}
	if err := d.greet(ctx, in, w, &after); err != nil {
		return hook.Answer{}, 0, err
	}
	mended, said := d.mend(ctx, in, after.Identity)
	seq, in.Warnings, after.Mended = max(seq, mended), append(in.Warnings, said...), len(said) > 0
	dreamSeq, err := d.maybeDream(ctx, in, after.Identity)
	if err == nil {
		err = d.failedDreams.of(in)
	}
	after.Dream, after.DreamErr, seq = dreamSeq > 0, err, max(seq, dreamSeq)
	after.Warned = d.warned(in.Session, after.Identity.LastIC)
	d.hooks.saw(in.Name(), d.opts.Now())
	if !w.Facts.Spooled {
		in.Warnings = d.unheard(in)
	}
	return hook.Render(in, after), seq, nil
}

// mend records what the fold had to do to an identity, and gives the warnings about it: phases that were
// not finite and were reset (ERR-SESSION-08), a snapshot above its size (ERR-SESSION-09).
func (d *Daemon) mend(ctx context.Context, in hook.Input, s identity.State) (uint64, []string) {
	var list []events.Event
	var said []string
	if s.PhasesUnstable {
		said = append(said, unstable)
		list = append(list, &events.PhasesReset{Reason: unstable})
	}
	if _, ends := in.Event.(*events.SessionEnded); ends { // encoding a snapshot is nothing for the hot path
		if size, drop := identity.TooLarge(s); drop > 0 {
			said = append(said, fmt.Sprintf("Snapshot size (%dKB) exceeds limit, trajectory truncated", size>>10))
			list = append(list, &events.TrajectoryShortened{SizeBytes: size, Dropped: drop})
		}
	}
	if len(list) == 0 {
		return 0, nil
	}
	d.log.Warn("identity mended", "session", in.Session, "why", said)
	seq, err := d.appendDerived(ctx, in.Session, s.Project, in.Frame, list...)
	if err != nil {
		d.log.Error("record mended identity", "session", in.Session, "err", err)
		return 0, nil
	}
	return seq, said
}

const unstable = "Kuramoto instability detected: NaN in oscillator phases"

// errRaced says that the log holds the frame already.
var errRaced = errors.New("the log has this event")

// origin is what is known of a frame's own event: decoded already, digest and install.
type origin struct {
	event   events.Event
	digest  intake.Digest
	install string
}

// append puts the events of one decision into the log and folds them. Several go in all or none: as a
// group where they belong to a frame, which somebody waits for, else as a batch. own belongs to the
// first; nil for events that no frame delivered.
func (d *Daemon) append(ctx context.Context, envs []events.Envelope, own *origin) (uint64, error) {
	ctx = context.WithoutCancel(ctx) // an append that was given up half way would be in the log and not in the view
	into := d.stream.Append
	if own != nil {
		into = d.stream.AppendGroup
	}
	receipts, err := into(ctx, envs...)
	var dup *embedded.DuplicateError
	if errors.As(err, &dup) {
		return dup.Found[envs[0].ID], errors.Join(errRaced, d.foldTo(ctx, math.MaxUint64))
	}
	if err != nil {
		return 0, fmt.Errorf("append %s: %w", envs[0].Type, err)
	}
	if receipts[0].Duplicate {
		return receipts[0].Seq, errors.Join(errRaced, d.foldTo(ctx, receipts[0].Seq))
	}
	if err := d.foldTo(ctx, receipts[0].Seq-1); err != nil {
		return 0, err
	}
	var seq uint64
	for i, rc := range receipts {
		rec := events.Record{Seq: rc.Seq, Envelope: envs[i]}
		known := origin{digest: intake.DigestOf(envs[i].Data)}
		if i == 0 && own != nil {
			known = *own
		}
		if rec.Event = known.event; rec.Event == nil {
			rec.Event = events.Decode(envs[i].Type, envs[i].Version, envs[i].Data)
		}
		if err := d.folded(ctx, rec, known); err != nil {
			return 0, err
		}
		seq = rc.Seq
	}
	return seq, nil
}

// folded takes one record of the log into everything that follows it, in order.
func (d *Daemon) folded(ctx context.Context, rec events.Record, known origin) error {
	if err := d.view.Apply(ctx, rec); err != nil {
		return fmt.Errorf("fold %d: %w", rec.Seq, err) // the position stays before it: the next append folds it first
	}
	at := rec.Appended
	if at.IsZero() { // just appended: the log's own time costs a question, and nothing here needs it that exactly
		at = d.opts.Now()
	}
	d.window.Add(&rec.Envelope, rec.Seq, at, known.digest, known.install)
	d.hub.keep(rec)
	d.last = at
	return nil
}

// foldTo folds what is in the log and not in the view, up to a sequence: an append whose
// acknowledgement was lost, or one that could not be folded when it came. The caller holds d.mu.
func (d *Daemon) foldTo(ctx context.Context, to uint64) error {
	from := d.view.Position().Seq + 1
	if from > to {
		return nil
	}
	if to == math.MaxUint64 {
		to = 0 // the stream's word for its end
	}
	return d.stream.Read(ctx, from, to, func(r events.Record) error {
		return d.folded(ctx, r, origin{digest: intake.DigestOf(r.Data)})
	})
}

func restoredOf(envs []events.Envelope) *events.IdentityRestored {
	for _, env := range envs {
		if env.Type == events.TypeIdentityRestored {
			e, _ := events.Decode(env.Type, env.Version, env.Data).(*events.IdentityRestored)
			return e
		}
	}
	return nil
}

// after reads what the answer needs from the view.
func (d *Daemon) after(ctx context.Context, in hook.Input) (hook.After, error) {
	var a hook.After
	err := d.view.Read(ctx, func(r projector.Reader) error {
		s, ok := projector.State[identity.State](r, identity.Name, in.Session)
		a.Identity, a.Born = s, ok && s.Born
		return nil
	})
	return a, err
}

// warned tells whether the user has been told of the low continuity; it is told again only after
// a recovery.
func (d *Daemon) warned(session string, ic float64) bool {
	class := identity.Classify(ic)
	for _, c := range []string{"warning", "degraded"} {
		if c != class {
			delete(d.notices, session+" "+c)
		}
	}
	if class != "warning" && class != "degraded" {
		return false
	}
	return !d.first(session + " " + class)
}

// first tells whether a cause is new, and remembers it; beyond a bound all are told once more.
func (d *Daemon) first(cause string) bool {
	if d.notices[cause] {
		return false
	}
	if len(d.notices) >= 4096 {
		clear(d.notices)
	}
	d.notices[cause] = true
	return true
}

// unheard keeps the warnings that this session's user has not been told yet: once per cause. Verbs
// always say them.
func (d *Daemon) unheard(in hook.Input) []string {
	if in.Call.Verb != hook.VerbHook {
		return in.Warnings
	}
	var out []string
	for _, w := range in.Warnings {
		if d.first(in.Session + " " + w) {
			out = append(out, w)
		}
	}
	return out
}

// brief answers from memory: no record, no disk.
func (d *Daemon) brief(ctx context.Context, f wire.Frame) hook.Answer {
	session := d.sessionOf(ctx, f)
	var a hook.After
	_ = d.view.Read(ctx, func(r projector.Reader) error {
		s, ok := projector.State[identity.State](r, identity.Name, session)
		a.Identity, a.Born = s, ok && s.Born
		return nil
	})
	return hook.Plain(hook.Brief(a), "", 0)
}

// Emit appends an event that a command asks for. The envelope needs type, data and where it
// belongs; id, time and version are set here.
func (d *Daemon) Emit(ctx context.Context, env events.Envelope) (events.Record, error) {
	k, ok := events.Lookup(env.Type)
	if !ok {
		return events.Record{}, fmt.Errorf("no event type is called %q", env.Type)
	}
	data, report := d.redactor.JSON(env.Data)
	if !json.Valid(data) {
		return events.Record{}, errors.New("data is no JSON")
	}
	now := d.opts.Now().UTC().Truncate(time.Millisecond)
	env.ID, env.Version, env.Time = wire.NewID(now.UnixMilli()), k.Version(), now
	env.Data, env.Redacted, env.Correlation = data, report.Count, env.Session
	d.mu.Lock()
	seq, err := d.append(ctx, append(d.gatesOfJoined(ctx, env), env), nil) // the event itself comes last: seq is its own
	d.mu.Unlock()
	if err != nil {
		return events.Record{}, err
	}
	if err := d.stream.Sync(ctx, seq); err != nil {
		return events.Record{}, err
	}
	d.hub.wake(seq)
	return events.NewRecord(seq, env), nil
}

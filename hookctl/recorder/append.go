package recorder

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/wire"
	"hookline/projector"
	"hookline/projector/session"
)

// Do appends what a decision gives and folds it, and returns the records when they are on disk. decide runs in the
// order of the log with the states as they are then; what it gives goes in whole or not at all, and nothing is
// appended when it gives nothing or an error.
func (r *Recorder) Do(ctx context.Context, decide func(projector.Reader) ([]events.Envelope, error)) ([]events.Record, error) {
	return r.onDisk(ctx, func() ([]events.Record, error) {
		var envs []events.Envelope
		err := r.view.Read(ctx, func(now projector.Reader) (err error) {
			envs, err = decide(now)
			return err
		})
		if err != nil || len(envs) == 0 {
			return nil, err
		}
		return r.append(ctx, r.stream.Append, envs, origin{})
	})
}

// onDisk runs a step in the order of the log and returns when what it appended is on disk.
func (r *Recorder) onDisk(ctx context.Context, step func() ([]events.Record, error)) ([]events.Record, error) {
	r.order.Lock()
	recs, err := step()
	r.order.Unlock()
	if err != nil || len(recs) == 0 {
		return nil, err
	}
	return recs, r.Sync(ctx, recs[len(recs)-1].Seq)
}

// Note appends events that depend on no state, as [Recorder.Do] does.
func (r *Recorder) Note(ctx context.Context, base events.Envelope, list ...events.Event) ([]events.Record, error) {
	return r.Do(ctx, func(projector.Reader) ([]events.Envelope, error) { return Envelopes(r.opts.Now(), base, list...) })
}

// Envelopes puts events that no hook delivered into envelopes like base. Ids and times are set; of several events
// without a cause the first is the cause of the others.
func Envelopes(now time.Time, base events.Envelope, list ...events.Event) ([]events.Envelope, error) {
	base.Time = now.UTC().Truncate(time.Millisecond)
	base.Correlation = base.Session
	first := base.ID
	if first == "" {
		first = wire.NewID(base.Time.UnixMilli())
	}

	var envs []events.Envelope
	for i, e := range list {
		k, ok := events.Lookup(e.Type())
		if !ok {
			return nil, fmt.Errorf("no event type is called %q", e.Type())
		}
		data, err := json.Marshal(e)
		if err != nil {
			return nil, fmt.Errorf("encode %s: %w", e.Type(), err)
		}

		env := base
		env.ID, env.Type, env.Version, env.Data = first, k.Type, k.Version(), data
		if i > 0 {
			env.ID = events.DerivedID(first, i)
			env.Causation = cmp.Or(env.Causation, first)
		}
		envs = append(envs, env)
	}
	return envs, nil
}

// Import appends events that have their ids already, folds them and returns when they are on disk. Those that came into
// the log by another way since they were looked up are left out; it returns how many were not.
func (r *Recorder) Import(ctx context.Context, envs []events.Envelope) (int, error) {
	recs, err := r.onDisk(ctx, func() ([]events.Record, error) {
		return r.append(ctx, r.stream.AppendEach, envs, origin{})
	})
	if errors.Is(err, embedded.ErrDuplicate) { // the log had all of them
		return 0, nil
	}
	return len(recs), err
}

// Later has events appended before the next hook, each as a decision of its own, and at the latest by [Recorder.Settle]:
// what a model was told stands in the log before its session's next hook is decided, and that hook's fsync is theirs.
func (r *Recorder) Later(envs ...events.Envelope) {
	r.mayWait.Lock()
	defer r.mayWait.Unlock()
	r.waiting = append(r.waiting, envs...)
}

// Settle appends what [Recorder.Later] was given. It returns the newest sequence of the log, which the caller brings to
// disk with [Recorder.Sync] when no hook does.
func (r *Recorder) Settle(ctx context.Context) (uint64, error) {
	r.order.Lock()
	defer r.order.Unlock()
	err := r.settle(ctx)
	return r.view.Position().Seq, err
}

// settle appends the events that wait. One that the log refuses is given up: what it says is told once more. The caller
// holds r.order.
func (r *Recorder) settle(ctx context.Context) error {
	r.mayWait.Lock()
	envs := r.waiting
	r.waiting = nil
	r.mayWait.Unlock()

	if len(envs) == 0 {
		return nil
	}
	_, err := r.append(ctx, r.stream.AppendEach, envs, origin{})
	return err
}

// origin is what is known of the first event of a decision, where a frame delivered it.
type origin struct {
	event   events.Event // decoded already; nil where it is not
	install string
}

// into is a way into the log: a method of [embedded.Stream].
type into func(context.Context, ...events.Envelope) ([]embedded.Receipt, error)

// append puts events into the log and folds them, but for those that the log has; the error is an
// [embedded.DuplicateError] where it has all of them. own is of the first. The caller holds r.order.
func (r *Recorder) append(ctx context.Context, into into, envs []events.Envelope, own origin) ([]events.Record, error) {
	ctx = context.WithoutCancel(ctx) // an append that was given up half way would be in the log and not in the view
	if err := r.attribute(ctx, envs); err != nil {
		return nil, err
	}

	receipts, err := into(ctx, envs...)
	var dup *embedded.DuplicateError
	switch {
	case errors.As(err, &dup):
		return nil, errors.Join(err, r.foldTo(ctx, math.MaxUint64))
	case err != nil:
		return nil, fmt.Errorf("append %s: %w", envs[0].Type, err)
	case !slices.ContainsFunc(receipts, func(rc embedded.Receipt) bool { return !rc.Duplicate }):
		known := map[string]uint64{envs[0].ID: receipts[0].Seq}
		return nil, errors.Join(&embedded.DuplicateError{Found: known}, r.foldTo(ctx, receipts[0].Seq))
	}

	recs := make([]events.Record, 0, len(envs))
	for i, rc := range receipts {
		if i > 0 {
			own = origin{}
		}
		if rc.Duplicate {
			continue
		}
		if err := r.foldTo(ctx, rc.Seq-1); err != nil {
			return nil, err
		}
		if own.event == nil {
			own.event = events.Decode(envs[i].Type, envs[i].Version, envs[i].Data)
		}
		rec := events.Record{Seq: rc.Seq, Envelope: envs[i], Event: own.event}
		if err := r.fold(ctx, rec, own.install); err != nil {
			return nil, err
		}
		recs = append(recs, rec)
	}
	return recs, nil
}

// attribute names the client of a session's events that no hook of it came with.
func (r *Recorder) attribute(ctx context.Context, envs []events.Envelope) error {
	for i := range envs {
		env := &envs[i]
		if env.Client != "" || env.Session == "" {
			continue
		}

		env.Client = events.ClaudeCode
		err := r.view.Read(ctx, func(rd projector.Reader) error {
			if s, _ := projector.State[session.State](rd, session.Name, env.Session); s.Program != "" {
				env.Client = s.Program
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("append %s: %w", env.Type, err)
		}
	}
	return nil
}

// fold takes one record of the log into everything that follows it, in order. install is who delivered it.
func (r *Recorder) fold(ctx context.Context, rec events.Record, install string) error {
	if err := r.view.Apply(ctx, rec); err != nil {
		return fmt.Errorf("fold %d: %w", rec.Seq, err) // the position stays before it: the next append folds it first
	}

	at := rec.Appended
	if at.IsZero() { // just appended: the log's own time costs a question, and nothing here needs it that exactly
		at = r.opts.Now()
	}
	r.window.Add(&rec.Envelope, rec.Seq, at, digestOf(rec.Data), install)
	r.last = at
	return nil
}

// foldTo folds what is in the log and not in the view, up to a sequence: an append whose acknowledgement was lost, or
// one that could not be folded when it came. The caller holds r.order.
func (r *Recorder) foldTo(ctx context.Context, to uint64) error {
	from := r.view.Position().Seq + 1
	if from > to {
		return nil
	}
	if to == math.MaxUint64 {
		to = 0 // the stream's word for its end
	}
	return r.stream.Read(ctx, from, to, func(rec events.Record) error {
		return r.fold(ctx, rec, "")
	})
}

// Sync returns when everything up to a sequence is on disk, and wakes those who follow the log.
func (r *Recorder) Sync(ctx context.Context, seq uint64) error {
	if err := r.stream.Sync(ctx, seq); err != nil {
		return fmt.Errorf("sync the log: %w", err)
	}
	r.mayFollow.Lock()
	defer r.mayFollow.Unlock()
	if seq > r.synced {
		r.synced = seq
		close(r.grown)
		r.grown = make(chan struct{})
	}
	return nil
}

// Synced returns the newest sequence that was brought to disk since the opening, 0 for none, and a channel that is closed when
// there is a newer one.
func (r *Recorder) Synced() (seq uint64, grown <-chan struct{}) {
	r.mayFollow.Lock()
	defer r.mayFollow.Unlock()
	return r.synced, r.grown
}

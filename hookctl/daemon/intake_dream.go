package daemon

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"hookline/events"
	"hookline/hookctl/hook"
	"hookline/hookctl/recorder"
	"hookline/projector"
	"hookline/projector/identity"
)

// Dreams are effects: started after the append, run beside the line, and their outcome is an event.

// dreamOthers is the number of the project's sessions that REM reads beside the dreaming one.
const dreamOthers = 8

// dreams runs consolidations.
type dreams struct {
	*core
	consolidate consolidation // identity.Dream, but for tests
	failures    sync.Map      // words that users have not been told yet, by session
}

func newDreams(c *core) *dreams { return &dreams{core: c, consolidate: identity.Dream} }

// start runs a dream beside the line; cause is the event that triggered it.
func (d *dreams) start(session, phase, cause string) {
	d.beside(func(ctx context.Context) { d.run(ctx, session, phase, cause) })
}

// run consolidates and records the outcome.
func (d *dreams) run(ctx context.Context, session, phase, cause string) {
	_, err := d.rec.Do(ctx, func(r projector.Reader) ([]events.Envelope, error) {
		s, ok := identityIn(r, session)
		if !ok {
			return nil, nil
		}
		var others []identity.State // the newest of the project
		keys, _ := r.Keys(identity.Name)
		for _, k := range keys {
			if other, ok := identityIn(r, k); ok && other.Project == s.Project && k != session {
				others = append(others, other)
			}
		}
		slices.SortStableFunc(others, func(a, b identity.State) int { return cmp.Compare(b.TimestampMS, a.TimestampMS) })

		begin := time.Now()
		out, err := d.consolidate(s, others[:min(len(others), dreamOthers)], phase)
		out.DurationMS = float64(time.Since(begin).Microseconds()) / 1000
		var e events.Event = &out
		if err != nil {
			e = &events.DreamFailed{Phase: phase, Error: err.Error(), IC: s.LastIC}
			d.failures.Store(session, hook.DreamFailed(err.Error(), s.LastIC))
		}
		return recorder.Envelopes(d.opts.Now(), events.Envelope{Session: session, Project: s.Project, Causation: cause}, e)
	})
	if err != nil {
		d.log.Error("record dream", "session", session, "err", err)
	}
}

// takeFailure returns what the user of a session has not been told of a dream that failed, once.
func (d *dreams) takeFailure(session string) (words string, failed bool) {
	value, failed := d.failures.LoadAndDelete(session)
	if !failed {
		return "", false
	}
	return value.(string), true
}

// consolidation is what a dream does.
type consolidation func(own identity.State, others []identity.State, phase string) (events.DreamCompleted, error)

package projector

import (
	"context"
	"maps"

	"hookline/events"
)

// Retractions. An event that a later one takes back (record.retracted) folds into nothing, in every projection: at a
// sequence at or behind the retraction the states are as if it had never come. At a sequence before, it counts.
//
// A view that goes on from one record to the next folds the cells of the retracted record again when the retraction
// comes, from the records that they need. A view that is folded from the first record on collects the retractions in a
// first pass, and folds a second time when it has met one that it did not know.

// The projection of retractions. One cell has them all.
const (
	retractionName    = "retraction"
	retractionVersion = 1
	retractionKey     = "all"
)

// Retractions is the engine's own projection. It belongs into every list of tables in which retractions count.
var Retractions = New(Spec[retractions]{
	Name:    retractionName,
	Version: retractionVersion,
	Scope: &Scope{
		Keys:    func(events.Record) []string { return []string{retractionKey} },
		Records: func(string) []Selector { return []Selector{{}} },
	},
	On: Handlers(On((*retractions).noted)),
})

// retractions is what was taken back.
type retractions struct {
	Taken map[string]retraction `json:"taken,omitempty"` // by the id of the event that was taken back
}

// retraction is the first retraction of an event.
type retraction struct {
	Seq   uint64 `json:"seq"`   // of the retraction
	Event string `json:"event"` // its id
}

// RetractionOf gives the sequence of the retraction that takes an event back; false where none does.
func RetractionOf(r Reader, id string) (seq uint64, taken bool) {
	s, _ := State[retractions](r, retractionName, retractionKey)
	m, taken := s.Taken[id]
	return m.Seq, taken
}

// noted takes in a retraction. The first one of an event counts.
func (s *retractions) noted(r events.Record, e *events.RecordRetracted) {
	if _, again := s.Taken[e.Target]; again {
		return
	}
	if s.Taken == nil {
		s.Taken = map[string]retraction{}
	}
	s.Taken[e.Target] = retraction{Seq: r.Seq, Event: r.ID}
}

// takenBack are retractions: the sequence of the first one, by the id of the event that it takes back.
type takenBack map[string]uint64

// upTo are those at or before a sequence.
func (t takenBack) upTo(seq uint64) takenBack {
	out := maps.Clone(t)
	maps.DeleteFunc(out, func(_ string, at uint64) bool { return at > seq })
	return out
}

// add takes in a record, where it is a retraction, and returns the id of the event that it takes back.
func (t *takenBack) add(r events.Record) string {
	e, ok := r.Event.(*events.RecordRetracted)
	if !ok || e.Target == "" || e.Target == r.ID {
		return ""
	}
	if *t == nil {
		*t = takenBack{}
	}
	if _, again := (*t)[e.Target]; !again {
		(*t)[e.Target] = r.Seq
	}
	return e.Target
}

// loadTaken reads what was taken back up to the view's position.
func (v *View) loadTaken(ctx context.Context) error {
	t := v.table(retractionName)
	if t == nil {
		return nil
	}
	c, err := v.cell(ctx, t, retractionKey)
	if err != nil {
		return err
	}
	s, ok := c.state.(*retractions)
	if !ok {
		return nil
	}

	v.taken = takenBack{}
	for id, m := range s.Taken {
		v.taken[id] = m.Seq
	}
	return nil
}

// takeBack has the view honour a retraction, before the record itself is folded: the cells that the retracted record was
// folded into are folded again without it. Without a log the retraction is only noted.
func (v *View) takeBack(ctx context.Context, r events.Record) error {
	target := v.met.add(r)
	if target == "" || v.Log == nil {
		return nil
	}
	v.taken.add(r)
	if r.Seq == 1 { // nothing is before it; for a Source 0 would mean the newest
		return nil
	}

	for _, place := range []Selector{{Session: r.Session, Project: r.Project}, {}} { // it stands beside what it takes back, nearly always
		var found *events.Record
		err := v.Log(ctx, 1, r.Seq-1, []Selector{place}, func(of events.Record) error {
			if of.ID == target {
				found = &of
			}
			return nil
		})
		if err != nil {
			return err
		}
		if found != nil {
			return v.refold(ctx, *found, r.Seq-1)
		}
	}
	return nil // it comes later, and is passed over then
}

// refold folds the cells of a record again, from the first record up to a sequence, in a view of its own.
func (v *View) refold(ctx context.Context, of events.Record, to uint64) error {
	var want []Selector
	for _, t := range v.tables {
		for _, key := range t.Keys(of) {
			want = append(want, t.Needs(key)...)
		}
	}
	if want == nil {
		return nil
	}

	tables, _ := v.chosen("") // every view has tables
	fresh, err := inMemory(ctx, tables, v.taken)
	if err == nil {
		err = v.Log(ctx, 1, to, want, func(r events.Record) error { return fresh.apply(ctx, r) })
	}
	if err != nil {
		return err
	}

	for _, t := range v.tables {
		for _, key := range t.Keys(of) {
			c, err := fresh.cell(ctx, fresh.table(t.name), key)
			if err != nil {
				return err
			}

			old := t.cells[key]
			c.dirty = old != nil && old.dirty
			t.cells[key] = c
			t.mark(c) // one that no record is left of is deleted with the next flush
			t.note(key, c)
		}
	}
	return nil
}

package projector

import (
	"context"
	"fmt"
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

// retractions are the events that were retracted.
type retractions struct {
	Taken map[string]retraction `json:"taken,omitempty"` // by the id of the retracted event
}

// retraction is the first retraction of an event.
type retraction struct {
	Seq   uint64 `json:"seq"`   // sequence of the retraction
	Event string `json:"event"` // id of the retraction
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

// RetractionOf returns the sequence of the retraction of an event; false where the event was not retracted.
func RetractionOf(r Reader, id string) (seq uint64, retracted bool) {
	s, _ := State[retractions](r, retractionName, retractionKey)
	first, retracted := s.Taken[id]
	return first.Seq, retracted
}

// retractedEvents has the sequence of the first retraction by the id of the event that it takes back.
type retractedEvents map[string]uint64

// upTo returns what was retracted at or before a sequence.
func (e retractedEvents) upTo(seq uint64) retractedEvents {
	out := maps.Clone(e)
	maps.DeleteFunc(out, func(_ string, at uint64) bool { return at > seq })
	return out
}

// add takes in a retraction of an event.
func (e *retractedEvents) add(id string, seq uint64) {
	if *e == nil {
		*e = retractedEvents{}
	}
	if _, again := (*e)[id]; !again {
		(*e)[id] = seq
	}
}

// targetOf returns the id of the event that a record retracts, "" where it retracts none.
func targetOf(r events.Record) string {
	e, ok := r.Event.(*events.RecordRetracted)
	if !ok || e.Target == r.ID {
		return ""
	}
	return e.Target
}

// loadRetracted reads what was retracted up to the view's position.
func (v *View) loadRetracted(ctx context.Context) error {
	t := v.table(retractionName)
	if t == nil {
		return nil
	}
	c, err := v.cell(ctx, t, retractionKey)
	if err != nil {
		return err
	}

	v.retracted = retractedEvents{}
	for id, first := range c.state.(*retractions).Taken {
		v.retracted[id] = first.Seq
	}
	return nil
}

// isRetracted reports whether a record folds into nothing. A retraction itself cannot be retracted.
func (v *View) isRetracted(r events.Record) bool {
	if r.Type == events.TypeRecordRetracted {
		return false
	}
	_, retracted := v.retracted[r.ID]
	return retracted
}

// retract has the view honour a retraction, before the record itself is folded: the cells that the retracted record was
// folded into are folded again without it. Without a log the retraction is only noted.
func (v *View) retract(ctx context.Context, r events.Record) error {
	id := targetOf(r)
	if id == "" {
		return nil
	}
	v.retractedInLog.add(id, r.Seq)
	if v.Log == nil {
		return nil
	}
	v.retracted.add(id, r.Seq)
	if r.Seq == 1 { // nothing is before it
		return nil
	}

	target, err := v.findBefore(ctx, r, id)
	if err != nil {
		return fmt.Errorf("find the retracted event %s: %w", id, err)
	}
	if target == nil { // it comes later, and is passed over then
		return nil
	}
	return v.refoldCells(ctx, *target, r.Seq-1)
}

// findBefore returns the record with an id that stands before a record, nil where there is none.
func (v *View) findBefore(ctx context.Context, r events.Record, id string) (*events.Record, error) {
	beside := Selector{Session: r.Session, Project: r.Project} // where a retracted event stands nearly always
	anywhere := Selector{}

	for _, where := range []Selector{beside, anywhere} {
		var found *events.Record
		err := v.Log(ctx, 1, r.Seq-1, []Selector{where}, func(record events.Record) error {
			if record.ID == id {
				found = &record
			}
			return nil
		})
		if err != nil || found != nil {
			return found, err
		}
	}
	return nil, nil
}

// refoldCells folds the cells of a record again, from the first record of the log up to a sequence, in a view of its
// own.
func (v *View) refoldCells(ctx context.Context, of events.Record, to uint64) error {
	var want []Selector
	for _, t := range v.tables {
		for _, key := range t.Keys(of) {
			want = append(want, t.Needs(key)...)
		}
	}
	if want == nil {
		return nil
	}

	tables, err := v.chosen("")
	if err != nil {
		return err
	}
	fresh, err := inMemory(ctx, tables, v.retracted)
	if err != nil {
		return err
	}
	err = v.Log(ctx, 1, to, want, func(r events.Record) error { return fresh.apply(ctx, r) })
	if err != nil {
		return fmt.Errorf("fold again without event %s: %w", of.ID, err)
	}

	for _, t := range v.tables {
		for _, key := range t.Keys(of) {
			c, err := fresh.cell(ctx, fresh.table(t.name), key)
			if err != nil {
				return err
			}
			t.replace(key, c)
		}
	}
	return nil
}

// replace puts a cell in the place of another. One without a record left is deleted with the next flush.
func (t *tableView) replace(key string, c *cell) {
	old := t.cells[key]
	c.dirty = old != nil && old.dirty
	t.cells[key] = c
	t.mark(c)
	t.indexCell(key, c)
}

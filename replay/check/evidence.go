package check

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"

	"hookline/embedded"
	"hookline/embedded/block"
	"hookline/events"
	"hookline/hookctl/api"
)

// evidence is what one pass over the log shows.
type evidence struct {
	read, unknown uint64
	refs          map[string]bool // digests that events refer to
	seed          maphash.Seed
	ids           map[uint64]uint64 // sequences by the hashes of their ids, which take a third of the memory
	named         []naming
	faults        []string
	found         []embedded.Finding
}

// naming is what a log.damaged event says is lost.
type naming struct {
	block.Range
	event string
}

// take notes what one record shows; it keeps nothing of it but strings.
func (e *evidence) take(r events.Record) {
	e.read++
	for _, digest := range events.Refs(r.Data) {
		e.refs[digest] = true
	}
	id := maphash.String(e.seed, r.ID)
	if first, again := e.ids[id]; again { // of a million ids two have one hash once in 30 million runs
		e.faults = append(e.faults, fmt.Sprintf("event %s is in the log twice: at sequences %d and %d", r.ID, first, r.Seq))
	} else {
		e.ids[id] = r.Seq
	}

	switch ev := r.Event.(type) {
	case *events.Unknown:
		if ev.Reason == "type" || ev.Reason == "version" {
			e.unknown++
			return
		}
		e.faults = append(e.faults, fmt.Sprintf("sequence %d: the data of %s cannot be read: %s", r.Seq, r.Type, ev.Reason))
	case *events.LogDamaged:
		for _, l := range LostIn(ev) {
			e.named = append(e.named, naming{l, r.ID})
		}
	}
}

// judge parts what is known from what is new, and puts the new into words. What the event news says is new.
// opened is the damage that the opening of the store met: the places of the sequences that it cut out.
func (e *evidence) judge(v *api.Verdict, news string, opened []block.Damage) {
	e.named = slices.DeleteFunc(e.named, func(n naming) bool { return n.event == news })
	slices.SortStableFunc(e.named, func(a, b naming) int { return cmp.Compare(a.First, b.First) })
	for _, f := range e.found {
		h := api.Hole{First: f.First, Last: f.Last, Kind: string(f.Kind), Block: f.Block, Offset: f.Offset, Why: f.Why}
		switch f.Kind {
		case embedded.Erased:
			v.Known = append(v.Known, h)
		case embedded.Cut, embedded.Missing:
			e.part(v, h, opened)
		default:
			e.fault(v, h)
		}
	}
}

// part cuts a hole into what events name and what none does.
func (e *evidence) part(v *api.Verdict, h api.Hole, opened []block.Damage) {
	left := []block.Range{{First: h.First, Last: h.Last}}
	for _, n := range e.named {
		for _, r := range block.Common(left, n.Range) {
			h.First, h.Last, h.Event = r.First, r.Last, n.event
			v.Known = append(v.Known, h)
		}
		left = block.Without(left, n.Range)
	}
	h.Event = ""
	for _, r := range left {
		part := h
		part.First, part.Last = r.First, r.Last
		for _, dm := range opened {
			if part.Why == "" && dm.FirstSeq <= part.First && part.First <= dm.LastSeq {
				part.Block, part.Offset, part.Why = dm.Block, dm.Offset, dm.Why
			}
		}
		e.fault(v, part)
	}
}

// fault takes a new hole, or damage that has cost nothing.
func (e *evidence) fault(v *api.Verdict, h api.Hole) {
	if h.First > 0 {
		v.New = append(v.New, h)
	}
	v.Damage = append(v.Damage, Words(h))
}

// Words returns a hole as one line, without its fault where the log explains it.
func Words(h api.Hole) string {
	run, is, it := sequencesOf(h.First, h.Last), "is", "it"
	if h.Last > h.First {
		is, it = "are", "them"
	}
	kind := embedded.FindingKind(h.Kind)
	switch {
	case h.Event != "":
		return run + ", lost: event " + h.Event + " says so"
	case kind == embedded.Erased:
		return run + ", erased on request"
	case h.Block != "":
		return Line(block.Damage{Block: h.Block, Offset: h.Offset, FirstSeq: h.First, LastSeq: h.Last, Why: h.Why})
	case kind == embedded.Unreadable:
		return run + " cannot be read: " + h.Why
	case kind == embedded.Cut:
		return run + " " + is + " lost: the store was opened without " + it
	}
	return run + " " + is + " missing, and no event says why"
}

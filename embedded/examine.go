package embedded

import (
	"context"
	"slices"

	"hookline/embedded/block"
	"hookline/events"
)

// FindingKind is a kind of [Finding].
type FindingKind string

// What an examination may find.
const (
	Erased     FindingKind = "erased"     // deleted or wiped through the server: somebody asked for it
	Cut        FindingKind = "cut"        // given up when the store was opened: no good record was there
	Damaged    FindingKind = "damaged"    // bytes in a block that are no good record
	Missing    FindingKind = "missing"    // no record, and nothing that says why
	Unreadable FindingKind = "unreadable" // the record's checksum is right, and its content cannot be read
	Strange    FindingKind = "strange"    // subject or headers do not fit the event; it was read
	Disordered FindingKind = "disordered" // a record behind one with a higher sequence, passed over
)

// Finding is what an examination has to say of a run of sequences.
type Finding struct {
	Kind        FindingKind
	First, Last uint64 // sequences; 0 where damage has cost none
	Block       string // the block's file, for damage
	Offset      int64  // of the damage, in the file
	Why         string

	jump bool // a block's number was left out at the gap
}

// Examine is [Stream.ReadLent] that does not end at damage: it goes on behind it, and gives a finding for
// each run of sequences that fn did not get, and for each event that is not as it was written. The findings
// are in the order of the log. Runs in one state are one finding.
func (st *Stream) Examine(ctx context.Context, from, to uint64, fn func(events.Record) error) ([]Finding, error) {
	var list []Finding
	p := pass{typed: true, lent: true, found: func(f Finding) error {
		list = extend(list, f)
		return nil
	}}
	s := &scanning{st: st, from: from, to: to}
	err := p.run(ctx, st.codec, func(ctx context.Context, give func(stored) error) error {
		s.fn, s.found = give, func(f Finding) error { return give(stored{found: &f}) }
		return s.scan(ctx)
	}, fn)
	return explained(list, s.tombs), err
}

// extend appends a finding, or makes the last one longer.
func extend(list []Finding, f Finding) []Finding {
	if n := len(list); n > 0 {
		if last := &list[n-1]; f.First > 0 && last.Last+1 == f.First && last.Kind == f.Kind && f.Why == "" && last.Why == "" && last.jump == f.jump {
			last.Last = f.Last
			return list
		}
	}
	return append(list, f)
}

// explained takes out of what is missing what a tombstone speaks of. A block whose messages were all deleted
// is removed by the server, and its last message gets no tombstone: a gap at a missing block that is explained
// but for its last sequence is explained.
func explained(list []Finding, tombs []uint64) []Finding {
	if len(tombs) == 0 {
		return list
	}
	slices.Sort(tombs)
	var out []Finding
	for _, f := range list {
		if f.Kind != Missing {
			out = append(out, f)
			continue
		}
		from, _ := slices.BinarySearch(tombs, f.First)
		to, _ := slices.BinarySearch(tombs, f.Last+1)
		next := f.First
		for _, seq := range slices.Compact(slices.Clone(tombs[from:to])) {
			if next < seq {
				out = extend(out, Finding{Kind: Missing, First: next, Last: seq - 1})
			}
			out = extend(out, Finding{Kind: Erased, First: seq, Last: seq})
			next = seq + 1
		}
		switch {
		case next == f.Last && f.jump && to > from:
			out = extend(out, Finding{Kind: Erased, First: next, Last: next})
		case next <= f.Last:
			out = extend(out, Finding{Kind: Missing, First: next, Last: f.Last})
		}
	}
	return out
}

// examine reads one block for an examination: nothing in it ends the scan but what the caller says.
func (s *scanning) examine(ctx context.Context, b span) error {
	s.jump = b.index != s.block+1
	s.block = b.index
	var told error
	err := block.Examine(s.st.blocks.path(b.index), streamName, func(r block.Record) error {
		told = s.look(ctx, r)
		return told
	}, func(offset int64, why string) error {
		told = s.hurt(Finding{Kind: Damaged, Block: b.name(), Offset: offset, Why: why})
		return told
	})
	if err == nil || told != nil {
		return told
	}
	return s.hurt(Finding{Kind: Damaged, Block: b.name(), Why: err.Error()})
}

// look takes one record of a block.
func (s *scanning) look(ctx context.Context, r block.Record) error {
	switch {
	case r.Tombstone:
		s.tombs = append(s.tombs, r.Seq)
		return nil
	case r.Seq < s.low: // filler, which has sequence 0, too
		return nil
	case r.First > s.to:
		if err := s.missing(s.to + 1); err != nil {
			return err
		}
		return errStop
	case r.Erased:
		return s.wiped(r)
	}
	err := s.record(ctx, r)
	s.jump = false
	return err
}

// wiped takes a record without content. The server leaves no time in one; a repair leaves the repair's.
func (s *scanning) wiped(r block.Record) error {
	if r.Seq < s.from {
		return nil
	}
	if err := s.missing(r.First); err != nil {
		return err
	}
	f := Finding{Kind: Cut, First: max(s.from, r.First), Last: min(r.Seq, s.to)}
	if r.Time.UnixNano() == 0 {
		f.Kind = Erased
	}
	s.from = r.Seq + 1
	return s.found(f)
}

// hurt notes damage; of several in one gap the last one stands for the sequences that are missing.
func (s *scanning) hurt(f Finding) error {
	s.st.srv.distrust()
	before := s.wound
	s.wound = &f
	if before == nil {
		return nil
	}
	return s.found(*before)
}

// missing tells what lies between the last message and the one at next.
func (s *scanning) missing(next uint64) error {
	if s.wound == nil && s.from >= next {
		return nil
	}
	f := Finding{Kind: Missing, jump: s.jump}
	if s.wound != nil {
		f, s.wound = *s.wound, nil
	}
	if s.from < next {
		f.First, f.Last = s.from, next-1
		s.from = next
	}
	return s.found(f)
}

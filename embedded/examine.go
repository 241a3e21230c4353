package embedded

import (
	"cmp"
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
)

// Finding is what an examination has to say of a run of sequences.
type Finding struct {
	Kind        FindingKind
	First, Last uint64 // sequences; 0 where damage has cost none
	Block       string // the block's file, for damage
	Offset      int64  // of the damage, in the file
	Why         string
}

// Examine is [Stream.ReadLent] that does not end at damage: it goes on behind it, and gives a finding for each run of
// sequences that fn did not get, in their order. Damage that has cost no sequence comes first. The blocks are read twice:
// once to judge them, and once for the events.
func (st *Stream) Examine(ctx context.Context, from, to uint64, fn func(events.Record) error) ([]Finding, error) {
	last, _ := st.Last()
	if to == 0 || to > last {
		to = last
	}
	rep, err := block.Check(st.srv.opts.msgsDir(), block.Options{Stream: streamName})
	if err != nil {
		return nil, unread("it cannot be checked", err)
	}

	var list []Finding
	for _, d := range rep.Damage {
		if d.FirstSeq == 0 && d.Block != rep.Blocks[len(rep.Blocks)-1].Name { // the server may be writing to the newest one
			list = append(list, Finding{Kind: Damaged, Block: d.Block, Offset: d.Offset, Why: d.Why})
		}
	}

	next := max(from, 1)
	passed := func(upTo uint64) {
		if next <= upTo {
			list = append(list, explained(block.Range{First: next, Last: upTo}, rep)...)
		}
		next = upTo + 1
	}
	p := pass{typed: true, lent: true, unreadable: func(seq uint64, why error) {
		passed(seq - 1)
		list = append(list, Finding{Kind: Unreadable, First: seq, Last: seq, Why: why.Error()})
		next = seq + 1
	}}
	err = p.run(ctx, &scanning{st: st, from: from, to: to, tolerant: true}, func(r events.Record) error {
		passed(r.Seq - 1)
		next = r.Seq + 1
		return fn(r)
	})
	if err != nil {
		return nil, err
	}
	passed(to)
	if slices.ContainsFunc(list, func(f Finding) bool { return f.Kind == Damaged || f.Kind == Missing }) {
		st.srv.distrust()
	}
	return list, nil
}

// explained says why no event was read in a gap: of damage, because an opening gave it up, or because it was erased.
func explained(gap block.Range, rep block.Report) (list []Finding) {
	left := []block.Range{gap}
	take := func(r block.Range, f Finding) {
		for _, part := range block.Common(left, r) {
			f.First, f.Last = part.First, part.Last
			list = append(list, f)
		}
		left = block.Without(left, r)
	}
	for _, d := range rep.Damage {
		take(d.Range(), Finding{Kind: Damaged, Block: d.Block, Offset: d.Offset, Why: d.Why})
	}
	for _, r := range rep.Cut {
		take(r, Finding{Kind: Cut})
	}
	for _, r := range block.Join(rep.Erased...) {
		take(r, Finding{Kind: Erased})
	}
	take(gap, Finding{Kind: Missing})
	slices.SortFunc(list, func(a, b Finding) int { return cmp.Compare(a.First, b.First) })
	return list
}

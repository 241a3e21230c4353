package check

import (
	"maps"
	"slices"

	"hookline/embedded/block"
	"hookline/events"
)

// causedByLoss begins the causation of an event that was made from a transcript; the lost range follows.
const causedByLoss = "lost:"

// Causation is what an event has for its causation that was made because this range is lost.
func (w Window) Causation() string { return causedByLoss + w.String() }

// Runs puts sequences together.
func Runs(seqs map[uint64]bool) []block.Range {
	out := []block.Range{}
	for _, seq := range slices.Sorted(maps.Keys(seqs)) {
		if n := len(out); n > 0 && out[n-1].Last+1 == seq {
			out[n-1].Last = seq
		} else {
			out = append(out, block.Range{First: seq, Last: seq})
		}
	}
	return out
}

// LostIn are the sequences that a log.damaged event names: in runs, or one by one as older builds did.
func LostIn(e *events.LogDamaged) []block.Range {
	var out []block.Range
	for _, r := range e.Runs {
		if 0 < r.First && r.First <= r.Last {
			out = append(out, block.Range{First: r.First, Last: r.Last})
		}
	}
	for _, seq := range e.Lost {
		out = append(out, block.Range{First: seq, Last: seq})
	}
	return out
}

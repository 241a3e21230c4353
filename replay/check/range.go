package check

import (
	"hookline/embedded/block"
	"hookline/events"
)

// causedByLoss begins the causation of an event that was made from a transcript; the lost range follows.
const causedByLoss = "lost:"

// Causation is what an event has for its causation that was made because this range is lost.
func (w Window) Causation() string { return causedByLoss + w.String() }

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
	return block.Join(out...)
}

package check

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"hookline/events"
)

// Range is a run of sequences.
type Range struct {
	First uint64 `json:"first" jsonschema_description:"first sequence"`
	Last  uint64 `json:"last" jsonschema_description:"last sequence"`
}

// String is "7" or "7-9".
func (r Range) String() string {
	if r.First == r.Last {
		return strconv.FormatUint(r.First, 10)
	}
	return fmt.Sprintf("%d-%d", r.First, r.Last)
}

// causedByLoss begins the causation of an event that was made from a transcript; the lost range follows.
const causedByLoss = "lost:"

// Causation is what an event has for its causation that was made because this range is lost.
func (r Range) Causation() string { return causedByLoss + r.String() }

// Runs puts sequences together.
func Runs(seqs map[uint64]bool) []Range {
	out := []Range{}
	for _, seq := range slices.Sorted(maps.Keys(seqs)) {
		if n := len(out); n > 0 && out[n-1].Last+1 == seq {
			out[n-1].Last = seq
		} else {
			out = append(out, Range{seq, seq})
		}
	}
	return out
}

// LostIn are the sequences that a log.damaged event names: in runs, or one by one as older builds did.
func LostIn(e *events.LogDamaged) []Range {
	var out []Range
	for _, r := range e.Runs {
		if 0 < r.First && r.First <= r.Last {
			out = append(out, Range{r.First, r.Last})
		}
	}
	for _, seq := range e.Lost {
		out = append(out, Range{seq, seq})
	}
	return out
}

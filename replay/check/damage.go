package check

import (
	"fmt"
	"slices"
	"strings"

	"hookline/embedded"
	"hookline/embedded/block"
	"hookline/events"
)

// maxLost bounds how many lost sequences one event names.
const maxLost = 1000

// EventOf is what the log says of it.
func EventOf(f embedded.Found) *events.LogDamaged {
	e := &events.LogDamaged{Runs: RunsOf(f.Lost), Problem: problem(f)}
	for _, r := range f.Lost {
		for seq := r.First; seq <= r.Last && len(e.Lost) < maxLost; seq++ {
			e.Lost = append(e.Lost, seq)
		}
	}
	var names []string
	for _, dm := range f.Damage {
		names = append(names, dm.Block)
	}
	e.Block = strings.Join(slices.Compact(names), ", ")
	return e
}

// maxRuns bounds how many runs of sequences one event names: a log that is damaged in more places has lost its order.
const maxRuns = 10_000

// RunsOf are ranges as events have them.
func RunsOf(ranges []block.Range) []events.SeqRun {
	var out []events.SeqRun
	for _, r := range ranges[:min(len(ranges), maxRuns)] {
		out = append(out, events.SeqRun(r))
	}
	return out
}

// Told returns the words for the user about what an opening found.
func Told(f embedded.Found) string {
	lost, more := "; no sequence is lost", ""
	switch {
	case len(f.Lost) > 0:
		lost, more = "; sequences lost: "+rangesOf(f.Lost), ", `replay repair` restores events from backups, exports and transcripts"
	case f.EndUnknown:
		lost, more = "; nothing tells how much is lost, if anything", ", `replay import` takes what an export has"
	case len(f.Torn) > 0:
		lost = ""
	}
	return "the log was damaged (" + problem(f) + ")" + lost + ". `replay verify` checks what is there" + more
}

// Status is what `hookctl status` lists as damage: what was met, else what was found when the store was opened.
func Status(rep embedded.Report) []string {
	if len(rep.Damage) == 0 {
		return Opened(rep)
	}
	return append(linesOf(rep.Damage), done(rep.Found)...)
}

// Opened is what the store found and did when it was opened, a line for each.
func Opened(rep embedded.Report) []string {
	out := append(linesOf(rep.Found.Damage), done(rep.Found)...)
	if len(rep.Found.Lost) > 0 {
		out = append(out, "sequences lost: "+rangesOf(rep.Found.Lost))
	}
	return out
}

// done is what an opening met and did, but for the damaged places and what is lost.
func done(f embedded.Found) []string {
	out := slices.Clone(f.Did)
	if len(f.Torn) > 0 {
		out = append(out, "cut off at the end, and nothing tells whether it was acknowledged: sequence "+rangesOf(f.Torn))
	}
	return out
}

// problem says in one line what was wrong and what was done.
func problem(f embedded.Found) string {
	var parts []string
	switch n := len(f.Damage); {
	case n > 1:
		parts = append(parts, fmt.Sprintf("%s, and in %d more", f.Damage[0].Why, n-1))
	case n == 1:
		parts = append(parts, f.Damage[0].Why)
	case len(f.Did) == 0 && len(f.Lost) > 0:
		parts = append(parts, "a block or the end was missing")
	}
	return strings.Join(append(parts, done(f)...), "; ")
}

func linesOf(damage []block.Damage) []string {
	out := []string{}
	for _, dm := range damage {
		out = append(out, Line(dm))
	}
	return out
}

// Line describes one fault of a block.
func Line(dm block.Damage) string {
	s := fmt.Sprintf("%s at byte %d: %s", dm.Block, dm.Offset, dm.Why)
	if which := sequencesOf(dm.FirstSeq, dm.LastSeq); which != "" {
		s += ", " + which
	}
	return s
}

// sequencesOf names a run of sequences; "" where it is not known.
func sequencesOf(first, last uint64) string {
	switch first {
	case 0:
		return ""
	case last:
		return fmt.Sprintf("sequence %d", first)
	}
	return fmt.Sprintf("sequences %d to %d", first, last)
}

func rangesOf(ranges []block.Range) string {
	var parts []string
	for _, r := range ranges {
		parts = append(parts, r.String())
	}
	return strings.Join(parts, ", ")
}

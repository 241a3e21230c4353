package check

import (
	"fmt"
	"strings"

	"hookline/embedded"
	"hookline/embedded/block"
	"hookline/events"
)

// maxLost bounds how many lost sequences one event names.
const maxLost = 1000

// EventOf is what the log says of it.
func EventOf(f embedded.Found) *events.LogDamaged {
	return &events.LogDamaged{Block: blocksOf(f.Damage), Lost: sequences(f.Lost), Runs: runsOf(f.Lost), Problem: problem(f)}
}

func blocksOf(damage []block.Damage) string {
	names := make([]string, 0, len(damage))
	for _, dm := range damage {
		if len(names) == 0 || names[len(names)-1] != dm.Block {
			names = append(names, dm.Block)
		}
	}
	return strings.Join(names, ", ")
}

func sequences(ranges []block.Range) []uint64 {
	var out []uint64
	for _, r := range ranges {
		for seq := r.First; seq <= r.Last && len(out) < maxLost; seq++ {
			out = append(out, seq)
		}
	}
	return out
}

// MaxRuns bounds how many runs of sequences one event names: a log that is damaged in more places has lost its order.
const MaxRuns = 10_000

func runsOf(ranges []block.Range) []events.SeqRun {
	var out []events.SeqRun
	for _, r := range ranges[:min(len(ranges), MaxRuns)] {
		out = append(out, events.SeqRun{First: r.First, Last: r.Last})
	}
	return out
}

// Told is what the user is told of it.
func Told(f embedded.Found) string {
	switch {
	case len(f.Lost) == 0 && f.Whole && f.EndUnknown:
		return fmt.Sprintf("the log was damaged (%s); what was recorded behind the archive's newest block, if anything was, is lost, and nothing tells how much. "+
			"`replay verify` checks what is there, `replay import` takes what an export has", problem(f))
	case len(f.Lost) == 0 && (len(f.Torn) > 0 || f.Forgot):
		return fmt.Sprintf("the log was damaged (%s). `replay verify` checks what is there", problem(f))
	case len(f.Lost) == 0:
		return fmt.Sprintf("the log was damaged (%s); no sequence is lost. `replay verify` checks what is there", problem(f))
	}
	return fmt.Sprintf("the log was damaged (%s); sequences lost: %s. `replay verify` checks what is there, `replay repair` restores events from backups, exports and transcripts",
		problem(f), rangesOf(f.Lost))
}

// Status is what `hookctl status` lists as damage: what was met, else what was found when the store was opened.
func Status(rep embedded.Report) []string {
	out := []string{}
	for _, dm := range rep.Damage {
		line := fmt.Sprintf("%s at %d: %s", dm.Block, dm.Offset, dm.Why)
		if which := sequencesOf(dm); which != "" {
			line += " (" + which + ")"
		}
		out = append(out, line)
	}
	f := rep.Found
	if !f.Empty() && len(rep.Damage) == 0 {
		return append(out, problem(f)+" (sequences lost: "+rangesOf(f.Lost)+")")
	}
	if f.Unkept != "" {
		out = append(out, unkeptWords(f))
	}
	if len(f.Torn) > 0 {
		out = append(out, tornWords(f.Torn))
	}
	return out
}

// Opened is what the store found and did when it was opened, a line for each.
func Opened(rep embedded.Report) []string {
	out := []string{}
	for _, dm := range rep.Found.Damage {
		out = append(out, Line(dm))
	}
	out = append(out, done(rep.Found)...)
	if len(rep.Found.Lost) > 0 {
		out = append(out, "sequences lost: "+rangesOf(rep.Found.Lost))
	}
	return out
}

// done is what an opening met and did, but for the damaged places and what is lost.
func done(f embedded.Found) []string {
	var out []string
	if f.Unkept != "" {
		out = append(out, unkeptWords(f))
	}
	switch {
	case f.Renewed:
		out = append(out, "the log was gone and a new one begins behind it")
	case f.Forgot:
		out = append(out, "the log was gone, nothing tells how far it had come, and a new one begins; export, backup or transcripts may have its events")
	case f.Whole:
		out = append(out, "the log was gone and was restored from the archive")
	}
	if len(f.Restored) > 0 {
		out = append(out, "taken from the archive: "+strings.Join(f.Restored, ", "))
	}
	if len(f.SetAside) > 0 {
		out = append(out, "set aside: "+strings.Join(f.SetAside, ", "))
	}
	if len(f.Torn) > 0 {
		out = append(out, tornWords(f.Torn))
	}
	return out
}

// Line is one fault of a block.
func Line(dm block.Damage) string {
	s := fmt.Sprintf("%s at byte %d: %s", dm.Block, dm.Offset, dm.Why)
	if which := sequencesOf(dm); which != "" {
		s += ", " + which
	}
	return s
}

// sequencesOf names the sequences of a fault; "" where they are not known.
func sequencesOf(dm block.Damage) string {
	words := "sequences "
	switch {
	case dm.FirstSeq == 0:
		return ""
	case dm.FirstSeq == dm.LastSeq:
		words = "sequence "
	}
	return words + rangesOf([]block.Range{{First: dm.FirstSeq, Last: dm.LastSeq}})
}

// problem says in one line what was wrong and what was done.
func problem(f embedded.Found) string {
	var parts []string
	if n := len(f.Damage); n > 0 {
		parts = append(parts, f.Damage[0].Why)
		if n > 1 {
			parts[0] += fmt.Sprintf(", and in %d more", n-1)
		}
	}
	gone := f.Renewed || f.Forgot || f.Whole
	if len(f.Damage) == 0 && !gone && len(f.Lost)+len(f.Restored) > 0 {
		parts = append(parts, "a block or the end was missing")
	}
	return strings.Join(append(parts, done(f)...), "; ")
}

func unkeptWords(f embedded.Found) string {
	return "the disk refused what was written (" + f.Unkept + "), so the log's end was read from the disk again"
}

// tornWords tells of what the next events get the sequences of.
func tornWords(torn []block.Range) string {
	return "cut off at the end, and nothing tells whether it was acknowledged: sequence " + rangesOf(torn)
}

func rangesOf(ranges []block.Range) string {
	if len(ranges) == 0 {
		return "none"
	}
	parts := make([]string, 0, len(ranges))
	for _, r := range ranges {
		if r.First == r.Last {
			parts = append(parts, fmt.Sprint(r.First))
		} else {
			parts = append(parts, fmt.Sprintf("%d to %d", r.First, r.Last))
		}
	}
	return strings.Join(parts, ", ")
}

package daemon

import (
	"context"
	"fmt"
	"strings"

	"hookline/embedded/block"
	"hookline/events"
)

// What the store found damaged when it was opened is recorded once, and the user is told once.

// maxLost bounds how many lost sequences one event names.
const maxLost = 1000

// emitDamage records what was lost or came back, and keeps the words for the next session's start.
func (d *Daemon) emitDamage(ctx context.Context) error {
	rep := d.ground.Report()
	f := rep.Fixed
	if len(f.Lost)+len(f.Mended)+len(f.Restored)+len(f.SetAside) == 0 && !rep.Restored {
		return nil
	}
	e := events.LogDamaged{Block: blocksOf(rep.Damage), Lost: sequences(f.Lost), Healed: len(f.Mended), Problem: problemOf(rep.Damage, rep.Restored)}
	if len(f.Restored) > 0 {
		e.Problem += "; taken from the archive: " + strings.Join(f.Restored, ", ")
	}
	if len(f.Lost) > 0 || rep.Restored {
		d.damage = fmt.Sprintf("the log was damaged (%s); sequences lost: %s. `replay verify` checks what is there", e.Problem, rangesOf(f.Lost))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	_, err := d.appendDerived(ctx, "", "", "", &e)
	return err
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

func problemOf(damage []block.Damage, restored bool) string {
	switch {
	case restored:
		return "the log was gone and was restored from the archive"
	case len(damage) == 0:
		return "blocks were missing"
	case len(damage) == 1:
		return damage[0].Why
	}
	return fmt.Sprintf("%s, and %d more places", damage[0].Why, len(damage)-1)
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

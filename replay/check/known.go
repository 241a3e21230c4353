package check

import (
	"context"
	"errors"
	"time"

	"hookline/embedded"
	"hookline/embedded/block"
	"hookline/events"
	"hookline/projector"
)

// Known are the sequences that the log says are lost and that are not back.
type Known struct {
	Lost  []block.Range `json:"lost"`
	Found time.Time     `json:"found"` // when the newest loss was
}

// KnownLosses gives what the log's own events say, without the sequences that the log has all the same; it reads nothing else.
func KnownLosses(ctx context.Context, log Log) (Known, error) {
	var out Known
	last, _ := log.Last()
	if last == 0 {
		return out, nil
	}
	l := newLosses()
	want := []projector.Selector{{Types: []string{events.TypeLogDamaged, events.TypeLogRepaired}}}
	err := log.Select(ctx, 1, last, want, func(rec events.Record) error {
		l.Note(rec)
		return nil
	})
	if err != nil {
		return out, err
	}
	l.Lost = block.Without(l.Lost, l.Back...)
	if err := l.strikePresent(ctx, log); err != nil {
		return out, err
	}
	return Known{Lost: append([]block.Range{}, l.Lost...), Found: l.damagedAt}, nil
}

// blockRecords is about what a block holds: lost runs that lie closer are looked at in one reading.
const blockRecords = 30_000

// strikePresent takes those sequences out of the lost ones that the log has: what was brought back with its block is
// there again, and no event says so. Where the log cannot be read they stay.
func (l *Losses) strikePresent(ctx context.Context, log Log) error {
	for rest := l.Lost; len(rest) > 0; {
		span, n := rest[0], 1
		for n < len(rest) && rest[n].First-span.Last < blockRecords {
			span.Last = rest[n].Last
			n++
		}
		rest = rest[n:]
		err := log.ReadRaw(ctx, span.First, span.Last, func(r events.Record) error {
			l.Lost = block.Without(l.Lost, block.Range{First: r.Seq, Last: r.Seq})
			return nil
		})
		if err != nil && !errors.Is(err, embedded.ErrLogDamaged) {
			return err
		}
	}
	return nil
}

package check

import (
	"context"
	"errors"
	"slices"

	"hookline/embedded"
	"hookline/embedded/block"
	"hookline/events"
	"hookline/hookctl/api"
	"hookline/projector"
)

// Known is another name of [api.Losses], until nobody uses it.
type Known = api.Losses

// KnownLosses returns the losses that the log's own events name, without the sequences that the log has all the same; it reads nothing else.
func KnownLosses(ctx context.Context, log Log) (api.Losses, error) {
	var out api.Losses
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

	// A block that was put back is there again, though no event says so. Sequences that cannot be read stay lost.
	for _, span := range slices.Clone(l.Lost) {
		err := log.ReadRaw(ctx, span.First, span.Last, func(r events.Record) error {
			l.Lost = block.Without(l.Lost, block.Range{First: r.Seq, Last: r.Seq})
			return nil
		})
		if err != nil && !errors.Is(err, embedded.ErrLogDamaged) {
			return out, err
		}
	}
	return api.Losses{Lost: append([]block.Range{}, l.Lost...), Found: l.damagedAt}, nil
}

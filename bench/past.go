package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"hookline/embedded"
)

// pastState is measure 15: one session's identity in the middle of the long log, asked for by its alias, with the
// daemon and without.
func (b *bench) pastState(ctx context.Context) ([]figure, error) {
	if b.past == nil {
		return nil, errors.New("there is no long log")
	}
	h, point := b.past.home, b.past.events/2
	session, err := h.sessionAt(ctx, point)
	if err != nil {
		return nil, err
	}
	at := program{path: b.replay, args: []string{"at", strconv.FormatUint(point, 10), "identity", session}, env: h.env, dir: h.project}
	timed := func() ([]time.Duration, error) {
		var took []time.Duration
		for i := range 1 + b.reps(20, 7) {
			wall, err := at.timed(ctx)
			if err != nil {
				return nil, err
			}
			if i > 0 {
				took = append(took, wall)
			}
		}
		return took, nil
	}
	alone, err := timed()
	if err != nil {
		return nil, err
	}
	if err := h.start(ctx); err != nil {
		return nil, err
	}
	defer h.stop()
	asked, err := timed()
	if err != nil {
		return nil, err
	}
	return []figure{{15, "`replay at` of one session, 100,000 events", atMost(200, "ms"), inMS(median(asked)),
		fmt.Sprintf("p90 %s; without the daemon %s (p90 %s); %d of each, %d events", ms(quantile(asked, .9)), ms(median(alone)),
			ms(quantile(alone, .9)), len(asked), b.past.events)}}, nil
}

// sessionAt is the session of the event at or behind a sequence.
func (h *home) sessionAt(ctx context.Context, seq uint64) (string, error) {
	ground, err := embedded.Open(ctx, embedded.Options{Dir: filepath.Join(h.state, "store"), Holder: "bench"})
	if err != nil {
		return "", err
	}
	rec, err := ground.Stream().Get(ctx, seq)
	for ; err == nil && rec.Session == ""; rec, err = ground.Stream().Get(ctx, seq) {
		seq++
	}
	return rec.Session, errors.Join(err, ground.Close(ctx))
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"hookline/hookctl/daemon"
)

// verify is measure 7: the log is read, decoded, folded and compared with every cell, against a
// reader that does nothing with what it gets.
func (b *bench) verify(ctx context.Context) ([]figure, error) {
	if b.past == nil {
		return nil, errors.New("there is no long log")
	}
	store := filepath.Join(b.past.home.state, "store")
	other := filepath.Join(b.temp, "copy")
	defer os.RemoveAll(other)
	r, err := openCopy(ctx, store, other)
	if err != nil {
		return nil, err
	}
	defer r.close()
	d, err := daemon.Open(ctx, daemon.Options{Home: b.past.home.state})
	if err != nil {
		return nil, err
	}
	p, err := take(1, b.reps(5, 2), func(int) (time.Duration, error) {
		begin := time.Now()
		err := r.discard(ctx, b.past.events)
		return time.Since(begin), err
	}, func(int) (time.Duration, error) {
		begin := time.Now()
		v, err := d.Verify(ctx, nil)
		if err == nil && (!v.Clean || v.Read < b.past.events) {
			err = fmt.Errorf("not clean: %d of %d records read, %d differences, damage %v", v.Read, b.past.events, len(v.Diffs), v.Damage)
		}
		return time.Since(begin), err
	})
	n := int(b.past.events)
	return []figure{{7, "replay verify, events/s / ordered consumer that discards", atLeast(.5, ""), p.ratio(),
			fmt.Sprintf("%s/s against %s/s, %d events, %d pairs", perSecond(n, median(p.b)), perSecond(n, median(p.a)), n, len(p.a))}},
		errors.Join(err, d.Close(context.WithoutCancel(ctx)))
}

package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/damage"
	"hookline/hookctl/wire"
)

// What an opening of the store found wrong with the log is recorded by that opening, before anything else is
// appended, and told to the user at the start of the next session, whoever opened it and whoever serves then.

// emitDamage records, once, what was lost, healed or brought back, and keeps the words for the user.
func (d *Daemon) emitDamage(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.ground.Report().Found
	if d.opts.unpacked {
		f.Whole, f.Forgot = false, false
	}
	switch {
	case d.recorded:
		return nil
	case f.Empty():
		d.recorded = true
		return d.ground.Recorded()
	}
	known, err := d.hasEvent(ctx, f.ID) // by an opening that was killed before it could say so
	if err == nil && !known {
		d.untold.Later(f.ID, damage.Told(f))
		err = d.appendDamage(ctx, f)
	}
	if err == nil {
		d.recorded = true
		err = d.ground.Recorded()
	}
	if err != nil {
		return fmt.Errorf("record the log's damage: %w", err)
	}
	return nil
}

// hasEvent looks for an event among the newest.
func (d *Daemon) hasEvent(ctx context.Context, id string) (bool, error) {
	last, _ := d.stream.Last()
	found, err := d.stream.FindIDs(ctx, last-min(last, warmWindow)+1, map[string]struct{}{id: {}})
	return len(found) > 0, err
}

// appendDamage puts the event into the log, on disk.
func (d *Daemon) appendDamage(ctx context.Context, f embedded.Found) error {
	k, ok := events.Lookup(events.TypeLogDamaged)
	if !ok {
		return errors.New("no event type is called " + events.TypeLogDamaged)
	}
	data, err := json.Marshal(damage.Event(f))
	if err != nil {
		return err
	}
	now := d.opts.Now().UTC().Truncate(time.Millisecond)
	if f.ID == "" {
		f.ID = wire.NewID(now.UnixMilli())
	}
	seq, err := d.append(ctx, []events.Envelope{{ID: f.ID, Type: k.Type, Version: k.Version(), Time: now, Data: data}}, nil)
	if err != nil && !errors.Is(err, errRaced) {
		return err
	}
	return d.stream.Sync(ctx, seq)
}

package daemon

import (
	"context"
	"errors"

	"hookline/events"
)

// takeIn appends events that have their ids already, folds them and returns when they are on disk. Those
// that came into the log by another way since they were looked up are left out.
func (d *Daemon) takeIn(ctx context.Context, envs []events.Envelope) (int, error) {
	d.mu.Lock()
	seq, err := d.append(ctx, envs, nil)
	if errors.Is(err, errRaced) {
		if envs, err = d.without(ctx, envs); err == nil && len(envs) > 0 {
			seq, err = d.append(ctx, envs, nil)
		}
	}
	d.mu.Unlock()
	if err != nil || len(envs) == 0 {
		return 0, err
	}
	if err := d.stream.Sync(ctx, seq); err != nil {
		return 0, err
	}
	d.hub.wake(seq)
	return len(envs), nil
}

// without leaves out what the log has, and the second of two with one id.
func (d *Daemon) without(ctx context.Context, envs []events.Envelope) ([]events.Envelope, error) {
	ids := make(map[string]struct{}, len(envs))
	for _, e := range envs {
		ids[e.ID] = struct{}{}
	}
	found, err := d.stream.FindIDs(ctx, 1, ids)
	var left []events.Envelope
	for _, e := range envs {
		_, fresh := ids[e.ID]
		if _, known := found[e.ID]; fresh && !known {
			left = append(left, e)
		}
		delete(ids, e.ID)
	}
	return left, err
}

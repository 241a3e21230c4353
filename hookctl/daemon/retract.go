package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"hookline/events"
	"hookline/hookctl/client"
	"hookline/hookctl/problem"
	"hookline/projector"
)

// retractOrder asks to take an event back.
type retractOrder struct {
	ID     string `json:"id"` // or its sequence
	Reason string `json:"reason"`
}

// doRetract takes an event back: every projection is from now on as if it had never come.
func (d *Daemon) doRetract(ctx context.Context, o retractOrder, _ func(uint64)) (any, error) {
	reason := strings.TrimSpace(o.Reason)
	if reason == "" {
		return nil, problem.Bad("a reason is wanted").Advise("--reason says why the event is wrong")
	}
	target, err := d.find(ctx, o.ID)
	if err != nil {
		return nil, err
	}
	if err := d.retractable(ctx, target); err != nil {
		return nil, err
	}

	data, err := json.Marshal(events.RecordRetracted{Target: target.ID, Reason: reason})
	if err != nil {
		return nil, err
	}
	rec, err := d.Emit(ctx, events.Envelope{Type: events.TypeRecordRetracted, Session: target.Session, Project: target.Project,
		Worktree: target.Worktree, Branch: target.Branch, Causation: target.ID, Data: data})
	if err != nil {
		return nil, err
	}
	return client.Retracted{Event: rec, Target: target}, nil
}

// retractable refuses what no projection would forget, and what was taken back before.
func (d *Daemon) retractable(ctx context.Context, target events.Record) error {
	if target.Type == events.TypeRecordRetracted {
		return problem.Bad("event %d is a retraction, which cannot be taken back", target.Seq)
	}
	return d.view.Read(ctx, func(r projector.Reader) error {
		if by, taken := projector.RetractionOf(r, target.ID); taken {
			return problem.Conflict("event %d was taken back already, by event %d", target.Seq, by).Advise(fmt.Sprintf("`hookctl events show %d` tells why", by))
		}
		return nil
	})
}

package daemon

import (
	"context"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/gates"
	"hookline/hookctl/hook"
	"hookline/projector"
	"hookline/projector/identity"
	"hookline/projector/session"
)

// statusLine records how full the context is, where that came into another phase, and gives what the status line shows.
func (ep *commandEndpoints) statusLine(ctx context.Context, o api.LineRequest) (out api.LineFacts, err error) {
	var s session.State
	err = ep.view.Read(ctx, func(r projector.Reader) error {
		s, _ = projector.State[session.State](r, session.Name, o.Session)
		if i, ok := identityIn(r, o.Session); ok {
			out.Brief, out.IC, out.Class = i.Brief(), i.LastIC, identity.Classify(i.LastIC)
		}
		return nil
	})
	if err != nil || s.ID == "" || s.Status == session.Deleted {
		return out, err
	}

	out.Phase = s.Phase
	out.Standing = s.Standing()
	if g := ep.intake.gates.ofSession(s); g != nil && g.Rules.Active() {
		out.Gates = readStates(ctx, ep.core, func(r projector.Reader) (open int) { // the requirements that wait to be met
			p := hook.GatesPast{State: hook.GatesAt(r, s.Project, g)}
			for _, q := range hook.Board(s.ID, ep.opts.Now(), g, p) {
				if q.Requirement.Type == gates.Blocking && !q.Satisfied {
					open++
				}
			}
			return open
		})
	}
	if o.Used > 0 && o.Window > 0 {
		u := hook.Use{Tokens: o.Used, Window: o.Window, Model: ep.clean(o.Model), Source: "statusline"}
		ep.intake.usage.record(ctx, u, events.Envelope{Session: s.ID, Project: s.Project, Worktree: s.Worktree, Branch: s.Branch})
	}
	return out, nil
}

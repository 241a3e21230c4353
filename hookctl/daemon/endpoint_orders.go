package daemon

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"hookline/events"
	"hookline/events/wording"
	"hookline/hookctl/api"
	"hookline/hookctl/hook"
	"hookline/hookctl/problem"
	"hookline/projector"
	"hookline/projector/ledger"
)

// Bounds of an order.
const (
	maxOrderEvents = 512
	maxGateName    = 200
	maxGateMeta    = 4 << 10
)

// orderGates appends what a person decided about gates, and returns when that is on disk.
func (ep *commandEndpoints) orderGates(ctx context.Context, o api.Order) (out api.GateReceipt, err error) {
	list, err := orderedEvents(o.Events, events.TypeGateSatisfied, events.TypeGateCleared, events.TypeGateImported)
	if err != nil {
		return out, err
	}
	for _, e := range list {
		if err := checkOrder(e, o.Session); err != nil {
			return out, err
		}
	}
	place := ep.world.Place(o.Dir)
	if !place.Git {
		return out, problem.Bad("not in a git repository: %s", o.Dir).Advise("gates belong to a branch of one")
	}
	branch := ep.clean(cmp.Or(o.Branch, place.Branch))
	if branch == "" {
		return out, problem.Bad("HEAD is detached: gates belong to a branch").Advise("--branch names one")
	}
	project, sighting := ep.project(ctx, place)
	session, err := ep.resolveSession(ctx, o.Session)
	if err != nil {
		return out, err
	}

	base := events.Envelope{Session: session, Project: project, Worktree: ep.clean(place.Worktree), Branch: branch}
	recs, err := ep.rec.Do(ctx, func(r projector.Reader) ([]events.Envelope, error) {
		return ep.redacted(base, append(sighting.News(hook.Reader{Reader: r}), list...))
	})
	if err != nil {
		return out, err
	}

	out = api.GateReceipt{Project: project, Branch: branch, Session: session, Seq: recs[len(recs)-1].Seq, Events: []string{}}
	for _, rec := range recs {
		out.Events = append(out.Events, rec.ID)
	}
	return out, nil
}

// orderedEvents returns the decoded events of an order, which may have these types alone. The words of an error name the
// field.
func orderedEvents(order []api.Command, types ...string) ([]events.Event, error) {
	if len(order) == 0 || len(order) > maxOrderEvents {
		return nil, problem.Bad("%d events: an order has 1 to %d", len(order), maxOrderEvents)
	}

	var list []events.Event
	for _, c := range order {
		k, ok := events.Lookup(c.Type)
		if !ok || !slices.Contains(types, c.Type) {
			return nil, problem.Bad("%q is nothing that can be ordered here", c.Type).Advise("these can: " + strings.Join(types, ", "))
		}
		if err := events.Check(k, c.Data); err != nil {
			return nil, problem.Bad("%s: %v", c.Type, err).Advise("`hookctl events schema " + c.Type + "` shows the fields")
		}
		list = append(list, events.Decode(k.Type, k.Version(), c.Data))
	}
	return list, nil
}

// checkOrder returns an error for an event whose text is too long or that lacks its session; the verbs set the rest.
func checkOrder(e events.Event, session string) error {
	ofSession := false
	switch e := e.(type) {
	case *events.GateSatisfied:
		if e.Name == "" || len(e.Name) > maxGateName {
			return problem.Bad("%s: name: 1 to %d bytes are wanted", e.Type(), maxGateName)
		}
		if len(e.Metadata) > maxGateMeta {
			return problem.Bad("%s: metadata: more than %d bytes", e.Type(), maxGateMeta)
		}
		ofSession = e.Level == events.GateLevelSession
	case *events.GateCleared:
		ofSession = !e.AllSessions
	}
	if ofSession && session == "" {
		return problem.Bad("%s: a session is wanted", e.Type())
	}
	return nil
}

// orderLedger appends what a person or an agent says of a ledger, decided in the order of the log.
func (ep *commandEndpoints) orderLedger(ctx context.Context, o api.Order) (none api.LedgerReceipt, err error) {
	asked, err := orderedEvents(o.Events, events.TypeLedgerEntryAdded, events.TypeLedgerEntryClosed, events.TypeLedgerSynthesized, events.TypeLedgerHealed)
	if err != nil {
		return none, err
	}
	for _, e := range asked {
		if a, ok := e.(*events.LedgerEntryAdded); ok && wording.Short(a.Text, 1) == "" {
			return none, problem.Bad("text: it is empty")
		}
	}
	place := ep.world.Place(o.Dir)
	id, sighting := ep.project(ctx, place)
	session, err := ep.resolveSession(ctx, o.Session)
	if err != nil {
		session = ""
	}

	base := events.Envelope{Session: session, Project: id, Worktree: ep.clean(place.Worktree), Branch: ep.clean(place.Branch)}
	var what []hook.Ordered
	news := 0
	recs, err := ep.rec.Do(ctx, func(r projector.Reader) ([]events.Envelope, error) {
		state := hook.LedgerOf(r, id)
		var list []events.Event
		list, what = hook.OrderLedger(state, asked)
		if len(list) == 0 {
			return nil, nil
		}

		first := sighting.News(hook.Reader{Reader: r})
		envs, err := ep.redacted(base, append(first, list...))
		if err != nil {
			return nil, err
		}
		news = len(first)
		for i, e := range list { // what closes an entry goes to the project whose cell has the entry
			c, closes := e.(*events.LedgerEntryClosed)
			at := slices.IndexFunc(state.Entries, func(x ledger.Entry) bool { return closes && x.ID == c.Entry })
			if at >= 0 && state.Entries[at].Project != "" {
				envs[news+i].Project = state.Entries[at].Project
			}
		}
		return envs, nil
	})
	if err != nil {
		return none, err
	}

	recs = recs[news:]
	for i := range what {
		if what[i].Outcome != "known" {
			what[i].Event, what[i].Seq = recs[0].ID, recs[0].Seq
			recs = recs[1:]
		}
	}
	return api.LedgerReceipt{Project: id, Results: what}, nil
}

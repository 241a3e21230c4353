package daemon

import (
	"context"
	"net/http"
	"slices"

	"hookline/events"
	"hookline/hookctl/client"
	"hookline/hookctl/hook"
	"hookline/hookctl/problem"
	"hookline/projector"
	"hookline/projector/ledger"
)

// ledgerable are the types that an order may have.
var ledgerable = []string{events.TypeLedgerEntryAdded, events.TypeLedgerEntryClosed, events.TypeLedgerSynthesized, events.TypeLedgerHealed}

// doLedger appends what a person or an agent says of a ledger, decided in the order of the log.
func (d *Daemon) doLedger(ctx context.Context, o client.LedgerOrder, _ func(uint64)) (any, error) {
	asked, err := orderedEvents(o.Events, ledgerable, true)
	if err != nil {
		return nil, err
	}
	for _, e := range asked {
		if a, ok := e.(*events.LedgerEntryAdded); ok && ledger.Clip(a.Text, 1) == "" {
			return nil, problem.Bad("text: it is empty")
		}
	}
	place := d.world.Place(o.Dir)
	id, sighting := d.project(ctx, place)
	session, err := d.resolveSession(ctx, o.Session)
	if err != nil {
		session = ""
	}

	base := events.Envelope{Session: session, Project: id, Worktree: d.clean(place.Worktree), Branch: d.clean(place.Branch)}
	var what []hook.Ordered
	news := 0
	recs, err := d.rec.Do(ctx, func(r projector.Reader) ([]events.Envelope, error) {
		first := sighting.News(hook.Reader{Reader: r})
		news = len(first)
		state := hook.LedgerOf(r, id)
		var list []events.Event
		list, what = hook.OrderLedger(state, asked)
		if len(list) == 0 {
			return nil, nil
		}

		envs, err := d.redacted(base, append(first, list...))
		toOwners(envs, list, state, news)
		return envs, err
	})
	if err != nil {
		return nil, err
	}

	recs = recs[min(news, len(recs)):]
	for i := range what {
		if what[i].Outcome != "known" {
			what[i].Event, what[i].Seq = recs[0].ID, recs[0].Seq
			recs = recs[1:]
		}
	}
	return client.LedgerReceipt{Project: id, Results: what}, nil
}

// toOwners sends what closes an entry to the project whose cell has the entry.
func toOwners(envs []events.Envelope, list []events.Event, s ledger.State, from int) {
	for i, e := range list {
		c, ok := e.(*events.LedgerEntryClosed)
		if !ok || from+i >= len(envs) {
			continue
		}
		at := slices.IndexFunc(s.Entries, func(x ledger.Entry) bool { return x.ID == c.Entry })
		if at >= 0 && s.Entries[at].Project != "" {
			envs[from+i].Project = s.Entries[at].Project
		}
	}
}

// ledgerOf is a project's ledger, together with those of the projects it took in.
func (d *Daemon) ledgerOf(r *http.Request) (any, error) {
	var s ledger.State
	err := d.view.Read(r.Context(), func(rd projector.Reader) error {
		s = hook.LedgerOf(rd, r.PathValue("project"))
		return nil
	})
	return s, err
}

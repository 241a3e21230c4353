package daemon

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"hookline/hookctl/api"
	"hookline/hookctl/hook"
	"hookline/hookctl/problem"
	"hookline/projector"
	"hookline/projector/identity"
	"hookline/projector/ledger"
	"hookline/projector/project"
	"hookline/projector/session"
	"hookline/projector/tables"
	"hookline/replay/past"
)

// cells sends the cells of a projection that a request chooses, in the order of their keys.
func (ep *stateEndpoints) cells(ctx context.Context, r api.CellsRequest, out api.Lines[past.Cell]) error {
	table := r.Projection
	if err := past.KnownTable(table); err != nil {
		return err
	}

	cells := map[string]past.Cell{} // gathered first: a reader that stalls must not hold up the view
	add := func(k string, seq uint64, st json.RawMessage) { cells[k] = past.Cell{Key: k, Seq: seq, State: st} }
	err := ep.view.Read(ctx, func(rd projector.Reader) error {
		keys, some, err := chosenKeys(rd, r)
		if err != nil {
			return err
		}
		if !some {
			return rd.Each(table, r.Prefix, add)
		}
		for _, k := range keys {
			if st, seq, ok := rd.Raw(table, k); ok {
				add(k, seq, st)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}

	for _, k := range slices.Sorted(maps.Keys(cells)) {
		if out.Send(cells[k]) != nil {
			return nil // the reader is gone
		}
	}
	return nil
}

// chosenKeys returns the keys that a request names or describes; some is false where it means all cells.
func chosenKeys(rd projector.Reader, r api.CellsRequest) (keys []string, some bool, err error) {
	if len(r.Like) > 0 {
		keys, err = alike(rd, r.Projection, r.Like)
		return keys, true, err
	}
	if r.Newest > 0 && r.Projection == session.Name {
		return newest(rd, r.Newest, r.Projects)
	}
	return r.Keys, len(r.Keys) > 0, nil
}

// newestKept is the number of a project's newest snapshots that its pointer always has. newestSpare more than asked for are
// read: a session may be active after its snapshot, or be recovered as it was long ago.
const (
	newestKept  = 32
	newestSpare = 8
)

// newest returns the keys of sessions among which are the n of these projects, without any of all, that were active last: the
// live ones, and those with the newest snapshots, which every session leaves at its end. enough is false where the
// projects had more sessions than these and fewer than n were found.
func newest(rd projector.Reader, n int, projects []string) (keys []string, enough bool, err error) {
	var live []string
	if len(projects) == 0 {
		live = projector.Lookup(rd, session.Name, session.Alive)
		projects, err = rd.Keys(project.Name)
		projects = append(projects, "")
	}

	var ended []identity.PointerEntry
	begun := 0
	for _, p := range projects {
		live = append(live, projector.Lookup(rd, session.Name, session.AliveIn(p))...)
		latest, _ := projector.State[identity.Pointer](rd, identity.PointerName, identity.PointerKey(p))
		ended = append(ended, latest.History...)
		s, _ := projector.State[project.State](rd, project.Name, p)
		begun += s.Sessions
	}
	slices.SortFunc(ended, func(x, y identity.PointerEntry) int { // of those of one millisecond always the same ones
		return cmp.Or(cmp.Compare(y.AtMS, x.AtMS), cmp.Compare(y.Session, x.Session))
	})
	for _, e := range ended[:min(n+newestSpare, len(ended))] {
		live = append(live, e.Session)
	}

	slices.Sort(live)
	keys = slices.Compact(live)
	found := 0
	for _, k := range keys {
		if s, ok := projector.State[session.State](rd, session.Name, k); ok && s.Status != session.Deleted {
			found++
		}
	}
	return keys, found >= begun || found >= n && n <= newestKept, err
}

// cell returns one cell; that of a session may be named by its alias.
func (ep *stateEndpoints) cell(ctx context.Context, r api.CellRequest) (c past.Cell, err error) {
	table, key := r.Projection, r.Key
	if err := past.KnownTable(table); err != nil {
		return c, err
	}
	if table == session.Name || table == identity.Name {
		if key, err = ep.resolveSession(ctx, key); err != nil {
			return c, err
		}
	}

	err = ep.view.Read(ctx, func(rd projector.Reader) error {
		st, seq, ok := rd.Raw(table, key)
		if !ok {
			return problem.Missing("projection %s has no cell %q", table, key)
		}
		c = past.Cell{Key: key, Seq: seq, State: st}
		return nil
	})
	return c, err
}

// walk sends the events of a session with what each changed of its state.
func (ep *stateEndpoints) walk(ctx context.Context, r api.WalkRequest, out api.Lines[past.Step]) error {
	id, err := ep.resolveSession(ctx, r.Session)
	if err != nil {
		return err
	}
	return ep.past().Walk(ctx, id, out.Send)
}

// context returns what a session would be told at a start, and what each section of it costs.
func (ep *stateEndpoints) context(ctx context.Context, r api.ContextRequest) (out hook.Recovery, err error) {
	source := cmp.Or(r.Source, "compact")
	if !slices.Contains(hook.Sources, source) {
		return out, problem.Bad("source: %q is no start", source).Advise("these are: " + strings.Join(hook.Sources, ", "))
	}
	budget := 0
	if r.Budget != "" {
		budget, err = strconv.Atoi(r.Budget)
		if err != nil || budget < 1 {
			return out, problem.Bad("budget: %q is no number of tokens", r.Budget)
		}
	}

	view, now, err := ep.viewAt(ctx, r.Session, r.At)
	if err != nil {
		return out, err
	}
	q := hook.RecoveryQuery{Session: r.Session, Source: source, At: now, Budget: budget}
	if view == ep.view { // what the rules were before, and which files were there, is not known
		q.Gates = ep.gates.atStartOf(ctx, r.Session)
		q.Missing = missingOf(readStates(ctx, ep.core, func(r projector.Reader) []string {
			return hook.RecoveryPaths(hook.Reader{Reader: r}, q)
		}))
	}
	err = view.Read(ctx, func(rd projector.Reader) error {
		out = hook.RecoveryOf(hook.Reader{Reader: rd}, q)
		return nil
	})
	return out, err
}

// viewAt returns the view of now, or one with what a session and its project were at a point of the log, and the time then.
func (ep *stateEndpoints) viewAt(ctx context.Context, id string, point past.Point) (view *projector.View, now time.Time, err error) {
	if point == "" || point == past.Now {
		return ep.view, ep.opts.Now(), nil
	}
	seq, err := ep.past().SeqOf(ctx, point)
	if err != nil {
		return nil, now, err
	}
	want := []projector.Selector{{Session: id}}
	if s, _ := ep.session(ctx, id); s.Project != "" {
		want = append(want, projector.Selector{Project: s.Project})
	}
	source := projector.SelectiveSource(ep.stream.Select).Only(want)
	view, err = projector.FoldLog(ctx, source, projector.FoldOptions{Tables: tables.All(), To: seq})
	if err != nil {
		return nil, now, err
	}

	now = ep.opts.Now()
	err = view.Read(ctx, func(rd projector.Reader) error {
		s, known := projector.State[session.State](rd, session.Name, id)
		if !known {
			return problem.Missing("session %s had not begun then", id).Advise("`hookctl session show` tells when it began")
		}
		now = s.LastActive
		return nil
	})
	return view, now, err
}

// ledger returns a project's ledger, together with those of the projects it took in.
func (ep *stateEndpoints) ledger(ctx context.Context, r api.LedgerRequest) (s ledger.State, err error) {
	err = ep.view.Read(ctx, func(rd projector.Reader) error {
		s = hook.LedgerOf(rd, r.Project)
		return nil
	})
	return s, err
}

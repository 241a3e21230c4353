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

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/hook"
	"hookline/hookctl/problem"
	"hookline/projector"
	"hookline/projector/identity"
	"hookline/projector/project"
	"hookline/projector/session"
	"hookline/projector/tables"
	"hookline/replay/past"
)

// giveCells sends the cells of a projection that a request chooses, in the order of their keys.
func (d *Daemon) giveCells(ctx context.Context, r api.CellsRequest, out api.Lines[past.Cell]) error {
	table := r.Projection
	if err := past.KnownTable(table); err != nil {
		return err
	}

	cells := map[string]past.Cell{} // gathered first: a reader that stalls must not hold up the view
	add := func(k string, seq uint64, st json.RawMessage) { cells[k] = past.Cell{Key: k, Seq: seq, State: st} }
	err := d.view.Read(ctx, func(rd projector.Reader) error {
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

// alike returns the keys that begin with one of the words, dashes left out. A word that is a key means that one alone, and
// the keys are not listed for it.
func alike(rd projector.Reader, table string, words []string) ([]string, error) {
	var found, begins []string
	for _, word := range words {
		if _, _, whole := rd.Raw(table, word); whole {
			found = append(found, word)
		} else {
			begins = append(begins, undashed(word))
		}
	}
	if len(begins) == 0 {
		return found, nil
	}

	keys, err := rd.Keys(table)
	for _, k := range keys {
		if slices.ContainsFunc(begins, func(word string) bool { return strings.HasPrefix(undashed(k), word) }) {
			found = append(found, k)
		}
	}
	return found, err
}

func undashed(id string) string { return strings.ReplaceAll(id, "-", "") }

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
func (d *Daemon) cell(ctx context.Context, r api.CellRequest) (c past.Cell, err error) {
	table, key := r.Projection, r.Key
	if err := past.KnownTable(table); err != nil {
		return c, err
	}
	if table == session.Name || table == identity.Name {
		if key, err = d.resolveSession(ctx, key); err != nil {
			return c, err
		}
	}

	err = d.view.Read(ctx, func(rd projector.Reader) error {
		st, seq, ok := rd.Raw(table, key)
		if !ok {
			return problem.Missing("projection %s has no cell %q", table, key)
		}
		c = past.Cell{Key: key, Seq: seq, State: st}
		return nil
	})
	return c, err
}

func (d *Daemon) pastView() past.View {
	last, _ := d.stream.Last()
	return past.View{Log: d.stream, Last: last, Now: d.opts.Now, Session: d.resolveSession}
}

// walk sends the events of a session with what each changed of its state.
func (d *Daemon) walk(ctx context.Context, r api.WalkRequest, out api.Lines[past.Step]) error {
	id, err := d.resolveSession(ctx, r.Session)
	if err != nil {
		return err
	}
	return d.pastView().Walk(ctx, id, out.Send)
}

// context returns what a session would be told at a start, and what each section of it costs.
func (d *Daemon) context(ctx context.Context, r api.ContextRequest) (out hook.Recovery, err error) {
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

	view, now, err := d.viewAt(ctx, r.Session, r.At)
	if err != nil {
		return out, err
	}
	var g *hook.Gates
	if view == d.view { // what the rules were before is not known
		g = d.gatesToTell(ctx, r.Session)
	}
	err = view.Read(ctx, func(rd projector.Reader) error {
		out = hook.RecoveryOf(hook.Reader{Reader: rd}, g, r.Session, source, now, budget)
		return nil
	})
	return out, err
}

// gatesToTell reads the gates where a session works, with what their guards ask for, as a start of the session would now.
// Nil where none apply.
func (d *Daemon) gatesToTell(ctx context.Context, id string) *hook.Gates {
	s, _ := d.session(ctx, id)
	g := d.gatesWhere(s)
	if g == nil {
		return nil
	}

	now := d.opts.Now()
	w := hook.World{Project: s.Project}
	w.Facts.PID, w.Facts.PIDStart = s.Process().PID, s.Process().Start
	start := &events.SessionStarted{}
	in := hook.Input{Call: hook.Call{Verb: hook.VerbHook, Hook: "SessionStart"}, Time: now, Session: id, Event: start, Hook: start}
	if asksForOthers(start, g.Rules) {
		g.Others = d.others(ctx, in, w, g)
	}
	if len(d.measured(ctx, in, w, g)) > 0 { // at a start that is the dirty tree alone
		g.Dirty, _ = inTime(ctx, d, func(ctx context.Context) (int, error) { return d.world.Dirty(ctx, g.Root) })
	}
	return g
}

// viewAt returns the view of now, or one with what a session and its project were at a point of the log, and the time then.
func (d *Daemon) viewAt(ctx context.Context, id string, point past.Point) (view *projector.View, now time.Time, err error) {
	if point == "" || point == past.Now {
		return d.view, d.opts.Now(), nil
	}
	seq, err := d.pastView().SeqOf(ctx, point)
	if err != nil {
		return nil, now, err
	}
	want := []projector.Selector{{Session: id}}
	if s, _ := d.session(ctx, id); s.Project != "" {
		want = append(want, projector.Selector{Project: s.Project})
	}
	source := projector.SelectiveSource(d.stream.Select).Only(want)
	view, err = projector.FoldLog(ctx, source, projector.FoldOptions{Tables: tables.All(), To: seq})
	if err != nil {
		return nil, now, err
	}

	now = d.opts.Now()
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

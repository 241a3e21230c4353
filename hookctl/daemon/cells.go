package daemon

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"hookline/events"
	"hookline/hookctl/hook"
	"hookline/hookctl/problem"
	"hookline/projector"
	"hookline/projector/identity"
	"hookline/projector/project"
	"hookline/projector/session"
	"hookline/projector/tables"
	"hookline/replay/past"
)

// handleCells answers with the cells of a projection: those with the keys that the query names, those of sessions that it
// describes (like, newest), those that begin with prefix, or all.
func (d *Daemon) handleCells(w http.ResponseWriter, r *http.Request) error {
	table := r.PathValue("projection")
	if err := past.KnownTable(table); err != nil {
		return err
	}
	cells := map[string]past.Cell{} // gathered first: a reader that stalls must not hold up the view
	add := func(k string, seq uint64, st json.RawMessage) { cells[k] = past.Cell{Key: k, Seq: seq, State: st} }
	err := d.view.Read(r.Context(), func(rd projector.Reader) error {
		q := r.URL.Query()
		keys, some := q["key"], q.Has("key")
		var err error
		if n, _ := strconv.Atoi(q.Get("newest")); q.Has("like") {
			keys, err = alike(rd, table, q["like"])
			some = true
		} else if n > 0 && table == session.Name {
			keys, some, err = newest(rd, n, q["project"])
		}
		if err != nil {
			return err
		}
		for _, k := range keys {
			if st, seq, ok := rd.Raw(table, k); ok {
				add(k, seq, st)
			}
		}
		if some {
			return nil
		}
		return rd.Each(table, q.Get("prefix"), add)
	})
	if err != nil {
		return err
	}
	out := lines(w)
	for _, k := range slices.Sorted(maps.Keys(cells)) {
		if err := out.Encode(cells[k]); err != nil {
			return nil // the reader is gone
		}
	}
	return nil
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

func (d *Daemon) cell(r *http.Request) (any, error) {
	table, key := r.PathValue("projection"), r.PathValue("key")
	if err := past.KnownTable(table); err != nil {
		return nil, err
	}
	var err error
	if table == session.Name || table == identity.Name {
		if key, err = d.resolveSession(r.Context(), key); err != nil {
			return nil, err
		}
	}
	var c past.Cell
	err = d.view.Read(r.Context(), func(rd projector.Reader) error {
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

// handleAt gives the cells at a point of the log.
func (d *Daemon) handleAt(r *http.Request) (any, error) {
	q := r.URL.Query()
	return d.pastView().At(r.Context(), past.Question{
		Point:      past.Point(q.Get("point")),
		Projection: q.Get("projection"),
		Key:        q.Get("key"),
	})
}

// handleDiff gives what is different between two points of the log.
func (d *Daemon) handleDiff(r *http.Request) (any, error) {
	q := r.URL.Query()
	return d.pastView().Diff(r.Context(), past.Comparison{
		A:          past.Point(q.Get("a")),
		B:          past.Point(q.Get("b")),
		Projection: q.Get("projection"),
		Key:        q.Get("key"),
		States:     q.Get("states") != "",
	})
}

// handleWalk writes the events of a session with what each changed of its state, as NDJSON.
func (d *Daemon) handleWalk(w http.ResponseWriter, r *http.Request) error {
	id, err := d.resolveSession(r.Context(), r.PathValue("session"))
	if err != nil {
		return err
	}
	out := lines(w)
	return d.pastView().Walk(r.Context(), id, func(s past.Step) error { return out.Encode(s) })
}

// context returns what a session would be told at a start, and what each section of it costs. Parameters, all
// optional: source, budget (tokens), at (a point of the log).
func (d *Daemon) context(r *http.Request) (any, error) {
	q := r.URL.Query()
	source := cmp.Or(q.Get("source"), "compact")
	if !slices.Contains(hook.Sources, source) {
		return nil, problem.Bad("source: %q is no start", source).Advise("these are: " + strings.Join(hook.Sources, ", "))
	}
	most := 0
	if given := q.Get("budget"); given != "" {
		n, err := strconv.Atoi(given)
		if err != nil || n < 1 {
			return nil, problem.Bad("budget: %q is no number of tokens", given)
		}
		most = n
	}

	id := r.PathValue("session")
	view, now, err := d.viewAt(r, id, q.Get("at"))
	if err != nil {
		return nil, err
	}
	var g *hook.Gates
	if view == d.view { // what the rules were before is not known
		g = d.gatesToTell(r.Context(), id)
	}

	var out hook.Recovery
	err = view.Read(r.Context(), func(rd projector.Reader) error {
		out = hook.RecoveryOf(hook.Reader{Reader: rd}, g, id, source, now, most)
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
func (d *Daemon) viewAt(r *http.Request, id, point string) (view *projector.View, now time.Time, err error) {
	if point == "" || point == "now" {
		return d.view, d.opts.Now(), nil
	}
	seq, err := d.pastView().SeqOf(r.Context(), past.Point(point))
	if err != nil {
		return nil, now, err
	}
	want := []projector.Selector{{Session: id}}
	if s, _ := d.session(r.Context(), id); s.Project != "" {
		want = append(want, projector.Selector{Project: s.Project})
	}
	source := projector.SelectiveSource(d.stream.Select).Only(want)
	view, err = projector.FoldLog(r.Context(), source, projector.FoldOptions{Tables: tables.All(), To: seq})
	if err != nil {
		return nil, now, err
	}

	now = d.opts.Now()
	err = view.Read(r.Context(), func(rd projector.Reader) error {
		s, known := projector.State[session.State](rd, session.Name, id)
		if !known {
			return problem.Missing("session %s had not begun then", id).Advise("`hookctl session show` tells when it began")
		}
		now = s.LastActive
		return nil
	})
	return view, now, err
}

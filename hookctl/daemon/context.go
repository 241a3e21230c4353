package daemon

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"hookline/events"
	"hookline/hookctl/hook"
	"hookline/hookctl/problem"
	"hookline/projector"
	"hookline/projector/session"
)

// context is what a session would be told at a start, and what each section of it costs. Parameters, all
// optional: source, budget (tokens), at (a point of the log).
func (d *Daemon) context(r *http.Request) (any, error) {
	q := r.URL.Query()
	source := q.Get("source")
	if source == "" {
		source = "compact"
	}
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
		g.Dirty, _ = inTime(ctx, d, func(ctx context.Context) (int, error) { return d.gates.sizes.Dirty(ctx, g.Root) })
	}
	return g
}

// viewAt is the view of now, or one with what a session and its project were at a point of the log, and the time then.
func (d *Daemon) viewAt(r *http.Request, id, point string) (*projector.View, time.Time, error) {
	if point == "" || point == "now" {
		return d.view, d.opts.Now(), nil
	}
	p := d.pastView()
	seq, err := p.Point(r.Context(), point, "")
	if err != nil {
		return nil, time.Time{}, err
	}
	want := []projector.Selector{{Session: id}}
	if s, _ := d.session(r.Context(), id); s.Project != "" {
		want = append(want, projector.Selector{Project: s.Project})
	}
	view, err := projector.Straight(r.Context(), projector.Tables(), projector.Part(d.stream.Select).Only(want), seq, nil)
	if err != nil {
		return nil, time.Time{}, err
	}

	now := d.opts.Now()
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

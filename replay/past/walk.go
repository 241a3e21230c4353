package past

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"hookline/events"
	"hookline/projector"
	"hookline/projector/gate"
	"hookline/projector/identity"
	"hookline/projector/session"
	"hookline/projector/tables"
	"hookline/projector/working"
)

// Step is one event of a session, and what of the session's state it changed: what a person looks at of that state, as
// entries by key. A key is a kind, and for the kinds with several entries a space and a name after it:
//
//	goal, task, prompt, handoff      {"text"}
//	identity                         {"brief","state","class","r","ic","guidance"}
//	session                          {"branch","model","prompts","failures","compactions","standing"}
//	context                          session.Context
//	file PATH                        {"read","edited","created"}
//	command LINE                     working.Command
//	error TARGET                     working.Failure
//	todo NUMBER, correction NUMBER   working.Todo, {"text"}
//	gate NAME                        {"state"}
//	call ID, agent ID                {"text"}: under way
//
// Entries are added up in the order of the steps: Set replaces, Gone removes.
type Step struct {
	Record events.Record  `json:"record"`
	Set    map[string]any `json:"set,omitempty"`
	Gone   []string       `json:"gone,omitempty"`
}

// The values of a [Step]'s entries that are no state of their own. Entries are compared, and say the same again only when
// they changed.
type (
	textEntry struct {
		Text string `json:"text"`
	}
	sessionEntry struct {
		Branch      string `json:"branch,omitempty"`
		Model       string `json:"model,omitempty"`
		Prompts     int    `json:"prompts"`
		Failures    int    `json:"failures"`
		Compactions int    `json:"compactions,omitempty"`
		Standing    string `json:"standing"`
	}
	identityEntry struct {
		Brief    string  `json:"brief"`
		State    string  `json:"state"`
		Class    string  `json:"class"`
		R        float64 `json:"r"`
		IC       float64 `json:"ic"`
		Guidance string  `json:"guidance"`
	}
	fileEntry struct {
		Read    int  `json:"read,omitempty"`
		Edited  int  `json:"edited,omitempty"`
		Created bool `json:"created,omitempty"`
	}
	gateEntry struct {
		State string `json:"state"`
	}
)

// Walk gives every event of a session up to the newest sequence, in order, with what it changed. What the steps up to a
// sequence add up to is what [View.At] has at that sequence.
func (p View) Walk(ctx context.Context, id string, fn func(Step) error) error {
	if p.Last == 0 {
		return nil
	}
	w, err := p.walker(ctx, id)
	if err != nil {
		return err
	}
	return p.Log.Select(ctx, 1, p.Last, w.want, func(r events.Record) error {
		if err := w.view.Apply(ctx, r); err != nil {
			return err
		}
		if r.Session != id {
			return nil
		}
		step, err := w.step(ctx, r)
		if err != nil {
			return err
		}
		return fn(step)
	})
}

// walker folds what concerns one session, and keeps the entries of the step before.
type walker struct {
	id   string
	view *projector.View
	want []projector.Selector
	told map[string]map[string]any // by projection
}

// walked are the projections whose states a step has entries of.
var walked = []string{session.Name, working.Name, identity.Name, gate.Name}

// walker chooses the cells of the session, and the gates of the projects that it was in.
func (p View) walker(ctx context.Context, id string) (*walker, error) {
	own := []projector.Selector{{Session: id}}
	projects := map[string]bool{}
	err := p.Log.Select(ctx, 1, p.Last, own, func(r events.Record) error {
		if r.Session == id && r.Project != "" {
			projects[r.Project] = true
		}
		return nil
	})
	if err != nil {
		return nil, err
	}

	w := &walker{id: id, want: own, told: map[string]map[string]any{}}
	for _, project := range slices.Sorted(maps.Keys(projects)) {
		w.want = append(w.want, gate.Table.Needs(gate.ProjectKey(project))...)
	}
	w.view, err = projector.FoldLog(ctx, nil, projector.FoldOptions{Tables: tables.Named(walked...)}) // nothing is folded yet
	if err != nil {
		return nil, err
	}
	w.view.Log = p.Log.Select
	return w, nil
}

// step compares the entries after a record with those of the step before.
func (w *walker) step(ctx context.Context, r events.Record) (Step, error) {
	step := Step{Record: r, Set: map[string]any{}}
	err := w.view.Read(ctx, func(rd projector.Reader) error {
		s := statesOf(rd, w.id)
		for _, name := range walked {
			if name == working.Name && len(working.Table.Keys(r)) == 0 && r.Type != events.TypeRecordRetracted {
				continue // it is by far the largest, and most records do not concern it
			}
			entries := s.entries(name, r.Time)
			for key, v := range entries {
				if old, known := w.told[name][key]; !known || old != v {
					step.Set[key] = v
				}
			}
			for key := range w.told[name] {
				if _, still := entries[key]; !still {
					step.Gone = append(step.Gone, key)
				}
			}
			w.told[name] = entries
		}
		return nil
	})
	slices.Sort(step.Gone)
	return step, err
}

// states are the cells that a session's entries come from.
type states struct {
	session  session.State
	working  working.State
	identity identity.State
	gates    gate.State // of the branch that the session is on
}

func statesOf(rd projector.Reader, id string) states {
	var s states
	s.session, _ = projector.State[session.State](rd, session.Name, id)
	s.working, _ = projector.State[working.State](rd, working.Name, id)
	s.identity, _ = projector.State[identity.State](rd, identity.Name, id)
	branch, _ := projector.State[gate.State](rd, gate.Name, gate.Key(s.session.Project, s.session.Branch))
	project, _ := projector.State[gate.State](rd, gate.Name, gate.ProjectKey(s.session.Project))
	s.gates = gate.At(branch, project)
	return s
}

// entries are those of one projection at a time.
func (s states) entries(name string, now time.Time) map[string]any {
	out := map[string]any{}
	switch name {
	case session.Name:
		sessionEntries(out, s.session)
	case working.Name:
		workingEntries(out, s.working)
	case identity.Name:
		if i := s.identity; i.Born && !i.Deleted {
			out["identity"] = identityEntry{Brief: i.Brief(), State: identity.ConsciousnessOf(i.Consciousness).LongName(), Class: identity.Classify(i.LastIC),
				R: i.Integration, IC: i.LastIC, Guidance: i.Guidance()}
		}
	case gate.Name:
		gateEntries(out, s.gates, s.session.ID, now)
	}
	return out
}

func sessionEntries(out map[string]any, s session.State) {
	if s.ID == "" {
		return
	}
	out["session"] = sessionEntry{Branch: s.Branch, Model: s.Model, Prompts: s.Prompts, Failures: s.Failures,
		Compactions: s.Compacted, Standing: s.Standing().Words}
	if s.Context != nil {
		out["context"] = *s.Context
	}
	for _, c := range s.Open {
		out["call "+c.ToolUseID] = textEntry{c.Tool}
	}
	for id, a := range s.Agents {
		if a.Stopped == nil && s.Ended == nil {
			out["agent "+id] = textEntry{a.Kind}
		}
	}
}

func workingEntries(out map[string]any, s working.State) {
	for name, note := range map[string]*working.Note{"goal": s.Goal, "task": s.Task, "prompt": s.Prompt, "handoff": s.Handoff} {
		if note != nil {
			out[name] = textEntry{note.Text}
		}
	}
	for _, f := range s.Files {
		out["file "+f.Path] = fileEntry{Read: f.Read, Edited: f.Edited, Created: f.Created}
	}
	for _, c := range s.Commands {
		out["command "+c.Line] = c
	}
	for _, f := range s.Open {
		out["error "+f.Target] = f
	}
	for i, c := range s.Corrections {
		out[fmt.Sprintf("correction %02d", i)] = textEntry{c.Text}
	}
	for i, t := range s.Todos {
		out[fmt.Sprintf("todo %02d", i)] = t
	}
}

// gateEntries say of each requirement what it was for the session when the event was captured.
func gateEntries(out map[string]any, s gate.State, id string, now time.Time) {
	for name, g := range s.Gates {
		state := ""
		mark, met := s.Satisfaction(name, g.Scope, id, now)
		switch {
		case s.Own(name, id).Reserved != nil:
			state = "in use by a call"
		case met:
			state = "met, by " + mark.By
			if !mark.Expires.IsZero() {
				state += ", until " + mark.Expires.Format(time.RFC3339)
			}
		case s.Triggered(name, g.Scope, id):
			state = "asked for, not met"
		default:
			continue
		}
		out["gate "+name] = gateEntry{state}
	}
}

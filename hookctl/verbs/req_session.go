package verbs

import (
	"net/url"
	"os"
	"slices"
	"strings"

	"hookline/events"
	"hookline/hookctl/facts"
	"hookline/projector/gate"
	"hookline/projector/project"
	"hookline/projector/session"
)

// Whose gates are meant: sessions by the process above us, and those that an import alone knows.

// above is the session, of those given, whose process is the one that CLAUDE_PID names, our parent, or one above
// it: the nearest one, and of several sessions of one process the first in the list. "" without one. What is above
// a client that has no session here is another client's.
func above(list []session.State, envPID string) string {
	client, rule := facts.ClientOf(envPID, os.Getppid())
	for _, p := range facts.Above(envPID, os.Getppid()) {
		for _, s := range list {
			if own := s.Process(); own.PID == p.PID && (own.Start == p.Start || own.Start == 0 || p.Start == 0) {
				return s.ID
			}
		}
		if rule == facts.RuleAncestor && p.PID == client.PID {
			return ""
		}
	}
	return ""
}

// read takes in the live sessions, and those of imported registries: that have sent no hook yet they are foreign. Whose
// process was gone when the registry was read has ended: its number may be another's by now.
func (d *desk) read(gates []cell[gate.State], projects []project.State) (err error) {
	if d.sessions, err = newest(d.app, 1); err != nil {
		return err
	}
	by := map[string]gate.Foreign{}
	for _, c := range gates {
		for id, f := range c.State.Imported {
			if old, ok := by[id]; !ok || f.LastActive.After(old.LastActive) || f.LastActive.Equal(old.LastActive) && f.Event > old.Event {
				by[id] = f
			}
		}
	}
	if err := d.know(sortedKeys(by)...); err != nil {
		return err
	}
	for _, s := range d.sessions {
		delete(by, events.Alias(s.ID))
	}
	for _, id := range sortedKeys(by) {
		f := by[id]
		s := session.State{ID: id, Status: session.Ended, Worktree: f.Dir, Branch: f.Branch, Started: f.Started, LastActive: f.LastActive,
			Project: projectAt(projects, d.app.place(f.Dir).Path())}
		if f.PID != 0 && f.Start != 0 {
			s.Status, s.Processes = session.Live, []session.Process{{PID: f.PID, Start: f.Start}}
		}
		d.foreign = append(d.foreign, s)
	}
	return nil
}

// know takes in the sessions with the same beginnings as these ids, deleted ones too.
func (d *desk) know(ids ...string) error {
	if len(ids) == 0 {
		return nil
	}
	query := url.Values{}
	for _, id := range ids {
		query.Add("like", events.Alias(id))
	}
	like, err := states[session.State](d.app, session.Name, query)
	d.sessions = append(slices.DeleteFunc(d.sessions, func(s session.State) bool {
		return slices.ContainsFunc(like, func(l session.State) bool { return l.ID == s.ID })
	}), like...)
	return err
}

// imported is the session that a name means when an import alone knows it, as the import names it; "" when it is
// none of these.
func (d *desk) imported(name string) string {
	short := events.Alias(name)
	if len(strings.ReplaceAll(name, "-", "")) < aliasLength || slices.ContainsFunc(d.sessions, func(s session.State) bool {
		return events.Alias(s.ID) == short && s.Status != session.Deleted
	}) {
		return ""
	}
	for _, s := range d.foreign {
		if s.ID == short {
			return short
		}
	}
	for _, branch := range sortedKeys(d.cells) {
		for _, id := range d.cells[branch].Foreigners() {
			if id == name || events.Alias(id) == short && len(strings.ReplaceAll(name, "-", "")) <= aliasLength {
				return id
			}
		}
	}
	return ""
}

// known tells whether the recorder has seen a session, or has it from an import.
func (d *desk) known(id string) bool {
	return id != "" && (d.imported(id) != "" || slices.ContainsFunc(d.sessions, func(s session.State) bool { return s.ID == id }))
}

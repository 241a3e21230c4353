package daemon

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"hookline/events"
	"hookline/projector"
	"hookline/projector/gate"
)

// gatesOfJoined are the gates that a project takes over with the one that is joined into it: an event for each branch
// with what is satisfied or triggered there. A fold sees one cell alone, so what another cell holds must stand in an
// event.
func (d *Daemon) gatesOfJoined(r projector.Reader, joined events.Envelope) []events.Envelope {
	var e events.ProjectRehomed
	if joined.Type != events.TypeProjectRehomed || json.Unmarshal(joined.Data, &e) != nil || e.From == "" || e.From == joined.Project {
		return nil
	}
	cells := map[string]gate.State{} // by branch
	keys, err := r.Keys(gate.Name)
	if err != nil {
		d.log.Error("read the gates of a joined project", "project", e.From, "err", err)
		return nil
	}
	own, _ := projector.State[gate.State](r, gate.Name, gate.ProjectKey(e.From))
	for _, k := range keys {
		if project, branch := gate.SplitKey(k); project == e.From && branch != "" {
			s, _ := projector.State[gate.State](r, gate.Name, k)
			cells[branch] = gate.At(s, own)
		}
	}

	kind, _ := events.Lookup(events.TypeGateImported)
	var envs []events.Envelope
	for _, branch := range slices.Sorted(maps.Keys(cells)) {
		list := entriesOf(cells[branch])
		if len(list) == 0 {
			continue
		}
		data, err := json.Marshal(events.GateImported{File: "project " + e.From, Gates: list})
		if err != nil {
			continue // strings and JSON that the log had
		}
		envs = append(envs, events.Envelope{ID: events.DerivedID(joined.ID, len(envs)+1), Type: kind.Type, Version: kind.Version(), Time: joined.Time,
			Project: joined.Project, Branch: branch, Causation: joined.ID, Data: data})
	}
	return envs
}

// entriesOf is what a branch's cell says, by requirement and session.
func entriesOf(s gate.State) []events.GateImportedEntry {
	var list []events.GateImportedEntry
	add := func(name, scope, session string, e gate.Entry) {
		in := events.GateImportedEntry{Name: name, Scope: scope, Session: session}
		if m := e.Satisfied; m != nil {
			in.SatisfiedAt, in.SatisfiedBy, in.ExpiresAt, in.Metadata = wireTime(m.At), m.By, wireTime(m.Expires), m.Metadata
		}
		if m := e.Triggered; m != nil {
			in.TriggeredAt = wireTime(m.At)
		}
		if in.SatisfiedAt != "" || in.TriggeredAt != "" {
			list = append(list, in)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Gates)) {
		g := s.Gates[name]
		add(name, g.Scope, "", g.Branch)
		for _, session := range slices.Sorted(maps.Keys(g.Sessions)) {
			add(name, g.Scope, session, g.Sessions[session])
		}
	}
	return list
}

func wireTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

package daemon

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/hook"
	"hookline/hookctl/problem"
	"hookline/projector"
	"hookline/projector/gate"
	"hookline/projector/ledger"
	"hookline/projector/session"
	"hookline/projector/working"
)

// maxSources bounds an answer: the newest are looked up.
const maxSources = 40

// why returns the lines with a text that a session is told, the events they come from, and when they were told.
func (ep *stateEndpoints) why(ctx context.Context, r api.WhyRequest) (none api.Why, err error) {
	text := strings.TrimSpace(r.Text)
	if text == "" {
		return none, problem.Bad("a text is wanted").Advise("a part of a line that the model was told, or the id of an event")
	}

	id := r.Session
	out := api.Why{Query: text, Session: id, Lines: []hook.Recovered{}, Sources: []api.WhySource{}, Told: []api.WhyTold{}}
	event := text
	if _, err := strconv.ParseUint(text, 10, 64); err == nil { // a sequence names the event
		if rec, err := ep.find(ctx, text); err == nil {
			event = rec.ID
		}
	}

	g := ep.gates.atStartOf(ctx, id)
	err = ep.view.Read(ctx, func(r projector.Reader) error {
		for _, it := range hook.RecoveryOf(hook.Reader{Reader: r}, g, id, "compact", ep.opts.Now(), 0).Items {
			if has(it.Text, text) || it.Event == event && event != "" {
				out.Lines = append(out.Lines, it)
			}
		}
		s, _ := projector.State[session.State](r, session.Name, id)
		for _, at := range [][2]string{{working.Name, id}, {ledger.Name, s.Project}} {
			raw, _, ok := r.Raw(at[0], at[1])
			var state any
			if ok && json.Unmarshal(raw, &state) == nil {
				out.Sources = sourcesIn(out.Sources, at[0]+" ", "", state, text, event)
			}
		}
		if g != nil {
			state, _ := projector.State[gate.State](r, gate.Name, gate.Key(g.Project, g.Branch))
			out.Sources = append(out.Sources, gateSources(state, id, text, event)...)
		}
		return nil
	})
	if err != nil {
		return none, err
	}

	out.Sources = out.Sources[max(0, len(out.Sources)-maxSources):]
	var ids []string
	for _, s := range out.Sources {
		ids = append(ids, s.Event)
	}
	found, err := ep.rec.Find(ctx, ids...)
	if err != nil {
		return none, err
	}
	for i := range out.Sources {
		s := &out.Sources[i]
		if rec, getErr := ep.stream.Get(ctx, found[s.Event]); getErr == nil {
			s.Seq, s.Type, s.Time = rec.Seq, rec.Type, rec.Time
		}
	}
	if err := ep.addTold(ctx, &out); err != nil {
		return none, err
	}
	if len(out.Lines)+len(out.Sources)+len(out.Told) == 0 {
		return none, problem.Missing("nothing that session %s is told has %q", id, text).Advise("`hookctl find` looks through all events")
	}
	return out, nil
}

// has reports whether a text has another in it, in whatever case.
func has(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

// sourcesIn adds the entries below a value that name their event and have the text, or the event.
func sourcesIn(list []api.WhySource, where, path string, v any, text, event string) []api.WhySource {
	switch v := v.(type) {
	case []any:
		for i, e := range v {
			list = sourcesIn(list, where, path+"."+strconv.Itoa(i), e, text, event)
		}
	case map[string]any:
		id, _ := v["event"].(string)
		if id == "" {
			id, _ = v["id"].(string) // an entry of the ledger is its event
		}
		found := false
		for _, name := range slices.Sorted(maps.Keys(v)) {
			value, isText := v[name].(string)
			if !isText {
				list = sourcesIn(list, where, path+"."+name, v[name], text, event)
				continue
			}
			about := name != "event" && name != "id" && has(value, text)
			if id != "" && path != "" && !found && (about || id == event && name != "event" && name != "id") {
				found = true
				list = append(list, api.WhySource{Where: where + strings.TrimPrefix(path, "."), Text: value, Event: id})
			}
		}
	}
	return list
}

// gateSources returns the events that opened, closed and asked for gates of a branch, as far as they hold for a session: of
// gates whose name has the text or stands in it, or that are the event.
func gateSources(s gate.State, id, text, event string) []api.WhySource {
	var list []api.WhySource
	add := func(name, what string, m *gate.Mark) {
		if m != nil && (has(name, text) || has(text, name) || m.Event == event) {
			list = append(list, api.WhySource{Where: gate.Name + " " + name, Text: strings.TrimSpace(what + " " + m.By), Event: m.Event})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Gates)) {
		for _, e := range []gate.Entry{s.Gates[name].Branch, s.Gates[name].Sessions[id]} {
			add(name, "satisfied by", e.Satisfied)
			add(name, "asked for", e.Triggered)
			add(name, "cleared by", e.Cleared)
		}
	}
	for _, name := range s.Blocks[id].Names {
		add(name, "denied", &gate.Mark{Event: s.Blocks[id].Event})
	}
	return list
}

// addTold adds when such lines, or lines of the same events, were told in the session.
func (ep *stateEndpoints) addTold(ctx context.Context, out *api.Why) error {
	means := func(it events.InjectedItem) bool {
		line := slices.ContainsFunc(out.Lines, func(l hook.Recovered) bool { return l.ID == it.ID })
		return line || it.Event != "" && slices.ContainsFunc(out.Sources, func(s api.WhySource) bool { return s.Event == it.Event })
	}
	last, _ := ep.stream.Last()
	want := []projector.Selector{{Session: out.Session, Types: []string{events.TypeContextInjected}}}
	return ep.stream.Select(ctx, 1, last, want, func(r events.Record) error {
		e, ok := r.Event.(*events.ContextInjected)
		if !ok {
			return nil
		}
		var items []string
		for _, it := range e.Items {
			if means(it) {
				items = append(items, it.ID)
			}
		}
		if items != nil {
			out.Told = append(out.Told, api.WhyTold{Seq: r.Seq, Time: r.Time, Hook: e.Hook, Items: items})
		}
		return nil
	})
}

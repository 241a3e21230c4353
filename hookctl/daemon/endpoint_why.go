package daemon

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hookline/events"
	"hookline/events/wording"
	"hookline/hookctl/api"
	"hookline/hookctl/hook"
	"hookline/hookctl/problem"
	"hookline/projector"
	"hookline/projector/gate"
	"hookline/projector/ledger"
	"hookline/projector/session"
	"hookline/projector/working"
)

// Bounds of an answer.
const (
	maxSources  = 40  // the newest are looked up
	maxOrigins  = 5   // other sessions whose states are looked at
	sourceChars = 200 // of a text in an event
)

// question is what `hookctl why` asks.
type question struct {
	text    string
	event   string // id of the event that the text names, else the text
	session string
}

// why returns when a line with a text was told, in the session that is asked about or else in others of its project, the
// events that the line came from, and the lines with the text that the session would be told now.
func (ep *stateEndpoints) why(ctx context.Context, r api.WhyRequest) (none api.Why, err error) {
	text := strings.TrimSpace(r.Text)
	if text == "" {
		return none, problem.Bad("a text is wanted").Advise("a part of a line that the model was told, or the id of an event")
	}
	if _, err := ep.rec.Settle(ctx); err != nil { // what was told a moment ago may wait
		return none, err
	}

	q := question{text: text, event: text, session: r.Session}
	if _, err := strconv.ParseUint(text, 10, 64); err == nil { // a sequence names the event
		if rec, err := ep.find(ctx, text); err == nil {
			q.event = rec.ID
		}
	}
	out := api.Why{Query: text, Session: r.Session, Lines: []hook.Recovered{}, Sources: []api.WhySource{}, Told: []api.WhyTold{}}
	project, err := ep.addStates(ctx, q, &out)
	if err != nil {
		return none, err
	}

	asked := projector.Selector{Session: q.session, Types: []string{events.TypeContextInjected}}
	if err := ep.addTold(ctx, q, asked, &out); err != nil {
		return none, err
	}
	if len(out.Told) == 0 && project != "" {
		others := projector.Selector{Project: project, Types: []string{events.TypeContextInjected}}
		if err := ep.addTold(ctx, q, others, &out); err != nil {
			return none, err
		}
	}
	if err := ep.addOrigins(ctx, q, &out); err != nil {
		return none, err
	}
	if len(out.Lines)+len(out.Sources)+len(out.Told) == 0 {
		return none, problem.Missing("nothing that session %s is told has %q", q.session, text).Advise("`hookctl find` looks through all events")
	}
	return out, nil
}

// addStates adds the lines that the session would be told now, and the entries of its state, of its project's ledger and of
// the gates where it works. It returns the project.
func (ep *stateEndpoints) addStates(ctx context.Context, q question, out *api.Why) (project string, err error) {
	g := ep.gates.atStartOf(ctx, q.session)
	recovery := hook.RecoveryQuery{Session: q.session, Source: "compact", At: ep.opts.Now(), Gates: g}
	recovery.Missing = missingOf(readStates(ctx, ep.core, func(r projector.Reader) []string {
		return hook.RecoveryPaths(hook.Reader{Reader: r}, recovery)
	}))
	err = ep.view.Read(ctx, func(r projector.Reader) error {
		for _, it := range hook.RecoveryOf(hook.Reader{Reader: r}, recovery).Items {
			if has(it.Text, q.text) || it.Event == q.event && q.event != "" {
				out.Lines = append(out.Lines, it)
			}
		}
		s, _ := projector.State[session.State](r, session.Name, q.session)
		project = s.Project
		out.Sources = q.inState(r, out.Sources, working.Name, q.session)
		out.Sources = q.inState(r, out.Sources, ledger.Name, s.Project)
		if g != nil {
			state, _ := projector.State[gate.State](r, gate.Name, gate.Key(g.Project, g.Branch))
			out.Sources = append(out.Sources, gateSources(state, q.session, q.text, q.event)...)
		}
		return nil
	})
	return project, err
}

// inState adds the entries of a state that the question is about.
func (q question) inState(r projector.Reader, list []api.WhySource, table, key string) []api.WhySource {
	raw, _, ok := r.Raw(table, key)
	var state any
	if !ok || json.Unmarshal(raw, &state) != nil {
		return list
	}
	return sourcesIn(list, table+" ", "", state, q.text, q.event)
}

// addTold adds when lines were told that the question is about: they have the text, or name the event. Records of older
// builds have no text; there the events of the state's entries tell.
func (ep *stateEndpoints) addTold(ctx context.Context, q question, among projector.Selector, out *api.Why) error {
	means := func(it events.InjectedItem) bool {
		switch {
		case it.Text != "" && has(it.Text, q.text):
			return true
		case it.Event == q.event || slices.Contains(it.Events, q.event):
			return true
		}
		isSource := func(s api.WhySource) bool { return s.Event == it.Event }
		return it.Text == "" && it.Event != "" && slices.ContainsFunc(out.Sources, isSource)
	}

	last, _ := ep.stream.Last()
	return ep.stream.Select(ctx, 1, last, []projector.Selector{among}, func(r events.Record) error {
		e, ok := r.Event.(*events.ContextInjected)
		if !ok {
			return nil
		}
		told := api.WhyTold{Seq: r.Seq, Time: r.Time, Hook: e.Hook, Session: r.Session}
		for _, it := range e.Items {
			if !means(it) {
				continue
			}
			told.Items = append(told.Items, it.ID)
			told.Tokens += it.Tokens
			told.Lines = append(told.Lines, api.WhyLine{ID: it.ID, Text: it.Text, Events: append([]string{it.Event}, it.Events...)})
		}
		if told.Items != nil {
			out.Told = append(out.Told, told)
		}
		return nil
	})
}

// addOrigins adds the events that the told lines name: those that have the text, or all of a line of which none has. Every
// source gets the sequence, type, time and session of its event.
func (ep *stateEndpoints) addOrigins(ctx context.Context, q question, out *api.Why) error {
	known := func(id string) bool {
		return slices.ContainsFunc(out.Sources, func(s api.WhySource) bool { return s.Event == id })
	}
	records, err := ep.recordsOf(ctx, out)
	if err != nil {
		return err
	}

	var sessions []string // others that the events are of
	for _, told := range out.Told {
		for _, l := range told.Lines {
			for _, s := range q.originsOf(l, records) {
				if !known(s.Event) {
					out.Sources = append(out.Sources, s)
				}
				if of := records[s.Event].Session; of != q.session && of != "" && !slices.Contains(sessions, of) {
					sessions = append(sessions, of)
				}
			}
		}
	}
	err = ep.view.Read(ctx, func(r projector.Reader) error {
		for _, id := range sessions[max(0, len(sessions)-maxOrigins):] {
			for _, s := range q.inState(r, nil, working.Name, id) {
				if !known(s.Event) {
					out.Sources = append(out.Sources, s)
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}

	out.Sources = out.Sources[max(0, len(out.Sources)-maxSources):]
	if records, err = ep.recordsOf(ctx, out); err != nil {
		return err
	}
	for i := range out.Sources {
		s := &out.Sources[i]
		if rec, isThere := records[s.Event]; isThere {
			s.Seq, s.Type, s.Time, s.Session = rec.Seq, rec.Type, rec.Time, rec.Session
		}
	}
	return nil
}

// recordsOf returns the records of the events that an answer names, by id.
func (ep *stateEndpoints) recordsOf(ctx context.Context, out *api.Why) (map[string]events.Record, error) {
	var ids []string
	for _, s := range out.Sources {
		ids = append(ids, s.Event)
	}
	for _, told := range out.Told[max(0, len(out.Told)-maxSources):] {
		for _, l := range told.Lines {
			ids = append(ids, l.Events...)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)

	found, err := ep.rec.Find(ctx, ids...)
	if err != nil {
		return nil, err
	}
	records := map[string]events.Record{}
	for _, id := range ids {
		if rec, getErr := ep.stream.Get(ctx, found[id]); getErr == nil {
			records[id] = rec
		}
	}
	return records, nil
}

// originsOf returns the sources of a line among the events that it names.
func (q question) originsOf(l api.WhyLine, records map[string]events.Record) []api.WhySource {
	var having, all []api.WhySource
	for _, id := range l.Events {
		rec, isThere := records[id]
		if !isThere {
			continue
		}
		source := api.WhySource{Where: "told as " + l.ID, Event: id}
		if path, text := textIn("", rec.Data, q.text); path != "" {
			source.Where += ", " + path
			source.Text = wording.Short(text, sourceChars)
			having = append(having, source)
		}
		all = append(all, source)
	}
	if having != nil {
		return having
	}
	return all
}

// textIn returns the first text of some JSON that has another text in it, with its path; "" for none.
func textIn(path string, data json.RawMessage, part string) (where, text string) {
	var members map[string]json.RawMessage
	var list []json.RawMessage
	switch {
	case json.Unmarshal(data, &text) == nil:
		if path != "" && has(text, part) {
			return path, text
		}
	case json.Unmarshal(data, &members) == nil:
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if where, text = textIn(strings.TrimPrefix(path+"."+name, "."), members[name], part); where != "" {
				return where, text
			}
		}
	case json.Unmarshal(data, &list) == nil:
		for i, e := range list {
			if where, text = textIn(path+"."+strconv.Itoa(i), e, part); where != "" {
				return where, text
			}
		}
	}
	return "", ""
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

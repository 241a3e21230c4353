package hook

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"testing"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
	"hookline/projector/handover"
	"hookline/projector/identity"
	"hookline/projector/ledger"
	"hookline/projector/session"
	"hookline/projector/tables"
	"hookline/projector/touches"
	"hookline/projector/working"
)

// past is what the projections say of session s, and of another one that was persisted.
type past struct {
	Session  session.State
	Identity identity.State
	Latest   identity.State           // its SessionID is the other session's id
	Working  map[string]working.State // by session
	Ledger   ledger.State             // of project p
	Touches  touches.State            // of project p
	Decided  []events.Event
}

// reader is a past as capabilities read it.
func (p past) reader(t testing.TB) Reader {
	t.Helper()
	store := projector.NewMemory()
	put := func(table string, version int, key string, state any) {
		b := expect.Value(json.Marshal(map[string]any{"seq": 1, "state": state}))(t)
		cell := projector.Cell{Key: fmt.Sprintf("%s.v%d.%s", table, version, key), Value: b}
		position := projector.Cell{Key: "position." + table + ".v" + strconv.Itoa(version), Value: []byte(`{"seq":1,"id":"x","words":{}}`)}
		expect.OK(t, store.Save(context.Background(), projector.BucketSnapshot, []projector.Cell{cell, position}))
	}
	put(session.Name, session.Version, "s", p.Session)
	put(identity.Name, identity.Version, "s", p.Identity)
	put(ledger.Name, ledger.Version, "p", p.Ledger)
	put(touches.Name, touches.Version, "p", p.Touches)
	sessions := map[string]handover.State{} // by project
	for id, state := range p.Working {
		put(working.Name, working.Version, id, state)
		in := sessions[state.Project]
		in.Sessions = append(in.Sessions, handover.Session{ID: id, Edits: 1, Worked: state.Active, Attended: true})
		sessions[state.Project] = in
	}
	for project, state := range sessions {
		put(handover.Name, handover.Version, project, state)
	}
	if id := p.Latest.SessionID; id != "" {
		p.Latest.PersistedAtMS = 1
		put(identity.Name, identity.Version, id, p.Latest)
		put(identity.PointerName, identity.PointerVersion, identity.TimeKey(1, id), identity.Pointer{Session: id})
		put(identity.PointerName, identity.PointerVersion, identity.PointerKey(p.Latest.Project), identity.Pointer{Session: id})
	}

	view := expect.Value(projector.OpenView(context.Background(), store, tables.All()))(t)
	var r Reader
	_ = view.Read(context.Background(), func(got projector.Reader) error {
		r = Reader{Reader: got, Decided: p.Decided}
		return nil
	})
	return r
}

// said is the answer to a frame, as the daemon composes it.
func said(t testing.TB, in Input, w World, p past) Answer {
	t.Helper()
	r := p.reader(t)
	a, _ := Compose(in, Refuse(in, w, r), Tell(in, w, r, false), "")
	return a
}

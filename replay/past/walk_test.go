package past

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
	"hookline/projector/gate"
	"hookline/projector/identity"
	"hookline/projector/session"
	"hookline/projector/working"
)

// Whatever lies in the log, the steps of a session up to any sequence add up to the states that a question about that
// sequence gives.
func TestWalkIsWhatAtSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := rapid.Custom(drawLog).Draw(t, "log")
		p := View{Log: log, Last: uint64(len(log)), Now: time.Now, Session: func(_ context.Context, id string) (string, error) { return id, nil }}
		sum := map[string]any{}
		err := p.Walk(t.Context(), "s-1", func(step Step) error {
			maps.Copy(sum, step.Set)
			for _, key := range step.Gone {
				delete(sum, key)
			}
			if want := entriesAt(t, p, step.Record); !reflect.DeepEqual(sum, want) {
				t.Fatalf("at %d, %s:\n%v\nwant\n%v", step.Record.Seq, step.Record.Type, sum, want)
			}
			return nil
		})
		expect.OK(t, err)

	})
}

// A subagent of which no end came does not run behind its session's end.
func TestWalkEndsSubagents(t *testing.T) {
	log := records{
		events.NewRecord(1, events.Envelope{ID: "a", Type: events.TypeSubagentStarted, Version: 1, Session: "s-1", Data: json.RawMessage(`{"agent_id":"a1","agent_type":"explore"}`)}),
		events.NewRecord(2, events.Envelope{ID: "b", Type: events.TypeSessionEnded, Version: 1, Session: "s-1", Data: json.RawMessage(`{"reason":"other"}`)}),
	}
	var gone []string
	err := View{Log: log, Last: 2}.Walk(t.Context(), "s-1", func(s Step) error {
		gone = append(gone, s.Gone...)
		return nil
	})
	if err != nil || !slices.Equal(gone, []string{"agent a1"}) {
		t.Errorf("%q, %v", gone, err)
	}
}

// entriesAt asks for each cell at the record's sequence, as `replay at` does.
func entriesAt(t *rapid.T, p View, r events.Record) map[string]any {
	at := func(table, key string, out any) {
		if key == "" { // it would mean every cell
			return
		}
		s := expect.Value(p.At(t.Context(), Question{Point: Point(fmt.Sprint(r.Seq)), Projection: table, Key: key}))(t)
		for _, c := range s.Cells {
			expect.OK(t, json.Unmarshal(c.State, out))
		}
	}

	var s states
	at(session.Name, r.Session, &s.session)
	at(working.Name, r.Session, &s.working)
	at(identity.Name, r.Session, &s.identity)
	var branch, project gate.State
	at(gate.Name, gate.Key(s.session.Project, s.session.Branch), &branch)
	at(gate.Name, gate.ProjectKey(s.session.Project), &project)
	s.gates = gate.At(branch, project)

	all := map[string]any{}
	for _, name := range walked {
		maps.Copy(all, s.entries(name, r.Time))
	}
	return all
}

// records are a log in memory.
type records []events.Record

func (l records) Select(_ context.Context, from, to uint64, want []projector.Selector, fn func(events.Record) error) error {
	for _, r := range l {
		meant := false
		for _, s := range want {
			meant = meant || s.Match(r.Session, r.Project, r.Type)
		}
		if !meant || r.Seq < from || r.Seq > to {
			continue
		}
		if err := fn(r); err != nil {
			return err
		}
	}
	return nil
}

func (records) SeqCaptured(context.Context, time.Time) (uint64, error) { return 0, nil }

// drawLog makes hooks and gates of two sessions of one project, on two branches.
func drawLog(t *rapid.T) records {
	var log records
	for i := range rapid.IntRange(1, 40).Draw(t, "events") {
		file := rapid.SampledFrom([]string{"/w/a.go", "/w/b.go"}).Draw(t, "file")
		call := rapid.SampledFrom([]string{"c1", "c2"}).Draw(t, "call")
		data := rapid.SampledFrom([]struct{ typ, data string }{
			{events.TypeSessionStarted, `{"source":"startup","model":"m"}`},
			{events.TypeSessionStarted, `{"source":"clear"}`},
			{events.TypePromptSubmitted, `{"prompt":"Write the parser of ` + file + `"}`},
			{events.TypeToolRequested, `{"tool_name":"Edit","tool_use_id":"` + call + `","tool_input":{"file_path":"` + file + `"}}`},
			{events.TypeToolSucceeded, `{"tool_name":"Edit","tool_use_id":"` + call + `","tool_input":{"file_path":"` + file + `"}}`},
			{events.TypeToolFailed, `{"tool_name":"Bash","tool_use_id":"` + call + `","tool_input":{"command":"go test ./..."},"error":"Exit code 1"}`},
			{events.TypeToolSucceeded, `{"tool_name":"TodoWrite","tool_input":{"todos":[{"content":"` + file + `","status":"pending"}]}}`},
			{events.TypeSubagentStarted, `{"agent_id":"a1","agent_type":"explore"}`},
			{events.TypeCompactionFinished, `{"trigger":"auto"}`},
			{events.TypeGateSatisfied, `{"name":"plan","scope":"session","by":"cli","expires_at":"2026-11-21T08:00:20Z"}`},
			{events.TypeContextPhaseChanged, `{"phase":"CONDENSED","used":90000,"window":200000,"source":"transcript"}`},
			{events.TypeGateTriggered, `{"name":"plan","scope":"session"}`},
			{events.TypeGateSatisfied, `{"name":"review","scope":"branch","level":"branch","by":"cli"}`},
			{events.TypeGateCleared, `{"name":"review","all_sessions":true,"reason":"command"}`},
			{events.TypeRecordRetracted, ""},
			{events.TypeSessionEnded, `{"reason":"other"}`},
			{events.TypeSessionDeleted, `{"reason":"command"}`},
		}).Draw(t, "event")
		session := rapid.SampledFrom([]string{"s-1", "s-1", "s-2"}).Draw(t, "session")
		if data.typ == events.TypeRecordRetracted { // it stands in the session of what it takes back
			target := rapid.IntRange(0, max(0, i-1)).Draw(t, "target")
			data.data = fmt.Sprintf(`{"target":"E%02d","reason":"wrong"}`, target)
			if i > 0 {
				session = log[target].Session
			}
		}
		log = append(log, events.NewRecord(uint64(i+1), events.Envelope{ID: fmt.Sprintf("E%02d", i), Type: data.typ, Version: 1,
			Time: time.Date(2026, 11, 21, 8, 0, i, 0, time.UTC), Project: "p", Data: []byte(data.data),
			Session: session, Branch: rapid.SampledFrom([]string{"main", "main", "fix"}).Draw(t, "branch")}))
	}
	return log
}

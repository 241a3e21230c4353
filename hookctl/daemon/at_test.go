//go:build unix

package daemon

import (
	"encoding/json"
	"fmt"
	"net/url"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
	"hookline/replay/past"
)

// wholeAt is every cell at a point by a fold of the whole log.
func wholeAt(t *testing.T, d *Daemon, seq uint64) []past.NamedCell {
	t.Helper()
	v, err := projector.Straight(t.Context(), projector.Tables(), d.stream.Read, seq, nil)
	expect.OK(t, err)
	cells := []past.NamedCell{}
	err = v.Read(t.Context(), func(r projector.Reader) error {
		for _, table := range v.Tables() {
			keys, err := r.Keys(table)
			if err != nil {
				return err
			}
			for _, key := range keys {
				if state, at, ok := r.Raw(table, key); ok {
					cells = append(cells, past.NamedCell{Projection: table, Cell: past.Cell{Key: key, Seq: at, State: state}})
				}
			}
		}
		return nil
	})
	expect.OK(t, err)
	return cells
}

// pastAnswer is the body that a daemon gives.
func pastAnswer(t *testing.T, d *Daemon, path string, query ...string) string {
	t.Helper()
	q := url.Values{}
	for i := 0; i < len(query); i += 2 {
		q.Set(query[i], query[i+1])
	}
	_, body := ask(t, d, "GET", path+"?"+q.Encode(), "")
	return body
}

func inJSON(t *testing.T, v any) string {
	t.Helper()
	b := expect.Value(json.Marshal(v))(t)
	return string(b)
}

// Each cell of the past, asked for by its key, is the cell that the whole log gives; so is what changed between two
// points.
func TestPastIsWhatTheWholeLogGives(t *testing.T) {
	dir := newHome(t)
	d := open(t, dir)
	for _, file := range recorded(t) {
		for _, f := range frames(t, file) {
			take(t, d, f)
		}
	}
	gatesOfOld(t, d)
	last, _ := d.stream.Last()
	points := []uint64{1, last / 3, last/3 + 5, last / 2, last}
	asked, answers := [][]string{}, []string{}
	for i, seq := range points {
		cells := wholeAt(t, d, seq)
		before := []past.NamedCell{}
		if i > 0 {
			before = wholeAt(t, d, points[i-1])
		}
		for _, c := range cells {
			asked = append(asked, []string{"/v1/at", "point", fmt.Sprint(seq), "projection", c.Projection, "key", c.Key})
			answers = append(answers, inJSON(t, map[string]any{"seq": seq, "cells": []past.NamedCell{c}}))
		}
		asked = append(asked, []string{"/v1/at", "point", fmt.Sprint(seq)})
		answers = append(answers, inJSON(t, map[string]any{"seq": seq, "cells": cells}))
		if i > 0 {
			asked = append(asked, []string{"/v1/diff", "a", fmt.Sprint(points[i-1]), "b", fmt.Sprint(seq)},
				[]string{"/v1/diff", "b", fmt.Sprint(points[i-1]), "a", fmt.Sprint(seq)})
			answers = append(answers, inJSON(t, map[string]any{"a": points[i-1], "b": seq, "diffs": past.Compare(before, cells)}),
				inJSON(t, map[string]any{"b": points[i-1], "a": seq, "diffs": past.Compare(cells, before)}))
		}
	}
	for i, q := range asked {
		expect.Equal(t, pastAnswer(t, d, q[0], q[1:]...), answers[i], q)
	}
	shut(t, d)
}

// gatesOfOld appends what the recorded sessions lack: gates on two branches of two projects, and a project given up.
func gatesOfOld(t *testing.T, d *Daemon) {
	t.Helper()
	for i := range 24 {
		e := []events.Event{&events.GateSatisfied{Name: "tests", Scope: events.GateScopeSession, Level: "session", By: "cli"},
			&events.GateTriggered{Name: "review", Scope: events.GateScopeBranch}, &events.GateCleared{Name: "tests", Reason: events.GateClearedCommand},
			&events.ProjectRehomed{From: "p-0", Path: "/old"}, &events.PromptExpanded{CommandName: "/review"}, &events.IdentityPersisted{Reason: "command"}}[i%6]
		data := expect.Value(json.Marshal(e))(t)
		env := events.Envelope{ID: fmt.Sprintf("01KGATE%019d", i), Type: e.Type(), Version: 1, Time: time.UnixMilli(1795262406000 + int64(i)).UTC(),
			Session: fmt.Sprintf("g-%d", i%2), Project: fmt.Sprintf("p-%d", i%3), Branch: []string{"main", "feature/x"}[i%2], Data: data}
		expect.Value(d.rec.Import(t.Context(), []events.Envelope{env}))(t)
	}
}

// A time of capture is not disturbed by what came late.
func TestPastTimes(t *testing.T) {
	d := opened(t)
	at := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	appendAt := func(id string, captured time.Time) {
		t.Helper()
		env := events.Envelope{ID: id, Type: events.TypeTurnStopped, Version: 1, Time: captured, Session: "s-" + id, Project: "p", Data: []byte(`{}`)}
		expect.Value(d.rec.Import(t.Context(), []events.Envelope{env}))(t)
	}
	for i, minute := range []int{0, 1, 2, 90, 3, 4} { // the fourth is of a clock that was ahead, and two came after it
		appendAt(fmt.Sprint(i+1), at.Add(time.Duration(minute)*time.Minute))
	}
	for _, c := range []struct {
		point time.Time
		want  uint64
	}{
		{at.Add(-time.Second), 0}, {at, 1}, {at.Add(90 * time.Second), 2}, {at.Add(2 * time.Minute), 3},
		{at.Add(3 * time.Minute), 5}, {at.Add(time.Hour), 6}, {at.Add(2 * time.Hour), 6},
	} {
		got := pastAnswer(t, d, "/v1/at", "point", c.point.Format(time.RFC3339Nano), "projection", "latest")
		if want := fmt.Sprintf(`{"cells":[],"seq":%d}`, c.want); got != want {
			t.Errorf("at %s: %s, want %s", c.point, got, want)
		}
	}
}

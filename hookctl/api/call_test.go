package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/problem"
	"hookline/hookctl/wire"
	"hookline/replay/past"
)

// direct is a way to a handler of this process.
type direct struct {
	to    http.Handler
	build string // of the caller, as it says; "" leaves what the package sets
}

// Send implements [Caller].
func (d direct) Send(r *http.Request) (*http.Response, error) {
	if d.build != "" {
		r.Header.Set(headerBuild, d.build)
	}
	w := httptest.NewRecorder()
	d.to.ServeHTTP(w, r)
	if w.Code == http.StatusOK {
		return w.Result(), nil
	}
	refused := &problem.Error{Message: strings.TrimSpace(w.Body.String()), Exit: 1, Status: w.Code}
	_ = json.Unmarshal(w.Body.Bytes(), refused) // plain text stays the message
	return nil, refused
}

// noted answers everything with one text and notes what it was asked.
type noted struct {
	build  string // that the answer names
	answer string
	asked  []string
}

// ServeHTTP implements [http.Handler].
func (n *noted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	n.asked = append(n.asked, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(body)))
	w.Header().Set(headerBuild, n.build)
	fmt.Fprint(w, n.answer)
}

func nothing(_, _ uint64) {}

// The forms of requests never change: daemons and programs of different builds talk to each other.
func TestForms(t *testing.T) {
	n := &noted{answer: `{"result":{}}`}
	c := direct{to: n}
	ctx := t.Context()
	for _, q := range []struct {
		ask  func() error
		want string
	}{
		{func() error { _, err := Alive.Call(ctx, c, None{}); return err }, "GET /v1/alive"},
		{func() error { _, err := Stop.Call(ctx, c, StopRequest{Reason: "repair"}); return err }, "POST /v1/stop?reason=repair"},
		{
			func() error {
				r := EventsRequest{Session: "s-1", Types: []string{"tool.*", "x"}, Since: "10m", Last: 7, Follow: true}
				return Events.Lines(ctx, c, r, func([]byte) error { return nil })
			},
			"GET /v1/events?follow=1&n=7&session=s-1&since=10m&type=tool.%2A%2Cx",
		},
		{
			func() error {
				r := EventsRequest{Seqs: []uint64{2, 99, 1}}
				return Events.Lines(ctx, c, r, func([]byte) error { return nil })
			},
			"GET /v1/events?seq=2%2C99%2C1",
		},
		{func() error { _, err := Event.Call(ctx, c, EventRequest{ID: "4711"}); return err }, "GET /v1/events/4711"},
		{func() error { _, err := HookJSON.Call(ctx, c, EventRequest{ID: "a/b"}); return err }, "GET /v1/events/a%2Fb?raw=1"},
		{
			func() error {
				r := CellsRequest{Projection: "session", Keys: []string{"a", "b"}, Newest: 1, Projects: []string{"p", "q"}}
				return Cells.Lines(ctx, c, r, func([]byte) error { return nil })
			},
			"GET /v1/cells/session?key=a&key=b&newest=1&project=p&project=q",
		},
		{
			func() error {
				_, err := Cell.Call(ctx, c, CellRequest{Projection: "gate", Key: "p/feature/x y"})
				return err
			},
			"GET /v1/cells/gate/p/feature/x%20y",
		},
		{
			func() error {
				_, err := Cell.Call(ctx, c, CellRequest{Projection: "session", Key: "../../status"})
				return err
			},
			"GET /v1/cells/session/%2E%2E/%2E%2E/status",
		},
		{
			func() error {
				_, err := At.Call(ctx, c, past.Question{Point: "120", Projection: "session", Key: "s"})
				return err
			},
			"GET /v1/at?key=s&point=120&projection=session",
		},
		{
			func() error {
				_, err := Diff.Call(ctx, c, past.Comparison{A: "1", B: past.Now, States: true})
				return err
			},
			"GET /v1/diff?a=1&b=now&states=1",
		},
		{
			func() error { _, err := Retract.Call(ctx, c, RetractRequest{ID: "7", Reason: "wrong"}); return err },
			`POST /v1/do/retract {"id":"7","reason":"wrong"}`,
		},
		{
			func() error {
				r := TranscriptsRequest{Paths: []string{"/a", "/b"}, DryRun: true}
				_, err := ImportTranscripts.Run(ctx, c, r, nothing)
				return err
			},
			"POST /v1/do/import?dry_run=1&paths=%5B%22%2Fa%22%2C%22%2Fb%22%5D",
		},
		{
			func() error {
				_, err := Repair.Run(ctx, c, RepairRequest{From: []string{"/a", "/b"}, Transcripts: "/t"}, nothing)
				return err
			},
			"POST /v1/repair?from=%2Fa&from=%2Fb&transcripts=%2Ft",
		},
	} {
		n.asked = nil
		expect.OK(t, q.ask())
		expect.Equal(t, strings.Join(n.asked, "\n"), q.want, "request")
	}
}

// served is a server with an endpoint of each kind.
func served() *Server {
	s := NewServer()
	Retract.Serve(s, func(_ context.Context, r RetractRequest) (Retracted, error) {
		return Retracted{Target: events.Record{Seq: uint64(len(r.ID)), Envelope: events.Envelope{Type: r.Reason}}}, nil
	})
	Event.Serve(s, func(_ context.Context, r EventRequest) (events.Record, error) {
		return events.Record{Envelope: events.Envelope{ID: r.ID}}, nil
	})
	HookJSON.Serve(s, func(_ context.Context, r EventRequest) (json.RawMessage, error) {
		return json.RawMessage(`{ "raw":  "<` + r.ID + `>" }`), nil
	})
	Cells.Serve(s, func(_ context.Context, r CellsRequest, out Lines[past.Cell]) error {
		if r.Projection == "doors" {
			return problem.Missing("no projection is called %q", r.Projection)
		}
		for i, key := range r.Keys {
			if err := errors.Join(out.Send(past.Cell{Key: key, Seq: uint64(i), State: json.RawMessage("{}")}), out.Heartbeat()); err != nil {
				return err
			}
		}
		return nil
	})
	Rebuild.Serve(s, func(r RebuildRequest) (Work[Rebuilt], error) {
		if r.Projection == "doors" {
			return nil, problem.Missing("no projection is called %q", r.Projection)
		}
		return func(_ context.Context, progress func(uint64)) (Rebuilt, error) {
			progress(3)
			if r.Projection == "broken" {
				return Rebuilt{}, errors.New("it broke")
			}
			return Rebuilt{Projection: r.Projection, Seq: 9}, nil
		}, nil
	})
	return s
}

func TestKinds(t *testing.T) {
	c := direct{to: served()}
	ctx := t.Context()

	retracted := expect.Value(Retract.Call(ctx, c, RetractRequest{ID: "4711", Reason: "wrong"}))(t)
	expect.Equal(t, retracted.Target.Seq, 4, "sequence that the handler answered")
	expect.Equal(t, retracted.Target.Type, "wrong", "reason that the handler was given")

	record := expect.Value(Event.Call(ctx, c, EventRequest{ID: "a/b"}))(t)
	expect.Equal(t, record.ID, "a/b", "id of the event")
	record = expect.Value(Event.Call(ctx, c, EventRequest{ID: ".."}))(t)
	expect.Equal(t, record.ID, "..", "id of dots")
	raw := expect.Value(HookJSON.Call(ctx, c, EventRequest{ID: "x"}))(t)
	expect.Equal(t, string(raw), `{ "raw":  "<x>" }`, "the hook's own JSON, byte by byte")

	var keys []string
	expect.OK(t, Cells.Each(ctx, c, CellsRequest{Projection: "session", Keys: []string{"a", "b"}}, func(cell past.Cell) error {
		keys = append(keys, cell.Key)
		return nil
	}))
	expect.Equal(t, strings.Join(keys, " "), "a b", "keys of the cells")

	rebuilt := expect.Value(Rebuild.Run(ctx, c, RebuildRequest{Projection: "identity"}, nothing))(t)
	expect.Equal(t, rebuilt.Seq, 9, "sequence of the rebuild")
}

// What a handler refuses comes back as the error that it was.
func TestRefusals(t *testing.T) {
	c := direct{to: served()}
	var refused *problem.Error

	err := Cells.Each(t.Context(), c, CellsRequest{Projection: "doors"}, func(past.Cell) error { return nil })
	if !errors.As(err, &refused) || refused.Status != http.StatusNotFound {
		t.Errorf("cells of an unknown projection: %v, want a refusal with status 404", err)
	}
	_, err = Rebuild.Run(t.Context(), c, RebuildRequest{Projection: "doors"}, nothing)
	if !errors.As(err, &refused) || refused.Status != http.StatusNotFound {
		t.Errorf("rebuild of an unknown projection: %v, want a refusal with status 404", err)
	}
	_, err = Rebuild.Run(t.Context(), c, RebuildRequest{Projection: "broken"}, nothing)
	expect.Equal(t, fmt.Sprint(err), "it broke", "error of the work")
}

// Between programs of one build what the receiver does not have is an error that names it; between different builds it is
// passed over.
func TestUnknownInARequest(t *testing.T) {
	s := served()
	for _, q := range []struct{ method, target, body, want string }{
		{"GET", "/v1/cells/session?key=a&kye=b", "", `request: unknown parameter "kye"`},
		{"GET", "/v1/events/7?raw=0", "", `request: unknown parameter "raw"`},
		{"POST", "/v1/rebuild?dryrun=1", "", `request: unknown parameter "dryrun"`},
		{"POST", "/v1/do/retract", `{"id":"7","why":"x"}`, `request: json: unknown field "why"`},
	} {
		for _, build := range []string{wire.Build, "0.0.1", ""} {
			r := httptest.NewRequest(q.method, q.target, strings.NewReader(q.body))
			r.Header.Set(headerBuild, build)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)

			if build != wire.Build {
				expect.Equal(t, w.Code, http.StatusOK, q.target, "of build", build, "status")
				continue
			}
			expect.Equal(t, w.Code, http.StatusBadRequest, q.target, "of the same build, status")
			var refused problem.Error
			expect.OK(t, json.Unmarshal(w.Body.Bytes(), &refused))
			expect.Equal(t, refused.Message, q.want, q.target, "of the same build, error")
		}
	}
}

func TestUnknownInAnAnswer(t *testing.T) {
	ctx := t.Context()
	for _, q := range []struct {
		kind, answer, unknown string
		ask                   func(c Caller) error
	}{
		{"an endpoint", `{"seq":7,"sequence":7}`, "sequence", func(c Caller) error {
			_, err := GetStatus.Call(ctx, c, None{})
			return err
		}},
		{"a stream", `{"key":"a","stat":{}}` + "\n", "stat", func(c Caller) error {
			return Cells.Each(ctx, c, CellsRequest{Projection: "session"}, func(past.Cell) error { return nil })
		}},
		{"long work", `{"result":{"seq":9,"changes":[]}}`, "changes", func(c Caller) error {
			_, err := Rebuild.Run(ctx, c, RebuildRequest{}, nothing)
			return err
		}},
	} {
		expect.OK(t, q.ask(direct{to: &noted{build: "0.0.1", answer: q.answer}}))
		expect.OK(t, q.ask(direct{to: &noted{answer: q.answer}}))
		err := q.ask(direct{to: &noted{build: wire.Build, answer: q.answer}})
		want := `read the answer: json: unknown field "` + q.unknown + `"`
		expect.Equal(t, fmt.Sprint(err), want, q.kind, "of the same build, error")
	}
}

// Both sides say their build.
func TestBuildsAreSent(t *testing.T) {
	var asked string
	s := NewServer()
	Alive.Serve(s, func(context.Context, None) (None, error) { return None{}, nil })
	c := direct{to: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Header.Get(headerBuild)
		s.ServeHTTP(w, r)
		expect.Equal(t, w.Header().Get(headerBuild), wire.Build, "build in the answer")
	})}
	expect.Value(Alive.Call(t.Context(), c, None{}))(t)
	expect.Equal(t, asked, wire.Build, "build in the request")
}

// Texts that are no value of a parameter are refused, with the name of the parameter.
func TestBadParameters(t *testing.T) {
	s := NewServer()
	Events.Serve(s, func(context.Context, EventsRequest, Lines[events.Record]) error { return nil })
	ImportTranscripts.Serve(s, nil)
	for _, q := range []struct{ method, target, want string }{
		{"GET", "/v1/events?n=-1", `n: "-1" is no count`},
		{"GET", "/v1/events?seq=1,x", `seq: "x" is no count`},
		{"POST", "/v1/do/import?paths=x", "paths: invalid character 'x' looking for beginning of value"},
	} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(q.method, q.target, nil))
		expect.Equal(t, w.Code, http.StatusBadRequest, q.target, "status")
		var refused problem.Error
		expect.OK(t, json.Unmarshal(w.Body.Bytes(), &refused))
		expect.Equal(t, refused.Message, q.want, q.target, "error")
	}
}

// The answer of a request that takes long is read line by line, to its result or its error.
func TestLongAnswers(t *testing.T) {
	for _, q := range []struct{ answer, result, progress, err string }{
		{"{\"progress\":1,\"of\":9}\n\n{\"progress\":9,\"of\":9}\n{\"result\":{\"seq\":9}}\n", `{"seq":9}`, "1/9 9/9", "<nil>"},
		{"{\"result\":null}\n", "null", "", "<nil>"},
		{"{\"progress\":1,\"of\":9}\n", "", "1/9", ErrUnfinished.Error()},
		{"", "", "", ErrUnfinished.Error()},
		{"<html>\n", "", "", "read the answer: invalid character '<' looking for beginning of value"},
		{"{\"progress\":1,\"of\":9}\n{\"error\":\"refused\",\"hint\":\"no\"}\n", "", "1/9", "refused"},
	} {
		var heard []string
		progress := func(done, of uint64) { heard = append(heard, fmt.Sprint(done, "/", of)) }
		_, text, err := Rebuild.RunJSON(t.Context(), direct{to: &noted{answer: q.answer}}, RebuildRequest{}, progress)
		expect.Equal(t, string(text), q.result, q.answer, "result")
		expect.Equal(t, strings.Join(heard, " "), q.progress, q.answer, "progress")
		expect.Equal(t, fmt.Sprint(err), q.err, q.answer, "error")
	}
}

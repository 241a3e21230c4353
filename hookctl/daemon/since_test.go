//go:build unix

package daemon

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"hookline/expect"
	"hookline/hookctl/api"
)

// said is a message of an answer: an event, the end, or trouble.
type said struct {
	Seq   uint64
	Type  string
	End   bool
	Sent  int
	More  bool
	Error string
	Hint  string
}

// since asks and returns the events and the message behind them.
func since(t *testing.T, d *Daemon, request string, limits sinceLimits) (events []said, last said) {
	t.Helper()
	answerSince(t.Context(), d.core, []byte(request), limits, func(data []byte) error {
		if last.Type != "" {
			events = append(events, last)
		}
		last = said{}
		return json.Unmarshal(data, &last)
	})
	return events, last
}

// Every matching event behind the sequence comes, in order, and the end says up to where.
func TestSince(t *testing.T) {
	d := opened(t)
	take(t, d, startOf("s-1"))
	for i := range 5 {
		take(t, d, bashOf("s-1", i))
	}
	to, _ := d.rec.Synced()

	all, end := since(t, d, `{"seq":0}`, sinceAtOnce)
	expect.Equal(t, uint64(len(all)), to, "events of the whole log")
	expect.Equal(t, end, said{End: true, Seq: to, Sent: len(all)}, "end of the whole log")
	for i, e := range all {
		expect.Equal(t, e.Seq, uint64(i+1), "sequence of message", i)
	}

	calls, end := since(t, d, `{"seq":0,"filter":"ev.*.s-1.tool.>"}`, sinceAtOnce)
	expect.Equal(t, len(calls), 5, "calls")
	expect.Equal(t, end.Seq, to, "sequence up to which it was looked")
	rest, end := since(t, d, `{"seq":`+string(must(json.Marshal(calls[2].Seq)))+`,"filter":"ev.*.s-1.tool.>"}`, sinceAtOnce)
	expect.Equal(t, len(rest), 2, "calls after the third")
	expect.Equal(t, end.Sent, 2, "calls that the end counts")

	none, end := since(t, d, `{"seq":`+string(must(json.Marshal(to)))+`}`, sinceAtOnce)
	expect.Equal(t, len(none), 0, "events behind the newest")
	expect.Equal(t, end, said{End: true, Seq: to}, "end behind the newest")
}

func must(b []byte, _ error) []byte { return b }

// An answer is bounded by events, bytes and records; asking on from its end gives all, each event once.
func TestSinceInPieces(t *testing.T) {
	d := opened(t)
	take(t, d, startOf("s-1"))
	for i := range 9 {
		take(t, d, bashOf("s-1", i))
	}
	for name, limits := range map[string]sinceLimits{
		"events":  {events: 4, bytes: 1 << 20, read: 100},
		"bytes":   {events: 100, bytes: 1, read: 100},
		"records": {events: 100, bytes: 1 << 20, read: 3},
	} {
		var calls []said
		pieces := 0
		for end := (said{More: true}); end.More; pieces++ {
			request := `{"seq":` + string(must(json.Marshal(end.Seq))) + `,"filter":"ev.*.*.tool.>"}`
			var piece []said
			piece, end = since(t, d, request, limits)
			calls = append(calls, piece...)
			if !end.End || pieces > 50 {
				t.Fatalf("%s: piece %d ends with %+v", name, pieces, end)
			}
		}
		expect.Equal(t, len(calls), 9, "calls in pieces bounded by", name)
		for i := 1; i < len(calls); i++ {
			if calls[i].Seq <= calls[i-1].Seq {
				t.Errorf("%s: sequence %d comes after %d", name, calls[i].Seq, calls[i-1].Seq)
			}
		}
		if pieces < 3 {
			t.Errorf("%s: %d pieces, want several", name, pieces)
		}
	}
}

func TestSinceErrors(t *testing.T) {
	d := opened(t)
	take(t, d, startOf("s-1"))
	for request, want := range map[string]string{
		``:                               "the request is empty",
		`seq 4`:                          "the request cannot be read: ",
		`{"from":4}`:                     `the request cannot be read: json: unknown field "from"`,
		`{"filter":"ev.>"}`:              "the request has no seq, ",
		`{"seq":4711}`:                   "the log ends at sequence ",
		`{"seq":0,"filter":"tool.>"}`:    `filter: the pattern "tool.>" does not begin with "ev."`,
		`{"seq":0,"filter":"ev.>.tool"}`: `filter: "ev.>.tool" is no pattern of subjects`,
	} {
		events, last := since(t, d, request, sinceAtOnce)
		expect.Equal(t, len(events), 0, "events for", request)
		if !strings.HasPrefix(last.Error, want) || last.Hint == "" {
			t.Errorf("%s: %+v, want the error %s and a hint", request, last, want)
		}
	}
}

// A client of NATS that was away asks over the port, with its own inbox, and then has what came live.
func TestSinceOverNATS(t *testing.T) {
	d := opened(t)
	d.opts.Listen = "127.0.0.1:0"
	take(t, d, startOf("s-1"))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { d.keeper.serveFeed(ctx); close(ended) }()
	defer func() { stop(); <-ended }()
	is := listening(t, d, func(is *api.Listening) bool { return is.Address != "" })

	url := strings.TrimSpace(string(expect.Value(os.ReadFile(is.Credentials))(t)))
	nc := expect.Value(nats.Connect(url))(t)
	defer nc.Close()
	inbox := nc.NewInbox()
	sub := expect.Value(nc.SubscribeSync(inbox))(t)
	expect.OK(t, nc.PublishRequest("hookline.since", inbox, []byte(`{"seq":0,"filter":"ev.*.s-1.>"}`)))

	var types []string
	for {
		m := expect.Value(sub.NextMsg(patience))(t)
		var got said
		expect.OK(t, json.Unmarshal(m.Data, &got))
		if got.End {
			expect.Equal(t, got.Sent, len(types), "events that the end counts")
			break
		}
		types = append(types, got.Type)
	}
	if len(types) == 0 || types[0] != "session.started" {
		t.Errorf("the answer has %q, want session.started first", types)
	}

	m := expect.Value(nc.Request("hookline.since", []byte(`{}`), patience))(t)
	if !strings.HasPrefix(string(m.Data), `{"error":"the request has no seq`) {
		t.Errorf("a request without seq is answered by %s", m.Data)
	}
	expect.OK(t, nc.PublishRequest("hookline.since", "ev.p.s.tool.failed", []byte(`{"seq":0}`)))
	live := expect.Value(nc.SubscribeSync("ev.>"))(t)
	expect.OK(t, nc.Flush())
	expect.Value(nc.Request("hookline.since", []byte(`{}`), patience))(t) // behind the one that wants no inbox
	if m, err := live.NextMsg(time.Millisecond); err == nil {
		t.Errorf("an answer went to a subject of events: %s %s", m.Subject, m.Data)
	}
}

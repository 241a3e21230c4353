package embedded

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"hookline/events"
	"hookline/expect"
)

func openFeed(t *testing.T) (*Feed, string) {
	t.Helper()
	f := expect.Value(OpenFeed(FeedOptions{Addr: "127.0.0.1:0", Password: "p4ss"}))(t)
	t.Cleanup(f.Close)
	return f, "nats://" + FeedUser + ":p4ss@" + f.Addr()
}

// A client of NATS gets what it subscribed to, one line of JSON each.
func TestFeed(t *testing.T) {
	f, url := openFeed(t)
	nc, err := nats.Connect(url)
	expect.OK(t, err)
	defer nc.Close()
	sub, err := nc.SubscribeSync("ev.*.s-1.tool.>")
	if err != nil || nc.Flush() != nil {
		t.Fatal(err)
	}
	for _, session := range []string{"s-2", "s-1"} {
		for _, typ := range []string{"session.started", "tool.failed"} {
			expect.OK(t, f.Send(events.Record{Seq: 7, Envelope: events.Envelope{ID: "01", Type: typ, Session: session, Data: []byte(`{"a":1}`)}}))
		}
	}
	m, err := sub.NextMsg(10 * time.Second)
	expect.OK(t, err)
	if m.Subject != "ev.=.s-1.tool.failed" || !strings.Contains(string(m.Data), `"data":{"a":1}`) || strings.Contains(string(m.Data), "\n") {
		t.Errorf("%s: %s", m.Subject, m.Data)
	}
}

// A client can write nothing, ask for nothing and listen to nothing else, and without the password it does not come in.
func TestFeedIsReadOnly(t *testing.T) {
	f, url := openFeed(t)
	for _, bad := range []string{"nats://" + f.Addr(), "nats://" + FeedUser + ":wrong@" + f.Addr(), "nats://recorder:p4ss@" + f.Addr()} {
		if nc, err := nats.Connect(bad); !errors.Is(err, nats.ErrAuthorization) {
			t.Errorf("%s: %v", bad, err)
			nc.Close()
		}
	}

	refused := make(chan error, 10)
	nc := expect.Value(nats.Connect(url, nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err })))(t)
	defer nc.Close()
	for name, do := range map[string]func() error{
		"publish an event":    func() error { return nc.Publish("ev.p.s.x", nil) },
		"ask JetStream":       func() error { return nc.PublishRequest("$JS.API.STREAM.PURGE.EVENTS", "ev.reply", nil) },
		"listen to all":       func() error { _, err := nc.SubscribeSync(">"); return err },
		"listen to the store": func() error { _, err := nc.SubscribeSync("$KV.>"); return err },
	} {
		if err := errors.Join(do(), nc.Flush()); err != nil {
			t.Fatal(name, err)
		}
		select {
		case err := <-refused:
			if !errors.Is(err, nats.ErrPermissionViolation) {
				t.Errorf("%s: %v", name, err)
			}
		case <-time.After(10 * time.Second):
			t.Errorf("%s was let through", name)
		}
	}
}

// A port that is in use is said.
func TestFeedBusy(t *testing.T) {
	f, _ := openFeed(t)
	if _, err := OpenFeed(FeedOptions{Addr: f.Addr(), Password: "x"}); err == nil || !strings.Contains(err.Error(), "address already in use") {
		t.Error(err)
	}
}

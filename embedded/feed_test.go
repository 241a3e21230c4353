package embedded

import (
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"hookline/events"
	"hookline/expect"
)

// A pattern matches as a subscription of the server does, and what is none is refused.
func TestFeedPattern(t *testing.T) {
	r := events.Record{Envelope: events.Envelope{Project: "p", Session: "s", Type: "tool.failed"}}
	for text, want := range map[string]bool{
		"ev.>": true, "ev.p.s.tool.failed": true, "ev.*.*.tool.>": true, "ev.*.*.*.failed": true, "ev.p.>": true,
		"ev": false, "ev.p.s.tool": false, "ev.p.s.tool.failed.>": false, "ev.p.other.>": false, "ev.*.*.tool.failed.*": false,
	} {
		pattern := expect.Value(ReadFeedPattern(text))(t)
		expect.Equal(t, pattern.Match(r), want, text, "matches", feedSubject(r))
	}
	for _, text := range []string{"", ">", "events.>", "ev..s", "ev.>.s", "ev.a*", "ev. ", "$JS.>"} {
		if _, err := ReadFeedPattern(text); err == nil {
			t.Errorf("%q is taken for a pattern", text)
		}
	}
}

// A client can write nothing, ask for nothing else and listen to nothing else, and without the password it does not come in.
func TestFeedIsReadOnly(t *testing.T) {
	f := expect.Value(OpenFeed("127.0.0.1:0", "p4ss"))(t)
	t.Cleanup(f.Close)
	url := "nats://" + FeedUser + ":p4ss@" + f.Addr()
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
		"publish to an inbox": func() error { return nc.Publish("_INBOX.x", nil) },
		"listen to requests":  func() error { _, err := nc.SubscribeSync(FeedSince); return err },
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

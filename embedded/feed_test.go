package embedded

import (
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"hookline/expect"
)

// A client can write nothing, ask for nothing and listen to nothing else, and without the password it does not come in.
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

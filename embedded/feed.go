package embedded

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"hookline/events"
)

// FeedUser is the name under which clients of a [Feed] subscribe.
const FeedUser = "reader"

// FeedSince is the subject at which a client asks for events of before.
const FeedSince = "hookline.since"

// feedInbox begins the subjects that answers go to. A client may listen there, and nothing else is answered: what came to a
// subject of events would look like one.
const feedInbox = "_INBOX."

// Bounds of a feed. A client that does not read is cut off when that many bytes wait for it.
const (
	feedClients = 16
	feedWaits   = 16 << 20
)

// Feed gives events to clients of NATS on this machine while they are recorded. It is a server of its own beside the
// store's, without JetStream: its clients have no way to the log, and a port that is in use is no trouble of the store.
// They may subscribe below ev., ask at [FeedSince], and do nothing else.
//
//	ev.<project>.<session>.<area>.<what>   one line of JSON, the event as `hookctl tail --json` has it
//	hookline.since                         a request, see [Feed.OnSince]; answers go to the inbox that it names
type Feed struct {
	srv *server.Server
	nc  *nats.Conn
}

// OpenFeed listens at an address, host and port, of which the host is an IP address; the password is [FeedUser]'s. What its
// server says is not logged: that the password is not hashed, which is generated, and that a client reads too slowly.
func OpenFeed(addr, password string) (*Feed, error) {
	taken, err := net.Listen("tcp", addr) // the server itself would say so in its log only
	if err != nil {
		return nil, err
	}
	at := taken.Addr().(*net.TCPAddr)
	if err := taken.Close(); err != nil {
		return nil, err
	}

	own := rand.Text()
	srv, err := server.NewServer(&server.Options{
		ServerName: "hookline-feed", Host: at.IP.String(), Port: at.Port, NoSigs: true, NoLog: true, NoSystemAccount: true,
		MaxConn: feedClients, MaxPayload: maxPayload, MaxPending: feedWaits, MaxSubs: 1000, MaxClosedClients: 1,
		Users: []*server.User{
			{Username: "recorder", Password: own},
			{Username: FeedUser, Password: password, Permissions: &server.Permissions{
				Publish:   &server.SubjectPermission{Allow: []string{FeedSince}},
				Subscribe: &server.SubjectPermission{Allow: []string{subjectRoot + ".>", feedInbox + ">"}},
			}},
		},
	})
	if err != nil {
		return nil, err
	}
	f := &Feed{srv: srv}
	srv.Start()
	if !srv.ReadyForConnections(startTimeout) {
		f.Close()
		return nil, fmt.Errorf("listen at %s: the server did not start", addr)
	}
	f.nc, err = nats.Connect("", nats.InProcessServer(srv), nats.UserInfo("recorder", own), nats.NoReconnect())
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("connect in process: %w", err)
	}
	return f, nil
}

// Addr returns the host and port where the feed listens.
func (f *Feed) Addr() string { return f.srv.Addr().String() }

// Send gives an event to all listeners; it does not wait for slow ones.
func (f *Feed) Send(r events.Record) error {
	data, err := FeedMessage(r)
	if err != nil {
		return err
	}
	return f.nc.Publish(feedSubject(r), data)
}

// ErrFeedTooLarge says that an event has no room in a message.
var ErrFeedTooLarge = errors.New("the event is too large for a message")

// FeedMessage returns an event as it is sent, or [ErrFeedTooLarge].
func FeedMessage(r events.Record) ([]byte, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	if len(data) > maxPayload-4096 {
		return nil, fmt.Errorf("event %s of %d bytes: %w", r.ID, len(data), ErrFeedTooLarge)
	}
	return data, nil
}

// feedSubject is the subject under which an event is sent.
func feedSubject(r events.Record) string { return subjectOf(r.Envelope) + "." + r.Type }

// waitingRequests bounds the requests that wait for the one before them, in messages and bytes.
const (
	waitingRequests      = 64
	waitingRequestsBytes = 1 << 20
)

// OnSince has answer called with the body of each request at [FeedSince], one after the other, and with a function that sends
// a message to whoever asked. What it sends is with the server when it returns.
func (f *Feed) OnSince(answer func(request []byte, send func(data []byte) error)) error {
	sub, err := f.nc.Subscribe(FeedSince, func(m *nats.Msg) {
		if !strings.HasPrefix(m.Reply, feedInbox) {
			return // nobody waits for an answer
		}
		answer(m.Data, func(data []byte) error { return f.nc.Publish(m.Reply, data) })
		_ = f.nc.Flush()
	})
	if err != nil {
		return fmt.Errorf("listen at %s: %w", FeedSince, err)
	}
	if err := sub.SetPendingLimits(waitingRequests, waitingRequestsBytes); err != nil {
		return fmt.Errorf("bound what waits at %s: %w", FeedSince, err)
	}
	return f.nc.Flush()
}

// FeedPattern is a pattern of subjects of events, as clients subscribe by: * stands for one part, > for the rest.
type FeedPattern []string

// ReadFeedPattern reads a pattern. It begins with ev, and > comes last.
func ReadFeedPattern(text string) (FeedPattern, error) {
	parts := strings.Split(text, ".")
	for i, part := range parts {
		wild := strings.ContainsAny(part, "*>") && len(part) > 1
		early := part == ">" && i < len(parts)-1
		if part == "" || wild || early || strings.ContainsAny(part, " \t\r\n") {
			return nil, fmt.Errorf("%q is no pattern of subjects", text)
		}
	}
	if parts[0] != subjectRoot {
		return nil, fmt.Errorf("the pattern %q does not begin with %q", text, subjectRoot+".")
	}
	return parts, nil
}

// Match reports whether an event is sent under a subject of the pattern.
func (p FeedPattern) Match(r events.Record) bool {
	parts := strings.Split(feedSubject(r), ".")
	for i, want := range p {
		if want == ">" {
			return len(parts) > i
		}
		if i == len(parts) || want != "*" && want != parts[i] {
			return false
		}
	}
	return len(parts) == len(p)
}

// Close cuts the clients off.
func (f *Feed) Close() {
	if f.nc != nil {
		_ = f.nc.Flush()
		f.nc.Close()
	}
	f.srv.Shutdown()
	f.srv.WaitForShutdown()
}

package embedded

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"hookline/events"
)

// FeedUser is the name under which clients of a [Feed] subscribe.
const FeedUser = "reader"

// Bounds of a feed. A client that does not read is cut off when that many bytes wait for it.
const (
	feedClients = 16
	feedWaits   = 16 << 20
)

// Feed gives events to clients of NATS on this machine while they are recorded. It is a server of its own beside the
// store's, without JetStream: its clients have no way to the log, and a port that is in use is no trouble of the store.
// They may subscribe below ev. and do nothing else.
//
//	ev.<project>.<session>.<area>.<what>   one line of JSON, the event as `hookctl tail --json` has it
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
				Publish:   &server.SubjectPermission{Deny: []string{">"}},
				Subscribe: &server.SubjectPermission{Allow: []string{subjectRoot + ".>"}},
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
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if len(data) > maxPayload-4096 {
		return fmt.Errorf("event %s of %d bytes is too large for a message", r.ID, len(data))
	}
	return f.nc.Publish(subjectOf(r.Envelope)+"."+r.Type, data)
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

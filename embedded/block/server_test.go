package block

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"hookline/expect"
)

const stream = "EVENTS"

// small is a stream limit for which the server makes blocks of 32,000 bytes, four of them.
const small = 127_000

// msgsOf is the stream's folder in a store.
func msgsOf(store string) string {
	return filepath.Join(store, "jetstream", "$G", "streams", stream, "msgs")
}

// real is a NATS server on a store: what it serves is what counts.
type real struct {
	t      testing.TB
	server *server.Server
	conn   *nats.Conn
	js     jetstream.JetStream
	stream jetstream.Stream
}

// serve starts a server on the store and makes the stream when it is not there. From maxBytes the
// server derives the block size: up to 127,000 it is 32,000, above it is 4 MiB, from 32 MiB on 8 MiB.
func serve(t testing.TB, store string, maxBytes int64) *real {
	t.Helper()
	s, err := server.NewServer(&server.Options{
		ServerName: "test", DontListen: true, JetStream: true, StoreDir: store, NoLog: true, NoSigs: true,
		JetStreamMaxStore: 1 << 30, JetStreamMaxMemory: 1 << 20, MaxPayload: 24 << 20, MaxPending: 64 << 20,
	})
	expect.OK(t, err)
	s.Start()
	if !s.ReadyForConnections(30 * time.Second) {
		t.Fatal("server not ready")
	}
	r := &real{t: t, server: s}
	t.Cleanup(r.stop)
	if r.conn, err = nats.Connect("", nats.InProcessServer(s)); err != nil {
		t.Fatal(err)
	}
	if r.js, err = jetstream.New(r.conn); err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if r.stream, err = r.js.Stream(ctx, stream); errors.Is(err, jetstream.ErrStreamNotFound) {
		r.stream, err = r.js.CreateStream(ctx, jetstream.StreamConfig{
			Name: stream, Subjects: []string{"ev.>"}, MaxBytes: maxBytes, Storage: jetstream.FileStorage,
			Discard: jetstream.DiscardNew, AllowDirect: true,
		})
	}
	expect.OK(t, err)
	return r
}

// stop ends the server cleanly; more than once is fine.
func (r *real) stop() {
	if r.conn != nil {
		r.conn.Close()
	}
	r.server.Shutdown()
	r.server.WaitForShutdown()
}

func (r *real) publish(m *nats.Msg) {
	r.t.Helper()
	expect.Value(r.js.PublishMsg(r.t.Context(), m))(r.t)
}

// get returns the message as text; empty when the server has none under seq.
func (r *real) get(seq uint64) string {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 30*time.Second)
	defer cancel()
	m, err := r.stream.GetMsg(ctx, seq)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return ""
	}
	expect.OK(r.t, err)
	return text(m.Subject, m.Header.Get("Nats-Msg-Id"), m.Data)
}

func text(subject, id string, data []byte) string {
	if len(data) > 40 {
		data = fmt.Appendf(data[:40:40], "…%d", len(data))
	}
	return fmt.Sprintf("%s|%s|%s", subject, id, data)
}

// message is the i-th test message, with headers.
func message(i, size int) *nats.Msg {
	m := nats.NewMsg(fmt.Sprintf("ev.p.s.tool.used%d", i%7))
	m.Header.Set("Nats-Msg-Id", fmt.Sprintf("id-%06d", i))
	m.Data = fmt.Appendf(nil, `{"n":%d,"fill":"`, i)
	for len(m.Data) < size {
		m.Data = append(m.Data, "abcdefghij"[len(m.Data)%10])
	}
	return m
}

func expected(i, size int) string {
	m := message(i, size)
	return text(m.Subject, m.Header.Get("Nats-Msg-Id"), m.Data)
}

// store makes a store with n messages of the given size, and returns it with its server stopped.
func store(t testing.TB, n, size int, maxBytes int64) string {
	t.Helper()
	dir := t.TempDir()
	r := serve(t, dir, maxBytes)
	for i := 1; i <= n; i++ {
		r.publish(message(i, size))
	}
	r.stop()
	return dir
}

// duplicate copies a store to a fresh folder.
func duplicate(t testing.TB, from string) string {
	t.Helper()
	to := t.TempDir()
	expect.OK(t, os.CopyFS(to, os.DirFS(from)))
	return to
}

// mustCheck checks and fails the test on an error.
func mustCheck(t testing.TB, msgs string) Report {
	t.Helper()
	return expect.Value(Check(msgs, Options{Stream: stream}))(t)
}

func mustRepair(t testing.TB, msgs, archive string) Fixed {
	t.Helper()
	o := Options{Stream: stream, Archive: archive}
	rep := expect.Value(Check(msgs, o))(t)
	return expect.Value(Repair(msgs, o, rep))(t)
}

func read1(t testing.TB, path string) []byte {
	t.Helper()
	return expect.Value(os.ReadFile(path))(t)
}

func write1(t testing.TB, path string, b []byte) {
	t.Helper()
	expect.OK(t, os.WriteFile(path, b, 0o600))
}

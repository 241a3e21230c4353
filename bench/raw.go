package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// raw is JetStream and nothing else: a server in this process with the options of package embedded,
// its stream with the same configuration, and every publish on disk when it returns: by the server's
// own SyncAlways, or by an fsync that is shared as the product's is. It is what the product is compared with.
type raw struct {
	always bool
	srv    *server.Server
	nc     *nats.Conn
	js     jetstream.JetStream
	stream jetstream.Stream
	sync   *groupSync
}

// openRaw starts a server on a folder; the stream EVENTS is made when it is not there.
func openRaw(ctx context.Context, dir string, always bool) (*raw, error) {
	srv, err := server.NewServer(&server.Options{ServerName: "raw", DontListen: true, NoSigs: true, NoLog: true, JetStream: true, StoreDir: dir,
		JetStreamMaxStore: 64 << 30, JetStreamMaxMemory: 64 << 20, MaxPayload: 8 << 20, MaxClosedClients: 1, DisableJetStreamBanner: true,
		SyncAlways: always})
	if err != nil {
		return nil, err
	}
	r := &raw{always: always, srv: srv, sync: &groupSync{dir: filepath.Join(dir, "jetstream", "$G", "streams", "EVENTS", "msgs"), newest: 1}}
	srv.Start()
	if !srv.ReadyForConnections(20 * time.Second) {
		r.close()
		return nil, errors.New("the bare server did not start")
	}
	if err := r.connect(ctx); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// openCopy starts a server on a copy of a closed store's log, in a folder that the caller removes.
func openCopy(ctx context.Context, store, dir string) (*raw, error) {
	stream := filepath.Join("jetstream", "$G", "streams", "EVENTS")
	if err := os.CopyFS(filepath.Join(dir, stream), os.DirFS(filepath.Join(store, stream))); err != nil {
		return nil, err
	}
	return openRaw(ctx, dir, false)
}

func (r *raw) connect(ctx context.Context) error {
	var err error
	if r.nc, err = nats.Connect("", nats.InProcessServer(r.srv)); err != nil {
		return err
	}
	if r.js, err = jetstream.New(r.nc); err != nil {
		return err
	}
	r.stream, err = r.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: "EVENTS", Subjects: []string{"ev.>"}, Storage: jetstream.FileStorage,
		Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardNew, MaxMsgs: -1, MaxBytes: -1, MaxMsgsPerSubject: -1, MaxMsgSize: -1,
		Duplicates: 2 * time.Minute, AllowDirect: true, AllowAtomicPublish: true, DenyPurge: true, Metadata: map[string]string{"schema": "1"}})
	return err
}

func (r *raw) close() {
	if r.nc != nil {
		r.nc.Close()
	}
	r.srv.Shutdown()
	r.srv.WaitForShutdown()
}

// publish appends data and returns when it is on disk.
func (r *raw) publish(ctx context.Context, subject string, data []byte) error {
	if _, err := r.js.Publish(ctx, subject, data); err != nil || r.always {
		return err
	}
	return r.sync.wait()
}

// discard reads the whole stream through an ordered consumer.
func (r *raw) discard(ctx context.Context, last uint64) error {
	c, err := r.stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverAllPolicy})
	if err != nil {
		return err
	}
	it, err := c.Messages(jetstream.PullMaxMessages(5000))
	if err != nil {
		return err
	}
	defer it.Stop()
	for {
		msg, err := it.Next(jetstream.NextContext(ctx))
		if err != nil {
			return err
		}
		meta, err := msg.Metadata()
		if err != nil || meta.Sequence.Stream >= last {
			return err
		}
	}
}

// groupSync lets all who wait at one time share one fsync of the newest block.
type groupSync struct {
	dir    string
	newest int // only touched by a round

	mu      sync.Mutex
	next    *syncRound
	running bool
}

type syncRound struct {
	done chan struct{}
	err  error
}

// wait returns after an fsync that began after the call.
func (g *groupSync) wait() error {
	g.mu.Lock()
	if g.next == nil {
		g.next = &syncRound{done: make(chan struct{})}
	}
	r := g.next
	if !g.running {
		g.running = true
		go g.rounds()
	}
	g.mu.Unlock()
	<-r.done
	return r.err
}

func (g *groupSync) rounds() {
	for {
		g.mu.Lock()
		r := g.next
		g.next = nil
		g.running = r != nil
		g.mu.Unlock()
		if r == nil {
			return
		}
		r.err = g.flush()
		close(r.done)
	}
}

// flush syncs the newest block and those that came after it.
func (g *groupSync) flush() error {
	for i := g.newest; ; i++ {
		f, err := os.Open(filepath.Join(g.dir, strconv.Itoa(i)+".blk"))
		if errors.Is(err, fs.ErrNotExist) && i > g.newest {
			g.newest = i - 1
			return nil
		}
		if err != nil {
			return fmt.Errorf("sync of the bare stream: %w", err)
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return err
		}
	}
}

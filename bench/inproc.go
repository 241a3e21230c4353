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
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"hookline/hookctl/daemon"
	"hookline/hookctl/redact"
	"hookline/hookctl/wire"
	"hookline/projector/identity"
)

// formatBrief times the line that every PreToolUse of an edit gets.
func (b *bench) formatBrief(context.Context) ([]reading, error) {
	const runs = 1_000_000
	cell := &identity.Cache{IC: .8473, R: .9312, State: identity.ConsciousnessOf(.62), SessionID: newSession()}
	begin := time.Now()
	for range runs {
		sink(cell.FormatBrief())
	}
	took := time.Since(begin)
	allocs := testing.AllocsPerRun(1000, func() { sink(cell.FormatBrief()) })
	return []reading{{float64(took.Microseconds()) / runs, fmt.Sprintf("%s, %d runs", cell.FormatBrief(), runs)}, {allocs, "1000 runs"}}, nil
}

// sink keeps the compiler from dropping what is measured.
//
//go:noinline
func sink(string) {}

// redaction times the redactor on what the tools send.
func (b *bench) redaction(context.Context) ([]reading, error) {
	h := &home{session: newSession(), project: "/home/dev/app"}
	r := redact.New()
	var out []reading
	for _, c := range []struct {
		n    int
		body func(int) []byte
	}{{500, h.testRun}, {b.reps(20), func(n int) []byte { return h.write(n, 3_000_000) }}} {
		took, err := repeat(c.n, func(i int) (time.Duration, error) {
			body := c.body(i)
			begin := time.Now()
			r.JSON(body)
			return time.Since(begin), nil
		})
		if err != nil {
			return nil, err
		}
		out = append(out, reading{inMS(median(took)), fmt.Sprintf("p90 %s, %d runs", ms(quantile(took, .9)), len(took))})
	}
	return out, nil
}

// ingest compares what the daemon does with a hook with the storing of it alone.
func (b *bench) ingest(ctx context.Context) (out []reading, err error) {
	h, err := b.newHome()
	if err != nil {
		return nil, err
	}
	d, err := daemon.Open(ctx, daemon.Options{Home: h.state})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.Close(context.WithoutCancel(ctx))) }()
	if _, err := d.Take(ctx, h.frame("SessionStart", h.sessionStart())); err != nil {
		return nil, err
	}
	for _, always := range []bool{true, false} {
		r, err := openRaw(ctx, filepath.Join(b.temp, fmt.Sprint("raw-", always)), always)
		if err != nil {
			return nil, err
		}
		for _, side := range []int{1, 8, 32} {
			got, err := h.ingestAgainst(ctx, d, r, side)
			if err != nil {
				r.close()
				return nil, err
			}
			out = append(out, got)
		}
		r.close()
	}
	return out, nil
}

// calls makes every body one of its own, over all rounds.
var calls atomic.Int64

func (h *home) ingestAgainst(ctx context.Context, d *daemon.Daemon, r *raw, side int) (reading, error) {
	n := 100 * min(side, 8)
	block := func(call func([]byte) error) func(int) (time.Duration, error) {
		return func(int) (time.Duration, error) {
			bodies := make([][]byte, n) // made outside of what is timed
			for i := range bodies {
				bodies[i] = h.testRun(int(calls.Add(1)))
			}
			return sideBySide(side, bodies, call)
		}
	}
	p, err := take(1, h.bench.reps(11), block(func(body []byte) error {
		return r.publish(ctx, "ev.project."+h.session, body)
	}), block(func(body []byte) error {
		_, err := d.Take(ctx, h.frame("PostToolUse", body))
		return err
	}))
	perSecond := func(took time.Duration) float64 { return float64(n) / took.Seconds() }
	return reading{p.ratio(), fmt.Sprintf("%.0f/s against %.0f/s, %d blocks of %d", perSecond(median(p.b)), perSecond(median(p.a)), len(p.a), n)}, err
}

// frame is what hookctl would send for a hook of this home.
func (h *home) frame(event string, body []byte) wire.Frame {
	now := time.Now().UnixMilli()
	return wire.Frame{ID: wire.NewID(now), Args: []string{"hook", event}, Cwd: h.project, PPID: os.Getppid(), Time: now,
		Env:    map[string]string{"CLAUDE_PROJECT_DIR": h.project, "CLAUDE_PID": strconv.Itoa(os.Getpid()), "CLAUDE_CODE_SESSION_ID": h.session},
		Binary: filepath.Join(h.bench.bin, "hookctl"), Complete: true, Size: int64(len(body)), Body: body}
}

// raw is JetStream and nothing else: a server in this process with the options of package embedded, its stream with the
// same configuration, and every publish on disk when it returns: by the server's own SyncAlways, or by an fsync that is
// shared as the product's is. It is what the product is compared with.
type raw struct {
	always bool
	srv    *server.Server
	nc     *nats.Conn
	js     jetstream.JetStream
	stream jetstream.Stream

	msgs    string // folder of the stream's blocks
	written atomic.Int64
	mu      sync.Mutex // held by who syncs; guards what follows
	synced  int64      // how many publishes are on disk
	newest  int        // number of the newest block
}

// openRaw starts a server on a folder; the stream EVENTS is made when it is not there.
func openRaw(ctx context.Context, dir string, always bool) (*raw, error) {
	srv, err := server.NewServer(&server.Options{ServerName: "raw", DontListen: true, NoSigs: true, NoLog: true, JetStream: true, StoreDir: dir,
		JetStreamMaxStore: 64 << 30, JetStreamMaxMemory: 64 << 20, MaxPayload: 8 << 20, MaxClosedClients: 1, DisableJetStreamBanner: true,
		SyncAlways: always})
	if err != nil {
		return nil, err
	}
	r := &raw{always: always, srv: srv, msgs: filepath.Join(dir, "jetstream", "$G", "streams", "EVENTS", "msgs"), newest: 1}
	srv.Start()
	if !srv.ReadyForConnections(time.Minute) {
		r.close()
		return nil, errors.New("the bare server did not start")
	}
	if err := r.connect(ctx); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
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

// publish appends data and returns when it is on disk. Of those who wait for the lock the first one syncs for all.
func (r *raw) publish(ctx context.Context, subject string, data []byte) error {
	if _, err := r.js.Publish(ctx, subject, data); err != nil || r.always {
		return err
	}
	mine := r.written.Add(1)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.synced >= mine {
		return nil
	}
	all := r.written.Load()
	if err := r.flush(); err != nil {
		return err
	}
	r.synced = all
	return nil
}

// flush syncs the newest block and those that came after it.
func (r *raw) flush() error {
	for i := r.newest; ; i++ {
		f, err := os.Open(filepath.Join(r.msgs, strconv.Itoa(i)+".blk"))
		if errors.Is(err, fs.ErrNotExist) && i > r.newest {
			r.newest = i - 1
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

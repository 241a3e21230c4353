package main

import (
	"context"
	"errors"
	"fmt"
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
func (b *bench) formatBrief() []float64 {
	const runs = 1_000_000
	state := identity.State{Born: true, LastIC: .8473, Integration: .9312, Consciousness: .62}
	begin := time.Now()
	for range runs {
		sink(state.Brief())
	}
	took := since(begin)
	return []float64{took * 1000 / runs, testing.AllocsPerRun(1000, func() { sink(state.Brief()) })}
}

// sink keeps the compiler from dropping what is measured.
//
//go:noinline
func sink(string) {}

// redaction times the redactor on what the tools send.
func (b *bench) redaction() []float64 {
	h := &home{session: newSession(), project: "/home/dev/app"}
	r := redact.New()
	timed := func(n int, body func(int) []byte) float64 {
		return median(n, func(i int) float64 {
			text := body(i)
			begin := time.Now()
			r.JSON(text)
			return since(begin)
		})
	}
	return []float64{timed(500, h.testRun), timed(20, h.write)}
}

// inProcess opens a daemon in this process, for a home whose session has begun.
func (h *home) inProcess() (d *daemon.Daemon, closed func()) {
	d = must(daemon.Open(h.ctx, daemon.Options{Home: h.state}))
	h.taken(d, "SessionStart", h.sessionStart())
	return d, func() { check(d.Close(context.WithoutCancel(h.ctx))) }
}

// taken gives a hook to a daemon in this process, and returns the answer's text.
func (h *home) taken(d *daemon.Daemon, event string, body []byte) string {
	return string(must(d.Take(h.ctx, h.frame(event, body))).Stdout)
}

// ingest compares what the daemon does with a hook with the storing of it alone.
func (b *bench) ingest() (out []float64) {
	h := b.newHome()
	d, closed := h.inProcess()
	defer closed()
	made := 0 // every body is one of its own
	for _, always := range []bool{true, false} {
		r := openRaw(b.ctx, filepath.Join(b.temp, fmt.Sprint("raw-", always)), always)
		defer r.close()
		for _, side := range []int{1, 8, 32} {
			block := func(call func([]byte) error) float64 {
				n := 100 * min(side, 8)
				made += n
				return sideBySide(side, h.testRuns(made, n), call)
			}
			bare := func(int) float64 {
				return block(func(body []byte) error { return r.publish(b.ctx, body) })
			}
			ours := func(int) float64 {
				return block(func(body []byte) error {
					_, err := d.Take(b.ctx, h.frame("PostToolUse", body))
					return err
				})
			}
			out = append(out, ratio(11, bare, ours))
		}
	}
	return out
}

// frame is what hookctl would send for a hook of this home.
func (h *home) frame(event string, body []byte) wire.Frame {
	now := time.Now().UnixMilli()
	return wire.Frame{ID: wire.NewID(now), Args: []string{"hook", event}, Cwd: h.project, PPID: os.Getppid(), Time: now,
		Env:    map[string]string{"CLAUDE_PROJECT_DIR": h.project, "CLAUDE_PID": strconv.Itoa(os.Getpid()), "CLAUDE_CODE_SESSION_ID": h.session},
		Binary: filepath.Join(h.bin, "hookctl"), Complete: true, Size: int64(len(body)), Body: body}
}

// raw is JetStream and nothing else: a server in this process with the options of package embedded, its stream with the
// same configuration, and every publish on disk when it returns: by the server's own SyncAlways, or by an fsync that is
// shared as the product's is. It is what the product is compared with.
type raw struct {
	always bool
	srv    *server.Server
	js     jetstream.JetStream
	stream jetstream.Stream

	msgs    string // folder of the stream's blocks
	written atomic.Int64
	mu      sync.Mutex // held by who syncs; guards what follows
	synced  int64      // how many publishes are on disk
	newest  int        // number of the newest block
}

// openRaw starts a server on a folder; the stream EVENTS is made when it is not there.
func openRaw(ctx context.Context, dir string, always bool) *raw {
	srv := must(server.NewServer(&server.Options{ServerName: "raw", DontListen: true, NoSigs: true, NoLog: true, JetStream: true, StoreDir: dir,
		JetStreamMaxStore: 64 << 30, JetStreamMaxMemory: 64 << 20, MaxPayload: 8 << 20, MaxClosedClients: 1, DisableJetStreamBanner: true,
		SyncAlways: always}))
	srv.Start()
	if !srv.ReadyForConnections(time.Minute) {
		check(errors.New("the bare server did not start"))
	}
	r := &raw{always: always, srv: srv, msgs: filepath.Join(dir, "jetstream", "$G", "streams", "EVENTS", "msgs"), newest: 1}
	r.js = must(jetstream.New(must(nats.Connect("", nats.InProcessServer(srv)))))
	r.stream = must(r.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: "EVENTS", Subjects: []string{"ev.>"}, Storage: jetstream.FileStorage,
		Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardNew, MaxMsgs: -1, MaxBytes: -1, MaxMsgsPerSubject: -1, MaxMsgSize: -1,
		Duplicates: 2 * time.Minute, AllowDirect: true, AllowAtomicPublish: true, DenyPurge: true, Metadata: map[string]string{"schema": "1"}}))
	return r
}

func (r *raw) close() {
	r.js.Conn().Close()
	r.srv.Shutdown()
	r.srv.WaitForShutdown()
}

// publish appends data and returns when it is on disk. Of those who wait for the lock the first one syncs for all.
func (r *raw) publish(ctx context.Context, data []byte) error {
	if _, err := r.js.Publish(ctx, "ev.project.session", data); err != nil || r.always {
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
	for {
		f, err := os.Open(r.block(r.newest))
		if err != nil {
			return err
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return err
		}
		if _, err := os.Stat(r.block(r.newest + 1)); err != nil {
			return nil
		}
		r.newest++
	}
}

// block is the path of a block of the stream.
func (r *raw) block(n int) string { return filepath.Join(r.msgs, strconv.Itoa(n)+".blk") }

// discard reads the whole stream through an ordered consumer, and returns the time.
func (r *raw) discard(ctx context.Context, last uint64) float64 {
	begin := time.Now()
	c := must(r.stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverAllPolicy}))
	it := must(c.Messages(jetstream.PullMaxMessages(5000)))
	defer it.Stop()
	for {
		msg := must(it.Next(jetstream.NextContext(ctx)))
		if must(msg.Metadata()).Sequence.Stream >= last {
			return since(begin)
		}
	}
}

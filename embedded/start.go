package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"hookline/embedded/block"
)

// startTimeout bounds one request of the start sequence; recovering a long log comes before.
const startTimeout = 10 * time.Second

// Open opens the store: lock, check of the log, server, log, buckets; see the package comment. It
// is the only opener: a second one gets a [*LockedError]. A log that the server did not take up
// although it is there is restored from the archive, never created anew; where that cannot be done
// without loss the error is a [*DamageError] and nothing was changed that the archive does not have.
func Open(ctx context.Context, o Options) (*Server, error) {
	o = o.withDefaults()
	l, err := takeLock(o.lockPath(), o.Holder)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", o.Dir, err)
	}
	s := &Server{opts: o, lock: l, log: &serverLog{out: o.Log, now: o.Now}, opened: time.Now()}
	s.log.cut = s.keepWhole
	err = s.open(ctx)
	if err != nil && !errors.Is(err, ErrLogDamaged) && s.stream != nil { // the log is up: what is left is a bucket's trouble
		s.stop()
		s.report.BucketsLost = errors.Is(err, errBucketLost)
		if err = s.dropBuckets(err.Error()); err == nil {
			err = s.open(ctx)
		}
	}
	if err != nil {
		s.stop()
		if !errors.Is(err, ErrLogDamaged) {
			err = classify(err)
		}
		return nil, errors.Join(fmt.Errorf("open %s: %w", o.Dir, err), l.release())
	}
	return s, nil
}

func (s *Server) open(ctx context.Context) error {
	if err := os.MkdirAll(s.opts.Dir, 0o700); err != nil {
		return classify(err)
	}
	c, err := payloads()
	if err != nil {
		return err
	}
	last, err := s.inspect()
	if err != nil {
		return err
	}
	if err := s.inspectBuckets(); err != nil {
		return err
	}
	if err := s.start(); err != nil {
		return err
	}
	handle, err := s.takeUp(ctx, last)
	if err != nil {
		return err
	}
	s.stream = &Stream{srv: s, handle: handle, codec: c}
	s.appends.Store(s.stream)
	if err := s.stream.loadLast(ctx); err != nil {
		return fmt.Errorf("newest event: %w", err)
	}
	if s.stream.last < last {
		return &DamageError{What: fmt.Sprintf("the server took up %d of %d sequences", s.stream.last, last),
			FirstSeq: s.stream.last + 1, LastSeq: last}
	}
	s.mu.Lock()
	s.report.Found = s.found
	if !s.found.Empty() {
		s.report.Damage = s.found.Damage
	}
	s.mu.Unlock()

	var created bool
	if s.buckets, created, err = openBuckets(ctx, s, c); err != nil {
		return err
	}
	s.created = s.created || created
	s.report.BucketsLost = s.report.BucketsLost || created && s.report.BucketsDropped == ""
	if err := s.healthz(); err != nil {
		return err
	}
	return s.settle()
}

// settle starts what runs beside the server, after bringing to disk what is not known to be there:
// what a killed predecessor wrote and streams that are new. After an exit in order, that is nothing.
func (s *Server) settle() error {
	s.stream.sync = newSyncer(s.opts.msgsDir(), s.stream.last, s.unkept)
	s.blobs = &Blobs{dir: filepath.Join(s.opts.Dir, "blobs"), codec: s.stream.codec}
	err := os.MkdirAll(s.blobs.dir, 0o700)
	if err == nil && (!s.report.Clean || s.created) {
		err = errors.Join(syncTree(s.opts.jetstreamDir(), time.Time{}), block.Sync(filepath.Dir(s.opts.Dir)))
	}
	if err = errors.Join(err, block.Sync(s.opts.Dir)); err == nil {
		err = s.stream.sync.adopt()
	}
	if err != nil {
		return classify(err)
	}
	s.noteLog()
	s.archive = &archiver{srv: s, quit: make(chan struct{})}
	s.archive.idle.Go(s.archive.run)
	return nil
}

// noteLog writes beside the store how far the log has come: what it lacks of that at the next opening is lost, and a store
// that is removed whole is missed.
func (s *Server) noteLog() {
	seq := s.stream.sync.onDisk()
	if s.opts.Always {
		seq, _ = s.stream.Last()
	}
	if err := s.lock.note(seq); err != nil {
		s.opts.Log.Warn("note the log's end in the lock file", "err", err)
	}
}

// start runs a server on the store and connects to it.
func (s *Server) start() error {
	// The server tries whether it can write by a file of this name, and takes one that a kill left behind
	// for an account, and does not start.
	if left, err := filepath.Glob(filepath.Join(s.opts.jetstreamDir(), "_test_*")); err == nil {
		for _, f := range left {
			_ = os.Remove(f) // what cannot be removed shows in the server's own error
		}
	}
	srv, err := server.NewServer(&server.Options{
		ServerName:             "hookline",
		DontListen:             true,
		NoSigs:                 true, // or its handler ends our process
		NoLog:                  true, // no log file; serverLog gets the lines all the same
		JetStream:              true,
		StoreDir:               s.opts.Dir,
		SyncAlways:             s.opts.Always,
		JetStreamMaxStore:      maxStore,
		JetStreamMaxMemory:     64 << 20, // 0 would be 75 % of the machine's memory
		MaxPayload:             maxPayload,
		MaxClosedClients:       1, // 2 KiB each otherwise
		DisableJetStreamBanner: true,
	})
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	srv.SetLoggerV2(s.log, false, false, false)
	s.srv = srv
	srv.Start()
	if !srv.ReadyForConnections(startTimeout) || !srv.JetStreamEnabled() {
		why := "no reason given"
		if w := s.log.last(); len(w) > 0 { // all it says about a failed start
			why = w[len(w)-1].Text
		}
		return fmt.Errorf("the server did not start: %w", classify(errors.New(why)))
	}
	nc, err := nats.Connect("", nats.InProcessServer(srv), nats.Name("hookline"), nats.NoReconnect(),
		nats.ReconnectBufSize(-1))
	if err != nil {
		return fmt.Errorf("connect in process: %w", err)
	}
	s.nc = nc
	s.js, err = jetstream.New(nc, jetstream.WithDefaultTimeout(startTimeout), jetstream.WithPublishAsyncMaxPending(2*maxUnderWay))
	return err
}

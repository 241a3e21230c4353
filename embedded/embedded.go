// Package embedded is the ground of hookline: the event log and the buckets, kept by a NATS server
// with JetStream inside this process. It is the only package that knows NATS.
//
// # What lies on disk
//
//	<dir>/jetstream/$G/streams/EVENTS/   the log: meta.inf, msgs/<n>.blk (8 MiB each), msgs/index.db
//	<dir>/jetstream/$G/streams/KV_…/     the buckets snapshot and latest (cache lives in memory)
//	<dir>/archive/                       hard links of the log's blocks
//	<dir>/blobs/<sha256>.zst             large strings, content-addressed
//	<dir>/clean.json                     the clean-exit marker (package block); absent while running
//	<dir>/found.json                     damage that was mended and is not recorded yet (found.go)
//	<dir>/aside/<time>/                  what was left of a log that was gone (inspect.go)
//	<dir>/../hookd.lock                  the lock, with its holder's pid
//
// # One event, one message
//
//	subject   ev.<project>.<session>; an empty token is "=", other bytes than [A-Za-z0-9_-] are "=XX".
//	          In logs of schema 1 .<area>.<what> of the type follows; such a log goes on in this form
//	headers   Nats-Msg-Id (the event's id), ce-type, ce-time (RFC 3339), Content-Encoding: s2-1
//	          or zstd when the payload is compressed; Hookline-Part ("2/3") on the events of one decision
//	payload   one line of JSON with the envelope's other fields, "\n", the event's data
//
// The payload is compressed with the dictionary this package ships (1.zdict; the encoding or the
// frame names it, so that a later dictionary can stand beside it) whenever that is smaller (compress.go).
//
// # Durability
//
// An append is acknowledged when the server has written it; it is on disk when [Stream.Sync] has
// returned. Callers that wait at the same time share one fsync; with Options.Always the
// server syncs each message itself. A server that is in doubt about a stream deletes it, so the log
// is checked by package block before the server sees it, and its blocks are kept by hard links.
package embedded

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"hookline/embedded/block"
	"hookline/projector"
)

// streamName is the log's name; subjectRoot is the first token of its subjects.
const (
	streamName  = "EVENTS"
	subjectRoot = "ev"
	schema      = "2" // of subjects, headers and payload; kept in the stream's metadata
	schemaTyped = "1" // its subjects end with the type; read as it is, and goes on as schema
)

// maxStore bounds what the server may write, in bytes. The server's own default moves with
// the free space; reaching the bound stops every append, so it is far away and [Server.Free] is
// what should be watched.
const maxStore = 64 << 30

// Options say where and how a store is opened.
type Options struct {
	Dir    string           // the store's folder; made with mode 0700 when it is missing
	Holder string           // who we are, one line, shown to a process that finds the lock held
	Always bool             // the server syncs every message before its acknowledgement, instead of the shared fsync
	Renew  bool             // begin a new log behind one whose files are gone, else that is an [ErrLogGone]
	Log    *slog.Logger     // default: none
	Now    func() time.Time // default time.Now; stamps warnings and what is set aside
}

func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

func (o Options) lockPath() string {
	return filepath.Join(filepath.Dir(filepath.Clean(o.Dir)), "hookd.lock")
}
func (o Options) jetstreamDir() string { return filepath.Join(o.Dir, "jetstream") }
func (o Options) streamsDir() string   { return filepath.Join(o.jetstreamDir(), "$G", "streams") }
func (o Options) msgsDir() string      { return filepath.Join(o.streamsDir(), streamName, "msgs") }
func (o Options) archiveDir() string   { return filepath.Join(o.Dir, "archive") }

// Blocks returns where the log's blocks lie in a store's folder, and the stream's name, which their checksums include.
func Blocks(dir string) (msgs, stream string) { return Options{Dir: dir}.msgsDir(), streamName }

// Report tells what [Open] found and did.
type Report struct {
	Clean      bool           // the last exit was in order
	Checked    int            // blocks of the log whose records were verified
	Damage     []block.Damage // what was found in them, with its sequences
	Unfinished int            // events cut off the log's end: those that belonged to them were never written
	Restored   bool           // the log was gone and was taken from the archive
	Found      Found          // what is to be recorded, of this opening and of earlier ones that did not

	BucketsDropped string // why the buckets were thrown away by this Open; "" when they were not
	BucketsLost    bool   // one on disk was not there, as in a new store

	Warnings []Warning // the server's last 100 lines of level warning and above
}

// Server is one open store. Its methods are safe for concurrent use.
type Server struct {
	opts    Options
	lock    *lock
	log     *serverLog
	srv     *server.Server
	nc      *nats.Conn
	js      jetstream.JetStream
	stream  *Stream
	buckets *buckets
	blobs   *Blobs
	archive *archiver
	opened  time.Time
	created bool // a stream on disk was made by this Open
	found   Found
	vouched uint64 // the newest sequence that was in the log, as far as anything tells
	dry     bool   // look only: see [Look]
	trimmed bool   // this opening has cut damage off its end

	mu     sync.Mutex
	report Report

	appends atomic.Pointer[Stream] // the log, for ending its appends from another goroutine
	damaged atomic.Bool            // damage was met while reading: the next start must check every block

	archiving sync.Mutex // held while the archive is written to

	closing sync.Once
	closed  error
}

// Stream is the event log.
func (s *Server) Stream() *Stream { return s.stream }

// Store is the buckets, for the projector.
func (s *Server) Store() projector.Store { return s.buckets }

// Blobs is where large strings go.
func (s *Server) Blobs() *Blobs { return s.blobs }

// Report returns what Open found, and the server's warnings until now.
func (s *Server) Report() Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.report
	r.Warnings = s.log.last()
	return r
}

// distrust makes the exit of this run one that vouches for nothing.
func (s *Server) distrust() { s.damaged.Store(true) }

// Close stops everything in order and leaves the marker of a clean exit last. A second call
// returns what the first did. When ctx ends early, tidying up is left out, closing is not.
func (s *Server) Close(ctx context.Context) error {
	s.closing.Do(func() { s.closed = s.close(ctx) })
	return s.closed
}

func (s *Server) close(ctx context.Context) error {
	healthy := s.stream.end()
	s.archive.stop()
	if healthy {
		if err := s.buckets.compact(ctx, s.opts.streamsDir()); err != nil {
			s.opts.Log.Warn("compacting the buckets", "err", err)
		}
	}
	s.stream.sync.stop()
	s.stop()
	err := syncTree(s.opts.jetstreamDir(), s.opened)
	s.noteLog()
	if err == nil && healthy && !s.damaged.Load() {
		seq, _ := s.stream.Last()
		err = block.WriteMarker(s.opts.Dir, s.opts.msgsDir(), seq)
	}
	return errors.Join(err, s.lock.release())
}

// stop ends the connection and the server; what it wrote is in the page cache then.
func (s *Server) stop() {
	if s.nc != nil {
		s.nc.Close()
	}
	if s.srv != nil {
		s.srv.Shutdown()
		s.srv.WaitForShutdown()
	}
}

// Doing tells those who find the store locked what its holder does, until it is called with "".
func (s *Server) Doing(words string) error { return s.lock.say(words) }

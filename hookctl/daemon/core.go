package daemon

import (
	"context"
	"log/slog"
	"os"
	"sync"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/facts"
	"hookline/hookctl/home"
	"hookline/hookctl/recorder"
	"hookline/hookctl/redact"
	"hookline/hookctl/spool"
	"hookline/projector"
)

// core is what intake, endpoints and keeper share: the open store with its log and states, the machine around it, and the
// life of the process. It knows nothing of the three: no answers to hooks, no HTTP, no socket.
type core struct {
	opts    Options
	log     *slog.Logger
	started time.Time

	rec    *recorder.Recorder
	server *embedded.Server // of the recorder, like the next two: to check, copy and mend
	stream *embedded.Stream
	view   *projector.View
	spool  *spool.Spool

	world    *facts.World
	redactor *redact.Redactor  // without what a project adds
	visits   facts.Cache[bool] // paths of projects that git was asked about
	memory   *memory           // of the process

	life      context.Context // ends with the daemon
	end       context.CancelFunc
	effects   sync.WaitGroup
	following following   // effects of hooks that are not appended yet
	stopping  chan string // the reason to end
}

// newCore returns the core of a daemon whose store was opened now.
func newCore(ctx context.Context, o Options, rec *recorder.Recorder) *core {
	c := &core{
		opts:     o,
		log:      o.Log,
		rec:      rec,
		server:   rec.Store(),
		stream:   rec.Store().Stream(),
		view:     rec.View(),
		spool:    spool.Open(home.PathsOf(o.Home, os.Getenv)),
		world:    facts.New(),
		redactor: redact.New().With(redact.Extra{User: redact.Compile(o.Redact)}),
		memory:   newMemory(),
		stopping: make(chan string, 1),
	}
	c.life, c.end = context.WithCancel(context.WithoutCancel(ctx))
	return c
}

// close writes the projections and closes the store, when all effects have ended.
func (c *core) close(ctx context.Context) error {
	c.end()
	c.effects.Wait()
	return c.rec.Close(ctx)
}

// beside runs an effect of a hook after its answer. The daemon's end waits for it.
func (c *core) beside(effect func(context.Context)) {
	c.following.begin()
	c.effects.Go(func() {
		defer c.following.end()
		effect(context.WithoutCancel(c.life))
	})
}

// following counts the effects that are on their way.
type following struct {
	mu   sync.Mutex    // guards what follows
	n    int           // effects
	none chan struct{} // closed when the last one ends; nil where nobody waits
}

func (f *following) begin() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
}

func (f *following) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n--
	if f.n == 0 && f.none != nil {
		close(f.none)
		f.none = nil
	}
}

// wait returns when there is no effect, or with the context's error.
func (f *following) wait(ctx context.Context) error {
	f.mu.Lock()
	if f.n == 0 {
		f.mu.Unlock()
		return nil
	}
	if f.none == nil {
		f.none = make(chan struct{})
	}
	none := f.none
	f.mu.Unlock()

	select {
	case <-none:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stop asks the daemon to end; the first reason counts.
func (c *core) stop(reason string) {
	select {
	case c.stopping <- reason:
	default:
	}
}

// clean takes secrets out of a text that goes beside a hook's body: a path, a branch, a note.
func (c *core) clean(s string) string {
	if s == "" {
		return s
	}
	b, report := c.redactor.Text([]byte(s))
	if report.Count == 0 {
		return s
	}
	return string(b)
}

// redacted returns events as envelopes, without the secrets in them.
func (c *core) redacted(base events.Envelope, list []events.Event) ([]events.Envelope, error) {
	envs, err := recorder.Envelopes(c.opts.Now(), base, list...)
	for i := range envs {
		data, report := c.redactor.JSON(envs[i].Data)
		envs[i].Data, envs[i].Redacted = data, report.Count
	}
	return envs, err
}

// heartbeat is the time after which [core.watch] calls pause although nothing came.
const heartbeat = 5 * time.Second

// watch sends the records after seq as they come to disk, until ctx or the daemon ends, or an error. pause, where there is
// one, is called after what was there, and while nothing comes (quiet).
func (c *core) watch(ctx context.Context, seq uint64, send func(events.Record) error, pause func(quiet bool) error) error {
	for quiet := false; ; {
		to, grown := c.rec.Synced()
		var err error
		if to > seq {
			err = c.stream.Read(ctx, seq+1, to, send)
			seq = to
		}
		if err == nil && pause != nil {
			err = pause(quiet)
		}
		if err != nil {
			return err
		}

		quiet = false
		select {
		case <-ctx.Done():
			return nil
		case <-c.life.Done():
			return nil
		case <-grown:
		case <-time.After(heartbeat):
			quiet = true
		}
	}
}

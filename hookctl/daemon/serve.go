package daemon

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/client"
	"hookline/hookctl/config"
	"hookline/hookctl/home"
	"hookline/hookctl/redact"
	"hookline/hookctl/wire"
)

// Serve runs the daemon of this environment's home until it is told to stop. It is what
// `hookd serve` does; its stdio is the log.
func Serve(ctx context.Context) int {
	p := home.Locate(os.Getenv)
	if err := p.Check(); err != nil {
		slog.New(slog.NewTextHandler(os.Stderr, nil)).Error("serve", "err", err)
		return 1
	}
	if info, err := os.Lstat(p.Log); err == nil && info.Mode().IsRegular() && info.Size() > mostLog {
		_ = os.Truncate(p.Log, 0) // a long log is better than none
	}

	o := optionsOf(p, config.Load(config.Options{Getenv: os.Getenv}))
	debug.SetMemoryLimit(largeLimit)
	err := serve(ctx, p, o)
	var locked *embedded.LockedError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &locked):
		o.Log.Info("another daemon has this home", "pid", locked.PID)
		return 1
	}

	o.Log.Error("serve", "err", err)
	damaged := errors.Is(err, embedded.ErrLogDamaged)
	attempt := home.Attempt{Reason: err.Error(), Damaged: damaged, Gone: errors.Is(err, embedded.ErrLogGone)}
	if err := p.StartFailed(attempt); err != nil {
		o.Log.Error("keep the reason", "err", err)
	}
	if damaged {
		return 2
	}
	return 1
}

// mostLog bounds the daemon's log: above it, at a start, the log is emptied. Our own stdio is that file, opened for appending.
const mostLog = 8 << 20

// optionsOf returns the options of a home's daemon by the user's configuration, with a log that tells its problems.
func optionsOf(p home.Paths, cfg config.Config) Options {
	clean := redactedLog{to: os.Stderr, with: redact.New().With(redact.Extra{User: redact.Compile(cfg.Values.RedactExtra)})}
	var level slog.Level
	_ = level.UnmarshalText([]byte(cfg.Values.LogLevel)) // one of its own words
	log := slog.New(slog.NewTextHandler(clean, &slog.HandlerOptions{Level: level}))

	o := Options{
		Home:     p.Home,
		Fsync:    cfg.Values.Fsync,
		IdleExit: cfg.Values.IdleExit,
		Flush:    cfg.Values.FlushInterval,
		Redact:   cfg.Values.RedactExtra,
		Notify:   cfg.Values.Notify,
		Listen:   cfg.Values.Listen,
		Otel:     cfg.Values.Otel,
		Log:      log,
	}
	if o.IdleExit == 0 {
		o.IdleExit = -1 // the configuration's word for never
	}
	for _, p := range cfg.Problems {
		log.Warn("configuration", "problem", p)
		if p.Key == "listen" {
			o.listenWrong = p.Message
		}
	}
	return o
}

// redactedLog writes lines of the log without the secrets in them.
type redactedLog struct {
	to   io.Writer
	with *redact.Redactor
}

func (l redactedLog) Write(line []byte) (int, error) {
	out, _ := l.with.Text(line)
	if _, err := l.to.Write(out); err != nil {
		return 0, err
	}
	return len(line), nil
}

// serve opens the store and the socket of a home, and runs until there is a reason to end.
func serve(ctx context.Context, p home.Paths, o Options) error {
	d, err := openPatiently(ctx, p, o)
	if err != nil {
		return err
	}
	d.keeper.paths = p
	d.endpoints.work.serving = true
	e := &events.DaemonStarted{
		Build:   wire.Build,
		PID:     os.Getpid(),
		Clean:   d.server.Report().Clean,
		Spooled: d.spool.Count(),
		After:   os.Getenv("HOOKLINE_AFTER"),
	}
	if _, err := d.rec.Note(ctx, events.Envelope{}, e); err != nil {
		d.log.Error("record start", "err", err)
	}

	srv := d.keeper.httpServer()
	l, err := openListener(p, srv, o.Log)
	if err != nil {
		return errors.Join(err, d.Close(ctx))
	}
	if err := p.Started(); err != nil {
		o.Log.Warn("forget the failed start", "err", err)
	}
	d.keeper.listener.Store(l)
	o.Log.Info("listening", "socket", l.path(), "build", wire.Build, "pid", os.Getpid())

	reason := d.keeper.run(ctx, l)
	l.remove()
	return d.keeper.shutdown(srv, reason)
}

// readerWait is the longest time that a start waits for a command that reads the store in its own process.
const readerWait = 3 * time.Second

// openPatiently opens the store; where another process has the lock but no daemon listens, it is a reading
// command or a daemon that is ending, and soon over.
func openPatiently(ctx context.Context, p home.Paths, o Options) (*Daemon, error) {
	for until := time.Now().Add(readerWait); ; {
		d, err := Open(ctx, o)
		var locked *embedded.LockedError
		if !errors.As(err, &locked) || time.Now().After(until) {
			return d, err
		}
		// A connection proves nothing: for a moment after a kill the socket still takes connections and the lock is still held.
		asked, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
		c := client.Over(p.Socket)
		_, answer := api.GetStatus.Call(asked, c, api.None{})
		_ = c.Close()
		cancel()
		if answer == nil {
			return d, err
		}
		if !pause(ctx, 20*time.Millisecond) {
			return nil, ctx.Err()
		}
	}
}

// Package daemon serves the recorder: a frame comes in, is redacted and decoded, recorded, answered. It owns everything
// that runs beside a hook. It has three parts and what they share; a file's name begins with its part:
//
//	core       the open store, its log and states, and the reads that everyone needs
//	intake     the way of a hook, step by step
//	endpoints  the HTTP surface: a method for each endpoint of package api
//	keeper     the life of the process: loops, socket, notices, its end
//
// [Daemon] is their composition. There are three ways to one:
//
//	Open   the recorder and what is asked of the machine, without a socket and without loops
//	Serve  the same with the socket and the loops, until there is a reason to stop
//	Here   the same as a client in the caller's process, as `replay` uses it
//
// Recovery is done by the packages check, carry and mend. They get the store, and functions to append by: the order of the
// log is the recorder's.
package daemon

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/home"
	"hookline/hookctl/hook"
	"hookline/hookctl/recorder"
	"hookline/hookctl/wire"
	"hookline/replay/check"
)

// Daemon is the recorder with what surrounds it: the way of a hook, the endpoints, and the life of the process. Its methods
// are safe for concurrent use.
type Daemon struct {
	*core
	intake    *intake
	endpoints *endpoints
	keeper    *keeper
}

// Open opens the store, checks and resumes the projections, and records what was wrong with the log.
func Open(ctx context.Context, o Options) (*Daemon, error) {
	o = o.withDefaults()
	if err := home.Make(o.Home); err != nil {
		return nil, fmt.Errorf("create home: %w", err)
	}

	started := o.Now()
	damage := newDamageNotice(check.OpenWarnings(o.Home, o.Log))
	rec, err := openRecorder(ctx, o, damage)
	if err != nil {
		return nil, err
	}

	c := newCore(ctx, o, rec)
	c.started = started
	i := newIntake(c, damage)
	ep := newEndpoints(c, i)
	return &Daemon{core: c, intake: i, endpoints: ep, keeper: newKeeper(c, i, ep)}, nil
}

// openRecorder opens the store; what was wrong with the log is its first new record.
func openRecorder(ctx context.Context, o Options, damage *damageNotice) (*recorder.Recorder, error) {
	store := embedded.Options{
		Dir:    filepath.Join(o.Home, "store"),
		Log:    o.Log,
		Always: o.Fsync == "always",
		Renew:  o.Renew,
		Now:    o.Now,
		Holder: "hookd " + wire.Build,
	}
	begin := func(ctx context.Context, rec *recorder.Recorder) error { return damage.record(ctx, rec, o) }
	return recorder.Open(ctx, recorder.Options{Store: store, Log: o.Log, Now: o.Now, Begin: begin})
}

// Close writes the projections and closes the store; nothing is taken any more.
func (d *Daemon) Close(ctx context.Context) error { return d.close(ctx) }

// Take records one frame and gives the answer. It returns only when the frame's events are on disk.
// An error means that nothing was recorded: the sender must keep the frame.
func (d *Daemon) Take(ctx context.Context, f wire.Frame) (hook.Answer, error) {
	out, err := d.intake.take(ctx, f, fromClient)
	d.intake.recordInjected(out.injected)
	if out.overdue {
		d.intake.rec.Answered(out.input)
	}
	return out.answer, err
}

// Settle returns when what follows from the frames that were taken is appended and folded: what the model was told, how full
// the context is, dreams. An error is that of the context.
func (d *Daemon) Settle(ctx context.Context) error { return d.following.wait(ctx) }

// Handler returns the HTTP surface of the daemon; it needs no socket.
func (d *Daemon) Handler() http.Handler { return d.endpoints.handler() }

// Status gathers the daemon's state.
func (d *Daemon) Status() api.Status { return d.endpoints.process.status() }

// Verify proves the log record by record, folds it again and compares every cell of every bucket.
func (d *Daemon) Verify(ctx context.Context, progress func(uint64)) (api.Verdict, error) {
	return d.endpoints.work.verify(ctx, progress)
}

// Emit appends an event that a command asks for. The envelope needs type, data and where it belongs; id, time and version
// are set here.
func (d *Daemon) Emit(ctx context.Context, env events.Envelope) (events.Record, error) {
	return d.endpoints.commands.append(ctx, env)
}

package daemon

import (
	"cmp"
	"context"
	"net/http"
	"sync"

	"hookline/hookctl/api"
	"hookline/hookctl/client"
	"hookline/hookctl/problem"
	"hookline/hookctl/wire"
	"hookline/replay/check"
	"hookline/replay/past"
)

// endpoints is the HTTP surface: hooks, metrics, and what package api declares, in groups. A group is a type with a method
// for each of its endpoints; its table, serve, stands in this file.
type endpoints struct {
	*core
	intake *intake
	mark   string // of the home, which a caller may compare

	process  *processEndpoints
	records  *logEndpoints
	states   *stateEndpoints
	commands *commandEndpoints
	work     *workEndpoints
}

// newEndpoints returns the surface of a daemon that has no socket.
func newEndpoints(c *core, i *intake) *endpoints {
	return &endpoints{
		core:     c,
		intake:   i,
		mark:     wire.Mark(c.opts.Home),
		process:  newProcessEndpoints(c, i),
		records:  &logEndpoints{core: c},
		states:   &stateEndpoints{core: c, gates: i.gates},
		commands: &commandEndpoints{core: c, intake: i},
		work:     &workEndpoints{core: c, intake: i},
	}
}

// handler returns the surface for the socket's own user alone.
func (ep *endpoints) handler() http.Handler { return ep.guarded(ep.table()) }

// table returns the handlers of all endpoints of package api, of the hooks and of the metrics.
func (ep *endpoints) table() *api.Server {
	s := api.NewServer()
	s.Refuse = ep.refuse
	s.Advise = client.Advised
	s.Total = func() uint64 {
		last, _ := ep.stream.Last()
		return last
	}

	s.HandleFunc("POST "+wire.HookPath, ep.intake.handleHook)
	s.HandleFunc("GET /metrics", ep.process.handleMetrics)
	ep.process.serve(s)
	ep.records.serve(s)
	ep.states.serve(s)
	ep.commands.serve(s)
	ep.work.serve(s)
	return s
}

// processEndpoints answers for the process itself.
type processEndpoints struct {
	*core
	intake *intake
	socket func() string         // the path of the open socket, else of the one that would be opened
	feed   func() *api.Listening // the socket for clients of NATS; nil where the configuration has none
}

func newProcessEndpoints(c *core, i *intake) *processEndpoints {
	return &processEndpoints{
		core:   c,
		intake: i,
		socket: func() string { return "" },
		feed:   func() *api.Listening { return nil },
	}
}

func (ep *processEndpoints) serve(s *api.Server) {
	api.Alive.Serve(s, func(context.Context, api.None) (api.None, error) { return api.None{}, nil })
	api.GetStatus.Serve(s, func(context.Context, api.None) (api.Status, error) { return ep.status(), nil })
	api.RunCanary.Serve(s, func(ctx context.Context, _ api.None) (api.Canary, error) { return ep.canary(ctx), nil })
	api.Drain.Serve(s, func(ctx context.Context, _ api.None) (api.Drained, error) {
		return api.Drained{Taken: ep.intake.drainer.drain(ctx)}, nil
	})
	api.Stop.Serve(s, func(_ context.Context, r api.StopRequest) (api.None, error) {
		ep.stop(cmp.Or(r.Reason, "stop"))
		return api.None{}, nil
	})
}

// logEndpoints give events of the log.
type logEndpoints struct{ *core }

func (ep *logEndpoints) serve(s *api.Server) {
	api.Events.Serve(s, ep.events)
	api.Event.Serve(s, ep.event)
	api.HookJSON.Serve(s, ep.hookJSON)
	api.Export.Serve(s, ep.export)
	api.GetLosses.Serve(s, func(ctx context.Context, _ api.None) (api.Losses, error) {
		return check.KnownLosses(ctx, ep.stream)
	})
}

// stateEndpoints give what projections have, now or at a point of the log, and what a session is told of it.
type stateEndpoints struct {
	*core
	gates *gateReader
}

func (ep *stateEndpoints) serve(s *api.Server) {
	api.Cells.Serve(s, ep.cells)
	api.Cell.Serve(s, ep.cell)
	api.Ledger.Serve(s, ep.ledger)
	api.Context.Serve(s, ep.context)
	api.ExplainLine.Serve(s, ep.why)
	api.GetBuckets.Serve(s, ep.buckets)
	api.BucketCells.Serve(s, ep.bucketCells)
	api.At.Serve(s, func(ctx context.Context, q past.Question) (past.State, error) { return ep.past().At(ctx, q) })
	api.Diff.Serve(s, func(ctx context.Context, q past.Comparison) (past.Change, error) { return ep.past().Diff(ctx, q) })
	api.Walk.Serve(s, ep.walk)
}

// commandEndpoints record what people and agents command.
type commandEndpoints struct {
	*core
	intake *intake
}

func (ep *commandEndpoints) serve(s *api.Server) {
	api.Emit.Serve(s, ep.emit)
	api.OrderGates.Serve(s, ep.orderGates)
	api.OrderLedger.Serve(s, ep.orderLedger)
	api.Dream.Serve(s, ep.dream)
	api.Retract.Serve(s, ep.retract)
	api.Restore.Serve(s, ep.restore)
	api.StatusLine.Serve(s, ep.statusLine)
	api.Recover.Serve(s, ep.recoverIdentity)
}

// workEndpoints do what takes long, with its progress.
type workEndpoints struct {
	*core
	intake   *intake
	carrying sync.Mutex // held by an import, a backup or a repair: one at a time
	serving  bool       // a daemon has the store open, not a command for its own time
}

func (ep *workEndpoints) serve(s *api.Server) {
	api.Verify.Serve(s, func(api.None) (api.Work[api.Verdict], error) { return ep.verify, nil })
	api.Rebuild.Serve(s, ep.rebuild)
	api.Import.Serve(s, ep.importFile)
	api.ImportTranscripts.Serve(s, ep.importTranscripts)
	api.Backup.Serve(s, ep.backup)
	api.Repair.Serve(s, ep.repair)
}

// guarded answers requests of the socket's own user that mean this home, and refuses all others.
func (ep *endpoints) guarded(to http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		deepen()
		if p, ok := r.Context().Value(peerKey{}).(peer); ok && p.stranger {
			http.Error(w, "this socket serves its own user only", http.StatusForbidden)
			return
		}

		meant := r.Header.Get("Hookline-Home")
		if elsewhere := meant != "" && ep.mark != "" && meant != ep.mark; elsewhere {
			refused := problem.Refusef(http.StatusMisdirectedRequest, "this daemon serves %s, another home than the one that is meant", ep.opts.Home)
			problem.Write(w, refused.Advise("a copied home has a daemon of its own: `hookctl start` starts it"))
			return
		}
		to.ServeHTTP(w, r)
	})
}

// refuse answers a request with an error. A client that is gone, perhaps in the middle of an answer, gets none.
func (ep *endpoints) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return
	}
	if problem.Of(err).Status >= http.StatusInternalServerError {
		ep.log.Error("request", "path", r.URL.Path, "err", err)
	}
	problem.Write(w, client.Advised(err))
}

// hookStack is the part of its goroutine's stack, in bytes, that taking a hook needs and that is made at once.
const hookStack = 24 << 10

// deepen grows the goroutine's stack in one step. Each hook comes on a connection of its own, so on a new goroutine,
// whose stack begins with a few KiB and is copied at each doubling, frame by frame, which costs more the deeper it is.
//
//go:noinline
func deepen() {
	var room [hookStack]byte
	hold(&room)
}

// hold uses the array, so that the compiler does not leave it out.
//
//go:noinline
func hold(*[hookStack]byte) {}

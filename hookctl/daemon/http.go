package daemon

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"time"

	"hookline/hookctl/api"
	"hookline/hookctl/client"
	"hookline/hookctl/problem"
	"hookline/hookctl/wire"
	"hookline/projector/ledger"
	"hookline/replay/check"
	"hookline/replay/past"
)

// Handler returns the HTTP surface of the daemon; it needs no socket.
func (d *Daemon) Handler() http.Handler { return d.guarded(d.endpoints()) }

// endpoints returns the handlers of all endpoints of package api, of the hooks and of the metrics.
func (d *Daemon) endpoints() *api.Server {
	s := api.NewServer()
	s.Refuse = d.refuse
	s.Advise = client.Advised
	s.Total = func() uint64 {
		last, _ := d.stream.Last()
		return last
	}

	s.HandleFunc("POST "+wire.HookPath, d.handleHook)
	s.HandleFunc("GET /metrics", d.handleMetrics)
	d.serveItself(s)
	d.serveLog(s)
	d.serveStates(s)
	d.serveCommands(s)
	d.serveWork(s)
	return s
}

func (d *Daemon) serveItself(s *api.Server) {
	api.Alive.Serve(s, func(context.Context, api.None) (api.None, error) { return api.None{}, nil })
	api.GetStatus.Serve(s, func(context.Context, api.None) (api.Status, error) { return d.Status(), nil })
	api.RunCanary.Serve(s, func(ctx context.Context, _ api.None) (api.Canary, error) { return d.canary(ctx), nil })
	api.Drain.Serve(s, func(ctx context.Context, _ api.None) (api.Drained, error) {
		return api.Drained{Taken: d.drain(ctx)}, nil
	})
	api.Stop.Serve(s, func(_ context.Context, r api.StopRequest) (api.None, error) {
		d.stop(cmp.Or(r.Reason, "stop"))
		return api.None{}, nil
	})
}

func (d *Daemon) serveLog(s *api.Server) {
	api.Events.Serve(s, d.giveEvents)
	api.Event.Serve(s, d.event)
	api.HookJSON.Serve(s, d.hookJSON)
	api.Export.Serve(s, d.export)
	api.GetLosses.Serve(s, func(ctx context.Context, _ api.None) (api.Losses, error) {
		return check.KnownLosses(ctx, d.stream)
	})
}

func (d *Daemon) serveStates(s *api.Server) {
	api.Cells.Serve(s, d.giveCells)
	api.Cell.Serve(s, d.cell)
	api.Ledger.Serve(s, func(ctx context.Context, r api.LedgerRequest) (ledger.State, error) {
		return d.ledgerOf(ctx, r.Project)
	})
	api.Context.Serve(s, d.context)
	api.ExplainLine.Serve(s, d.why)
	api.At.Serve(s, func(ctx context.Context, q past.Question) (past.State, error) { return d.pastView().At(ctx, q) })
	api.Diff.Serve(s, func(ctx context.Context, q past.Comparison) (past.Change, error) { return d.pastView().Diff(ctx, q) })
	api.Walk.Serve(s, d.walk)
}

func (d *Daemon) serveCommands(s *api.Server) {
	api.Emit.Serve(s, d.doEmit)
	api.OrderGates.Serve(s, d.OrderGates)
	api.OrderLedger.Serve(s, d.doLedger)
	api.Dream.Serve(s, d.doDream)
	api.Retract.Serve(s, d.doRetract)
	api.Restore.Serve(s, d.doRestore)
	api.StatusLine.Serve(s, d.doLine)
	api.ImportTranscripts.Serve(s, d.importTranscripts)
	api.Recover.Serve(s, d.recoverIdentity)
}

func (d *Daemon) serveWork(s *api.Server) {
	api.Verify.Serve(s, func(api.None) (api.Work[api.Verdict], error) { return d.Verify, nil })
	api.Rebuild.Serve(s, d.rebuild)
	api.Import.Serve(s, d.importFile)
	api.Backup.Serve(s, d.backup)
	api.Repair.Serve(s, d.repair)
}

// guarded answers requests of the socket's own user that mean this home, and refuses all others.
func (d *Daemon) guarded(to http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		deepen()
		if p, ok := r.Context().Value(peerKey{}).(peer); ok && p.stranger {
			http.Error(w, "this socket serves its own user only", http.StatusForbidden)
			return
		}

		meant := r.Header.Get("Hookline-Home")
		if elsewhere := meant != "" && d.mark != "" && meant != d.mark; elsewhere {
			refused := problem.Refusef(http.StatusMisdirectedRequest, "this daemon serves %s, another home than the one that is meant", d.opts.Home)
			problem.Write(w, refused.Advise("a copied home has a daemon of its own: `hookctl start` starts it"))
			return
		}
		to.ServeHTTP(w, r)
	})
}

func (d *Daemon) httpServer() *http.Server {
	return &http.Server{
		Handler:           d.Handler(),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    64 << 10,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { // the folder and the mode of the socket already keep others out
			if u, ok := c.(*net.UnixConn); ok {
				ctx = context.WithValue(ctx, peerKey{}, peerOf(u))
			}
			return ctx
		},
	}
}

// refuse answers a request with an error. A client that is gone, perhaps in the middle of an answer, gets none.
func (d *Daemon) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return
	}
	if problem.Of(err).Status >= http.StatusInternalServerError {
		d.log.Error("request", "path", r.URL.Path, "err", err)
	}
	problem.Write(w, client.Advised(err))
}

package daemon

import (
	"cmp"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"time"

	"hookline/hookctl/client"
	"hookline/hookctl/problem"
	"hookline/replay/check"
)

// Handler returns the HTTP surface of the daemon; it needs no socket.
func (d *Daemon) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/hook/", d.handleHook)
	handle := func(pattern string, h func(http.ResponseWriter, *http.Request) error) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := h(w, r); err != nil {
				d.fail(w, r, err)
			}
		})
	}
	give := func(pattern string, h func(*http.Request) (any, error)) {
		handle(pattern, func(w http.ResponseWriter, r *http.Request) error {
			v, err := h(r)
			if err != nil {
				return err
			}
			return reply(w, v)
		})
	}
	long := func(pattern string, plan func(*http.Request) (work, error)) {
		handle(pattern, func(w http.ResponseWriter, r *http.Request) error {
			run, err := plan(r)
			if err != nil {
				return err
			}
			last, _ := d.stream.Last()
			return client.AnswerLong(w, r, last, run)
		})
	}
	handle("GET /v1/alive", func(http.ResponseWriter, *http.Request) error { return nil })
	give("GET /v1/losses", func(r *http.Request) (any, error) { return check.KnownLosses(r.Context(), d.stream) })
	give("GET /v1/status", func(*http.Request) (any, error) { return d.Status(), nil })
	handle("GET /metrics", d.handleMetrics)
	handle("GET /v1/events", d.handleEvents)
	handle("GET /v1/events/{id}", d.handleEvent)
	handle("GET /v1/cells/{projection}", d.handleCells)
	give("GET /v1/cells/{projection}/{key...}", d.cell)
	give("GET /v1/context/{session}", d.context)
	give("GET /v1/why/{session}", d.why)
	give("GET /v1/ledger/{project}", d.ledgerOf)
	give("POST /v1/do/emit", command(d.doEmit))
	give("POST /v1/do/gates", command(d.OrderGates))
	give("POST /v1/do/dream", command(d.doDream))
	give("POST /v1/do/ledger", command(d.doLedger))
	give("POST /v1/do/retract", command(d.doRetract))
	give("POST /v1/do/restore", command(d.doRestore))
	give("POST /v1/do/line", command(d.doLine))
	long("POST /v1/do/import", d.importTranscripts)
	long("POST /v1/do/recover", d.recoverIdentity)
	give("POST /v1/canary", func(r *http.Request) (any, error) { return d.canary(r.Context()), nil })
	long("POST /v1/verify", func(*http.Request) (work, error) {
		return func(ctx context.Context, progress func(uint64)) (any, error) { return d.Verify(ctx, progress) }, nil
	})
	long("POST /v1/rebuild", d.rebuild)
	give("GET /v1/at", d.handleAt)
	give("GET /v1/diff", d.handleDiff)
	handle("GET /v1/walk/{session...}", d.handleWalk)
	handle("GET /v1/export", d.handleExport)
	long("POST /v1/import", d.importFile)
	long("POST /v1/backup", d.backup)
	long("POST /v1/repair", d.repair)
	give("POST /v1/gone", func(r *http.Request) (any, error) { return map[string]int{"taken": d.drain(r.Context())}, nil })
	give("POST /v1/stop", func(r *http.Request) (any, error) {
		d.stop(cmp.Or(r.URL.Query().Get("reason"), "stop"))
		return struct{}{}, nil
	})
	return d.guarded(mux)
}

// guarded answers requests of the socket's own user that mean this home, and refuses all others.
func (d *Daemon) guarded(mux http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		deepen()
		if p, ok := r.Context().Value(peerKey{}).(peer); ok && p.stranger {
			http.Error(w, "this socket serves its own user only", http.StatusForbidden)
			return
		}
		if meant := r.Header.Get("Hookline-Home"); meant != "" && d.mark != "" && meant != d.mark {
			problem.Write(w, problem.Refusef(http.StatusMisdirectedRequest, "this daemon serves %s, another home than the one that is meant", d.opts.Home).Advise("a copied home has a daemon of its own: `hookctl start` starts it"))
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// work does what a request asks for that may take long. It calls progress with the number of records that are done.
type work = func(ctx context.Context, progress func(uint64)) (any, error)

func (d *Daemon) httpServer() *http.Server {
	return &http.Server{Handler: d.Handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { // the folder and the mode of the socket already keep others out
			if u, ok := c.(*net.UnixConn); ok {
				ctx = context.WithValue(ctx, peerKey{}, peerOf(u))
			}
			return ctx
		}}
}

// fail answers a request with an error. A client that is gone, perhaps in the middle of an answer, gets none.
func (d *Daemon) fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return
	}
	if problem.Of(err).Status >= http.StatusInternalServerError {
		d.log.Error("request", "path", r.URL.Path, "err", err)
	}
	problem.Write(w, client.Advised(err))
}

// lines answers with JSON, a value a line.
func lines(w http.ResponseWriter) *json.Encoder {
	w.Header().Set("Content-Type", "application/x-ndjson")
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	return out
}

func reply(w http.ResponseWriter, v any) error {
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(v)
}

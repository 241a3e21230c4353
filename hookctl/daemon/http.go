package daemon

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"hookline/hookctl/problem"
	"hookline/hookctl/spool"
	"hookline/hookctl/wire"
	"hookline/replay/check"
)

// Handler is the HTTP surface of the daemon; it needs no socket.
func (d *Daemon) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/hook/{event}", d.handleHook)
	mux.HandleFunc("POST /v1/hook/{$}", d.handleHook)
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
	handle("GET /v1/alive", func(http.ResponseWriter, *http.Request) error { return nil })
	give("GET /v1/losses", func(r *http.Request) (any, error) { return check.KnownLosses(r.Context(), d.stream) })
	give("GET /v1/status", func(*http.Request) (any, error) { return d.Status(), nil })
	handle("GET /metrics", d.handleMetrics)
	handle("GET /v1/events", d.handleEvents)
	handle("GET /v1/events/{id}", d.handleEvent)
	handle("GET /v1/cells/{projection}", d.handleCells)
	give("GET /v1/cells/{projection}/{key...}", d.cell)
	give("GET /v1/context/{session}", d.context)
	give("GET /v1/why/{session}", d.whyTold)
	give("GET /v1/ledger/{project}", d.ledgerOf)
	handle("POST /v1/do/{name}", d.handleDo)
	give("POST /v1/canary", func(r *http.Request) (any, error) { return d.canary(r.Context()), nil })
	handle("POST /v1/verify", d.handleVerify)
	handle("POST /v1/rebuild", d.handleRebuild)
	give("GET /v1/at", func(r *http.Request) (any, error) { return d.pastView().At(r.Context(), r.URL.Query()) })
	give("GET /v1/diff", func(r *http.Request) (any, error) { return d.pastView().Diff(r.Context(), r.URL.Query()) })
	handle("GET /v1/walk/{session...}", d.handleWalk)
	handle("GET /v1/export", d.handleExport)
	handle("POST /v1/import", d.handleImport)
	handle("POST /v1/backup", d.handleBackup)
	handle("POST /v1/repair", d.handleRepair)
	give("POST /v1/gone", func(r *http.Request) (any, error) { return map[string]int{"taken": d.drain(r.Context())}, nil })
	give("POST /v1/stop", d.stopFor)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		deepen()
		if err := checkPeer(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		if meant := r.Header.Get("Hookline-Home"); meant != "" && d.mark != "" && meant != d.mark {
			problem.Write(w, problem.Refusef(http.StatusMisdirectedRequest, "this daemon serves %s, another home than the one that is meant", d.opts.Home).Advise("a copied home has a daemon of its own: `hookctl start` starts it"))
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func (d *Daemon) httpServer() *http.Server {
	return &http.Server{Handler: d.Handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10,
		ConnContext: peerContext}
}

// takeWithin bounds the recording of a frame. It goes on when the client has given up: what was half
// recorded would otherwise be an error, and the client's retry a duplicate.
const takeWithin = 30 * time.Second

// handleHook is the hot path: one frame in, one answer out.
func (d *Daemon) handleHook(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Hookline-Protocol", strconv.Itoa(wire.Protocol))
	w.Header().Set("Hookline-Build", wire.Build)
	if v := r.Header.Get("Hookline-Protocol"); v != strconv.Itoa(wire.Protocol) {
		http.Error(w, "protocol "+v+" is not spoken here; restart the daemon: hookctl restart", http.StatusHTTPVersionNotSupported)
		return
	}
	defer d.large.enter(r.ContentLength)()
	f, err := spool.ParseFrame(r.Header.Get("Hookline-Frame"), r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), takeWithin)
	defer cancel()
	if err := d.catchUp(ctx, f); err != nil { // an outcome must not stand before its request
		d.log.Warn("take what waits before a hook", "frame", f.ID, "err", err)
		http.Error(w, "frames of this session wait in the spool", http.StatusServiceUnavailable)
		return
	}
	answer, injected, err := d.take(ctx, f, false)
	if err != nil {
		d.log.Error("take", "frame", f.ID, "err", err)
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	if r.Context().Err() == nil { // a client that gave up tells the model nothing
		d.wasTold(injected)
	}
	d.noticeBuild(r.Context(), r.Header.Get("Hookline-Build"), f.Binary)
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Hookline-Exit", strconv.Itoa(answer.Exit))
	h.Set("Hookline-Stdout", strconv.Itoa(len(answer.Stdout)))
	h.Set("Content-Length", strconv.Itoa(len(answer.Stdout)+len(answer.Stderr)))
	_, _ = w.Write(append(answer.Stdout, answer.Stderr...)) // a client that is gone has its event recorded all the same
}

// fail answers a request with an error. A client that is gone, perhaps in the middle of an answer, gets none.
func (d *Daemon) fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return
	}
	if problem.Of(err).Status >= http.StatusInternalServerError {
		d.log.Error("request", "path", r.URL.Path, "err", err)
	}
	problem.Write(w, err)
}

func reply(w http.ResponseWriter, v any) error {
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(v)
}

// reasonWord is what may stand as a reason in the log.
var reasonWord = regexp.MustCompile(`^[a-z_]{1,32}$`)

func (d *Daemon) stopFor(r *http.Request) (any, error) {
	reason := r.URL.Query().Get("reason")
	if reason == "" {
		reason = "stop"
	}
	if !reasonWord.MatchString(reason) {
		return nil, problem.Bad("reason: one word of lower-case letters is wanted")
	}
	d.stop(reason)
	return struct{}{}, nil
}

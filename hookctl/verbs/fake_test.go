package verbs

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/verbs/show"
	"hookline/projector"
	"hookline/projector/identity"
	"hookline/projector/project"
	"hookline/projector/session"
	"hookline/replay/carry"
	losses "hookline/replay/check"
)

// fakeBackend is the daemon's surface over values in memory.
type fakeBackend struct {
	mu      sync.Mutex
	status  api.Status
	events  []events.Record
	cells   map[string]map[string]any
	canary  api.Canary
	losses  *losses.Known // nil: an older daemon, which does not know
	rebuild string        // NDJSON that /v1/rebuild answers
	stopped int
	asked   []string // requests as "METHOD path?query"
	more    []events.Record
	lacks   bool   // a content that an event refers to is not in an export
	cut     bool   // an export ends before its trailer
	behind  uint64 // by so many events an export is shorter than the log
}

func newFake() *fakeBackend {
	pid := 4711
	return &fakeBackend{
		status: api.Status{PID: &pid, Version: "0.1.0-dev", Protocol: 1, UptimeS: 3725, Seq: 9, Fsync: "shared", Home: "/home/dev/.local/state/hookline",
			Socket: "/run/user/1000/hookline/0a1b2c3d.sock", CleanStart: true,
			Projections: []api.ProjectionStatus{{Name: "identity", Seq: 9}, {Name: "session", Seq: 7, Lag: 2}},
			Hooks: map[string]api.HookCount{
				"SessionStart":     {Last: noon.Add(-time.Hour), Count: 1},
				"UserPromptSubmit": {Last: noon.Add(-50 * time.Minute), Count: 1},
				"PreToolUse":       {Last: noon.Add(-3 * time.Second), Count: 3},
				"PostToolUse":      {Last: noon.Add(-2 * time.Second), Count: 2},
			},
			SecondInstalls: map[string]int{}, FreeBytes: 20 << 30, TotalBytes: 100 << 30, Warnings: []string{}, Damage: []string{},
			LiveSessions: 1, UnknownTypes: map[string]int{}},
		cells:  map[string]map[string]any{session.Name: {}, identity.Name: {}, identity.PointerName: {}, project.Name: {}},
		canary: api.Canary{OK: true, Seq: 10, Steps: []api.CanaryStep{{Name: "append, fold and sync", OK: true, MS: 1.5}, {Name: "blob store", OK: true, MS: 0.5}}},
	}
}

func (f *fakeBackend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.asked = append(f.asked, r.Method+" "+r.URL.RequestURI())
	f.mu.Unlock()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/status", func(w http.ResponseWriter, _ *http.Request) { send(w, f.status) })
	if f.losses != nil {
		mux.HandleFunc("GET /v1/losses", func(w http.ResponseWriter, _ *http.Request) { send(w, f.losses) })
	}
	mux.HandleFunc("GET /v1/events", f.list)
	mux.HandleFunc("GET /v1/events/{id}", f.one)
	mux.HandleFunc("GET /v1/cells/{projection}", f.table)
	mux.HandleFunc("GET /v1/cells/{projection}/{key...}", f.cell)
	mux.HandleFunc("GET /v1/export", f.export)
	mux.HandleFunc("POST /v1/do/emit", f.emit)
	mux.HandleFunc("POST /v1/canary", func(w http.ResponseWriter, _ *http.Request) { send(w, f.canary) })
	mux.HandleFunc("POST /v1/rebuild", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, f.rebuild) })
	mux.HandleFunc("POST /v1/stop", func(w http.ResponseWriter, _ *http.Request) { f.stopped++; send(w, struct{}{}) })
	mux.HandleFunc("POST /v1/gone", func(w http.ResponseWriter, _ *http.Request) { send(w, map[string]int{"taken": 3}) })
	mux.ServeHTTP(w, r)
}

func send(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) }

func refuseWith(w http.ResponseWriter, code int, message, hint string) {
	w.WriteHeader(code)
	send(w, map[string]string{"error": message, "hint": hint})
}

// list serves the filters that tests use; with follow it sends what is in more and ends, as a daemon
// that stops does.
func (f *fakeBackend) list(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	n, _ := strconv.Atoi(q.Get("n"))
	since, _ := strconv.ParseUint(q.Get("since"), 10, 64)
	var found []events.Record
	for _, e := range f.events {
		glob, _ := path.Match(q.Get("type"), e.Type)
		if e.Seq >= since && (q.Get("type") == "" || glob) && (q.Get("session") == "" || e.Session == q.Get("session")) {
			found = append(found, e)
		}
	}
	if n > 0 && len(found) > n {
		found = found[len(found)-n:]
	}
	if q.Get("follow") == "1" {
		f.mu.Lock()
		found = append(found, f.more...)
		f.events, f.more = append(f.events, f.more...), nil
		f.mu.Unlock()
		fmt.Fprintln(w) // a heartbeat
	}
	for _, e := range found {
		send(w, e)
	}
}

func (f *fakeBackend) one(w http.ResponseWriter, r *http.Request) {
	for _, e := range f.events {
		if id := r.PathValue("id"); id == e.ID || id == strconv.FormatUint(e.Seq, 10) {
			if r.URL.Query().Get("raw") == "1" {
				send(w, e.Data)
				return
			}
			send(w, e)
			return
		}
	}
	refuseWith(w, http.StatusNotFound, "no event "+r.PathValue("id")+" is in the log", "`hookctl events list` shows the newest")
}

// export sends everything as the daemon does.
func (f *fakeBackend) export(w http.ResponseWriter, _ *http.Request) {
	out, err := carry.NewWriter(w, carry.Header{Build: "0.1.0-dev", Created: noon, Events: uint64(len(f.events)),
		From: carry.From{First: 1, Last: f.status.Seq - f.behind}})
	for _, e := range f.events {
		err = errors.Join(err, out.Event(e))
	}
	if f.lacks {
		out.Lacks()
	}
	if !f.cut {
		err = errors.Join(err, out.Close())
	}
	if err != nil {
		refuseWith(w, http.StatusInternalServerError, err.Error(), "")
	}
}

func (f *fakeBackend) table(w http.ResponseWriter, r *http.Request) {
	cells := f.cells[r.PathValue("projection")]
	for _, k := range show.SortedKeys(cells) {
		if strings.HasPrefix(k, r.URL.Query().Get("prefix")) {
			send(w, map[string]any{"key": k, "seq": 9, "state": cells[k]})
		}
	}
}

func (f *fakeBackend) cell(w http.ResponseWriter, r *http.Request) {
	s, ok := f.cells[r.PathValue("projection")][r.PathValue("key")]
	if !ok {
		refuseWith(w, http.StatusNotFound, "projection "+r.PathValue("projection")+" has no cell "+strconv.Quote(r.PathValue("key")), "")
		return
	}
	send(w, map[string]any{"key": r.PathValue("key"), "seq": 9, "state": s})
}

func (f *fakeBackend) emit(w http.ResponseWriter, r *http.Request) {
	var e api.Emission
	if err := json.NewDecoder(r.Body).Decode(&e); err != nil {
		refuseWith(w, http.StatusBadRequest, "request: "+err.Error(), "")
		return
	}
	send(w, events.NewRecord(10, events.Envelope{ID: "01KAJ3ZV5T000000000000000A", Type: e.Type, Version: 1, Time: noon, Session: e.Session, Project: e.Project, Data: e.Data}))
}

// Sessions of the fake.
const (
	sessionA = "c68c8a51-e89d-45af-bd06-f5c764bc3b27"
	sessionB = "043f0af5-9c27-45d8-a169-f3fdda0888b5"
	sessionC = "043f0af5-0000-0000-0000-000000000000" // shares B's alias
)

func record(seq uint64, typ, sess, data string) events.Record {
	hook := ""
	if k, ok := events.Lookup(typ); ok {
		hook = k.Hook
	}
	return events.NewRecord(seq, events.Envelope{ID: fmt.Sprintf("01KAJ3ZV5T%016d", seq), Type: typ, Version: 1,
		Time: noon.Add(time.Duration(seq) * 1234 * time.Millisecond), Session: sess, Project: "1f3a90c2b7de", Hook: hook,
		Worktree: "/project", Correlation: sess, Data: json.RawMessage(data)})
}

// put folds the fake's events into session, identity and pointer cells as the daemon would.
func (f *fakeBackend) fold(t *testing.T) {
	t.Helper()
	sessions, identities := map[string]session.State{}, map[string]identity.State{}
	for _, r := range f.events {
		if r.Session == "" {
			continue
		}
		sessions[r.Session] = projector.Fold(session.Table, sessions[r.Session], r)
		identities[r.Session] = projector.Fold(identity.Table, identities[r.Session], r)
	}
	for id := range sessions {
		f.cells[session.Name][id], f.cells[identity.Name][id] = sessions[id], identities[id]
	}
}

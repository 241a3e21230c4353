package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// maxBody bounds a request of the client; the largest seen, after a 3 MB Write, was under 8 MB.
const maxBody = 64 << 20

// API is a stand-in of the Messages API that plays a scenario. It is an http.Handler and safe for parallel requests:
// the client sends side requests and those of subagents beside the main thread.
type API struct {
	scenario *Scenario

	mu   sync.Mutex
	log  *json.Encoder
	n    int            // requests so far
	next map[string]int // next turn of each route
	run  string         // keeps ids of two runs apart
}

// NewAPI plays sc and writes each request as a JSON line to log, without its headers, which hold the key, before it is answered.
func NewAPI(sc *Scenario, log io.Writer) *API {
	return &API{
		scenario: sc,
		log:      json.NewEncoder(log),
		next:     map[string]int{},
		run:      fmt.Sprintf("%x", time.Now().UnixNano()),
	}
}

// ServeHTTP answers /v1/messages by the scenario, /v1/messages/count_tokens by an estimate and all else by 404.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	switch {
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/v1/messages"):
		a.message(w, r, raw)
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/count_tokens"):
		a.record(r, raw, RouteCount)
		writeJSON(w, map[string]int{"input_tokens": max(1, len(raw)/4)})
	case r.Method == http.MethodHead:
		a.record(r, nil, RouteOther)
	default:
		a.record(r, raw, RouteOther)
		http.NotFound(w, r)
	}
}

func (a *API) message(w http.ResponseWriter, r *http.Request, raw []byte) {
	body, err := parseBody(raw)
	if err != nil {
		a.record(r, nil, RouteOther)
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	name, turns, loop := a.scenario.pick(body)
	n, i := a.record(r, raw, name)
	t := turn(turns, i, loop)
	if err := wait(r, t); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	answer := a.answer(n, body.Model, t)
	if body.Stream {
		writeStream(w, answer)
		return
	}
	writeJSON(w, answer)
}

// record logs a request and takes the next turn of its route.
func (a *API) record(r *http.Request, raw []byte, route string) (n, turn int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n++
	n, turn = a.n, a.next[route]
	a.next[route]++
	if !json.Valid(raw) {
		raw = nil
	}
	// The answer matters more than the line: a log that cannot be written shows as missing requests in the test.
	_ = a.log.Encode(Request{Path: r.URL.Path, Route: route, Turn: turn, Body: raw})
	return n, turn
}

// holdLimit ends a hold that nobody releases.
const holdLimit = 60 * time.Second

// wait keeps an answer back for its delay and until its hold is released, or the client gives up.
func wait(r *http.Request, t Turn) error {
	if t.Delay > 0 {
		select {
		case <-r.Context().Done():
			return r.Context().Err()
		case <-time.After(time.Duration(t.Delay * float64(time.Second))):
		}
	}
	if t.Hold == "" {
		return nil
	}
	if err := os.WriteFile(t.Hold+".reached", nil, 0o600); err != nil {
		return err
	}
	return poll(r.Context(), holdLimit, func() (bool, error) {
		_, err := os.Stat(t.Hold)
		return err == nil, nil
	})
}

// answer builds the message of a turn: its text first, then its tool calls.
func (a *API) answer(n int, model string, t Turn) *reply {
	usage := map[string]int{"input_tokens": 100, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
		"output_tokens": 20}
	for name, tokens := range t.Usage {
		usage[name] = tokens
	}
	stop := "end_turn"
	if len(t.Tools) > 0 {
		stop = "tool_use"
	}
	m := &reply{ID: fmt.Sprintf("msg_%s_%04d", a.run, n), Type: "message", Role: "assistant", Model: model,
		Content: []block{}, StopReason: &stop, Usage: usage}
	if t.Text != "" {
		m.Content = append(m.Content, block{Type: "text", Text: &t.Text})
	}
	for k, tool := range t.Tools {
		id := tool.ID
		if id == "" {
			id = fmt.Sprintf("toolu_%s_%03d_%d", a.run, n, k)
		}
		m.Content = append(m.Content, block{Type: "tool_use", ID: id, Name: tool.Name, Input: tool.Input})
	}
	return m
}

func TestScenarioFiles(t *testing.T) {
	files, err := filepath.Glob("scenarios/*.json")
	must(t, err)
	if len(files) == 0 {
		t.Error("no scenarios")
	}
	for _, file := range files {
		sc, err := LoadScenario(file, map[string]string{"PROJECT": `/a"b\c`, "OUT": "/out", "NAME": "x"})
		if err != nil {
			t.Errorf("%s: %v", file, err)
		} else if len(sc.Main) < 2 {
			t.Errorf("%s: %d turns", file, len(sc.Main))
		}
	}
}

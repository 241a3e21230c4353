package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hookline/expect"
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

// NewAPI plays sc and writes each request as a JSON line to log, keys removed, before it is answered.
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
		writeFault(w, &Fault{Status: http.StatusBadRequest, Type: "invalid_request_error", Message: err.Error()})
		return
	}
	switch {
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/v1/messages"):
		a.message(w, r, raw)
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/count_tokens"):
		a.record(r, raw, RouteCount)
		writeJSON(w, http.StatusOK, map[string]int{"input_tokens": max(1, len(raw)/4)})
	case r.Method == http.MethodHead:
		a.record(r, nil, RouteOther)
	default:
		a.record(r, raw, RouteOther)
		writeFault(w, &Fault{Status: http.StatusNotFound, Type: "not_found_error", Message: "no such path"})
	}
}

func (a *API) message(w http.ResponseWriter, r *http.Request, raw []byte) {
	body, err := parseBody(raw)
	if err != nil {
		a.record(r, nil, RouteOther)
		writeFault(w, &Fault{Status: http.StatusBadRequest, Type: "invalid_request_error", Message: err.Error()})
		return
	}
	name, turns, loop := a.scenario.pick(body, raw)
	n, i := a.record(r, raw, name)
	t := turn(turns, i, loop)
	if err := wait(r, t); err != nil {
		writeFault(w, &Fault{Status: http.StatusInternalServerError, Message: err.Error()})
		return
	}
	if t.Error != nil {
		writeFault(w, t.Error)
		return
	}
	answer := a.answer(n, body.Model, t)
	if body.Stream {
		writeStream(w, answer)
		return
	}
	writeJSON(w, http.StatusOK, answer)
}

// record logs a request and takes the next turn of its route.
func (a *API) record(r *http.Request, raw []byte, route string) (n, turn int) {
	header := map[string]string{}
	for name, values := range r.Header {
		if key := strings.ToLower(name); key != "x-api-key" && key != "authorization" {
			header[key] = strings.Join(values, ", ")
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n++
	n, turn = a.n, a.next[route]
	a.next[route]++
	if !json.Valid(raw) {
		raw = nil
	}
	// The answer matters more than the line: a log that cannot be written shows as missing requests in the test.
	_ = a.log.Encode(Request{N: n, Time: time.Now().UTC(), Method: r.Method, Path: r.URL.Path, Header: header,
		Route: route, Turn: turn, Body: raw})
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
		return fmt.Errorf("hold: %w", err)
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
	stop := t.StopReason
	if stop == "" {
		stop = "end_turn"
		if len(t.Tools) > 0 {
			stop = "tool_use"
		}
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

// play serves a scenario and returns what asks it and what reads its request log.
func play(t *testing.T, text string) (ask func(path, body string) (int, string), requests func() []Request) {
	t.Helper()
	sc, err := parseScenario([]byte(text))
	must(t, err)
	log := filepath.Join(t.TempDir(), "requests.jsonl")
	f, err := os.Create(log)
	must(t, err)
	server := httptest.NewServer(NewAPI(sc, f))
	t.Cleanup(func() { server.Close(); must(t, f.Close()) })
	ask = func(path, body string) (int, string) {
		req, err := http.NewRequest(http.MethodPost, server.URL+path, strings.NewReader(body))
		must(t, err)
		req.Header.Set("X-Api-Key", "key-one")
		req.Header.Set("Authorization", "Bearer key-two")
		res, err := http.DefaultClient.Do(req)
		must(t, err)
		defer res.Body.Close()
		answer, err := io.ReadAll(res.Body)
		must(t, err)
		return res.StatusCode, string(answer)
	}
	return ask, func() []Request {
		all, err := readLines[Request](log)
		must(t, err)
		return all
	}
}

const routed = `{
  "main": [{"text": "one"}, {"text": "two"}],
  "side_text": "a title",
  "routes": [
    {"name": "sub", "where": "first_user", "match": "^JOB", "turns": [{"text": "s1"}, {"text": "s2"}], "loop": true},
    {"name": "summary", "where": "last_user", "match": "SUMMARISE", "turns": [{"text": "sum"}]},
    {"name": "system", "where": "system", "match": "be a poet", "turns": [{"text": "verse"}]}
  ]
}`

func TestRoutes(t *testing.T) {
	ask, requests := play(t, routed)
	user := func(text string) string {
		return `{"model":"m","tools":[{}],"messages":[{"role":"user","content":"` + text + `"}]}`
	}
	for i, c := range []struct{ body, text, route string }{
		{user("hello"), "one", "main"},
		{user("JOB a"), "s1", "sub"},
		{user("JOB b"), "s2", "sub"},
		{user("JOB c"), "s1", "sub"},
		{user("not a JOB"), "two", "main"},
		{user("more"), "done", "main"},
		{`{"messages":[{"role":"user","content":"x"}]}`, "a title", "side"},
		{`{"tools":[{}],"system":[{"type":"text","text":"be a poet"}],"messages":[]}`, "verse", "system"},
		{`{"tools":[{}],"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},
		   {"role":"user","content":[{"type":"text","text":"SUMMARISE"}]}]}`, "sum", "summary"},
	} {
		status, answer := ask("/v1/messages", c.body)
		var m reply
		must(t, json.Unmarshal([]byte(answer), &m))
		if status != 200 || *m.Content[0].Text != c.text || *m.StopReason != "end_turn" {
			t.Errorf("%d: %d %s, want text %q", i, status, answer, c.text)
		}
		if got := requests()[i]; got.Route != c.route || got.N != i+1 {
			t.Errorf("%d: logged as %d of %q, want route %q", i, got.N, got.Route, c.route)
		}
	}
}

func TestToolCallStreamed(t *testing.T) {
	long := strings.Repeat("ä", 50) // 100 bytes: the cut at 80 must not fall inside a letter
	ask, _ := play(t, `{"main": [{"text": "`+long+`", "tools": [{"id": "toolu_1", "name": "Bash", "input": {"command":"ls"}}],
	  "usage": {"input_tokens": 7}}]}`)
	_, answer := ask("/v1/messages", `{"stream":true,"tools":[{}],"messages":[]}`)
	for _, want := range []string{
		`"content_block":{"type":"text","text":""}`,
		`"text":"` + strings.Repeat("ä", 40) + `"`,
		`"content_block":{"type":"tool_use","id":"toolu_1","name":"Bash","input":{}}`,
		`"delta":{"partial_json":"{\"command\":\"ls\"}","type":"input_json_delta"}`,
		`"stop_reason":"tool_use"`,
		`"usage":{"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"input_tokens":7,"output_tokens":20}`,
	} {
		if !strings.Contains(answer, want) {
			t.Errorf("the stream lacks %s:\n%s", want, answer)
		}
	}
	var order []string
	for _, line := range strings.Split(answer, "\n") {
		if name, ok := strings.CutPrefix(line, "event: "); ok {
			order = append(order, name)
		}
	}
	if got := strings.Join(order, " "); got != "message_start content_block_start content_block_delta content_block_delta "+
		"content_block_stop content_block_start content_block_delta content_block_stop message_delta message_stop" {
		t.Errorf("events: %s", got)
	}
}

func TestFaultsAndOtherPaths(t *testing.T) {
	ask, requests := play(t, `{"main": [{"error": {"status": 529, "type": "overloaded_error", "message": "busy"}}]}`)
	for i, c := range []struct {
		path, body, answer string
		status             int
	}{
		{"/v1/messages", `{"tools":[{}]}`, `{"error":{"message":"busy","type":"overloaded_error"},"type":"error"}`, 529},
		{"/v1/messages/count_tokens", strings.Repeat(" ", 400), `{"input_tokens":100}`, 200},
		{"/v1/unknown", `{}`, `{"error":{"message":"no such path","type":"not_found_error"},"type":"error"}`, 404},
	} {
		status, answer := ask(c.path, c.body)
		if status != c.status || strings.TrimSpace(answer) != c.answer {
			t.Errorf("%d: %d %s, want %d %s", i, status, answer, c.status, c.answer)
		}
	}
	if status, _ := ask("/v1/messages", `{"tools":`); status != 400 {
		t.Errorf("broken body: %d, want 400", status)
	}
	expect.Equal(t, len(requests()), 4, "requests logged, want 4")
}

func TestRequestLogHoldsNoKey(t *testing.T) {
	ask, requests := play(t, `{"main": []}`)
	ask("/v1/messages", `{"tools":[{}],"messages":[{"role":"system","content":"hook says"},
	  {"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"tool says"}]}]}]}`)
	all := requests()
	text, err := json.Marshal(all)
	must(t, err)
	if bytes.Contains(text, []byte("key-one")) || bytes.Contains(text, []byte("key-two")) {
		t.Errorf("a key is in the log: %s", text)
	}
	if got := all[0].Text(); !strings.Contains(got, "hook says") || !strings.Contains(got, "tool says") {
		t.Errorf("Text() = %q", got)
	}
}

func TestHoldKeepsTheAnswerBack(t *testing.T) {
	hold := filepath.Join(t.TempDir(), "go")
	ask, _ := play(t, `{"main": [{"hold": "`+hold+`", "text": "late"}]}`)
	answered := make(chan string, 1)
	go func() {
		_, answer := ask("/v1/messages", `{"tools":[{}]}`)
		answered <- answer
	}()
	must(t, poll(t.Context(), settle, func() (bool, error) { return exists(hold + ".reached"), nil }))
	select {
	case answer := <-answered:
		t.Fatalf("answered before the release: %s", answer)
	default:
	}
	must(t, os.WriteFile(hold, nil, 0o600))
	if answer := <-answered; !strings.Contains(answer, `"late"`) {
		t.Errorf("answer: %s", answer)
	}
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

func TestScenarioRefusals(t *testing.T) {
	for text, want := range map[string]string{
		`{"main": [{"txt": "typo"}]}`:                 `unknown field "txt"`,
		`{"routes": [{"name": "r", "match": "(ab"}]}`: "route r: ",
		`{"main": `: "parse scenario: unexpected EOF",
	} {
		if _, err := parseScenario([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	got := expand([]byte(`{"a":"${A}/x","b":"${HOME}"}`), map[string]string{"A": `q"\`})
	if string(got) != `{"a":"q\"\\/x","b":"${HOME}"}` {
		t.Errorf("expand: %s", got)
	}
}

package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
	if n := len(requests()); n != 4 {
		t.Errorf("%d requests logged, want 4", n)
	}
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

//go:build unix

package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/problem"
	"hookline/projector"
	"hookline/replay/past"
)

func TestAliases(t *testing.T) {
	d := opened(t)
	for _, s := range []string{"c68c8a51-e89d-45af-bd06-f5c764bc3b27", "c68c8a51-ffff-45af-bd06-f5c764bc3b27", "d1", "d1-2"} {
		take(t, d, startOf(s))
	}
	for given, want := range map[string]string{
		"": "", "c68c8a51-e89d-45af-bd06-f5c764bc3b27": "c68c8a51-e89d-45af-bd06-f5c764bc3b27", "c68c8a51e89d": "c68c8a51-e89d-45af-bd06-f5c764bc3b27",
		"c68c8a51-ff": "c68c8a51-ffff-45af-bd06-f5c764bc3b27", "d1": "d1",
	} {
		if got, err := d.resolveSession(t.Context(), given); err != nil || got != want {
			t.Errorf("%q: %q %v", given, got, err)
		}
	}
	for given, want := range map[string]string{
		"c68c8a51": `"c68c8a51" is ambiguous: c68c8a51-e89d-45af-bd06-f5c764bc3b27, c68c8a51-ffff-45af-bd06-f5c764bc3b27`,
		"c6":       `"c6" is ambiguous: c68c8a51-e89d-45af-bd06-f5c764bc3b27, c68c8a51-ffff-45af-bd06-f5c764bc3b27`, "nobody": `there is no session "nobody"`,
	} {
		_, err := d.resolveSession(t.Context(), given)
		var p *problem.Error
		if !errors.As(err, &p) || p.Message != want || p.Exit != 1 {
			t.Errorf("%q: %v", given, err)
		}
	}
}

func TestTailFilters(t *testing.T) {
	d := opened(t)
	take(t, d, startOf("s-1")) // 1, 2, and 3: what was told
	take(t, d, startOf("s-2")) // 4, 5, 6
	take(t, d, bashOf("s-1", 1))
	take(t, d, hookFrame(`{"hook_event_name":"PostToolUseFailure","session_id":"s-2","tool_name":"Bash","tool_use_id":"toolu_2","error":"x"}`))
	for query, want := range map[string]string{
		"": "1 2 3 4 5 6 7 8", "n=2": "7 8", "n=0": "1 2 3 4 5 6 7 8", "n=100": "1 2 3 4 5 6 7 8", "session=s-1": "1 2 3 7", "session=s-1&n=1": "7", "type=tool.*": "7 8",
		"type=tool.failed,session.*": "1 4 8", "type=nothing.*": "", "since=6": "6 7 8", "since=4&n=2": "7 8", "since=10m": "1 2 3 4 5 6 7 8", "since=9": "", "since=2001-01-01": "1 2 3 4 5 6 7 8",
		"type=identity.*&n=1": "5", "until=2": "1 2", "until=2001-01-01": "", "until=2&n=1": "2", "since=2&until=3": "2 3", "type=context.injected": "3 6",
		"tool=Bash": "7 8", "tool=B*&n=1": "8", "tool=Edit": "", "grep=s-2.*toolu_2": "8", "file=none.go": "", "agent=a": "",
	} {
		code, body := ask(t, d, "GET", "/v1/events?"+query, "")
		var seqs []string
		for _, line := range strings.Split(body, "\n") {
			var r events.Record
			if line != "" && json.Unmarshal([]byte(line), &r) == nil {
				seqs = append(seqs, fmt.Sprint(r.Seq))
			}
		}
		if got := strings.Join(seqs, " "); code != 200 || got != want {
			t.Errorf("%s: %d %q", query, code, got)
		}
	}
	for query, want := range map[string]string{
		"grep=(": "{\"error\":\"grep: error parsing regexp: missing closing ): `(`\",\"exit\":1}", "n=-1": `{"error":"n: \"-1\" is no count","exit":1}`, "n=x": `{"error":"n: \"x\" is no count","exit":1}`,
		"type=[":       `{"error":"type: \"[\" is no pattern","hint":"for example --type 'tool.*'","exit":1}`,
		"since=xyz":    `{"error":"\"xyz\" is no sequence, time or duration","hint":"for example 120, 2026-11-21T08:00:00Z or 10m","exit":1}`,
		"session=none": "{\"error\":\"there is no session \\\"none\\\"\",\"hint\":\"`hookctl session list --all` lists them\",\"exit\":1}",
		"project=none": "{\"error\":\"there is no project \\\"none\\\"\",\"hint\":\"`hookctl project list` lists them\",\"exit\":1}",
	} {
		if code, body := ask(t, d, "GET", "/v1/events?"+query, ""); code < 400 || code >= 500 || strings.ReplaceAll(body, `\u0027`, "'") != want {
			t.Errorf("%s: %d %s", query, code, body)
		}
	}
}

func TestEventByID(t *testing.T) {
	d := opened(t)
	f := startOf("s-1")
	take(t, d, f)
	for _, id := range []string{f.ID, strings.ToLower(f.ID), "1"} {
		if code, body := ask(t, d, "GET", "/v1/events/"+id, ""); code != 200 || !strings.HasPrefix(body, `{"seq":1,`) {
			t.Errorf("%s: %d %.80s", id, code, body)
		}
		if code, body := ask(t, d, "GET", "/v1/events/"+id+"?raw=1", ""); code != 200 || body != string(f.Body) {
			t.Errorf("%s: %d %.80s", id, code, body)
		}
	}
	for _, id := range []string{"0", "99", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "01arz3ndektsv4rrffq69g5fav", "x", "18446744073709551616", strings.Repeat("9", 40)} {
		if code, body := ask(t, d, "GET", "/v1/events/"+id, ""); code != 404 || !strings.Contains(body, "no event "+id+" is in the log") {
			t.Errorf("%s: %d %.100s", id, code, body)
		}
	}
}

// What the hook's door refuses, and with which status.
func TestHookRequests(t *testing.T) {
	d := opened(t)
	f := startOf("s-1")
	for _, c := range []struct {
		name, protocol, frame string
		code                  int
	}{
		{"another protocol", "2", string(f.Header()), 505}, {"none", "", string(f.Header()), 505}, {"no frame", "1", "", 400}, {"no JSON", "1", "{", 400},
		{"bad id", "1", `{"id":"x","args":["hook"]}`, 400}, {"no arguments", "1", `{"id":"01ARZ3NDEKTSV4RRFFQ69G5FAV"}`, 400}, {"good", "1", string(f.Header()), 200},
	} {
		r := httptest.NewRequest("POST", "/v1/hook/SessionStart", strings.NewReader(string(f.Body)))
		if c.protocol != "" {
			r.Header.Set("Hookline-Protocol", c.protocol)
		}
		r.Header.Set("Hookline-Frame", c.frame)
		w := httptest.NewRecorder()
		d.Handler().ServeHTTP(w, r)
		if w.Code != c.code || w.Header().Get("Hookline-Protocol") != "1" {
			t.Errorf("%s: %d %s", c.name, w.Code, w.Body)
		}
		if c.code == 200 && (w.Header().Get("Hookline-Exit") != "0" || w.Header().Get("Hookline-Stdout") != fmt.Sprint(w.Body.Len())) {
			t.Errorf("%v", w.Header())
		}
	}
	expect.Equal(t, len(logOf(t, d)), 2)
}

// The state before the first event is empty.
func TestPastBeforeTheLogIsEmpty(t *testing.T) {
	d := opened(t)
	take(t, d, startOf("s-1"))
	for _, q := range []string{"0", "2001-01-01T00:00:00Z"} {
		w := httptest.NewRecorder()
		d.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/v1/at?point="+q, nil))
		expect.Equal(t, strings.TrimSpace(w.Body.String()), `{"cells":[],"seq":0}`, "at", q)
		w = httptest.NewRecorder()
		d.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/v1/diff?a="+q+"&b=now&projection=session", nil))
		if !strings.Contains(w.Body.String(), `"(absent)"`) {
			t.Errorf("diff from %s: %.200s", q, w.Body)
		}
	}
}

func TestEmitRefusals(t *testing.T) {
	d := opened(t)
	take(t, d, startOf("s-1"))
	take(t, d, startOf("over"))
	take(t, d, hookFrame(`{"hook_event_name":"SessionEnd","session_id":"over","reason":"logout"}`))
	n := len(logOf(t, d))
	for _, b := range []string{
		`{"type":"no.such","data":{}}`, `{"type":"canary.sent","data":[]}`, `{"type":"canary.sent","data":"x"}`, `{"type":"canary.sent","data":null}`,
		`{"type":"identity.observed","session":"s-1","data":{"accuracy":2}}`, `{"type":"identity.observed","session":"s-1","data":{}}`,
		`{"type":"identity.observed","session":"over","data":{"accuracy":1}}`,
		`{"type":"identity.observed","session":"nobody","data":{"accuracy":1}}`, `{"type":"identity.observed","data":{"accuracy":1}}`, `{`, ``,
		`{"type":"canary.sent","project":"../x y.*>","data":{"nonce":"1"}}`,
		`{"type":"session.deleted","data":{}}`, `{"type":"tool.succeeded","session":"s-1","data":{"tool_name":"Bash"}}`,
		`{"type":"identity.persisted","session":"s-1","project":"other","data":{"reason":"command"}}`,
	} {
		w := httptest.NewRecorder()
		d.Handler().ServeHTTP(w, httptest.NewRequest("POST", "/v1/do/emit", strings.NewReader(b)))
		if w.Code < 400 {
			t.Errorf("%s: %d %s", b, w.Code, w.Body)
		}
	}
	if m := len(logOf(t, d)); m != n {
		t.Errorf("%d events were appended", m-n)
	}
}

func TestCellsAtDiff(t *testing.T) {
	d := opened(t)
	take(t, d, startOf("c68c8a51-e89d-45af-bd06-f5c764bc3b27")) // 1, 2, and 3: what was told
	take(t, d, startOf("d1"))                                   // 4, 5, 6
	take(t, d, hookFrame(`{"hook_event_name":"Stop","session_id":"d1"}`))
	code, body := ask(t, d, "GET", "/v1/cells/session?prefix=d", "")
	if code != 200 || !strings.HasPrefix(body, `{"key":"d1","seq":7,"state":{"id":"d1",`) || strings.Contains(body, "\n") {
		t.Errorf("%d %s", code, body)
	}
	if code, body := ask(t, d, "GET", "/v1/cells/session/c68c8a51", ""); code != 200 || !strings.HasPrefix(body, `{"key":"c68c8a51-e89d-45af-bd06-f5c764bc3b27","seq":3,`) {
		t.Errorf("%d %s", code, body)
	}
	for target, want := range map[string]string{
		"/v1/cells/nothing":           `{"error":"no projection is called \"nothing\"","hint":"projections: ` + strings.Join(everyProjection, ", ") + `","exit":1}`,
		"/v1/cells/session/nobody":    "{\"error\":\"there is no session \\\"nobody\\\"\",\"hint\":\"`hookctl session list --all` lists them\",\"exit\":1}",
		"/v1/cells/latest/identity.x": `{"error":"projection latest has no cell \"identity.x\"","exit":1}`,
		"/v1/at?projection=nothing":   `{"error":"no projection is called \"nothing\"","hint":"projections: ` + strings.Join(everyProjection, ", ") + `","exit":1}`,
	} {
		if code, body := ask(t, d, "GET", target, ""); code != 404 || body != want {
			t.Errorf("%s: %d %s", target, code, body)
		}
	}
	if code, body := ask(t, d, "GET", "/v1/at?point=99", ""); code != 400 || body != "{\"error\":\"the log ends at sequence 7\",\"hint\":\"`now` is the newest point\",\"exit\":1}" {
		t.Errorf("%d %s", code, body)
	}
	var at struct {
		Seq   uint64
		Cells []past.NamedCell
	}
	_, body = ask(t, d, "GET", "/v1/at?point=2&projection=session", "")
	if err := json.Unmarshal([]byte(body), &at); err != nil || at.Seq != 2 || len(at.Cells) != 1 || at.Cells[0].Key != "c68c8a51-e89d-45af-bd06-f5c764bc3b27" {
		t.Errorf("%v %s", err, body)
	}
	diffs := func(a, b string) string {
		var out struct{ Diffs []projector.Diff }
		_, body := ask(t, d, "GET", "/v1/diff?projection=session&a="+a+"&b="+b, "")
		expect.OK(t, json.Unmarshal([]byte(body), &out))
		var words []string
		for _, x := range out.Diffs {
			if x.Field == "turns" || x.Field == "" {
				words = append(words, x.Key+" "+x.Field+" "+x.Want[:min(8, len(x.Want))]+">"+x.Got[:min(8, len(x.Got))])
			}
		}
		return strings.Join(words, ", ")
	}
	for _, c := range [][3]string{{"6", "7", "d1 turns (absent)>1"}, {"7", "6", "d1 turns 1>(absent)"}, {"3", "4", `d1  (absent)>{"id":"d`}, {"7", "7", ""}, {"now", "7", ""}} {
		if got := diffs(c[0], c[1]); got != c[2] {
			t.Errorf("%s to %s: %s", c[0], c[1], got)
		}
	}
	// The states of what differs come with the answer, so that its words need no second fold.
	var whole struct{ Before, After []past.NamedCell }
	_, body = ask(t, d, "GET", "/v1/diff?projection=session&a=6&b=7&states=1", "")
	expect.OK(t, json.Unmarshal([]byte(body), &whole))
	turned := len(whole.Before) == 1 && len(whole.After) == 1 && whole.After[0].Key == "d1" && whole.After[0].Seq == 7
	if !turned || strings.Contains(string(whole.Before[0].State), `"turns"`) || !strings.Contains(string(whole.After[0].State), `"turns":1`) {
		t.Errorf("%s", body)
	}
}

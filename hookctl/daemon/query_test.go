//go:build unix

package daemon

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/wire"
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
	_, err := d.resolveSession(t.Context(), "c68c8a51")
	expect.Equal(t, fmt.Sprint(err), `"c68c8a51" is ambiguous: c68c8a51-e89d-45af-bd06-f5c764bc3b27, c68c8a51-ffff-45af-bd06-f5c764bc3b27`)
}

func TestTailFilters(t *testing.T) {
	d := opened(t)
	take(t, d, startOf("s-1")) // 1, 2, and 3: what was told
	take(t, d, startOf("s-2")) // 4, 5, 6
	take(t, d, bashOf("s-1", 1))
	take(t, d, hookFrame(`{"hook_event_name":"PostToolUseFailure","session_id":"s-2","tool_name":"Bash","tool_use_id":"toolu_2","error":"x"}`))
	for query, want := range map[string]string{
		"n=0": "1 2 3 4 5 6 7 8", "n=100": "1 2 3 4 5 6 7 8", "session=s-1": "1 2 3 7", "session=s-1&n=1": "7",
		"type=tool.failed,session.*": "1 4 8", "since=4&n=2": "7 8", "since=10m": "1 2 3 4 5 6 7 8", "since=9": "",
		"until=2001-01-01": "", "since=2&until=3": "2 3", "tool=B*&n=1": "8", "grep=s-2.*toolu_2": "8", "file=none.go": "", "agent=a": "",
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
		"grep=(": "{\"error\":\"grep: error parsing regexp: missing closing ): `(`\",\"exit\":1}", "n=-1": `{"error":"n: \"-1\" is no count","exit":1}`,
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
		_, body := ask(t, d, "GET", "/v1/events/"+id+"?raw=1", "")
		expect.Equal(t, body, string(f.Body), id)
	}
	for _, id := range []string{"0", "01arz3ndektsv4rrffq69g5fav", "18446744073709551616"} {
		if code, body := ask(t, d, "GET", "/v1/events/"+id, ""); code != 404 || !strings.Contains(body, "no event "+id+" is in the log") {
			t.Errorf("%s: %d %.100s", id, code, body)
		}
	}
}

// What the hook's door refuses, and with which status.
func TestHookRequests(t *testing.T) {
	d := opened(t)
	f := startOf("s-1")
	for protocol, code := range map[string]int{"2": 505, "": 505, "1": 200} {
		w := sendHook(d, f, protocol)
		if w.Code != code || w.Header().Get("Hookline-Protocol") != "1" {
			t.Errorf("protocol %q: %d %s", protocol, w.Code, w.Body)
		}
		if code == 200 && (w.Header().Get("Hookline-Exit") != "0" || w.Header().Get("Hookline-Stdout") != fmt.Sprint(w.Body.Len())) {
			t.Errorf("%v", w.Header())
		}
	}
	expect.Equal(t, sendHook(d, wire.Frame{}, "1").Code, 400)
	expect.Equal(t, len(logOf(t, d)), 2)
}

func TestEmitRefusals(t *testing.T) {
	d := opened(t)
	take(t, d, startOf("s-1"))
	take(t, d, startOf("over"))
	take(t, d, endOf("over"))
	n := len(logOf(t, d))
	for _, b := range []string{
		`{"type":"no.such","data":{}}`, `{"type":"canary.sent","data":[]}`, `{"type":"identity.observed","session":"s-1","data":{"accuracy":2}}`,
		`{"type":"identity.observed","session":"over","data":{"accuracy":1}}`,
		`{"type":"identity.observed","session":"nobody","data":{"accuracy":1}}`, `{`,
		`{"type":"canary.sent","project":"../x y.*>","data":{"nonce":"1"}}`,
		`{"type":"session.deleted","data":{}}`, `{"type":"tool.succeeded","session":"s-1","data":{"tool_name":"Bash"}}`,
		`{"type":"identity.persisted","session":"s-1","project":"other","data":{"reason":"command"}}`,
	} {
		if code, body := ask(t, d, "POST", "/v1/do/emit", b); code < 400 {
			t.Errorf("%s: %d %s", b, code, body)
		}
	}
	if m := len(logOf(t, d)); m != n {
		t.Errorf("%d events were appended", m-n)
	}
}

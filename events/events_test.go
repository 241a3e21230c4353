package events

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"hookline/expect"
)

func raw(s string) json.RawMessage { return json.RawMessage(s) }

func TestDecodeKeepsTheRestOfAWrongTypedField(t *testing.T) {
	for _, c := range []struct{ name, typ, data, want string }{
		{"number for a string", TypeToolFailed, `{"session_id":7,"cwd":"/project","tool_name":"Bash","error":"boom"}`,
			`{"cwd":"/project","tool_name":"Bash","error":"boom"}`},
		{"string for an object", TypeTurnStopped, `{"effort":"high","stop_hook_active":true}`, `{"effort":{},"stop_hook_active":true}`},
		{"string for a number", TypeToolSucceeded, `{"duration_ms":"fast","tool_use_id":"toolu_1"}`, `{"tool_use_id":"toolu_1"}`},
		{"object for a list", TypeToolBatchFinished, `{"tool_calls":{"0":1},"prompt_id":"p"}`, `{"prompt_id":"p"}`},
		{"one bad element", TypeToolBatchFinished, `{"tool_calls":[{"tool_name":1,"tool_use_id":"a"},{"tool_name":"Bash"}]}`,
			`{"tool_calls":[{"tool_use_id":"a"},{"tool_name":"Bash"}]}`},
		{"two bad fields", TypePromptSubmitted, `{"cwd":[],"prompt":"go on","permission_mode":{}}`, `{"prompt":"go on"}`},
		{"null everywhere", TypePromptSubmitted, `{"cwd":null,"prompt":"go on","effort":null}`, `{"prompt":"go on"}`},
		{"overflow", TypeMessageDisplayed, `{"index":1e30,"delta":"x"}`, `{"delta":"x"}`},
		{"derived event", TypeDaemonStarted, `{"build":"0.1.0","pid":"x","clean":true}`, `{"build":"0.1.0","pid":0,"clean":true}`},
		{"a list instead of an object", TypePromptSubmitted, `["go on"]`, `{}`},
		{"nothing", TypePromptSubmitted, ``, `{}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := Decode(c.typ, 1, raw(c.data))
			if _, ok := e.(*Unknown); ok {
				t.Fatalf("unknown: %+v", e)
			}
			if got, err := json.Marshal(e); err != nil || string(got) != c.want {
				t.Errorf("%s, %v, want %s", got, err, c.want)
			}
		})
	}
}

func TestDecodeUnknown(t *testing.T) {
	deep := strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001)
	for _, c := range []struct {
		name    string
		typ     string
		version int
		data    string
		reason  string
	}{
		{"type of the future", "quota.warned", 1, `{"left":3}`, "type"},
		{"no type", "", 1, `{}`, "type"},
		{"version of the future", TypeTurnStopped, 2, `{"stop_hook_active":"maybe"}`, "version"},
		{"version 0", TypeTurnStopped, 0, `{}`, "version"},
		{"version below 0", TypeTurnStopped, -1, `{}`, "version"},
		{"truncated", TypeTurnStopped, 1, `{"cwd":"/pro`, "unexpected end of JSON input"},
		{"no JSON", TypeTurnStopped, 1, "\x00\xff", `invalid character '\x00' looking for beginning of value`},
		{"10,001 levels", TypeToolRequested, 1, `{"tool_input":` + deep + `}`, "invalid character '[' exceeded max depth"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := NewRecord(9, Envelope{Type: c.typ, Version: c.version, Data: raw(c.data)})
			want := &Unknown{Name: c.typ, Version: c.version, Reason: c.reason}
			if !reflect.DeepEqual(r.Event, want) {
				t.Errorf("%+v, want %+v", r.Event, want)
			}
			if r.Event.Type() != c.typ || string(r.Data) != c.data || r.Seq != 9 {
				t.Errorf("not kept whole: %+v", r)
			}
		})
	}
}

// TestRecordKeepsWhatItDoesNotKnow: the hook's own JSON comes back from the record in its order, with
// unknown fields and numbers that no float64 holds.
func TestRecordKeepsWhatItDoesNotKnow(t *testing.T) {
	for _, c := range []struct{ name, typ, data string }{
		{"unknown field", TypePromptSubmitted, `{"zeta":1,"prompt":"p","alpha":{"b":[1,null,true],"a":{}}}`},
		{"order and duplicates", TypePromptSubmitted, `{"prompt":"first","cwd":"/a","prompt":"second"}`},
		{"large numbers", TypeToolRequested, `{"tool_input":{"id":12345678901234567890,"x":1e400,"y":1.10}}`},
		{"escapes", TypePromptSubmitted, `{"prompt":"\ud83c\udfa3 \ud800 \u0000 \/"}`},
		{"wrong type", TypePromptSubmitted, `{"prompt":["a","b"]}`},
		{"unknown hook", TypeHookUnrecognized, `{"hook_event_name":"QuotaWarning","left":3}`},
		{"unknown type", "quota.warned", `{"left":3}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			line := `{"seq":7,"id":"01KAJ3Z8T0V9Q4XW2N6M5R7S1C","type":"` + c.typ + `","version":1,"time":"2026-11-21T07:52:00.123Z","data":` + c.data + `}`
			var r Record
			expect.OK(t, json.Unmarshal([]byte(line), &r))
			expect.Equal(t, string(r.Data), c.data, "data")
			if got, err := json.Marshal(r); err != nil || string(got) != line {
				t.Errorf("record %s, %v\nwant   %s", got, err, line)
			}
		})
	}
}

func TestRecordRefusesWhatIsNoRecord(t *testing.T) {
	for _, line := range []string{``, `7`, `[]`, `{"seq":-1}`, `{"seq":"7"}`, `{"time":"yesterday"}`, `{"data":{}`} {
		r := Record{Seq: 5}
		if err := json.Unmarshal([]byte(line), &r); err == nil {
			t.Errorf("%q was taken as %+v", line, r)
		}
	}
}

func TestRecordWithoutDataOrTime(t *testing.T) {
	got, err := json.Marshal(Record{Seq: 1, Envelope: Envelope{ID: "a", Type: TypeCanarySent, Version: 1}})
	const want = `{"seq":1,"id":"a","type":"canary.sent","version":1,"time":"0001-01-01T00:00:00Z","data":{}}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}

// renamed stands for an event that had two changes of meaning.
type renamed struct {
	Path  string `json:"path"`
	Bytes int    `json:"bytes"`
}

func (*renamed) Type() string { return "test.renamed" }

func TestUpcast(t *testing.T) {
	errNoFile := errors.New("no file")
	kind[renamed]("", "a type with two changes of meaning",
		func(b json.RawMessage) (json.RawMessage, error) { // 2: file is called path
			if !bytes.Contains(b, []byte(`"file"`)) {
				return nil, errNoFile
			}
			return bytes.Replace(b, []byte(`"file"`), []byte(`"path"`), 1), nil
		},
		func(b json.RawMessage) (json.RawMessage, error) { // 3: kilobytes became bytes
			return bytes.Replace(b, []byte(`"kb":2`), []byte(`"bytes":2048`), 1), nil
		},
	)
	t.Cleanup(func() { delete(byType, "test.renamed") })
	want := &renamed{Path: "a.go", Bytes: 2048}
	for version, data := range map[int]string{
		1: `{"file":"a.go","kb":2}`, 2: `{"path":"a.go","kb":2}`, 3: `{"path":"a.go","bytes":2048}`,
	} {
		if got := Decode("test.renamed", version, raw(data)); !reflect.DeepEqual(got, want) {
			t.Errorf("version %d: %+v", version, got)
		}
	}
	if got, ok := Decode("test.renamed", 1, raw(`{}`)).(*Unknown); !ok || got.Reason != "no file" || got.Version != 1 {
		t.Errorf("an upcaster's error: %+v", got)
	}
	if got, ok := Decode("test.renamed", 4, raw(`{}`)).(*Unknown); !ok || got.Reason != "version" {
		t.Errorf("version 4 of 3: %+v", got)
	}
}

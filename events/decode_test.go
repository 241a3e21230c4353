package events

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"hookline/expect"
)

// slow is the event by encoding/json alone.
func slow(t testing.TB, k Kind, data []byte) (Event, bool) {
	e := k.New()
	var wrongType *json.UnmarshalTypeError
	err := json.Unmarshal(data, e)
	return e, err == nil || errors.As(err, &wrongType)
}

func sameEvent(a, b Event) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return reflect.TypeOf(a) == reflect.TypeOf(b) && string(x) == string(y)
}

// The one-pass reader gives what encoding/json gives, for every golden record.
func TestFillIsEncodingJSON(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "golden", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(err, len(files))
	}
	for _, f := range files {
		b := expect.Value(os.ReadFile(f))(t)
		var r struct {
			Type string          `json:"type"`
			Data json.RawMessage `json:"data"`
		}
		expect.OK(t, json.Unmarshal(b, &r))
		k, ok := Lookup(r.Type)
		if !ok {
			continue
		}
		fast := k.New()
		if !Fill(r.Data, fast) {
			t.Errorf("%s: not read in one pass", f)
		}
		if want, _ := slow(t, k, r.Data); !sameEvent(want, fast) {
			t.Errorf("%s:\n%+v\n%+v", f, want, fast)
		}
	}
}

func TestFillEdges(t *testing.T) {
	k, _ := Lookup(TypeToolFailed)
	for _, data := range []string{
		`{}`, ` { } `, `{"tool_name":"a\"b\\","error":"\u00e9\n","duration_ms":1.5e2,"is_interrupt":true}`,
		`{"tool_input":{"a":[1,2,{"b":"}]\""}],"c":null},"tool_use_id":"t"}`, `{"tool_name":null,"duration_ms":null,"tool_input":null}`,
		`{"tool_name":5,"duration_ms":"x","is_interrupt":"yes","effort":7,"error":"kept"}`, `{"effort":{"level":"high"},"x":[[],{}],"error":"e"}`,
		"{\n\t\"tool_name\" : \"Bash\" ,\r\n \"duration_ms\" : -0 }", `{"tool_name":"first","tool_name":"second"}`, `{"a\u0062c":1,"error":"e"}`,
	} {
		got := Decode(TypeToolFailed, 1, []byte(data))
		want, ok := slow(t, k, []byte(data))
		if !ok {
			t.Fatalf("%s is no test", data)
		}
		if !sameEvent(want, got) {
			t.Errorf("%s\nwant %+v\ngot  %+v", data, want, got)
		}
	}
}

// Random objects with names of the struct and of none: the same as by encoding/json.
func TestFillProperty(t *testing.T) {
	k, _ := Lookup(TypeToolSucceeded)
	names := []string{"session_id", "tool_name", "tool_input", "tool_response", "duration_ms", "mcp_server", "effort", "agent_id", "other", "Tool_Name2"}
	var value func(rt *rapid.T, depth int) any
	value = func(rt *rapid.T, depth int) any {
		switch n := rapid.IntRange(0, 7).Draw(rt, "kind"); {
		case n == 0:
			return nil
		case n == 1:
			return rapid.Bool().Draw(rt, "b")
		case n == 2:
			return rapid.Float64Range(-1e6, 1e6).Draw(rt, "f")
		case n == 3 && depth < 3:
			m := map[string]any{}
			for range rapid.IntRange(0, 3).Draw(rt, "n") {
				m[rapid.String().Draw(rt, "k")] = value(rt, depth+1)
			}
			return m
		case n == 4 && depth < 3:
			l := []any{}
			for range rapid.IntRange(0, 3).Draw(rt, "n") {
				l = append(l, value(rt, depth+1))
			}
			return l
		}
		return rapid.String().Draw(rt, "s")
	}
	rapid.Check(t, func(rt *rapid.T) {
		m := map[string]any{}
		for range rapid.IntRange(0, 8).Draw(rt, "members") {
			m[rapid.SampledFrom(names).Draw(rt, "name")] = value(rt, 0)
		}
		data := expect.Value(json.Marshal(m))(rt)
		want, _ := slow(t, k, data)
		if got := Decode(TypeToolSucceeded, 1, data); !sameEvent(want, got) {
			rt.Fatalf("%s\nwant %+v\ngot  %+v", data, want, got)
		}
	})
}

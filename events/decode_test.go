package events

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"pgregory.net/rapid"
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

// Random objects with names of the struct and of none: the same as by encoding/json.
func TestFillProperty(t *testing.T) {
	k, _ := Lookup(TypeToolFailed)
	name := rapid.SampledFrom([]string{"session_id", "tool_name", "tool_input", "error", "duration_ms", "mcp_server", "effort", "is_interrupt", "other", "Tool_Name2", `a\u0062c`})
	value := rapid.SampledFrom([]string{`null`, `true`, `false`, `7`, `-0`, `1.5e2`, `1e400`, `"x"`, `""`, `"a\"b\\"`, `"\u00e9\n"`, `"\ud800"`, "\"\u00fc\"", `{}`, `{"level":"high","name":5}`,
		`{"a":[1,2,{"b":"}]\""}],"c":null}`, `[]`, `[[],{}]`, `[null,5,{"tool_name":"a"}]`})
	blank := rapid.SampledFrom([]string{"", "", " ", "\n\t", "\r\n"})
	rapid.Check(t, func(rt *rapid.T) {
		data := blank.Draw(rt, "blank") + "{"
		for i, name := range rapid.SliceOfNDistinct(name, 0, 8, rapid.ID).Draw(rt, "names") {
			if i > 0 {
				data += ","
			}
			data += blank.Draw(rt, "blank") + `"` + name + `"` + blank.Draw(rt, "blank") + ":" + blank.Draw(rt, "blank") + value.Draw(rt, "value") + blank.Draw(rt, "blank")
		}
		data += "}" + blank.Draw(rt, "blank")
		want, _ := slow(t, k, []byte(data))
		if got := Decode(TypeToolFailed, 1, []byte(data)); !sameEvent(want, got) {
			rt.Fatalf("%s\nwant %+v\ngot  %+v", data, want, got)
		}
	})
}

package events

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hookline/expect"
)

// FuzzMember: whatever bytes come, the scan ends and agrees with encoding/json on valid objects.
func FuzzMember(f *testing.F) {
	f.Add([]byte(`{"a":[{"b":1}],"b":"\u00e9"}`))
	for _, seed := range []string{`{"":0,"b":[[],{}]}`, `{"a":{"b":"no","c":[1,{"b":2}]}}`, ` { "s" : "with \"b\": 1 and \\" , "b" : { "k" : [ ] } } `, `{"a":-1.5e3,"b":null}`, `[{"b":1}]`, `{"b":"open`, ``} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got := Member(b, "b")
		var object map[string]json.RawMessage
		if json.Unmarshal(b, &object) != nil || strings.Count(string(b), `"b"`) != 1 || len(object["b"]) == 0 || strings.ContainsRune(string(b), '\\') {
			return
		}
		expect.Equal(t, string(got), string(object["b"]), b)
	})
}

// A string of any kind decodes as by encoding/json.
func TestTextIsEncodingJSON(t *testing.T) {
	long := strings.Repeat("a", 7)
	for _, raw := range []string{
		`""`, `"a"`, `"a\"`, `"\\\""`, `"\u00e9\u2028\/"`, `"\ud83d\ude00"`, `"\ud83d"`, `"` + long + `\n` + long + `\t"`, `"` + long + long + `"`, "\"\xff\"",
		`7`, `null`, `true`, `{}`, ``, `"open`, `"a" `, `"a"b`, `"\x"`, `"\u12"`, `"\u+123"`, `"\`,
	} {
		var want string
		_ = json.Unmarshal([]byte(raw), &want) // what is no string makes ""
		expect.Equal(t, Text(json.RawMessage(raw)), want, raw)
	}
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.String().Draw(t, "text")
		raw := expect.Value(json.Marshal(want))(t)
		var back string
		expect.OK(t, json.Unmarshal(raw, &back))
		expect.EqualNow(t, Text(raw), back, raw)
	})
}

package events

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hookline/expect"
)

func TestMember(t *testing.T) {
	for _, c := range [][3]string{
		{`{"a":1,"b":"x"}`, "b", `"x"`},
		{`{"a":{"b":"no","c":[1,{"b":2}]},"b":true}`, "b", "true"},
		{` { "s" : "with \"b\": 1 and \\" , "b" : { "k" : [ ] } } `, "b", `{ "k" : [ ] }`},
		{`{"a":1}`, "b", ""},
		{`[{"b":1}]`, "b", ""},
		{`{"b":`, "b", ""},
		{`{"b":"open`, "b", ""},
		{``, "b", ""},
		{`{}`, "b", ""},
		{`{"a":-1.5e3,"b":null}`, "b", "null"},
	} {
		if got := string(Member(json.RawMessage(c[0]), c[1])); got != c[2] {
			t.Errorf("%s of %s: %q, want %q", c[1], c[0], got, c[2])
		}
	}
}

// FuzzMember: whatever bytes come, the scan ends and agrees with encoding/json on valid objects.
func FuzzMember(f *testing.F) {
	f.Add([]byte(`{"a":[{"b":1}],"b":"\u00e9"}`))
	f.Add([]byte(`{"":0,"b":[[],{}]}`))
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

// The end of a string is found wherever it lies in a word of eight bytes.
func TestLiteralEnds(t *testing.T) {
	for n := range 40 {
		for _, body := range []string{strings.Repeat("x", n), strings.Repeat("x", n) + `\"y`, strings.Repeat("#[!]", n), strings.Repeat("\u00a2\u00dc", n)} {
			b := []byte(`7"` + body + `","z"`)
			end, plain := literal(b, 1)
			if want := len(body) + 3; end != want || plain != !strings.Contains(body, `\`) {
				t.Errorf("%s: ends at %d, want %d, plain %v", b, end, want, plain)
			}
			if end, _ := literal(b[:len(body)+2], 1); end != -1 {
				t.Errorf("%s: ends at %d although it is open", b[:len(body)+2], end)
			}
		}
	}
}

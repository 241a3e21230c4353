package hook

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestSolid(t *testing.T) {
	for _, text := range []string{`{}`, `[]`, `""`, `0`, `-0`, `-1.5e+10`, `1E2`, `0.25`, `true`, `false`, `null`, `{"a":[]}`, `[{}]`, `[[],{},1]`,
		`{"a":1,"b":{"c":[1,2,{"d":"\u00e9\"\\\/\b\f\n\r\t"}]},"":null}`, `"seven b"`, `"exactly 8 bytes and more"`, `"Grüße, 世界"`, `"\ud83d"`,
		strings.Repeat("[", solidDepth) + strings.Repeat("]", solidDepth), "\"\x7f\""} {
		if !solid([]byte(text)) {
			t.Errorf("%s is not taken for solid JSON", text)
		}
	}
	for _, text := range []string{``, ` `, `{`, `}`, `[`, `]`, `{}}`, `[]]`, `{]`, `[}`, `[1,]`, `{"a":1,}`, `{"a"}`, `{"a":}`, `{"a":1 }`, `{ }`, `[ ]`, `[1, 2]`,
		`{"a": 1}`, `{a:1}`, `{1:2}`, `{"a":1"b":2}`, `{,}`, `[,]`, `1 `, ` 1`, `01`, `-`, `1.`, `.5`, `1e`, `1e+`, `+1`, `0x1`, `tru`, `truely`, `nul`, `"`, `"a`, `"\`, `"\x"`,
		`"\u12"`, `"\u12g4"`, `"\u123`, "\"a\nb\"", "\"\x00\"", "\"12345678\x1f\"", "{}\n", `{}{}`, `[[]`, `[1]2`, `""""`,
		strings.Repeat("[", solidDepth+1) + strings.Repeat("]", solidDepth+1)} {
		if solid([]byte(text)) {
			t.Errorf("%q is taken for solid JSON", text)
		}
	}
}

// What is taken for solid is what encoding/json takes, and has nothing to drop.
func FuzzSolid(f *testing.F) {
	f.Add([]byte(`{"session_id":"s","tool_input":{"command":"go test ./...","n":[1,-2.5e3,true,null]},"x":"\u00e9\\"}`))
	f.Add([]byte(`[ 1 , {"a" : "b"} ]`))
	f.Add([]byte("\"control \x01 inside of a word\""))
	f.Fuzz(func(t *testing.T, b []byte) {
		if !solid(b) {
			return
		}
		var out bytes.Buffer
		if err := json.Compact(&out, b); err != nil || !bytes.Equal(out.Bytes(), b) {
			t.Errorf("%q is taken for solid JSON: %q, %v", b, out.Bytes(), err)
		}
	})
}

// Each single byte of a hook replaced by each that means something: never more is taken than encoding/json takes.
func TestSolidIsSound(t *testing.T) {
	whole := []byte(`{"a":[1,-2.5e3,true,null,{}],"text":"eight bytes \u00e9\\ and \"more\" of it","b":{"c":[]}}`)
	for i := range whole {
		for _, c := range []byte("\x00\x1f \n\"\\{}[]:,-+.0e1tfnu/\x80\xff") {
			b := bytes.Clone(whole)
			b[i] = c
			var out bytes.Buffer
			err := json.Compact(&out, b)
			if want := err == nil && bytes.Equal(out.Bytes(), b); solid(b) != want {
				t.Errorf("%q is solid: %v, want %v", b, !want, want)
			}
		}
	}
}

// BenchmarkCompact is the one pass over a hook's whole body. Goal: at most 3 µs for 2 KB.
func BenchmarkCompact(b *testing.B) {
	body := []byte(`{"session_id":"s","tool_response":{"stdout":"` + strings.Repeat(`--- PASS: TestFoldIsTotal/straight_00 (0.07s)\n    fold_test.go:40: 50 records\n`, 25) + `"}}`)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := compact(body); err != nil {
			b.Fatal(err)
		}
	}
}

package hook

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// meaning is JSON as the sequence of its tokens: numbers and punctuation as they are spelled, strings as
// their UTF-16 units, so that order, doubled members and half surrogate pairs count and spelling does not.
func meaning(b []byte) []string {
	var tokens []string
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			end := stringEnd(b, i)
			tokens = append(tokens, "text "+units(b[i+1:end]))
			i = end
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
		default:
			tokens = append(tokens, string(c))
		}
	}
	return tokens
}

func units(literal []byte) string {
	var out []byte
	add := func(u uint16) { out = append(strconv.AppendUint(out, uint64(u), 16), ' ') }
	plain := map[byte]uint16{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', '"': '"', '\\': '\\', '/': '/'}
	for i := 0; i < len(literal); {
		switch {
		case literal[i] != '\\':
			r, n := utf8.DecodeRune(literal[i:])
			for _, u := range utf16.AppendRune(nil, r) {
				add(u)
			}
			i += n
		case literal[i+1] == 'u':
			u, _ := strconv.ParseUint(string(literal[i+2:i+6]), 16, 16)
			add(uint16(u))
			i += 6
		default:
			add(plain[literal[i+1]])
			i += 2
		}
	}
	return string(out)
}

// text draws a JSON string literal, also such as an encoder of Go's would not write.
func text(t *rapid.T) string {
	unit := rapid.SampledFrom([]string{"x", "é", `\\`, `\"`, "🙂", `\n`, "<", `\/`, "\u2028", `\u00e9`, `\ud83d`, `\uDE00`, `\ud83d\ude00`,
		`\u0000`, "\uFFFD", `\ufffd`, "$blob", `\"$blob`, `\u0022$$blob`, `{\"$blob\":`, `\u0024blob`}).Draw(t, "unit")
	n := rapid.SampledFrom([]int{0, 1, 2, 300, 3000, 16384}).Draw(t, "times")
	return `"` + strings.Repeat(unit, n) + rapid.SampledFrom([]string{"", `\ud83d`, `\"$$blob`, "$blob", `\\`}).Draw(t, "tail") + `"`
}

// spelled draws a JSON value as text, with blanks, odd numbers and doubled members.
func spelled(t *rapid.T, depth int) string {
	blank := rapid.SampledFrom([]string{"", "", " ", "\n\t"}).Draw(t, "blank")
	kind := rapid.IntRange(0, 6).Draw(t, "kind")
	if depth > 3 {
		kind %= 4
	}
	switch kind {
	case 0:
		return blank + rapid.SampledFrom([]string{"null", "true", "false"}).Draw(t, "literal")
	case 1:
		return blank + rapid.SampledFrom([]string{"0", "-0", "1.50", "1e2", "1E+2", "12345678901234567890.0", "-1.5e-300"}).Draw(t, "number")
	case 2, 3:
		return blank + text(t)
	case 4:
		parts := make([]string, rapid.IntRange(0, 4).Draw(t, "n"))
		for i := range parts {
			parts[i] = spelled(t, depth+1)
		}
		return blank + "[" + strings.Join(parts, ","+blank) + "]"
	}
	return blank + members(t, depth+1)
}

func members(t *rapid.T, depth int) string {
	parts := make([]string, rapid.IntRange(0, 5).Draw(t, "members"))
	for i := range parts {
		key := rapid.SampledFrom([]string{"tool_input", "tool_response", "tool_calls", "prompt", "a", `b\"`, `\ud83d`, "$blob", "$$blob", `\u0024blob`, "head"}).Draw(t, "key")
		parts[i] = `"` + key + `":` + spelled(t, depth)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// What comes out is what came in: order, doubled members, numbers as spelled, every UTF-16 unit.
func TestRestoreProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := []byte(members(t, 0))
		s := shelf{}
		cut, err := Cut(in, s.put)
		if err != nil || !json.Valid(cut) {
			t.Fatalf("%v: %.200s", err, cut)
		}
		if whole, err := compact(cut); err != nil { // as it lies in the log
			t.Fatal(err)
		} else if back, err := Restore(whole, s.get); err != nil || !slices.Equal(meaning(in), meaning(back)) {
			t.Fatalf("%v\nin   %.300s\nback %.300s", err, in, back)
		}
	})
}

// The client cuts a command's output at 30,000 characters, also inside an emoji.
func TestRestoreKeepsHalfPairs(t *testing.T) {
	for _, in := range []string{
		`{"tool_response":{"stdout":"` + strings.Repeat("x", 29999) + `\ud83d"}}`,
		`{"a":"\ud83d","tool_response":{"stdout":"` + strings.Repeat("x", 29999) + `","a":1,"a":2,"A":1.50}}`,
		`{"z":1,"y":2,"tool_input":{"content":"` + strings.Repeat("x", 20000) + `\"$$blob"},"y":3}`,
	} {
		s := shelf{}
		cut, err := Cut([]byte(in), s.put)
		if err != nil || len(s) != 1 || len(cut) > 1000 {
			t.Fatalf("%d blobs, %d bytes stay, %v", len(s), len(cut), err)
		}
		if back, err := Restore(cut, s.get); err != nil || string(back) != in {
			t.Errorf("%v\n%.80s\n%.80s", err, in, back)
		}
	}
}

// Members that are doubled survive the cut of an object that is large by its parts.
func TestRestoreKeepsDoubledMembers(t *testing.T) {
	list := "[" + strings.TrimSuffix(strings.Repeat(`"\ud83d",`, 300_000), ",") + "]"
	in := `{"z":1,"tool_response":` + list + `,"a":"\ud83d","tool_response":` + list + `,"z":2}`
	s := shelf{}
	cut, err := Cut([]byte(in), s.put)
	if err != nil || len(s) != 1 || len(cut) > mostData {
		t.Fatalf("%d blobs, %d bytes stay, %v", len(s), len(cut), err)
	}
	if back, err := Restore(cut, s.get); err != nil || string(back) != in {
		t.Errorf("%v: %.80s", err, back)
	}
}

// No blob refers to another: an export, a check and a repair look for references in the log alone.
func TestNoBlobRefersToAnother(t *testing.T) {
	big := `"` + strings.Repeat("y", 20_000) + `"`
	in := `{"a":1,"tool_response":[` + strings.Repeat("1.25,", 1<<20) + big + `,{"$blob":1}],"tool_input":` + big + `,"z":[` + big + `]}`
	s := shelf{}
	cut, err := Cut([]byte(in), s.put)
	if err != nil || len(cut) > mostData {
		t.Fatalf("%d bytes stay, %v", len(cut), err)
	}
	for _, content := range s {
		if strings.Contains(content, string(refStart)) {
			t.Errorf("a blob refers to another: %.80s", content)
		}
	}
	if back, err := Restore(cut, s.get); err != nil || string(back) != in {
		t.Errorf("%v: %.80s", err, back)
	}
}

func TestRestoreNamesABlobOnce(t *testing.T) {
	_, err := Restore([]byte(`{"a":{"$blob":"sha256:00","size":1,"head":"x"}}`), func(digest string) ([]byte, error) { return nil, errors.New(digest + ": no such blob") })
	if err == nil || err.Error() != "blob sha256:00: no such blob" {
		t.Errorf("%v", err)
	}
}

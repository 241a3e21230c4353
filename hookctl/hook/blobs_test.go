package hook

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hookline/events"
	"hookline/expect"
)

// shelf keeps blobs in memory.
type shelf map[string]string

func (s shelf) put(b []byte) (string, error) {
	sum := sha256.Sum256(b)
	digest := "sha256:" + hex.EncodeToString(sum[:])
	s[digest] = string(b)
	return digest, nil
}

func (s shelf) get(digest string) ([]byte, error) {
	b, ok := s[digest]
	if !ok {
		return nil, errors.New("no such blob")
	}
	return []byte(b), nil
}

func same(t expect.T, a, b []byte) {
	if !slices.Equal(meaning(a), meaning(b)) {
		t.Fatalf("want %.200s\ngot  %.200s", a, b)
	}
}

func TestCutLimits(t *testing.T) {
	for _, c := range []struct {
		name, key string
		n         int
		cut       bool
	}{
		{"tool input below", "tool_input", 16<<10 - 1, false},
		{"tool input above", "tool_input", 16<<10 + 1, true},
		{"calls of a batch", "tool_calls", 20 << 10, true},
		{"a huge prompt goes", "prompt", 1<<20 + 1, true},
	} {
		s := shelf{}
		data := fmt.Sprintf(`{"session_id":"s", "%s" : {"a":["%s"]},"z":1}`, c.key, strings.Repeat("x", c.n))
		got, err := Cut([]byte(data), s.put)
		if err != nil || (len(s) == 1) != c.cut || (string(got) == data) == c.cut {
			t.Errorf("%s: %d blobs, %v", c.name, len(s), err)
		}
		if c.cut && len(got) > 600 {
			t.Errorf("%s: %d bytes stay", c.name, len(got))
		}
		back, err := Restore(got, s.get)
		expect.OK(t, err)
		same(t, []byte(data), back)
	}
}

// What stands in the data, byte for byte.
func TestCutReference(t *testing.T) {
	s := shelf{}
	content := "é\n" + strings.Repeat("x", 20000)
	in, _ := json.Marshal(map[string]any{"tool_input": map[string]string{"content": content}})
	got, err := Cut(in, s.put)
	sum := sha256.Sum256([]byte(content))
	want := fmt.Sprintf(`{"tool_input":{"content":{"$blob":"sha256:%x","size":20003,"head":"é\n%s"}}}`, sum, strings.Repeat("x", 254))
	if err != nil || string(got) != want {
		t.Errorf("%v\nwant %s\ngot  %s", err, want, got)
	}
}

func TestCutLeavesWhatIsNoJSON(t *testing.T) {
	for _, data := range []string{
		`{"tool_input":"` + strings.Repeat("x", 20000),         // never closed
		`{"tool_input":"` + strings.Repeat(`\q`, 20000) + `"}`, // no JSON string
		strings.Repeat("[", 20000), strings.Repeat(`"`, 20001), // no JSON
		`{"` + strings.Repeat("k", 20000) + `":1}`, // a key is no content
	} {
		s := shelf{}
		if got, err := Cut([]byte(data), s.put); err != nil || string(got) != data || len(s) != 0 {
			t.Errorf("%.20s: %d blobs, %v", data, len(s), err)
		}
	}
}

func TestCutTellsWhatFailed(t *testing.T) {
	_, err := Cut([]byte(`{"tool_input":"`+strings.Repeat("x", 20000)+`"}`), func([]byte) (string, error) { return "", errors.New("disk full") })
	if err == nil || err.Error() != "store blob: disk full" {
		t.Errorf("%v", err)
	}
}

func TestRestoreNamesTheMissingBlob(t *testing.T) {
	ref := []byte(`{"tool_input":{"$blob":"sha256:00","size":1,"head":"x"}}`)
	for _, err := range []error{errors.New("no such blob"), errors.New("sha256:00: no such blob")} { // named once, by whoever keeps them or here
		_, err := Restore(ref, func(string) ([]byte, error) { return nil, err })
		if err == nil || err.Error() != "blob sha256:00: no such blob" {
			t.Errorf("%v", err)
		}
	}
	if got, err := Restore([]byte(`{"a":1 }`), shelf{}.get); err != nil || string(got) != `{"a":1 }` {
		t.Errorf("%s %v", got, err) // without blobs it is not touched
	}
}

// meaning is JSON as the sequence of its tokens: numbers and punctuation as they are spelled, strings as
// their UTF-16 units, so that order, doubled members and half surrogate pairs count and spelling does not.
func meaning(b []byte) []string {
	var tokens []string
	for i := 0; i < len(b); i++ {
		token := string(b[i])
		if token == `"` {
			end := events.StringEnd(b, i)
			_ = json.Unmarshal(surrogates.ReplaceAllFunc(b[i:end+1], halves), &token) // valid where it is asked for
			token = "text " + token
			i = end
		}
		if strings.TrimSpace(token) != "" {
			tokens = append(tokens, token)
		}
	}
	return tokens
}

// surrogates are escapes of whole pairs, of halves, and of the backslash, after which no escape begins.
var surrogates = regexp.MustCompile(`(?i)\\\\|\\ud[89ab]..\\ud[c-f]..|\\ud[89a-f]..`)

// halves writes half a pair as text, which no decoder replaces.
func halves(escape []byte) []byte {
	if len(escape) != len(`\ud83d`) {
		return escape
	}
	return []byte("half " + strings.ToLower(string(escape[2:])))
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
		var whole bytes.Buffer // as it lies in the log
		expect.OK(t, json.Compact(&whole, cut))
		same(t, in, expect.Value(Restore(whole.Bytes(), s.get))(t))
	})
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

// Valid JSON stays valid and means the same, anything else comes back as it is or with valid references.
func FuzzCut(f *testing.F) {
	big := strings.Repeat("x", 17000)
	for _, s := range []string{
		`{"hook_event_name":"PostToolUse","tool_input":{"file_path":"/p/a.go","content":"` + big + `"},"tool_response":{"originalFile":"` + big + `\n"}}`,
		`{"tool_calls":[{"tool_response":"` + strings.Repeat(`\u00e9`, 4000) + `"}]}`,
		`{"tool_input":"` + big, `{"tool_input":"` + big + `\"`, `{"tool_\u0069nput":"` + big + `"}`, `[{"tool_input":"` + big + `"}]`,
		`{"tool_input":"\ud800` + big + `"}`, "{\"tool_input\":\"\xff" + big + `"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := shelf{}
		cut := expect.Value(Cut(data, s.put))(t)
		expect.EqualNow(t, json.Valid(data), json.Valid(cut), "validity", "became")
		if !json.Valid(data) {
			return
		}
		back := expect.Value(Restore(cut, s.get))(t)
		same(t, data, back)
	})
}

// Of what a tool gave back the end stays in the event, too: it says how a command went.
func TestEndOfAnOutput(t *testing.T) {
	output := strings.Repeat("x", BlobOver) + strings.Repeat("é", 2*tailChars) + "\nFAIL"
	data := expect.Value(json.Marshal(map[string]any{"tool_input": map[string]string{"content": output + "."}, "tool_response": map[string]string{"stdout": output}}))(t)
	put := func([]byte) (string, error) { return "sha256:00", nil }
	cut := expect.Value(Cut(data, put))(t)

	want := strings.Repeat("é", tailChars-5) + "\nFAIL"
	stdout := events.Member(events.Member(cut, "tool_response"), "stdout")
	if got := events.Content(stdout).Tail(); got != want {
		t.Errorf("end of an output = %.40q, want %.40q", got, want)
	}
	content := events.Member(events.Member(cut, "tool_input"), "content")
	if got := events.Content(content).Tail(); got != "" {
		t.Errorf("end of an input = %.40q, want none", got)
	}
}

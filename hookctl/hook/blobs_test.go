package hook

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

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

func same(t interface{ Fatalf(string, ...any) }, a, b []byte) {
	if x, y := value(t, a), value(t, b); !reflect.DeepEqual(x, y) {
		t.Fatalf("want %.200s\ngot  %.200s", a, b)
	}
}

func value(t interface{ Fatalf(string, ...any) }, b []byte) any {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%v in %.200s", err, b)
	}
	return v
}

func TestCutLimits(t *testing.T) {
	for _, c := range []struct {
		name, key string
		n         int
		cut       bool
	}{
		{"tool input below", "tool_input", 16<<10 - 1, false},
		{"tool input above", "tool_input", 16<<10 + 1, true},
		{"tool response", "tool_response", 20 << 10, true},
		{"calls of a batch", "tool_calls", 20 << 10, true},
		{"a prompt stays", "prompt", 100 << 10, false},
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

func TestCutStoresTheSameOnce(t *testing.T) {
	s := shelf{}
	big := strings.Repeat("x", 20000)
	calls := 0
	_, err := Cut([]byte(`{"tool_input":{"content":"`+big+`"},"tool_response":{"content":"`+big+`"}}`), func(b []byte) (string, error) { calls++; return s.put(b) })
	if err != nil || len(s) != 1 || calls != 1 { // equal literals in a row are one
		t.Errorf("%d blobs by %d calls, %v", len(s), calls, err)
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

// A value that is large by its number of parts goes to a blob whole.
func TestCutManyParts(t *testing.T) {
	var b bytes.Buffer
	b.WriteString(`{"hook_event_name":"PostToolUse","tool_response":[`)
	for i := 0; b.Len() < 6<<20; i++ {
		fmt.Fprintf(&b, "%d,", 123456789012345678+i)
	}
	b.WriteString(`"<&>"],"session_id":"s","tool_input":{"a":"` + strings.Repeat("y", 20000) + `"}}`)
	s := shelf{}
	got, err := Cut(b.Bytes(), s.put)
	if err != nil || len(got) > 2000 || len(s) != 2 {
		t.Fatalf("%d bytes, %d blobs, %v", len(got), len(s), err)
	}
	back, err := Restore(got, s.get)
	expect.OK(t, err)
	same(t, b.Bytes(), back)
}

func TestRestoreNamesTheMissingBlob(t *testing.T) {
	_, err := Restore([]byte(`{"tool_input":{"$blob":"sha256:00","size":1,"head":"x"}}`), shelf{}.get)
	if err == nil || err.Error() != "blob sha256:00: no such blob" {
		t.Errorf("%v", err)
	}
	if got, err := Restore([]byte(`{"a":1 }`), shelf{}.get); err != nil || string(got) != `{"a":1 }` {
		t.Errorf("%s %v", got, err) // without blobs it is not touched
	}
}

func TestHeadOf(t *testing.T) {
	for _, s := range []string{"", "a", strings.Repeat("é", 256)} {
		expect.Equal(t, headOf(s), s)
	}
	if got := headOf(strings.Repeat("🙂", 257)); got != strings.Repeat("🙂", 256) {
		t.Errorf("%d bytes", len(got))
	}
}

func TestStringEnd(t *testing.T) {
	for _, c := range []struct {
		s    string
		want int
	}{{`""`, 1}, {`"a"`, 2}, {`"\""`, 3}, {`"\\"`, 3}, {`"\\\""`, 5}, {`"a`, 2}, {`"a\"`, 4}, {`"`, 1}} {
		expect.Equal(t, stringEnd([]byte(c.s), 0), c.want, c.s)
	}
}

// drawn is a random JSON object with strings around the limits in it.
func drawn(t *rapid.T, depth int) any {
	kinds := 6
	if depth > 3 {
		kinds = 4
	}
	switch rapid.IntRange(0, kinds).Draw(t, "kind") {
	case 0:
		return nil
	case 1:
		return json.Number(rapid.SampledFrom([]string{"0", "-1.5", "12345678901234567890", "1e300"}).Draw(t, "number"))
	case 2, 3:
		unit := rapid.SampledFrom([]string{"x", "é", "\\", "\"", "🙂", "\n", "<", "\u2028", "$blob", "\"$blob\"", "\\\"$$blob\":"}).Draw(t, "unit")
		return strings.Repeat(unit, rapid.SampledFrom([]int{0, 1, 300, 5000, 16384, 17000}).Draw(t, "size"))
	case 4:
		return rapid.Bool().Draw(t, "bool")
	case 5:
		list := []any{}
		for range rapid.IntRange(0, 4).Draw(t, "n") {
			list = append(list, drawn(t, depth+1))
		}
		return list
	}
	return object(t, depth+1)
}

func object(t *rapid.T, depth int) map[string]any {
	m := map[string]any{}
	for range rapid.IntRange(0, 5).Draw(t, "members") {
		m[rapid.SampledFrom([]string{"tool_input", "tool_response", "tool_calls", "prompt", "a", "b\"", "é", "$blob", "$$blob", "$"}).Draw(t, "key")] = drawn(t, depth)
	}
	return m
}

func TestCutAndRestoreProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(rapid.Bool().Draw(t, "escape"))
		if rapid.Bool().Draw(t, "indent") {
			enc.SetIndent(" ", "\t")
		}
		expect.OK(t, enc.Encode(object(t, 0)))
		s := shelf{}
		cut, err := Cut(b.Bytes(), s.put)
		if err != nil || !json.Valid(cut) {
			t.Fatalf("%v: %.200s", err, cut)
		}
		back, err := Restore(cut, s.get)
		expect.OK(t, err)
		same(t, b.Bytes(), back)
	})
}

// Content that looks like our own references is content.
func TestCutTellsLookalikes(t *testing.T) {
	for _, data := range []string{
		`{"tool_response":{"$blob":"sha256:00","size":1,"head":"x"}}`,
		`{"a":[{"$$blob":"x"},{"$$$blob":{"$blob":1}}]}`,
		`{"a":"$blob","b":"\"$blob\"","c":"\"$$blob\": 1","$blob":"$blob"}`,
		`{"\u0024blob":"sha256:00","$bl\u006fb":"x"}`,
		`{"\u0024blob":"sha256:00","tool_input":"` + strings.Repeat("x", 20000) + `"}`,
		`{"tool_input":"{\"$blob\":\"sha256:00\"} ` + strings.Repeat("x", 20000) + `","$blob":"y"}`,
	} {
		s := shelf{}
		cut, err := Cut([]byte(data), s.put)
		expect.OK(t, err)
		back, err := Restore(cut, s.get)
		if err != nil {
			t.Errorf("%.100s: %v", data, err)
			continue
		}
		if string(back) != data && !reflect.DeepEqual(value(t, []byte(data)), value(t, back)) {
			t.Errorf("%.100s came back as %.100s", data, back)
		}
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

package transcript

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookline/expect"
)

// answer is a line of an answer whose context had so many tokens.
func answer(id string, tokens int, text string) string {
	return fmt.Sprintf(`{"type":"assistant","message":{"model":"claude-opus-5-5","id":%q,"content":[{"type":"text","text":%q}],"usage":{"input_tokens":1,"output_tokens":2,"cache_read_input_tokens":%d,"cache_creation_input_tokens":3}}}`, id, text, tokens-6) + "\n"
}

func TestLastUse(t *testing.T) {
	const boundary = `{"type":"system","subtype":"compact_boundary","content":"Conversation compacted"}` + "\n"
	quoted := `{"type":"user","message":{"role":"user","content":"{\"type\":\"assistant\"} and \"compact_boundary\""}}` + "\n"
	for _, c := range []struct {
		name, text string
		tokens     int64
		said       string
		err        error
	}{
		{"the last answer", answer("m1", 100, "one") + answer("m2", 200, "two") + quoted, 200, "two", nil},
		{"a subagent's is another context", answer("m1", 100, "one") + strings.Replace(answer("m2", 900, "x"), "{", `{"isSidechain":true,`, 1), 100, "one", nil},
		{"an error of the API", answer("m1", 100, "one") + strings.Replace(answer("m2", 900, "x"), "{", `{"isApiErrorMessage":true,`, 1), 100, "one", nil},
		{"the client's own words", answer("m1", 100, "one") + strings.Replace(answer("m2", 900, "x"), "claude-opus-5-5", "<synthetic>", 1), 100, "one", nil},
		{"only a call in the last: the words before it", answer("m1", 100, "one") + strings.Replace(answer("m2", 200, ""), `"text":""`, `"text":" "`, 1), 200, "one", nil},
		{"a compaction", answer("m1", 100, "one") + boundary, 0, "", nil},
		{"after a compaction", answer("m1", 100, "one") + boundary + answer("m2", 40, "two"), 40, "two", nil},
		{"a torn line", answer("m1", 100, "one") + `{"type":"assistant","mess`, 100, "one", nil},
		{"nothing", "", 0, "", ErrNoAnswer},
	} {
		path := filepath.Join(t.TempDir(), "t.jsonl")
		write(t, path, c.text)
		u, _, err := LastUse(path, 0)
		if u.Tokens != c.tokens || u.Said != c.said || !errors.Is(err, c.err) {
			t.Errorf("%s: %+v, %v", c.name, u, err)
		}
	}
}

// What was read is not read again, what was torn is, and a file that was replaced is another one.
func TestLastUseGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.jsonl")
	first, second := answer("m1", 100, "one"), answer("m2", 200, "two")
	write(t, path, first+second[:20])
	u, offset, err := LastUse(path, 0)
	if err != nil || u.Tokens != 100 || offset != int64(len(first)) {
		t.Fatalf("%+v, %d, %v", u, offset, err)
	}
	if _, again, err := LastUse(path, offset); !errors.Is(err, ErrNoAnswer) || again != offset {
		t.Errorf("%d, %v", again, err)
	}
	write(t, path, first+second)
	if u, offset, err = LastUse(path, offset); err != nil || u.Tokens != 200 || offset != int64(len(first+second)) {
		t.Errorf("%+v, %d, %v", u, offset, err)
	}
	write(t, path, first)
	if u, _, err = LastUse(path, offset); err != nil || u.Tokens != 100 {
		t.Errorf("a shorter file: %+v, %v", u, err)
	}
	if _, _, err := LastUse(filepath.Join(t.TempDir(), "none"), 0); !os.IsNotExist(err) {
		t.Errorf("%v", err)
	}
}

// Of a large transcript only the end is read: what is before it does not matter.
func TestLastUseOfALargeFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.jsonl")
	f, err := os.Create(path)
	expect.OK(t, err)
	defer f.Close()
	expect.OK(t, f.Truncate(100<<20))
	large := `{"type":"user","message":{"content":"` + strings.Repeat("x", 300<<10) + `"}}` + "\n"
	end := "\n" + answer("m1", 420000, "here") + large
	expect.Value(f.WriteAt([]byte(end), 100<<20))(t)
	u, offset, err := LastUse(path, 0)
	if err != nil || u.Tokens != 420000 || offset != int64(100<<20+len(end)) {
		t.Errorf("%+v, %d, %v", u, offset, err)
	}
}

func FuzzLastUse(f *testing.F) {
	f.Add([]byte(answer("m1", 100, "one")), int64(0))
	f.Add([]byte("\n\n"), int64(1))
	f.Add([]byte(`{"type":"assistant","message":{"content":7,"usage":[]}}`+"\n"), int64(0))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte, offset int64) {
		path := filepath.Join(dir, "t.jsonl")
		expect.OK(t, os.WriteFile(path, text, 0o600))
		offset = max(0, min(offset, int64(len(text))))
		if _, end, _ := LastUse(path, offset); end < offset || end > int64(len(text)) {
			t.Errorf("from %d to %d of %d", offset, end, len(text))
		}
	})
}

package wire

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"hookline/expect"
)

var never = Patience{Quiet: time.Hour, Whole: time.Hour}

func TestReadValue(t *testing.T) {
	deep := strings.Repeat(`{"a":[`, 5000) + strings.Repeat(`]}`, 5000)
	for _, c := range []struct {
		name, in, body string
		complete       bool
		note           string
	}{
		{"object", `{"a":1}` + "\n", `{"a":1}`, true, ""},
		{"byte order mark and blanks", "\xEF\xBB\xBF \r\n\t{}", `{}`, true, ""},
		{"brackets in strings", `{"a":"}]\"}","b":"\\"}`, `{"a":"}]\"}","b":"\\"}`, true, ""},
		{"two values", `{"a":1} {"b":2}`, `{"a":1}`, true, ""},
		{"string", `"a\"b" `, `"a\"b"`, true, ""},
		{"number at the end", `-12.5e3`, `-12.5e3`, true, ""},
		{"10,000 levels", deep, deep, true, ""},
		{"empty", "", "", false, "no input"},
		{"truncated behind a backslash", `{"a":"b\`, `{"a":"b\`, false, "input ended inside the value"},
		{"no JSON", "hello {}", "hello {}", true, ""},
		{"invalid UTF-8", "{\"a\":\"\xff\xfe\"}", "{\"a\":\"\xff\xfe\"}", true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{
				"at once":       strings.NewReader(c.in),
				"byte by byte":  iotest.OneByteReader(strings.NewReader(c.in)),
				"end with data": iotest.DataErrReader(strings.NewReader(c.in)),
			} {
				got := ReadValue(r, Limit, never)
				expect.Equal(t, string(got.Body), c.body, how, "body")
				expect.Equal(t, got.Size, int64(len(c.body)), how, "size")
				expect.Equal(t, got.Complete, c.complete, how, "complete")
				expect.Equal(t, got.Note, c.note, how, "note")
			}
		})
	}
}

// At either deadline the value is left as it is.
func TestReadValueDeadline(t *testing.T) {
	for _, patience := range []Patience{
		{Quiet: 50 * time.Millisecond, Whole: time.Minute},
		{Quiet: time.Minute, Whole: 50 * time.Millisecond},
	} {
		r, w := net.Pipe()
		go func() { _, _ = io.WriteString(w, `{"a":"`) }() // the reader may be gone
		got := ReadValue(r, Limit, patience)
		expect.Equal(t, string(got.Body), `{"a":"`, "body")
		expect.Equal(t, got.Complete, false, "complete")
		expect.Equal(t, got.Note, "input not complete at the deadline", "note")
		r.Close()
	}
}

func TestReadValueAboveLimit(t *testing.T) {
	const limit = 2 << 20
	const above = "above the limit, only the head was kept"
	for _, c := range []struct {
		size, kept int
		complete   bool
		note       string
	}{
		{limit, limit, true, ""},
		{limit + 1, 1 << 20, false, above},
		{3*limit + 7, 1 << 20, false, above},
	} {
		in := `"` + strings.Repeat("x", c.size-2) + `"`
		got := ReadValue(strings.NewReader(in+" {}"), limit, never)
		expect.Equal(t, got.Size, int64(c.size), "size")
		expect.Equal(t, got.Complete, c.complete, "complete, of", c.size, "bytes")
		expect.Equal(t, got.Note, c.note, "note, of", c.size, "bytes")
		expect.Equal(t, string(got.Body), in[:c.kept], "body, of", c.size, "bytes")
	}
}

func TestReadValueError(t *testing.T) {
	broken := io.MultiReader(strings.NewReader(`{"a"`), iotest.ErrReader(io.ErrClosedPipe))
	got := ReadValue(broken, Limit, never)
	expect.Equal(t, string(got.Body), `{"a"`, "body")
	expect.Equal(t, got.Complete, false, "complete")
	expect.Equal(t, got.Note, "read: io: read/write on closed pipe", "note")
}

// For every valid object, array or string, followed by anything, exactly the value is returned.
func FuzzReadValue(f *testing.F) {
	for _, text := range []string{
		`{"a":"b\\"}`, `[1,{"x":"\""}]`, `"s"`, "{\"prompt\":\"a\u00e9\\u0000\"}", `{`, ``, ` 1`, `nul`,
	} {
		f.Add([]byte(text), []byte(`{"tail":1}`), uint8(3))
	}
	payloads, _ := filepath.Glob(filepath.Join(os.Getenv("HOOKLINE_PAYLOADS"), "*.json"))
	for _, path := range payloads {
		if data, err := os.ReadFile(path); err == nil {
			f.Add(data, []byte("\n"), uint8(100))
		}
	}
	f.Fuzz(func(t *testing.T, doc, tail []byte, piece uint8) {
		in := append(bytes.Clone(doc), tail...)
		got := ReadValue(&pieces{in, int(piece) + 1}, Limit, never)
		expect.EqualNow(t, int(got.Size), len(got.Body), "size")
		if !bytes.Contains(in, got.Body) {
			t.Fatalf("body %q is no part of the input %q", got.Body, in)
		}

		want := bytes.TrimLeft(doc, "\xEF\xBB\xBF \t\r\n")
		want = bytes.TrimRight(want, " \t\r\n")
		delimited := len(want) > 0 && strings.IndexByte(`{["`, want[0]) >= 0
		if delimited && json.Valid(want) {
			expect.EqualNow(t, string(got.Body), string(want), "body")
			expect.EqualNow(t, got.Complete, true, "complete")
		}
	})
}

// pieces reads n bytes at a time.
type pieces struct {
	data []byte
	n    int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.data) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.data[:min(p.n, len(p.data))])
	p.data = p.data[n:]
	return n, nil
}

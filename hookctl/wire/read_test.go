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
				"at once": strings.NewReader(c.in), "byte by byte": iotest.OneByteReader(strings.NewReader(c.in)),
				"end with data": iotest.DataErrReader(strings.NewReader(c.in)),
			} {
				got := ReadValue(r, Limit, never)
				if string(got.Body) != c.body || got.Size != int64(len(c.body)) || got.Complete != c.complete || got.Note != c.note {
					t.Errorf("%s: %.60q size %d complete %v note %q", how, got.Body, got.Size, got.Complete, got.Note)
				}
			}
		})
	}
}

// The end of either patience is no part of the value.
func TestReadValueDeadline(t *testing.T) {
	for _, patience := range []Patience{{Quiet: 50 * time.Millisecond, Whole: time.Minute}, {Quiet: time.Minute, Whole: 50 * time.Millisecond}} {
		r, w := net.Pipe()
		go func() { _, _ = io.WriteString(w, `{"a":"`) }() // the reader may be gone
		if got := ReadValue(r, Limit, patience); got.Complete || got.Note == "" || string(got.Body) != `{"a":"` {
			t.Errorf("%+v", got)
		}
		r.Close()
	}
}

func TestReadValueAboveLimit(t *testing.T) {
	const limit = 2 << 20
	for _, size := range []int{limit, limit + 1, 3*limit + 7} {
		in := `"` + strings.Repeat("x", size-2) + `"`
		got := ReadValue(strings.NewReader(in+" {}"), limit, never)
		over := size > limit
		if got.Size != int64(size) || got.Complete == over || over != (got.Note == "above the limit, only the head was kept") {
			t.Errorf("%d: size %d complete %v note %q", size, got.Size, got.Complete, got.Note)
		}
		if over && (len(got.Body) != 1<<20 || !strings.HasPrefix(in, string(got.Body))) {
			t.Errorf("%d: head of %d bytes", size, len(got.Body))
		}
	}
}

func TestReadValueError(t *testing.T) {
	got := ReadValue(io.MultiReader(strings.NewReader(`{"a"`), iotest.ErrReader(io.ErrClosedPipe)), Limit, never)
	if string(got.Body) != `{"a"` || got.Complete || got.Note != "read: io: read/write on closed pipe" {
		t.Errorf("%+v", got)
	}
}

// For every valid object, array or string, followed by anything, exactly the value is returned.
func FuzzReadValue(f *testing.F) {
	for _, s := range []string{`{"a":"b\\"}`, `[1,{"x":"\""}]`, `"s"`, "{\"prompt\":\"a\u00e9\\u0000\"}", `{`, ``, ` 1`, `nul`} {
		f.Add([]byte(s), []byte(`{"tail":1}`), uint8(3))
	}
	payloads, _ := filepath.Glob(filepath.Join(os.Getenv("HOOKLINE_PAYLOADS"), "*.json"))
	for _, path := range payloads {
		if data, err := os.ReadFile(path); err == nil {
			f.Add(data, []byte("\n"), uint8(100))
		}
	}
	f.Fuzz(func(t *testing.T, doc, tail []byte, piece uint8) {
		want := bytes.TrimLeft(doc, "\xEF\xBB\xBF \t\r\n")
		in := append(bytes.Clone(doc), tail...)
		got := ReadValue(&pieces{in, int(piece) + 1}, Limit, never)
		if int(got.Size) != len(got.Body) || !bytes.Contains(in, got.Body) {
			t.Fatalf("body is no part of the input: %+v", got)
		}
		want = bytes.TrimRight(want, " \t\r\n")
		if json.Valid(want) && strings.IndexByte(`{["`, want[0]) >= 0 && (!got.Complete || !bytes.Equal(got.Body, want)) {
			t.Fatalf("want %q got %+v", want, got)
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

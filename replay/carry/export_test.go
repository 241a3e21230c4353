package carry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"hookline/events"
	"hookline/expect"
)

var made = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

// pack compresses as the command line does.
func pack(t testing.TB, plain []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
	if err == nil {
		_, err = z.Write(plain)
	}
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// written is an export of these items.
func written(t testing.TB, items ...Item) []byte {
	t.Helper()
	var b bytes.Buffer
	n := uint64(0)
	for _, it := range items {
		if it.Event != nil {
			n++
		}
	}
	w, err := NewWriter(&b, Header{Build: "0.1.0", Created: made, Events: n, From: From{First: 1, Last: n}})
	for _, it := range items {
		if it.Event != nil {
			err = errors.Join(err, w.Event(*it.Event))
		} else {
			err = errors.Join(err, w.Blob(*it.Blob))
		}
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// items reads everything until an error, which is io.EOF for a whole file.
func items(file []byte) ([]Item, error) {
	r, err := OpenExport(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var out []Item
	for {
		it, err := r.Next()
		if err != nil {
			return out, err
		}
		out = append(out, it)
	}
}

func event(seq uint64, data string) Item {
	rec := events.NewRecord(seq, events.Envelope{ID: fmt.Sprintf("01KAJ3Z8T0V9Q4XW2N6M5R%04d", seq), Type: events.TypeTurnStopped, Version: 1,
		Time: made, Session: "s-1", Project: "p", Branch: "a<b>&c", Correlation: "s-1", Data: json.RawMessage(data)})
	rec.Appended = made.Add(time.Millisecond)
	return Item{Event: &rec}
}

const hello = "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

// greeting is a content of five bytes.
var greeting = Item{Blob: &Blob{Digest: hello, Content: []byte("hello")}}

func TestFormat(t *testing.T) {
	got := string(written(t, greeting, event(7, `{"a":"<x> & y"}`), event(8, "{\n}")))
	want := `{"hookline_export":1,"build":"0.1.0","created":"2026-11-21T08:00:00Z","events":2,"from":{"first":1,"last":2}}
{"$blob":"sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824","content":"hello"}
{"seq":7,"appended":"2026-11-21T08:00:00.001Z","id":"01KAJ3Z8T0V9Q4XW2N6M5R0007","type":"turn.stopped","version":1,"time":"2026-11-21T08:00:00Z","session":"s-1","project":"p","branch":"a\u003cb\u003e\u0026c","correlation":"s-1","data":{"a":"<x> & y"}}
{"seq":8,"appended":"2026-11-21T08:00:00.001Z","id":"01KAJ3Z8T0V9Q4XW2N6M5R0008","type":"turn.stopped","version":1,"time":"2026-11-21T08:00:00Z","session":"s-1","project":"p","branch":"a\u003cb\u003e\u0026c","correlation":"s-1","data":{},"data_base64":"ewp9"}
{"end":true,"events":2,"blobs":1,"sha256":"`
	if !strings.HasPrefix(got, want) || len(got) != len(want)+64+len("\"}\n") {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// Wherever a file is cut, nothing of it passes for whole.
func TestTruncated(t *testing.T) {
	plain := written(t, greeting, event(1, `{"a":1}`), event(2, `{}`))
	for name, file := range map[string][]byte{"plain": plain, "zstd": pack(t, plain)} {
		for n := range len(file) {
			if _, err := items(file[:n]); !errors.Is(err, ErrTruncated) && !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNotExport) {
				t.Fatalf("%s cut at %d of %d: %v", name, n, len(file), err)
			}
		}
	}
	if got, err := items(plain[:len(plain)-20]); !errors.Is(err, ErrTruncated) || len(got) != 3 {
		t.Errorf("without its end: %d items, %v", len(got), err)
	}
}

// No changed byte passes either.
func TestDamaged(t *testing.T) {
	file := written(t, greeting, event(1, `{"a":1}`), event(2, `{}`))
	for i := range file {
		bad := bytes.Clone(file)
		bad[i] ^= 1
		if _, err := items(bad); errors.Is(err, io.EOF) {
			t.Errorf("byte %d: %.60q is taken", i, bad[max(0, i-30):min(len(bad), i+30)])
		}
	}
}

func TestRefused(t *testing.T) {
	whole := string(written(t, event(1, `{}`)))
	head, rest, _ := strings.Cut(whole, "\n")
	for name, c := range map[string]struct {
		file string
		want error
	}{
		"nothing":         {"", ErrTruncated},
		"another file":    {"hello\n", ErrNotExport},
		"a later format":  {strings.Replace(head, `"hookline_export":1`, `"hookline_export":2`, 1) + "\n" + rest, ErrNewer},
		"format 0":        {strings.Replace(head, `"hookline_export":1`, `"hookline_export":0`, 1) + "\n" + rest, ErrNotExport},
		"more behind":     {whole + "x", ErrDamaged},
		"a line left out": {head + "\n" + rest[strings.Index(rest, "\n")+1:], ErrDamaged},
		"an unknown line": {head + "\n{}\n" + rest, ErrDamaged},
		"a false digest":  {head + "\n" + `{"$blob":"sha256:00","content":""}` + "\n" + rest, ErrDamaged},
	} {
		if _, err := items([]byte(c.file)); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestWriterCounts(t *testing.T) {
	w := expect.Value(NewWriter(io.Discard, Header{Events: 2}))(t)
	expect.OK(t, w.Event(*event(1, "{}").Event))
	if err := w.Close(); err == nil || !strings.Contains(err.Error(), "1 events were written and 2 announced") {
		t.Error(err)
	}
}

// Any bytes come back as they were.
func TestRoundTripProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var given []Item
		for i := range rapid.IntRange(0, 8).Draw(rt, "n") {
			if rapid.Bool().Draw(rt, "blob") {
				content := rapid.SliceOf(rapid.Byte()).Draw(rt, "content")
				given = append(given, Item{Blob: &Blob{Digest: digestOf(content), Content: content}})
				continue
			}
			value := expect.Value(json.Marshal(map[string]string{rapid.String().Draw(rt, "name"): rapid.String().Draw(rt, "value")}))(rt)
			data := rapid.SampledFrom([]string{string(value), "{\r\n \"a\": 1\r\n}", "no JSON", `{"x":[1.50,"é\u00e9"]}`}).Draw(rt, "data")
			given = append(given, event(uint64(i+1), data))
		}
		file := written(t, given...)
		if rapid.Bool().Draw(rt, "zstd") {
			file = pack(t, file)
		}
		got, err := items(file)
		if !errors.Is(err, io.EOF) || len(got) != len(given) {
			rt.Fatalf("%d of %d, %v", len(got), len(given), err)
		}
		for i := range got {
			if b := got[i].Blob; b != nil && !bytes.Equal(b.Content, given[i].Blob.Content) || b == nil && !reflect.DeepEqual(got[i], given[i]) {
				rt.Fatalf("item %d", i)
			}
		}
	})
}

// The golden file is what lies on users' disks, with an event of every type that there was when it was written.
func TestGoldenFormat1(t *testing.T) {
	name := filepath.Join("testdata", "format1.ndjson.zst")
	file := expect.Value(os.ReadFile(name))(t)
	r, err := OpenExport(bytes.NewReader(file))
	expect.OK(t, err)
	defer r.Close()
	if h := r.Header(); h.Format != 1 || h.Build != "0.1.0" || !h.Created.Equal(made) || h.Events < 60 {
		t.Errorf("header %+v", h)
	}
	types := map[string]bool{}
	for {
		it, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		expect.OK(t, err)
		if it.Event == nil {
			continue
		}
		types[it.Event.Type] = true
		if u, unknown := it.Event.Event.(*events.Unknown); unknown && it.Event.Type != "future.event" {
			t.Errorf("%s is not decoded: %s", it.Event.Type, u.Reason)
		}
	}
	n, blobs := r.Read()
	if uint64(len(types)) != n || blobs != 2 || !types["session.started"] || !types["tool.succeeded"] || !types["future.event"] {
		t.Errorf("%d events of %d types, %d blobs", n, len(types), blobs)
	}
}

// A file that has no line end is refused before it is in memory.
func TestExportWithoutLineEnd(t *testing.T) {
	if _, err := OpenExport(strings.NewReader(strings.Repeat("x", 17<<20))); !errors.Is(err, ErrNotExport) {
		t.Error(err)
	}
}

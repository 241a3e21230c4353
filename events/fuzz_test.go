package events

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"hookline/expect"
)

// goldenLines are the golden records as single lines: the seeds.
func goldenLines(f *testing.F) [][]byte {
	f.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "golden", "*.json"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no golden records: %v", err)
	}
	var lines [][]byte
	for _, name := range files {
		file := expect.Value(os.ReadFile(name))(f)
		var line bytes.Buffer
		expect.OK(f, json.Compact(&line, file))
		lines = append(lines, line.Bytes())
	}
	return lines
}

// FuzzDecode: whatever the type, the version and the data are, an event of that name comes out, and
// what could be typed is encoded and decoded again without change.
func FuzzDecode(f *testing.F) {
	for _, line := range goldenLines(f) {
		var env Envelope
		expect.OK(f, json.Unmarshal(line, &env))
		f.Add(env.Type, env.Version, []byte(env.Data))
	}
	for _, data := range []string{``, `null`, `[]`, `{"session_id":7}`, `{"tool_input":{"a":[[[[]]]]}}`, `{"cwd":"\ud800"}`, "{\"cwd\":\"\xff\x00\"}"} {
		f.Add(TypeToolRequested, 1, []byte(data))
	}
	f.Fuzz(func(t *testing.T, typ string, version int, data []byte) {
		given := bytes.Clone(data)
		e := Decode(typ, version, data)
		if e == nil || e.Type() != typ {
			t.Fatalf("%q became %v", typ, e)
		}
		if !bytes.Equal(data, given) {
			t.Fatal("the data was changed")
		}
		if _, ok := e.(*Unknown); ok || !json.Valid(data) { // raw members are taken as they stand
			return
		}
		once, err := json.Marshal(e)
		if err != nil {
			t.Fatalf("%s cannot be encoded: %v", typ, err)
		}
		twice, err := json.Marshal(Decode(typ, version, once))
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%v\n%s\n%s", err, once, twice)
		}
	})
}

// FuzzRecord: a line is refused or taken; what was taken is written, and read again without change.
func FuzzRecord(f *testing.F) {
	for _, line := range goldenLines(f) {
		f.Add(line)
	}
	for _, line := range []string{``, `{}`, `[]`, `{"seq":-1}`, `{"type":"quota.warned","version":2,"data":{"a":1}}`,
		`{"data":null,"facts":null}`, `{"facts":{}}`, `{"appended":"0001-01-01T00:00:00Z"}`, `{"time":"2026-11-21T07:52:00.1+14:00"}`} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var r Record
		if json.Unmarshal(line, &r) != nil {
			return
		}
		if r.Event == nil || r.Event.Type() != r.Type {
			t.Fatalf("%q became %v", r.Type, r.Event)
		}
		once, err := json.Marshal(r)
		if err != nil {
			t.Fatalf("%+v cannot be written: %v", r, err)
		}
		var again Record
		if err := json.Unmarshal(once, &again); err != nil {
			t.Fatalf("%s cannot be read: %v", once, err)
		}
		twice, err := json.Marshal(again)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%v\n%s\n%s", err, once, twice)
		}
	})
}

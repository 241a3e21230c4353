package events

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"hookline/expect"
)

// update writes the golden records of the newest versions. Those of older versions are what lies in
// users' logs: they are never written again.
var update = flag.Bool("update", false, "write testdata/golden")

// samples has one event of every type, by wire name: those that are written out, and of each other type one with
// every field filled.
func samples(t *testing.T) map[string]Event {
	t.Helper()
	all := map[string]Event{}
	for _, e := range append(hookSamples(), derivedSamples()...) {
		if all[e.Type()] != nil {
			t.Fatalf("two samples of %s", e.Type())
		}
		all[e.Type()] = e
	}
	for _, k := range Catalog() {
		if all[k.Type] == nil {
			e := k.New()
			fill(reflect.ValueOf(e).Elem(), "sample")
			all[k.Type] = e
		}
	}
	return all
}

// goldenFile is <type>.json for version 1 and <type>.v<n>.json for the later ones, so that a new
// version adds a file and changes none.
func goldenFile(typ string, version int) string {
	if version > 1 {
		typ = fmt.Sprintf("%s.v%d", typ, version)
	}
	return filepath.Join("testdata", "golden", typ+".json")
}

// sampleRecord is a record with every envelope field set around e.
func sampleRecord(t *testing.T, k Kind, e Event) Record {
	t.Helper()
	data := expect.Value(json.Marshal(e))(t)
	at := time.Date(2026, 11, 21, 7, 52, 0, 123_000_000, time.UTC)
	env := Envelope{
		ID: "01KAJ3Z8T0V9Q4XW2N6M5R7S1C", Type: k.Type, Version: k.Version(), Time: at,
		Session: sampleSession, Project: "1f3a90c2b7de", Worktree: "/project", Branch: "feature/raw-strings", Phase: "SESSION_RUNNING",
		Hook: k.Hook, ToolUseID: sampleCall, AgentID: "aaad9d192cebba430", Correlation: sampleSession,
		Causation: "01KAJ3Z8T0V9Q4XW2N6M5R7S1B", Redacted: 2, Data: data,
		Facts: &Facts{PID: 4711, PIDStart: 889231, Client: "2.1.329", Entrypoint: "cli", LaunchDir: "/project",
			Note: "session id of 5000 characters cut to 100", Profile: "consciousness brief", Spooled: true, Captured: at.UnixMilli() + 5,
			Ephemeral: true, Truncated: 71303168, Digest: sampleDigest, Natural: "/usr/local/bin/hookctl"},
	}
	return Record{Seq: 48212, Appended: at.Add(4 * time.Millisecond), Envelope: env, Event: e}
}

func TestGolden(t *testing.T) {
	all := samples(t)
	for _, k := range Catalog() {
		e := all[k.Type]
		expect.Equal(t, empty(reflect.ValueOf(e).Elem(), k.Type), "", "the sample leaves a field empty")
		if *update {
			writeGolden(t, k, e)
		}
		for v := 1; v <= k.Version(); v++ {
			t.Run(fmt.Sprintf("%s/v%d", k.Type, v), func(t *testing.T) { checkGolden(t, k, v, e) })
		}
	}
}

// checkGolden reads the golden record of one version, compares it with the sample when it is the
// newest, and writes it back: not a byte may change.
func checkGolden(t *testing.T, k Kind, version int, want Event) {
	file, err := os.ReadFile(goldenFile(k.Type, version))
	if err != nil {
		t.Fatalf("%v (go test ./events -run TestGolden -update)", err)
	}
	var line bytes.Buffer
	expect.OK(t, json.Compact(&line, file))
	var r Record
	expect.OK(t, json.Unmarshal(line.Bytes(), &r))
	if r.Type != k.Type || r.Version != version || r.Event.Type() != k.Type {
		t.Fatalf("it is a %s v%d, decoded as %s", r.Type, r.Version, r.Event.Type())
	}
	if u, ok := r.Event.(*Unknown); ok {
		t.Fatalf("not decoded: %s", u.Reason)
	}
	if version == k.Version() {
		if rec := sampleRecord(t, k, want); !reflect.DeepEqual(r, rec) {
			t.Errorf("decoded %+v\nwant    %+v", r, rec)
		}
	}
	again, err := json.Marshal(r)
	expect.OK(t, err)
	if !bytes.Equal(again, line.Bytes()) {
		t.Errorf("encoded %s\nwant    %s", again, line.Bytes())
	}
}

func writeGolden(t *testing.T, k Kind, e Event) {
	t.Helper()
	file := expect.Value(json.MarshalIndent(sampleRecord(t, k, e), "", "  "))(t)
	path := goldenFile(k.Type, k.Version())
	expect.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
	expect.OK(t, os.WriteFile(path, append(file, '\n'), 0o644))
}

// TestGoldenFilesBelongToTheCatalog fails when a type that is in users' logs left the catalog.
func TestGoldenFilesBelongToTheCatalog(t *testing.T) {
	files, err := filepath.Glob(goldenFile("*", 1))
	if err != nil || len(files) < len(Catalog()) {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".json")
		typ, _, _ := strings.Cut(name, ".v")
		k, ok := Lookup(typ)
		if !ok {
			t.Errorf("%s: the type is gone from the catalog", f)
			continue
		}
		known := false
		for v := 1; v <= k.Version(); v++ {
			known = known || goldenFile(typ, v) == f
		}
		if !known {
			t.Errorf("%s: the catalog has no such version", f)
		}
	}
}

// empty names the first field below v that has its zero value, "" when there is none. Of a list the
// first element must be complete; the others may show what can be absent.
func empty(v reflect.Value, path string) string {
	if v.IsZero() {
		return path
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.Elem().Kind() == reflect.Struct {
			return empty(v.Elem(), path)
		}
	case reflect.Slice:
		if v.Len() == 0 || v.Type().Elem().Kind() == reflect.Struct {
			if v.Len() == 0 {
				return path
			}
			return empty(v.Index(0), path+"[0]")
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if field := empty(v.Field(i), path+"."+v.Type().Field(i).Name); field != "" {
				return field
			}
		}
	}
	return ""
}

// fill gives every field of a value something that is not empty; name becomes its text.
func fill(v reflect.Value, name string) {
	if v.Type() == reflect.TypeFor[json.RawMessage]() {
		v.SetBytes(raw(`{"` + name + `":1}`))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			fill(v.Field(i), tag)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), name)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), name)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, name)
		fill(value, name)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString(name)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(0.5)
	default:
		if v.CanUint() {
			v.SetUint(3)
		} else {
			v.SetInt(3)
		}
	}
}

package events

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hookline/expect"
)

// update writes the golden records that are missing. The others are what lies in users' logs: they are never written again.
var update = flag.Bool("update", false, "write testdata/golden")

// goldenFile is <type>.json for version 1 and <type>.v<n>.json for the later ones, so that a new
// version adds a file and changes none.
func goldenFile(typ string, version int) string {
	if version > 1 {
		typ = fmt.Sprintf("%s.v%d", typ, version)
	}
	return filepath.Join("testdata", "golden", typ+".json")
}

// TestGolden reads the golden record of every type and version, and writes it back: not a byte may change.
func TestGolden(t *testing.T) {
	for _, k := range Catalog() {
		if *update {
			writeGolden(t, k)
		}
		for v := 1; v <= k.Version(); v++ {
			t.Run(fmt.Sprintf("%s/v%d", k.Type, v), func(t *testing.T) { checkGolden(t, k, v) })
		}
	}
}

func checkGolden(t *testing.T, k Kind, version int) {
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
	again := expect.Value(json.Marshal(r))(t)
	expect.Equal(t, string(again), line.String(), "encoded")

	if version == k.Version() { // it has every field of the struct, and no other; both readers and the check of made-up data take it
		fast := k.New()
		if want, _ := slow(t, k, r.Data); !Fill(r.Data, fast) || !sameEvent(want, fast) {
			t.Errorf("read in one pass: %+v, want %+v", fast, want)
		}
		expect.OK(t, Check(k, r.Data))
		if fields := emptyFields(reflect.ValueOf(r.Event).Elem(), k.Type); len(fields) > 0 {
			t.Errorf("%s has no value for %s: fill them in", goldenFile(k.Type, version), strings.Join(fields, ", "))
		}
		data := expect.Value(json.Marshal(r.Event))(t)
		expect.Equal(t, string(data), string(r.Data), "data")
	}
}

// writeGolden writes the record of a new type or version: the envelope of another type, and the fields that are never
// absent. Somebody fills in the others; the test names them.
func writeGolden(t *testing.T, k Kind) {
	t.Helper()
	path := goldenFile(k.Type, k.Version())
	if _, err := os.Stat(path); err == nil {
		return
	}
	var r Record
	expect.OK(t, json.Unmarshal(expect.Value(os.ReadFile(goldenFile(TypeCanarySent, 1)))(t), &r))
	r.Type, r.Version, r.Hook = k.Type, k.Version(), k.Hook
	r.Data = expect.Value(json.Marshal(k.New()))(t)
	expect.OK(t, os.WriteFile(path, append(expect.Value(json.MarshalIndent(r, "", "  "))(t), '\n'), 0o644))
}

// TestGoldenFilesBelongToTheCatalog fails when a type that is in users' logs left the catalog.
func TestGoldenFilesBelongToTheCatalog(t *testing.T) {
	files, err := filepath.Glob(goldenFile("*", 1))
	expect.OK(t, err)
	for _, k := range Catalog() {
		if !slices.Contains(files, goldenFile(k.Type, 1)) {
			t.Errorf("%s has no golden record of version 1: go test ./events -run TestGolden -update begins one", k.Type)
		}
	}
	for _, f := range files {
		name, version, later := strings.Cut(strings.TrimSuffix(filepath.Base(f), ".json"), ".v")
		k, ok := Lookup(name)
		if n, _ := strconv.Atoi(version); !ok || later && (n < 2 || n > k.Version()) {
			t.Errorf("%s: the catalog has no such type or version", f)
		}
	}
}

// emptyFields names the fields of a struct that have their zero value, or that have one below them.
func emptyFields(v reflect.Value, path string) []string {
	var list []string
	for i := range v.NumField() {
		name := path + "." + v.Type().Field(i).Name
		list = append(list, emptyBelow(v.Field(i), name)...)
	}
	return list
}

// emptyBelow names what is empty in a field: itself, or fields of its struct. Of a list the first element must be complete;
// the others may show what can be absent.
func emptyBelow(v reflect.Value, path string) []string {
	if v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0 {
		return []string{path}
	}
	switch v.Kind() {
	case reflect.Pointer:
		return emptyBelow(v.Elem(), path)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Struct {
			return emptyBelow(v.Index(0), path+"[0]")
		}
	case reflect.Struct:
		return emptyFields(v, path)
	}
	return nil
}

package verbs

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"

	"hookline/events"
	"hookline/projector/working"
)

func TestEventsShow(t *testing.T) {
	f := newFake()
	f.events = sampleEvents()
	f.events[2].Redacted = 2
	f.events[2].Causation = f.events[1].ID
	f.events[2].Appended = f.events[2].Time.Add(90_000_000_000)
	b := newBench(t, f)
	golden(t, "event.txt", b.must("events", "show", "3"))
}

func TestEventsTypes(t *testing.T) {
	b := newBench(t, nil)
	out := b.must("events", "types")
	contains(t, out, "tool.requested", "PreToolUse", "the model asked for a tool; nothing has run yet")
	equal(t, strings.Count(b.must("events", "types", "--json"), "\n"), len(events.Catalog()))
}

// TestEverySchema: each type has a schema that describes every field of its own, and allows fields
// that a newer client may send.
func TestEverySchema(t *testing.T) {
	for _, k := range events.Catalog() {
		raw, err := Schema(k.Type)
		if err != nil {
			t.Errorf("%s: %v", k.Type, err)
			continue
		}
		var s jsonschema.Schema
		if err := json.Unmarshal(raw, &s); err != nil {
			t.Errorf("%s: %v", k.Type, err)
			continue
		}
		if s.Version != "https://json-schema.org/draft/2020-12/schema" || s.Type != "object" || s.Title != k.Type || s.Description != k.Doc {
			t.Errorf("%s: version %q, type %q, title %q", k.Type, s.Version, s.Type, s.Title)
		}
		if s.AdditionalProperties == jsonschema.FalseSchema {
			t.Errorf("%s refuses new fields", k.Type)
		}
		for p := s.Properties.Oldest(); p != nil; p = p.Next() {
			words := p.Value.Description
			for _, one := range p.Value.OneOf { // what may be null is described by its other form
				words += one.Description
			}
			if words == "" {
				t.Errorf("%s: %s has no description", k.Type, p.Key)
			}
		}
	}
}

func TestEmit(t *testing.T) {
	f := newFake()
	f.events = []events.Record{record(1, events.TypeSessionStarted, sessionA, `{}`)}
	f.fold(t)
	b := newBench(t, f)
	out := b.must("events", "emit", "--type", "canary.sent", "--session", "c68c8a51", "--data", `{"nonce":"x"}`)
	if out != "canary.sent is event 10, 01KAJ3ZV5T000000000000000A\n" {
		t.Errorf("stdout %q", out)
	}
	if e := f.emitted[0]; e.Session != sessionA || e.Data != `{"nonce":"x"}` || !slices.Equal(b.needs, []need{needStore, needStarted}) {
		t.Errorf("emitted %+v, connection %v", e, b.needs)
	}
}

// TestDocsAreUpToDate: docs/events.md is what `hookctl events types --markdown` prints.
func TestDocsAreUpToDate(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "events.md")
	want := newBench(t, nil).must("events", "types", "--markdown")
	if *update {
		noError(t, os.WriteFile(path, []byte(want), 0o644))
	}
	got := must(os.ReadFile(path))(t)
	if string(got) != want {
		t.Errorf("%s is not what `hookctl events types --markdown` prints", path)
	}
	for _, k := range events.Catalog() {
		contains(t, want, "## "+k.Type+"\n")
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[working.State]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		contains(t, want, "| `"+name+"` | ")
	}
}

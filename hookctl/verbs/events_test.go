package verbs

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/verbs/log"
	"hookline/projector/working"
)

// TestEverySchema: each type has a schema that describes every field of its own, and allows fields
// that a newer client may send.
func TestEverySchema(t *testing.T) {
	for _, k := range events.Catalog() {
		raw, err := log.Schema(k.Type)
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

// TestDocsAreUpToDate: docs/events.md is what `hookctl events types --markdown` prints.
func TestDocsAreUpToDate(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "events.md")
	want := newBench(t, nil).must("events", "types", "--markdown")
	if *update {
		expect.OK(t, os.WriteFile(path, []byte(want), 0o644))
	}
	got := expect.Value(os.ReadFile(path))(t)
	if string(got) != want {
		t.Errorf("%s is not what `hookctl events types --markdown` prints: make docs", path)
	}
	for _, k := range events.Catalog() {
		if !strings.Contains(want, "## "+k.Type+"\n") {
			t.Errorf("the page has no section of the event %s", k.Type)
		}
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[working.State]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !strings.Contains(want, "| `"+name+"` | ") {
			t.Errorf("hookctl/verbs/log/workingfields.md has no row for the field %q of the working state", name)
		}
	}
}

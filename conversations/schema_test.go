//go:build unix

package conversations

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// schema is as much of JSON Schema as `hookctl events schema` uses; what it does not know fails the test.
type schema map[string]any

// accepts is nil when v, found at a path, is what the schema wants.
func (s schema) accepts(path string, v any) error {
	for keyword, want := range s {
		var err error
		switch keyword {
		case "$schema", "title", "description":
		case "type":
			err = isA(want, v)
		case "properties":
			err = eachOf(path, v, func(name string) (schema, bool) {
				sub, ok := want.(map[string]any)[name].(map[string]any)
				return sub, ok
			})
		case "patternProperties":
			err = eachOf(path, v, func(name string) (schema, bool) {
				for pattern, sub := range want.(map[string]any) {
					if regexp.MustCompile(pattern).MatchString(name) {
						sub, ok := sub.(map[string]any)
						return sub, ok
					}
				}
				return nil, false
			})
		case "required":
			err = hasAll(want.([]any), v)
		case "items":
			err = itemsAre(path, want, v)
		case "oneOf":
			err = oneOf(path, want.([]any), v)
		case "additionalProperties":
			err = eachOf(path, v, func(name string) (schema, bool) {
				named, _ := s["properties"].(map[string]any)
				sub, ok := want.(map[string]any) // true: anything
				return sub, ok && named[name] == nil
			})
		default:
			return fmt.Errorf("%s: unknown keyword %q", path, keyword)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

func isA(want, v any) error {
	types := map[string]bool{"any": true}
	switch v := v.(type) {
	case nil:
		types["null"] = true
	case string:
		types["string"] = true
	case bool:
		types["boolean"] = true
	case float64:
		types["number"], types["integer"] = true, v == math.Trunc(v)
	case []any:
		types["array"] = true
	case map[string]any:
		types["object"] = true
	}
	if !types[fmt.Sprint(want)] {
		return fmt.Errorf("%v is no %v", v, want)
	}
	return nil
}

func eachOf(path string, v any, of func(name string) (schema, bool)) error {
	m, ok := v.(map[string]any)
	if !ok {
		return nil // the type says so
	}
	for name, member := range m {
		if sub, ok := of(name); ok {
			if err := sub.accepts(path+"."+name, member); err != nil {
				return err
			}
		}
	}
	return nil
}

func hasAll(names []any, v any) error {
	m, _ := v.(map[string]any)
	for _, name := range names {
		if _, ok := m[name.(string)]; !ok {
			return fmt.Errorf("%v is missing", name)
		}
	}
	return nil
}

func itemsAre(path string, want, v any) error {
	list, _ := v.([]any)
	sub, ok := want.(map[string]any)
	if !ok {
		return nil // true: anything
	}
	for i, item := range list {
		if err := schema(sub).accepts(fmt.Sprintf("%s[%d]", path, i), item); err != nil {
			return err
		}
	}
	return nil
}

func oneOf(path string, choices []any, v any) error {
	n := 0
	for _, c := range choices {
		if schema(c.(map[string]any)).accepts(path, v) == nil {
			n++
		}
	}
	if n != 1 {
		return fmt.Errorf("%v is %d of %d choices", v, n, len(choices))
	}
	return nil
}

// schemas asks for each type's schema once.
type schemas map[string]schema

func (all schemas) check(t *testing.T, h house, typ string, data any) {
	t.Helper()
	if all[typ] == nil {
		out, err := h.run(call{args: []string{"events", "schema", typ}})
		if err != nil || out.exit != 0 {
			t.Fatalf("%s: %v, %s", typ, err, out.stderr)
		}
		s := schema{}
		if err := json.Unmarshal([]byte(out.stdout), &s); err != nil {
			t.Fatalf("%s: %v", typ, err)
		}
		all[typ] = s
	}
	if err := all[typ].accepts("data", data); err != nil {
		t.Errorf("%s: %v", typ, err)
	}
}

// Every type's schema accepts what is in the log: the golden record of each type, and what comes of one
// payload of each hook, of our own and (HOOKLINE_PAYLOADS) of the real client.
func TestSchemasAcceptTheLog(t *testing.T) {
	t.Parallel()
	h, all := newHouse(t), schemas{}
	golden, err := filepath.Glob(filepath.Join("..", "events", "testdata", "golden", "*.json"))
	if err != nil || len(golden) < clientEvents {
		t.Fatalf("%d golden records, %v", len(golden), err)
	}
	for _, file := range golden {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var rec struct {
			Type string `json:"type"`
			Data any    `json:"data"`
		}
		if err := json.Unmarshal(b, &rec); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all.check(t, h, rec.Type, rec.Data)
	}
	payloads, err := filepath.Glob(filepath.Join("testdata", "payloads", "*.json"))
	if dir := os.Getenv("HOOKLINE_PAYLOADS"); err == nil && dir != "" {
		var real []string
		real, err = filepath.Glob(filepath.Join(dir, "*.json"))
		payloads = slices.Concat(payloads, real)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range payloads {
		roundTrip(t, h, file)
	}
	list := h.mustEvents(t, "*")
	if len(list) < len(payloads) {
		t.Errorf("%d events of %d payloads", len(list), len(payloads))
	}
	for _, r := range list {
		all.check(t, h, fmt.Sprint(r.fields["type"]), r.fields["data"])
	}
}

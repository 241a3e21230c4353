//go:build unix

package conversations

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hookline/expect"
)

// schema is as much of JSON Schema as `hookctl events schema` uses; what it does not know fails the test.
type schema map[string]any

// accepts is nil when v, found at a path, is what the schema wants.
func (s schema) accepts(path string, v any) error {
	for keyword, want := range s {
		var err error
		switch keyword {
		case "$schema", "title", "description", "format":
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
		case "minItems", "maxItems":
			if list, _ := v.([]any); float64(len(list)) != want {
				err = fmt.Errorf("%d elements, want %v", len(list), want)
			}
		case "oneOf":
			err = oneOf(path, want.([]any), v)
		case "anyOf":
			err = anyOf(path, want.([]any), v)
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

func anyOf(path string, choices []any, v any) error {
	var errs []error
	for _, c := range choices {
		err := schema(c.(map[string]any)).accepts(path, v)
		if err == nil {
			return nil
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// schemas asks for each type's schema once.
type schemas map[string]schema

func (all schemas) check(t *testing.T, h home, typ string, data any) {
	t.Helper()
	if all[typ] == nil {
		all[typ] = h.schema(t, "hookctl", "events", "schema", typ)
	}
	if err := all[typ].accepts("data", data); err != nil {
		t.Errorf("%s: %v", typ, err)
	}
}

// schema is what a command line prints of one.
func (h home) schema(t *testing.T, prog string, args ...string) schema {
	t.Helper()
	out, err := h.run(call{prog: prog, args: args})
	if err != nil || out.exit != 0 {
		t.Fatalf("%s %v: %v, %s", prog, args, err, out.stderr)
	}
	s := schema{}
	if err := json.Unmarshal([]byte(out.stdout), &s); err != nil {
		t.Fatalf("%s %v: %v", prog, args, err)
	}
	return s
}

// Every type's schema accepts what is in the log: the golden record of each type, and what comes of one
// payload of each hook, of our own and (HOOKLINE_PAYLOADS) of the real client.
func TestSchemasAcceptTheLog(t *testing.T) {
	t.Parallel()
	h, all := newHome(t), schemas{}
	golden, err := filepath.Glob(filepath.Join("..", "events", "testdata", "golden", "*.json"))
	if err != nil || len(golden) < clientEvents {
		t.Fatalf("%d golden records, %v", len(golden), err)
	}
	for _, file := range golden {
		b := expect.Value(os.ReadFile(file))(t)
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
	expect.OK(t, err)
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

// What the verbs print with --json is accepted by the schema that `schema VERB` prints, also where there
// is little to tell.
func TestSchemasAcceptTheVerbs(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.env["TZ"] = "Asia/Kolkata"
	h.hook(t, "SessionStart", `{"session_id":"c68c8a51-e89d-45af-bd06-f5c764bc3b27","hook_event_name":"SessionStart","source":"startup"}`)
	h.hook(t, "UserPromptSubmit", `{"session_id":"c68c8a51-e89d-45af-bd06-f5c764bc3b27","hook_event_name":"UserPromptSubmit","prompt_id":"p1","prompt":"mend the parser"}`)
	for _, line := range []string{
		"hookctl version", "hookctl config show", "hookctl config validate", "hookctl install --dry-run", "hookctl start", "hookctl status",
		"hookctl doctor", "hookctl tail -n 3", "hookctl tail -n 1 -o cloudevents", "hookctl events list", "hookctl events show 1",
		"hookctl events types", "hookctl events emit --type canary.sent --data {\"nonce\":\"hello\"}", "hookctl repair --bucket latest",
		"hookctl session list", "hookctl session show c68c8a51", "hookctl project list", "hookctl project show",
		"hookctl identity show --session c68c8a51", "hookctl identity observe --session c68c8a51 --accuracy 0.9",
		"hookctl dream trigger --phase full --session c68c8a51", "hookctl statusline", "hookctl req sessions",
		"replay version", "replay verify", "replay rebuild --dry-run", "replay at now", "replay diff 1 2",
		"replay repair --dry-run", "replay export -o log.ndjson.zst", "replay import log.ndjson.zst", "replay backup all.backup",
		"hookctl stop", "hookctl status",
	} {
		prog, rest, _ := strings.Cut(line, " ")
		words := strings.Fields(rest)
		out, err := h.run(call{prog: prog, args: append(slices.Clone(words), "--json"), null: true})
		if err != nil || out.stdout == "" {
			t.Errorf("%s: %v, %s", line, err, out.stderr)
			continue
		}

		verb := words[:1]
		if len(words) > 1 && slices.Contains([]string{"config", "events", "session", "project", "identity", "dream", "req"}, words[0]) {
			verb = words[:2]
		}
		s := h.schema(t, prog, append([]string{"schema"}, verb...)...)
		for object := range strings.Lines(out.stdout) {
			var v any
			if err := json.Unmarshal([]byte(object), &v); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if err := s.accepts("", v); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
}

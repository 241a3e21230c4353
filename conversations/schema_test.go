//go:build linux

package conversations

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"hookline/expect"
)

// schemas asks for each type's schema once.
type schemas map[string]*jsonschema.Resolved

func (all schemas) check(t *testing.T, h home, typ string, data any) {
	t.Helper()
	if all[typ] == nil {
		all[typ] = h.schema(t, "hookctl", "events", "schema", typ)
	}
	if err := all[typ].Validate(data); err != nil {
		t.Errorf("%s: %v", typ, err)
	}
}

// schema is what a command line prints of one.
func (h home) schema(t *testing.T, prog string, args ...string) *jsonschema.Resolved {
	t.Helper()
	out := expect.Value(h.run(call{prog: prog, args: args}))(t)
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(out.stdout), &s); err != nil {
		t.Fatalf("%s %v: %v, %+v", prog, args, err, out)
	}
	return expect.Value(s.Resolve(nil))(t)
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
			if err := s.Validate(v); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
}

package events

import (
	"encoding/json"
	"os"
	"testing"

	"hookline/expect"
)

func TestCheck(t *testing.T) {
	for _, c := range []struct{ typ, data, want string }{
		{"canary.sent", `{"nonce":"n"}`, ""},
		{"canary.sent", `{"nonce":"n","more":1}`, ""},
		{"canary.sent", `{"x":1}`, "nonce is missing"},
		{"canary.sent", `{"nonce":7}`, "nonce: a string is wanted, not a number"},
		{"canary.sent", `{"nonce":null}`, "nonce: a string is wanted, not null"},
		{"canary.sent", `[]`, "data: an object is wanted, not an array"},
		{"canary.sent", `{"nonce":`, "data: unexpected end of JSON input"},
		{"identity.persisted", `{}`, "reason is missing"},
		{"identity.persisted", `{"reason":"x","as_of":"yesterday"}`, `as_of: a time such as 2026-11-21T08:00:00Z is wanted, not "yesterday"`},
		{"identity.observed", `{"purpose_vector":[1,"2"]}`, "purpose_vector: a number is wanted, not a string"},
		{"identity.observed", `{"coupling":1e999}`, "coupling: 1e999 is not a number that fits"},
		{"identity.observed", `{"coupling":null}`, "coupling: a number is wanted, not null"},
		{"identity.observed", `{"coupling":0.5}`, ""},
		{"identity.recovered", `{"at":"2026-11-21T07:52:00Z","session":"s","seq":-1,"carry":{}}`, "seq: -1 is not a whole number that fits"},
		{"identity.recovered", `{"at":"2026-11-21T07:52:00Z","session":"s","seq":1.5,"carry":{}}`, "seq: 1.5 is not a whole number that fits"},
		{"identity.recovered", `{"at":"2026-11-21T07:52:00Z","session":"s","seq":1,"carry":{}}`, "carry.purpose_vector is missing"},
		{"daemon.started", `{"build":"1","pid":1,"clean":"yes"}`, "clean: true or false is wanted, not a string"},
		{"compaction.started", `{"custom_instructions":null}`, ""},
		{"compaction.started", `{"custom_instructions":1}`, "custom_instructions: a string is wanted, not a number"},
		{"tool.succeeded", `{"tool_response":null,"effort":{"level":"low"}}`, ""},
		{"tool.succeeded", `{"effort":"low"}`, "effort: an object is wanted, not a string"},
	} {
		k, ok := Lookup(c.typ)
		if !ok {
			t.Fatal(c.typ)
		}
		got := ""
		if err := Check(k, json.RawMessage(c.data)); err != nil {
			got = err.Error()
		}
		expect.Equal(t, got, c.want, c.typ, c.data)
	}
}

// Every record that was ever written in a type's present version passes.
func TestCheckGolden(t *testing.T) {
	for _, k := range Catalog() {
		b := expect.Value(os.ReadFile(goldenFile(k.Type, k.Version())))(t)
		var rec struct{ Data json.RawMessage }
		expect.OK(t, json.Unmarshal(b, &rec))
		if err := Check(k, rec.Data); err != nil {
			t.Errorf("%s: %v", k.Type, err)
		}
	}
}

package events

import (
	"encoding/json"
	"testing"

	"hookline/expect"
)

func TestCheck(t *testing.T) {
	for _, c := range []struct{ typ, data, want string }{
		{"canary.sent", `{"nonce":"n","more":1}`, ""},
		{"canary.sent", `{"x":1}`, "nonce is missing"},
		{"canary.sent", `{"nonce":7}`, "nonce: number does not fit"},
		{"canary.sent", `{"nonce":null}`, "nonce is missing"},
		{"canary.sent", `[]`, "data: array does not fit"},
		{"canary.sent", `{"nonce":`, "data: unexpected end of JSON input"},
		{"identity.persisted", `{"reason":"x","as_of":"yesterday"}`, `as_of: a time such as 2026-11-21T08:00:00Z is wanted, not "yesterday"`},
		{"identity.observed", `{"coupling":1e999}`, "coupling: number 1e999 does not fit"},
		{"identity.observed", `{"coupling":null}`, ""},
		{"identity.recovered", `{"at":"2026-11-21T07:52:00Z","session":"s","seq":-1,"carry":{}}`, "seq: number -1 does not fit"},
		{"identity.recovered", `{"at":"2026-11-21T07:52:00Z","session":"s","seq":1,"carry":{}}`, "carry.purpose_vector is missing"},
		{"ledger.entry_added", `{"kind":"step","text":"t","by":"agent","evidence":[{"path":"a","line":1},{"path":"a"}]}`, "evidence[2].line is missing"},
		{"tool.succeeded", `{"tool_response":null,"effort":"low"}`, "effort: string does not fit"},
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

package insight

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hookline/events"
	"hookline/expect"
)

// TestFacts: the fact of each type, literally.
func TestFacts(t *testing.T) {
	for _, tc := range []struct{ typ, data, want string }{
		{events.TypeToolRequested, `{"tool_name":"Read","tool_input":{"file_path":"/project/a/b.go"}}`, "Read: a/b.go"},
		{events.TypeToolRequested, `{"tool_name":"Grep","tool_input":{"pattern":"TODO","path":"/project"}}`, "Grep: TODO"},
		{events.TypeToolRequested, `{"tool_name":"Agent","tool_input":{"prompt":"look around","description":"Explore"}}`, "Agent: Explore"},
		{events.TypeToolRequested, `{"tool_name":"Odd","tool_input":[1,2]}`, "Odd"},
		{events.TypeToolSucceeded, `{"tool_name":"Bash","tool_input":{"command":"ls"},"duration_ms":0.4}`, "Bash: ls"},
		{events.TypeToolSucceeded, `{"tool_name":"Bash","tool_input":{"command":"ls"},"duration_ms":125000}`, "Bash: ls (2m5s)"},
		{events.TypeToolFailed, `{"tool_name":"Bash","tool_input":{"command":"x"}}`, "failed — Bash: x"},
		{events.TypePromptExpanded, `{"command_name":"/review","command_args":"main"}`, "/review main"},
		{events.TypeProjectRehomed, `{"from":"aaaaaaaaaaaa"}`, "from aaaaaaaaaaaa"},
		{events.TypeIdentityShortened, `{"size_bytes":40000,"dropped":3}`, "3 entries dropped from 40000 bytes"},
		{events.TypeDreamTriggered, `{"phase":"nrem","reason":"crisis","ic":0.42}`, "nrem, crisis, IC 0.42"},
		{"later.thing", `{"cwd":"/x","b":"two","a":1}`, "b=two"},
		{events.TypeToolSucceeded, `{"tool_name":"Bash","tool_input":{"command":"ls"},"duration_ms":2500}`, "Bash: ls (2.5 s)"},
		{events.TypeToolSucceeded, `{"tool_name":"Bash","tool_input":{"command":"ls"},"duration_ms":125000}`, "Bash: ls (2m5s)"},
		{events.TypeToolFailed, `{"tool_name":"Bash","tool_input":{"command":{"$blob":"x","head":"make"}},"error":"\n boom\n","is_interrupt":true}`, "interrupted: Bash: make"},
		{events.TypeToolFailed, `{"tool_name":"Bash","tool_input":{"command":"x"},"error":"\n\n  boom \nmore"}`, "boom — Bash: x"},
		{events.TypeToolBatchFinished, `{"tool_calls":[{"tool_name":"Bash"},{"tool_name":"Edit"}]}`, "2 calls: Bash, Edit"},
		{events.TypeToolBatchFinished, `{"tool_calls":[{"tool_name":"Bash"}]}`, "1 call: Bash"},
		{events.TypeSessionReaped, `{"reason":"process_gone"}`, "process gone"},
		{events.TypeIdentityRestored, `{"outcome":"restored","previous":"c68c8a51-e89d-45af-bd06-f5c764bc3b27"}`, "restored from c68c8a51"},
		{"later.thing", `[]`, ""},
	} {
		if got := Fact(events.NewRecord(1, events.Envelope{Type: tc.typ, Version: 1, Worktree: "/project", Data: []byte(tc.data)})); got != tc.want {
			t.Errorf("%s %s: %q, want %q", tc.typ, tc.data, got, tc.want)
		}
	}
}

func TestText(t *testing.T) {
	for raw, want := range map[string]string{`"a"`: "a", `[{"type":"text","text":"a"},{"text":"b"}]`: "a\nb", `{"$blob":"x","head":"a","size":9}`: "a\n… (9 bytes in all)", `7`: ""} {
		expect.Equal(t, Text([]byte(raw)), want, raw)
	}
}

// TestEveryTypeHasAFact: a type without a row would show the first text it has; every type of the catalog must have one
// on purpose, and the row must name fields that the type has.
func TestEveryTypeHasAFact(t *testing.T) {
	rows := maps.Clone(factRows())
	for _, k := range events.Catalog() {
		row, ok := rows[k.Type]
		e := k.New()
		if _, own := e.(events.Summarizer); own == ok {
			t.Errorf("%s has a summary of its own: %t, a row: %t", k.Type, own, ok)
		}
		delete(rows, k.Type)

		fields := "call took @branch"
		for _, f := range reflect.VisibleFields(reflect.TypeOf(e).Elem()) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			fields += " " + name
		}
		for _, m := range factField.FindAllStringSubmatch(strings.Join(row.parts, " "), -1) {
			if !slices.Contains(strings.Fields(fields), m[1]) {
				t.Errorf("%s has no field %s", k.Type, m[1])
			}
		}
	}
	if len(rows) > 0 {
		t.Errorf("rows of no type: %v", slices.Collect(maps.Keys(rows)))
	}
}

package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"hookline/expect"
)

func TestDiff(t *testing.T) {
	recorded(t)
	out := told(t, "diff", "5", "6", "session", "--fields")
	head, rest, _ := strings.Cut(out, "  open  ") // it holds an event's id, which is new in each run
	expect.Equal(t, head, `from 5 (tool.requested, 2026-11-21 12:00:02) to 6 (tool.failed, 2026-11-21 12:00:03)
session  5f1d0c2e-7b34-4f19-9a55-000000000001
  attention.bytes           6 → 37
  attention.unsynced        6 → 37
  course.failed             (absent) → 1
  events                    3 → 4
  failures                  (absent) → 1
  hooks.PostToolUseFailure  (absent) → 1
  last_active               "2026-11-21T12:00:02Z" → "2026-11-21T12:00:03Z"
`, "above")
	if !strings.HasSuffix(rest, " → (absent)\n  start.hooks               2 → 3\n") || strings.Count(rest, "\n") != 2 {
		t.Error(rest)
	}
}

// Without --fields it is told in words: calls, failures, values of the identity; what is left out is counted.
func TestDiffInWords(t *testing.T) {
	recorded(t)
	out := told(t, "diff", "5", "6", "session")
	expect.Equal(t, out, `from 5 (tool.requested, 2026-11-21 12:00:02) to 6 (tool.failed, 2026-11-21 12:00:03)
session  5f1d0c2e-7b34-4f19-9a55-000000000001
  failures         1
8 more fields changed: --fields shows all
`)
	holds(t, told(t, "diff", "1", "now"), "  prompts          1\n", "  calls            + ", "  prompt           ", "  IC               ", "  commands         + exit 3 (failed)\n")
}

func TestTurned(t *testing.T) {
	a := &app{}
	for _, c := range []struct{ before, after, member, want string }{
		{`3`, `4`, "", "3 → 4"},
		{`3`, `3`, "", ""},
		{`null`, `"a goal"`, "", "a goal"},
		{`"a goal"`, `null`, "", "no longer a goal"},
		{`{"Bash":1}`, `{"Bash":2,"Edit":1}`, "", "Bash 1 → 2; + Edit 1"},
		{`[{"path":"a","read":1}]`, `[{"path":"a","edited":2},{"path":"b","created":true}]`, "path", "a (read 1×) → (edited 2×); + b (created)"},
		{`[{"target":"go test"}]`, `null`, "target", "- go test"},
		{`[{"text":"x","status":"pending"}]`, `[{"text":"x","status":"completed"}]`, "text", "x (pending) → (completed)"},
		{`{"plan":{"sessions":{}}}`, `{"plan":{"sessions":{"s":{"satisfied":{"by":"cli"}}}}}`, "", "plan  → (satisfied)"},
	} {
		var before, after any
		if json.Unmarshal([]byte(c.before), &before) != nil || json.Unmarshal([]byte(c.after), &after) != nil {
			t.Fatal(c)
		}
		expect.Equal(t, a.turned(before, after, c.member), c.want)
	}
}

func TestDiffBackwards(t *testing.T) {
	recorded(t)
	out := told(t, "diff", "now", "8", "latest")
	expect.Equal(t, out, "from 11 (prompt.submitted, 2026-11-21 12:00:06) to 8 (identity.persisted, 2026-11-21 12:00:04)\nnothing changed\n", "stdout")
	holds(t, told(t, "diff", "8", "7", "identity", "--fields"), "  true → false\n") // the snapshot is taken back
}

func TestDiffJSON(t *testing.T) {
	recorded(t)
	d := decoded[differenceJSON](t, "diff", "10", "now", "identity", "--json")
	if d.A != 10 || d.B != 11 {
		t.Errorf("%+v", d)
	}
	found := map[string]string{}
	for _, c := range d.Changes {
		found[c.Projection+" "+c.Key+" "+c.Field] = text(c.Before) + " " + text(c.After)
	}
	expect.Equal(t, found["identity "+live+" prompts"], "0 1")
	if got := found["identity "+live+" history"]; !strings.HasPrefix(got, `null [{"at_ms":1795262406000,"ic":`) {
		t.Error(got)
	}
	d = decoded[differenceJSON](t, "diff", "11", "now", "--json")
	if d.Changes == nil || len(d.Changes) != 0 {
		t.Errorf("no change is an empty list: %+v", d)
	}
}

func text(s *string) string {
	if s == nil {
		return "null"
	}
	return *s
}

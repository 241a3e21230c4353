package cli

import (
	"strings"
	"testing"

	"hookline/expect"
	"hookline/projector"
)

func TestDiff(t *testing.T) {
	recorded(t)
	out := replay(t, 0, "diff", "5", "6", "session").stdout.String()
	head, rest, _ := strings.Cut(out, "  open  ") // it holds an event's id, which is new in each run
	expect.Equal(t, head, `from 5 (tool.requested, 2026-11-21 12:00:02) to 6 (tool.failed, 2026-11-21 12:00:03)
session  5f1d0c2e-7b34-4f19-9a55-000000000001
  course.failed             (absent) → 1
  events                    3 → 4
  failures                  (absent) → 1
  hooks.PostToolUseFailure  (absent) → 1
  last_active               "2026-11-21T12:00:02Z" → "2026-11-21T12:00:03Z"
`, "above")
	if !strings.HasSuffix(rest, " → (absent)\n") || strings.Count(rest, "\n") != 1 {
		t.Error(rest)
	}
}

// Of a list that is too long for a line the elements that went and that came are shown; all else is shown whole.
func TestDiffOfLists(t *testing.T) {
	a := &app{}
	long := func(kind string) []any { return []any{kind, strings.Repeat("x", 300)} }
	before, after := map[string]any{"working  s": map[string]any{"files": long("a")}}, map[string]any{"working  s": map[string]any{"files": long("b")}}
	for _, c := range []struct{ field, want, got, text string }{
		{"files", `["a","x…`, `["b","x…`, `- "a"; + "b"`},
		{"files", `["a"]`, `["b"]`, `["a"] → ["b"]`},
		{"goal", `"x…`, `"y…`, `"x… → "y…`},
	} {
		got := a.change(projector.Diff{Projection: "working", Key: "s", Field: c.field, Want: c.want, Got: c.got}, before, after)
		expect.Equal(t, got, c.text)
	}
}

func TestDiffBackwards(t *testing.T) {
	recorded(t)
	out := replay(t, 0, "diff", "now", "8", "latest").stdout.String()
	expect.Equal(t, out, "from 11 (prompt.submitted, 2026-11-21 12:00:06) to 8 (identity.persisted, 2026-11-21 12:00:04)\nnothing changed\n", "stdout")
	if out = replay(t, 0, "diff", "8", "7", "identity").stdout.String(); !strings.Contains(out, "  true → false\n") { // the snapshot is taken back
		t.Error(out)
	}
}

func TestDiffJSON(t *testing.T) {
	recorded(t)
	var d differenceJSON
	replay(t, 0, "diff", "10", "now", "identity", "--json").decode(t, &d)
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
	replay(t, 0, "diff", "11", "now", "--json").decode(t, &d)
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

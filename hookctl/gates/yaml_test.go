package gates

import (
	"testing"
)

// What people write in YAML beyond plain keys.
func TestFormsOfYAML(t *testing.T) {
	r := project(`
.edits: &edits [Edit, Write]
.base: &base
  enabled: yes
  scope: branch
requirements:
  merged:
    <<: *base
    trigger_tools: *edits
  over:
    <<: *base
    scope: session
    enabled: No
  folded:
    enabled: True
    message: >
      one line
      of two

      and another
  literal:
    enabled: ON
    message: |-
      first
        indented
  quoted:
    "enabled": true
    'message': "a \"quote\" and \u00e9, {{braces}}"
  odd name: {enabled: true, trigger_tools: []}
  12: {enabled: true}
`)
	var unknown []string
	for _, p := range r.Problems {
		unknown = append(unknown, p.Message)
	}
	equal(t, "only the keys with the anchors are unknown", unknown, []string{"unknown key '.edits'", "unknown key '.base'"})
	equal(t, "order", r.Order, []string{"merged", "over", "folded", "literal", "quoted", "odd name", "12"})
	merged, over := r.ByName["merged"], r.ByName["over"]
	equal(t, "merged", []any{merged.Enabled, merged.Scope, merged.Triggers}, []any{true, BranchScope, []Trigger{{Tool: "Edit"}, {Tool: "Write"}}})
	equal(t, "an own key wins", []any{over.Enabled, over.Scope}, []any{false, SessionScope})
	equal(t, "folded", r.ByName["folded"].Message, "one line of two\nand another\n")
	equal(t, "literal", r.ByName["literal"].Message, "first\n  indented")
	equal(t, "an empty list never triggers", len(r.ByName["odd name"].Triggers), 0)
}

func TestMergedFromTwo(t *testing.T) {
	r := project("x: &x {enabled: true}\ny: &y {scope: branch}\nrequirements:\n  a:\n    <<: [*x, *y]\n")
	equal(t, "both", []any{r.ByName["a"].Enabled, r.ByName["a"].Scope}, []any{true, BranchScope})
}

// A file that only has remarks, or nothing, or a mark of a document, is an empty one.
func TestEmptyYAML(t *testing.T) {
	for _, text := range []string{"", "\n\n", "# nothing yet\n", "---\n", "{}\n", "requirements:\n", "requirements: {}\nhooks:\n", "\ufeff# bom\n"} {
		r := cascade("requirements: {a: {enabled: true}}", text, "-")
		equal(t, text, []any{r.Problems, r.Order, r.Active()}, []any{[]Problem(nil), []string{"a"}, true})
	}
}

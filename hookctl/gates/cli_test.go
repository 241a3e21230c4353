package gates

import "testing"

// broken is a configuration of which one requirement can be read and n cannot.
func broken(n int) Rules {
	text := "requirements:\n  good: {enabled: true}\n"
	for i := range n {
		text += "  bad" + string(rune('a'+i)) + ": {enabled: 5}\n"
	}
	return project(text)
}

// What is left out is counted in every short form, and nothing is called satisfied because of it.
func TestShortFormsOfABrokenConfiguration(t *testing.T) {
	one, two := broken(1), broken(2)
	for _, c := range []struct{ what, got, want string }{
		{"summary, open", one.Summary(gates(one, "")), "⚠️  1 part(s) of the configuration left out; ⚠️  0/1 requirements satisfied (good needed)"},
		{"summary, none open", two.Summary(gates(two, "good")), "⚠️  2 part(s) of the configuration left out; 1/1 requirements satisfied"},
		{"summary, no gate", two.Summary(nil), "⚠️  2 part(s) of the configuration left out; No requirements configured"},
		{"status, open", one.Focused("b", session, gates(one, "")),
			"📋 Requirements Status\n\nBranch: b\n\n❌ Unsatisfied Requirements:\n  • good (session scope)\n    → hookctl req satisfy good --session cad0ac4d\n\n" +
				"💡 Satisfy all: hookctl req satisfy good --session cad0ac4d"},
		{"status, none open", one.Focused("b", "", gates(one, "good")),
			"📋 Requirements Status\n\nBranch: b\n\n⚠️  Nothing is open among the requirements that can be read"},
	} {
		equal(t, c.what, c.got, c.want)
	}
}

func TestPlanReviewForms(t *testing.T) {
	equal(t, "nothing to do", PlanReview(session, nil), "")
	list := []Failure{{Requirement: Requirement{Name: "a", Type: Blocking}}, {Requirement: Requirement{Name: "b", Type: Blocking, AutoResolveSkill: "team:look"}}}
	equal(t, "several ways", PlanReview(session, list), ticks(`## Plan Validation Required

| Requirement | Execute |
|-------------|---------|
| b | '/team:look' |
| a | 'hookctl req satisfy a --session cad0ac4d' |

---
Manual fallback: 'hookctl req satisfy a b --session cad0ac4d'`))
}

func TestProblemWithoutAPlace(t *testing.T) {
	equal(t, "no file", Problem{Message: "m"}.Error(), "m")
	equal(t, "a file", Problem{File: "/f", Message: "m"}.Error(), "/f: m")
	equal(t, "line and column", Problem{File: "/f", Line: 3, Column: 4, Message: "m"}.Error(), "/f:3:4: m")
}

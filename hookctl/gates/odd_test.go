package gates

import "testing"

func TestSeldomYAML(t *testing.T) {
	r := project("requirements:\n  b: {type: dynamic, calculator: branch_size_calculator, thresholds: {block: 2.5, warn: 1}}\n")
	equal(t, "fraction", r.ByName["b"].Thresholds, Thresholds{Warn: 1, Block: 2.5, HasWarn: true})
	r = project("x: &x {enabled: true}\ny: &y {scope: branch}\nrequirements:\n  a:\n    <<: [*x, *y]\n")
	equal(t, "merged from two", []any{r.ByName["a"].Enabled, r.ByName["a"].Scope}, []any{true, BranchScope})
}

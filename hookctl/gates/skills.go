package gates

// planned are what a review of the plan settles.
var planned = []string{"commit_plan", "adr_reviewed", "tdd_planned", "solid_reviewed"}

// builtinSkills satisfy without being configured: the framework's plugin relies on it. A file can add, not remove.
var builtinSkills = map[string][]string{
	"requirements-framework:pre-commit":    {"pre_commit_review"},
	"requirements-framework:quality-check": {"pre_pr_review"},
	"requirements-framework:codex-review":  {"codex_reviewer"},
	"requirements-framework:deep-review":   {"pre_pr_review"},
	"requirements-framework:plan-review":   planned,
	"requirements-framework:arch-review":   planned,
}

// SkillSatisfies are the enabled requirements that a skill satisfies when it ends. Its name is compared exactly.
func (r Rules) SkillSatisfies(skill string) []Requirement {
	var list []Requirement
	for _, name := range r.Skills[skill] {
		if q := r.ByName[name]; q.Enabled {
			list = append(list, q)
		}
	}
	return list
}

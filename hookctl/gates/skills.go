package gates

import "slices"

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

// skillsOf joins the built-in map with satisfied_by_skill of the enabled requirements.
func skillsOf(r Rules) map[string][]string {
	skills := map[string][]string{}
	for skill, names := range builtinSkills {
		skills[skill] = slices.Clone(names)
	}
	for _, q := range r.InOrder() {
		if s := q.SatisfiedBySkill; s != "" && !slices.Contains(skills[s], q.Name) {
			skills[s] = append(skills[s], q.Name)
		}
	}
	return skills
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

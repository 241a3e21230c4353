package gates

import (
	"strings"
	"testing"
)

func TestPinned_38_Cascade(t *testing.T) {
	r := cascade(`
requirements:
  a: {enabled: true, message: global}
  b: {enabled: true, scope: branch, trigger_tools: [Edit, Write]}
`, `
requirements:
  b: {message: project, trigger_tools: [Bash]}
  c: {enabled: true}
`, `
inherit: false
requirements:
  c: {enabled: false}
  d: {enabled: true}
`)
	equal(t, "order", r.Order, []string{"a", "b", "c", "d"})
	b := r.ByName["b"]
	equal(t, "b is merged key by key", []any{b.Enabled, b.Scope, b.Message}, []any{true, BranchScope, "project"})
	equal(t, "a list is replaced whole", b.Triggers, []Trigger{{Tool: "Bash"}})
	equal(t, "the local file wins", r.ByName["c"].Enabled, false)
	equal(t, "b was last defined", []any{b.File, b.Line}, []any{projectFile, 3})
	equal(t, "problems", r.Problems, []Problem(nil))
}

func TestPinned_38_InheritFalse(t *testing.T) {
	global := "enabled: false\nhooks: {stop: {verify_requirements: false}}\nrequirements: {a: {enabled: true}}"
	r := cascade(global, "inherit: false\nrequirements: {b: {enabled: true}}", "requirements: {c: {enabled: true}}")
	equal(t, "order", r.Order, []string{"b", "c"})
	equal(t, "nothing of the global file counts", []any{r.Enabled, r.Hooks.VerifyRequirements}, []any{true, true})
	r = cascade(global, "inherit: no\nrequirements: {b: {enabled: true}}", "-")
	equal(t, "no is false", r.Order, []string{"b"})
	r = cascade(global, "inherit: true\nenabled: true\n", "-")
	equal(t, "inherited", []any{r.Order, r.Enabled, r.Hooks.VerifyRequirements}, []any{[]string{"a"}, true, false})
}

func TestPinned_39_InvalidRequirementsAreRemovedAlone(t *testing.T) {
	r := project(`
requirements:
  a: {enabled: "yes please"}
  good: {enabled: true}
  b: {scope: forever}
  c: {type: guard}
`)
	equal(t, "order", r.Order, []string{"good"})
	equal(t, "problems", messages(r.Problems), []string{"Requirement 'a' field 'enabled' must be bool",
		"Requirement 'b' field 'scope' must be one of: branch, permanent, session, single_use", "Guard requirement 'c' must have 'guard_type' field"})
	equal(t, "place", r.Problems[0].Error(), projectFile+":3:16: Requirement 'a' field 'enabled' must be bool")
	equal(t, "valid", len(golden(t).Problems), 0)
}

func TestPinned_40_TypedAccess(t *testing.T) {
	r := golden(t)
	equal(t, "no checklist", len(r.ByName["pre_pr_review"].Checklist), 0)
	equal(t, "unknown requirement", len(r.ByName["nothing"].Checklist), 0)
	r = project("requirements: {Y: {type: dynamic, calculator: branch_size_calculator, thresholds: {block: 0, warn: 0}}}")
	equal(t, "zero", r.ByName["Y"].Thresholds, Thresholds{HasWarn: true})
}

func TestPinned_42_Skills(t *testing.T) {
	r := project(`
requirements:
  commit_plan: {enabled: true}
  tdd_planned: {enabled: false}
  both: {enabled: true, auto_resolve_skill: 'team:plan', satisfied_by_skill: 'requirements-framework:arch-review'}
  off: {enabled: false, satisfied_by_skill: 'team:plan'}
`)
	var names []string
	for _, q := range r.SkillSatisfies("requirements-framework:arch-review") {
		names = append(names, q.Name)
	}
	equal(t, "only what exists and is enabled", names, []string{"commit_plan", "both"})
	equal(t, "a suggestion satisfies nothing", len(r.SkillSatisfies("team:plan")), 0)
	equal(t, "exact names", len(r.SkillSatisfies("arch-review")), 0)
}

func TestMalformedLayersHideNothing(t *testing.T) {
	global := "requirements: {a: {enabled: true}}"
	for _, c := range []struct{ project, message string }{
		{"- a\n- b", "the file must be a mapping, got list"},
		{"requirements: [a]", "requirements must be a mapping"},
		{"requirements: {a: on}", "Requirement 'a' must be a mapping"},
		{"inherit: maybe", "inherit must be bool"},
		{"hooks: 5", "hooks must be a mapping"},
	} {
		r := cascade(global, c.project, "-")
		equal(t, c.project, messages(r.Problems), []string{c.message})
		equal(t, c.project+" place", r.Problems[0].Line, 1)
		equal(t, c.project+" gate", len(r.Match("Edit", nil)), 1)
	}
	r := cascade(global, "requirements:\n  # a: {enabled: false}\n", "-")
	equal(t, "all commented out", r.Problems, []Problem(nil))
	equal(t, "all commented out", r.Order, []string{"a"})
}

func TestUnknownKeys(t *testing.T) {
	r := project(`
requirments: {}
logging: {level: debug}
requirements:
  a:
    enabled: true
    mesage: x
    adr_path: docs
    replan_ttl: 5
    trigger_tools: [{tool: Bash, command_patern: x}]
    thresholds: {blok: 1}
hooks:
  stop: {verify: true}
`)
	equal(t, "warnings", messages(r.Problems), []string{"unknown key 'requirments'", "unknown key 'requirements.a.mesage'",
		"unknown key 'requirements.a.trigger_tools.command_patern'", "unknown key 'requirements.a.thresholds.blok'", "unknown key 'hooks.stop.verify'"})
	equal(t, "hint", r.Problems[0].Hint, "did you mean 'requirements'? the keys here are version, enabled, inherit, requirements, hooks")
	equal(t, "none is an error", len(r.Invalid()), 0)
	equal(t, "notes", messages(r.Notes), []string{
		"key 'logging' is known and not acted on",
		"key 'requirements.a.adr_path' is known and not acted on",
	})
	equal(t, "nothing is disabled", r.Order, []string{"a"})
}

func TestSalvage(t *testing.T) {
	r := project(`
enabled: true
requirements:
  a: {enabled: true}
  b:
    enabled: true
    message: "never closed
  c:
    enabled: true
    trigger_tools:
      - Write
stray words
  d:
    enabled: [true
hooks:
  stop: {verify_scopes: [branch]}
`)
	equal(t, "order", r.Order, []string{"a", "c"})
	equal(t, "c whole", r.ByName["c"].Triggers, []Trigger{{Tool: "Write"}})
	equal(t, "hooks", r.Hooks.VerifyScopes, []Scope{BranchScope})
	var named []string
	for _, p := range r.Problems {
		named = append(named, p.Requirement)
		if p.Line == 0 || p.Warning || p.Hint != "this part is left out until it is valid YAML" {
			t.Errorf("%+v", p)
		}
	}
	equal(t, "named", named, []string{"b", "", "d"})
	equal(t, "place", []int{r.Problems[0].Line, r.Problems[1].Line, r.Problems[2].Line}, []int{7, 12, 14})
	equal(t, "c's place", r.ByName["c"].Line, 8)
}

func TestHostileYAML(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for i := 'b'; i < 'j'; i++ {
		bomb += string(i) + ": &" + string(i) + " [" + strings.Repeat("*"+string(i-1)+",", 10) + "]\n"
	}
	for name, text := range map[string]string{"aliases": bomb, "brackets": strings.Repeat("[", 9000), "quotes": strings.Repeat(`"`, 9000),
		"dashes": strings.Repeat("- ", 9000), "second document": "a: 1\n---\nb: 2\n", "self": "a: &a [*a]", "parts": strings.Repeat("k: [\n", 20_000), "binary": "\x00\xff\xfe"} {
		r := cascade("requirements: {a: {enabled: true}}", text, "-")
		if len(r.Problems) == 0 || len(r.Match("Edit", nil)) != 1 {
			t.Errorf("%s: %v", name, r.Problems)
		}
	}
}

func TestPinned_43_Placeholders(t *testing.T) {
	q := Requirement{Name: "size", AutoResolveSkill: "team:plan", Thresholds: Thresholds{Warn: 250, Block: 400, HasWarn: true}}
	values := map[string]string{"session_id": "cad0ac4d", "value": "1234", "summary": "{value}", "base_branch": "main"}
	for text, want := range map[string]string{
		"/{auto_resolve_skill} {session_id}":                   "/team:plan cad0ac4d",
		"{req_name}: {value}/{total} {summary}":                "size: 1234/1234 {value}",
		"{warn_threshold} {block_threshold} {base_branch}":     "250 400 main",
		"{value:,} {value:.1f} {value!r} {value:>9} {value:d}": "1234 1234 1234 1234 1234",
		"see https://x/{id}/y":                                 "see https://x/{id}/y",
		"${HOME} HEAD@{1} @{u} ${{ x.y }}":                     "${HOME} HEAD@{1} @{u} ${{ x.y }}",
		`{{value}} {"a": {}} {}`:                               `{value} {"a": {}} {}`,
	} {
		equal(t, text, Placeholders(text, q, values), want)
	}
	equal(t, "an empty skill", Placeholders("/{auto_resolve_skill}|{warn_threshold}", Requirement{}, nil), "/|")
}

func TestPinned_30_31_Guards(t *testing.T) {
	r := project(`
requirements:
  a: {enabled: true, type: guard, guard_type: protected_branch}
  b: {enabled: true, type: guard, guard_type: protected_branch, protected_branches: [develop]}
  c: {enabled: true, type: guard, guard_type: moon_phase}
`)
	equal(t, "an unknown guard is told, and allows", r.Order, []string{"a", "b"})
	equal(t, "default", r.ByName["a"].ProtectedBranches, []string{"master", "main"})
	equal(t, "own", r.ByName["b"].ProtectedBranches, []string{"develop"})
	equal(t, "told", messages(r.Problems), []string{"Requirement 'c' field 'guard_type' must be one of: dirty_tree, protected_branch, single_session"})
}

func TestPinned_38_EachLayerOwnsItsFaults(t *testing.T) {
	r := cascade("requirements: {a: {enabled: true}}", "requirements: {b: {enabled: true}}", "requirements: {a: {scope: x}, b: nonsense, c: {enabled: [}")
	equal(t, "order", r.Order, []string{"a", "b"})
	equal(t, "file", r.Problems[0].File, localFile)
	r = cascade("requirements: {a: {enabled: true}}", "requirements: {b: {enabled: true}}", "requirements: {a: {scope: x}, b: nonsense}")
	equal(t, "an override that is invalid removes what it overrides", r.Order, []string{"b"})
	equal(t, "problems", []string{r.Problems[0].Error(), r.Problems[1].Error()}, []string{
		localFile + ":1:27: Requirement 'a' field 'scope' must be one of: branch, permanent, session, single_use",
		localFile + ":1:34: Requirement 'b' must be a mapping",
	})
}

package gates

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

const session = "cad0ac4d-3933-45ad-9a1c-14aec05bb940"

func failures(r Rules, names ...string) []Failure {
	var list []Failure
	for _, n := range names {
		list = append(list, Failure{Requirement: r.ByName[n], Values: map[string]string{"branch": "main", "value": "450",
			"summary": "committed: 400+/50-", "base_branch": "origin/main"}})
	}
	return list
}

// ticks writes ' for the backquote, which a raw string cannot hold.
func ticks(text string) string { return strings.ReplaceAll(text, "'", "`") }

func TestPinned_26_DenySingleWithMessageAndChecklist(t *testing.T) {
	got := Deny(session, failures(golden(t), "commit_plan"))
	equal(t, "text", got, ticks(`## Blocked: no plan

**Execute**: '/requirements-framework:arch-review'

- [ ] Files to change are listed
- [ ] Each step is small

---
Fallback: 'hookctl req satisfy commit_plan --session cad0ac4d'`))
	if strings.Contains(got, "**Checklist**:") || strings.Contains(got, "{") {
		t.Error(got)
	}
}

func TestPinned_26_SessionIsCut(t *testing.T) {
	got := Deny("checklist-session", []Failure{{Requirement: Requirement{Name: "a", Type: Blocking}}})
	equal(t, "text", got, ticks(`## Blocked: a

**Action**: 'hookctl req satisfy a --session checklis'

---
Fallback: 'hookctl req satisfy a --session checklis'`))
}

func TestDenySingleWithoutMessage(t *testing.T) {
	equal(t, "a skill", Deny(session, failures(golden(t), "pre_commit_review")), ticks(`## Blocked: pre_commit_review

**Execute**: '/requirements-framework:pre-commit'

---
Fallback: 'hookctl req satisfy pre_commit_review --session cad0ac4d'`))
	equal(t, "nothing", Deny(session, nil), "")
	equal(t, "a name that the shell would split", Deny("s", []Failure{{Requirement: Requirement{Name: "it's a $x", Type: Blocking}}}),
		"## Blocked: it's a $x\n\n**Action**: `hookctl req satisfy 'it'\\''s a $x' --session s`\n\n---\nFallback: `hookctl req satisfy 'it'\\''s a $x' --session s`")
}

func TestDenyGuardAndDynamicShowTheirTextWithItsNumbers(t *testing.T) {
	r := golden(t)
	equal(t, "guard", Deny(session, failures(r, "protected_branch")), ticks(`Branch 'main' is protected.

---
Fallback: 'hookctl req satisfy protected_branch --session cad0ac4d'`))
	equal(t, "dynamic", Deny(session, failures(r, "branch_size_limit")), ticks(`450 lines, limit 400: committed: 400+/50- since origin/main

---
Fallback: 'hookctl req satisfy branch_size_limit --session cad0ac4d'`))
}

func TestDenySingleSession(t *testing.T) {
	f := failures(golden(t), "single_session_per_project")
	f[0].Values = map[string]string{"summary": "3 other sessions", "project_dir": "/repo"}
	f[0].Others = []Other{{"11111111-2222", "main", 12 * time.Second}, {"33333333", "feat/x", 5 * time.Minute}, {"44444444", "b", 2 * time.Hour}}
	equal(t, "text", Deny(session, f), ticks(`## Blocked: single_session_per_project

Guard condition not met: 3 other sessions.
- '11111111' on 'main' (12s ago)
- '33333333' on 'feat/x' (5m ago)
- '44444444' on 'b' (2h ago)

**Action**: 'hookctl req satisfy single_session_per_project --session cad0ac4d'

---
Fallback: 'hookctl req satisfy single_session_per_project --session cad0ac4d'`))
	f[0].Requirement.Message = "Only one session in {project_dir}."
	if got := Deny(session, f); !strings.HasPrefix(got, "Only one session in /repo.\n\n---\n") {
		t.Error(got)
	}
}

func TestPinned_25_DenySeveral(t *testing.T) {
	r := golden(t)
	list := failures(r, "adr_reviewed", "tdd_planned")
	list[0].Requirement.Checklist = nil
	equal(t, "one skill", Deny(session, list), ticks(`## Blocked: Multiple Requirements

**Execute**: '/requirements-framework:arch-review'

Satisfies: adr_reviewed, tdd_planned

---
Fallback: 'hookctl req satisfy adr_reviewed tdd_planned --session cad0ac4d'`))
	equal(t, "mixed", Deny(session, failures(r, "branch_size_limit", "pre_commit_review", "tdd_planned", "commit_plan", "protected_branch", "single_session_per_project")),
		ticks(`## Blocked: Multiple Requirements

| Requirement | Execute |
|-------------|---------|
| pre_commit_review | '/requirements-framework:pre-commit' |
| tdd_planned | '/requirements-framework:arch-review' |
| commit_plan | '/requirements-framework:arch-review' |
| branch_size_limit | 'hookctl req satisfy branch_size_limit --session cad0ac4d' |
| protected_branch | 'hookctl req satisfy protected_branch --session cad0ac4d' |
| single_session_per_project | 'hookctl req satisfy single_session_per_project --session cad0ac4d' |

---
Fallback: 'hookctl req satisfy branch_size_limit pre_commit_review tdd_planned commit_plan protected_branch single_session_per_project --session cad0ac4d'`))
}

func TestPinned_29_Short(t *testing.T) {
	r := golden(t)
	equal(t, "plain", Short(session, failures(r, "commit_plan", "protected_branch")), ticks(`Requirement 'commit_plan' not satisfied (waiting...)
Requirement 'protected_branch' not satisfied (waiting...)`))
	own := failures(r, "commit_plan")
	own[0].Requirement.ShortMessage = "plan first: /{auto_resolve_skill}"
	equal(t, "its own", Short(session, own), "plan first: /requirements-framework:arch-review")
}

func TestPinned_18_20_StopReason(t *testing.T) {
	r := golden(t)
	equal(t, "one", StopReason(session, failures(r, "commit_plan")), ticks(`## Cannot Complete: Unsatisfied Requirements

| Requirement | Execute |
|-------------|---------|
| commit_plan | '/requirements-framework:arch-review' |

Run the resolution skills above to satisfy requirements.

---
Fallback: 'hookctl req satisfy commit_plan --session cad0ac4d'`))
	equal(t, "none", StopReason(session, nil)+PlanReview(session, nil), "")
	if got := PlanReview(session, failures(r, "commit_plan", "pre_commit_review")); !strings.HasPrefix(got, "## Plan Validation Required\n\n| Requirement |") {
		t.Error(got)
	}
}

// gates are the golden file's, the named ones satisfied.
func gates(r Rules, satisfied string) []Gate {
	var list []Gate
	for _, q := range r.InOrder() {
		list = append(list, Gate{Requirement: q, Satisfied: strings.Contains(" "+satisfied+" ", " "+q.Name+" ")})
	}
	return list
}

func TestPinned_49_CompactStatus(t *testing.T) {
	r := golden(t)
	s := Status{Project: "/repo", Branch: "main", Session: session, Gates: gates(r, "protected_branch single_session_per_project adr_reviewed solid_reviewed pre_pr_review codex_reviewer")}
	equal(t, "text", s.Text(true), ticks(`## Requirements: 6/10 satisfied
- '/arch-review' → 'commit_plan', 'tdd_planned'
- 'hookctl req satisfy branch_size_limit --session cad0ac4d' → 'branch_size_limit'
- '/pre-commit' → 'pre_commit_review'
**Fallback**: 'hookctl req satisfy commit_plan tdd_planned branch_size_limit pre_commit_review --session cad0ac4d'`))
	var many []Gate
	for i := range 40 {
		many = append(many, Gate{Requirement: Requirement{Name: fmt.Sprintf("requirement_%d", i)}})
	}
	long := Status{Session: session, Gates: many}.Text(true)
	if utf8.RuneCountInString(long) >= 500 || !strings.HasPrefix(long, "## Requirements: 0/40 satisfied\n- `hookctl req satisfy requirement_0 --session cad0ac4d` → `requirement_0`\n") ||
		!strings.HasSuffix(long, " more: `hookctl req status --session cad0ac4d`\n**Fallback**: `hookctl req satisfy NAME --session cad0ac4d`") {
		t.Error(utf8.RuneCountInString(long), long)
	}
	equal(t, "none", Status{}.Text(true), "## Requirements: No requirements configured")
	equal(t, "all", Status{Gates: gates(r, strings.Join(r.Order, " "))}.Text(true), "## Requirements: 10/10 satisfied")
}

func TestPinned_49_HeaderWarningAndCarryOverComeFirst(t *testing.T) {
	r := golden(t)
	s := Status{Header: "House rules\n", Carried: []string{"a", "b"}, Others: []Other{{"11111111", "main", 3 * time.Minute}}, Gates: gates(r, strings.Join(r.Order, " "))}
	equal(t, "text", s.Text(true), ticks(`House rules

⚠️  **Other Claude Code sessions detected on this project**

  • '11111111' on 'main' (active 3m ago)

**Note**: Edits may be blocked to prevent conflicts.
Use 'hookctl req satisfy single_session_per_project' to override if needed.

Carried over 2 requirement(s) from previous session: 'a', 'b'

## Requirements: 10/10 satisfied`))
	s.Gates = nil
	if strings.Contains(s.Text(true), "detected") {
		t.Error("the warning belongs to the guard")
	}
}

func TestStandardStatus(t *testing.T) {
	r := golden(t)
	r.Order = []string{"commit_plan", "protected_branch", "branch_size_limit", "single_session_per_project", "pre_commit_review"}
	clean := Gate{Requirement: Requirement{Name: "clean", GuardType: GuardDirtyTree}, Satisfied: true}
	s := Status{Project: "/repo", Branch: "main", Session: session, Gates: append(gates(r, "branch_size_limit single_session_per_project"), clean)}
	equal(t, "text", s.Text(false), ticks(`## Requirements Framework Active

**Branch**: 'main' @ '/repo' | **Session**: 'cad0ac4d'

### Quick Start
- '/arch-review' → 'commit_plan'
- Create feature branch → 'protected_branch'
- '/pre-commit' → 'pre_commit_review'

| Requirement | Status | Triggers | Resolve |
|-------------|--------|----------|---------|
| commit_plan | ⬜ | Edit, Write, MultiEdit | '/arch-review' |
| protected_branch | ⬜ | Edit, Write, MultiEdit, NotebookEdit | Create feature branch |
| branch_size_limit | ✅ | Edit, Write, MultiEdit, NotebookEdit | 'hookctl req satisfy branch_size_limit --session cad0ac4d' |
| single_session_per_project | ✅ | Edit, Write, MultiEdit, NotebookEdit | Close other session |
| pre_commit_review | ⬜ | git commit/cherry-pick/revert/merge | '/pre-commit' |
| clean | ✅ | Edit, Write, MultiEdit, NotebookEdit | Commit or stash the changes |

**Fallback**: 'hookctl req satisfy commit_plan protected_branch pre_commit_review --session cad0ac4d'`))
}

// What is left out of the configuration is said in every form, and nothing is called satisfied then.
func TestStatusOfABrokenConfiguration(t *testing.T) {
	s := Status{Session: session, Invalid: 2, Gates: []Gate{{Requirement: Requirement{Name: "a"}, Satisfied: true}}}
	const left = "⚠️  2 part(s) of the configuration left out (`hookctl req validate`): what they concern is not asked for\n\n"
	for _, compact := range []bool{true, false} {
		got := s.Text(compact)
		if !strings.HasPrefix(got, left) || strings.Contains(got, AllSatisfied) || strings.Contains(got, NothingOpen) == compact {
			t.Errorf("%t: %s", compact, got)
		}
	}
	s.Invalid = 0
	if got := s.Text(false); !strings.Contains(got, "### Quick Start\n✅ All requirements satisfied\n") {
		t.Error(got)
	}
}

func TestProblemWithoutAPlace(t *testing.T) {
	equal(t, "no file", Problem{Message: "m"}.Error(), "m")
	equal(t, "a file", Problem{File: "/f", Message: "m"}.Error(), "/f: m")
}

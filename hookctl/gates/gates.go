// Package gates reads the configuration of requirement gates, .claude/requirements.yaml, and says which
// requirements a tool call asks for, which skill satisfies them, and in what words a gate speaks.
//
// A requirement is something that must be done before a tool may be used: a plan before an edit, a review before a
// commit. It has
//
//   - a type: blocking (closed until satisfied), guard (a condition that is looked at each time: a protected branch,
//     another session in the same project) or dynamic (a number against a threshold: the size of the branch);
//   - a scope: how long a satisfaction holds: session, branch, permanent, or single_use (until the action was done);
//   - triggers: the tools that ask for it, for Bash narrowed by a regular expression on the command.
//
// The format is that of the requirements framework for Claude Code, so a repository that has such a file keeps it.
// Three files are merged: ~/.claude/requirements.yaml, <root>/.claude/requirements.yaml (which may say
// `inherit: false`) and <root>/.claude/requirements.local.yaml. Mappings are merged key by key, everything else is
// replaced whole; lists are never joined.
//
//	requirements:
//	  review:
//	    enabled: true
//	    scope: single_use
//	    trigger_tools: [{tool: Bash, command_pattern: 'git\s+commit'}]
//	    satisfied_by_skill: 'team:review'
//
// What is malformed disables itself alone and is a Problem with file, line and column: a requirement, a hook's
// setting, one broken entry of a file that is otherwise YAML. Nothing here decides whether a gate is open: that
// needs the log. Everything but load.go and the links of a plan's path is pure.
package gates

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Type is how a requirement is judged.
type Type = string

// Scope is how long a satisfaction holds.
type Scope = string

// The types and the scopes.
const (
	Blocking Type = "blocking" // closed until it is satisfied
	Dynamic  Type = "dynamic"  // closed while a number is at or above its threshold
	Guard    Type = "guard"    // closed while a condition holds

	SessionScope   Scope = "session"
	BranchScope    Scope = "branch"
	PermanentScope Scope = "permanent"
	SingleUse      Scope = "single_use"
)

// The guards that can be evaluated.
const (
	GuardProtectedBranch = "protected_branch"
	GuardSingleSession   = "single_session"
	GuardDirtyTree       = "dirty_tree"
)

// BranchSizeCalculator is the one calculator of dynamic requirements.
const BranchSizeCalculator = "branch_size_calculator"

// Defaults of keys that a file leaves out.
const (
	DefaultCacheTTL    = 60 * time.Second
	DefaultApprovalTTL = 300 * time.Second
)

// Requirement is one gate. A zero Base means the merge base with the default branch.
type Requirement struct {
	Name              string
	Enabled           bool
	Type              Type
	Scope             Scope
	Triggers          []Trigger // none: it never triggers
	Message           string    // what a denial says
	ShortMessage      string    // for a denial that repeats itself
	Checklist         []string
	AutoResolveSkill  string // what is suggested; it satisfies nothing by itself
	SatisfiedBySkill  string // the skill whose end satisfies it
	GuardType         string
	ProtectedBranches []string // exact names
	Thresholds        Thresholds
	CacheTTL          time.Duration // how long a calculated value is good
	ApprovalTTL       time.Duration // how long an approval of a dynamic requirement holds
	StopOnly          bool          // it denies no call; a call that asks for it arms it for the end of the turn
	ReplanTTL         time.Duration // how long a satisfaction by skill holds; 0: as long as its scope says
	Base              string        // the ref that the branch's size is measured from; "" = the default branch
	File              string        // the last file that defines it
	Line, Column      int           // of its name there, from 1
}

// Thresholds are a dynamic requirement's limits; a value equal to one has reached it.
type Thresholds struct {
	Warn, Block float64
	HasWarn     bool
}

// Problem is something wrong with the configuration, and where. The part it names is left out; Warning says that
// nothing is.
type Problem struct {
	File        string `json:"file,omitempty" jsonschema_description:"with the problem"`
	Line        int    `json:"line,omitempty" jsonschema_description:"from 1; absent when the whole file is meant"`
	Column      int    `json:"column,omitempty" jsonschema_description:"from 1"`
	Requirement string `json:"requirement,omitempty" jsonschema_description:"that is meant"`
	Message     string `json:"message" jsonschema_description:"what is wrong"`
	Hint        string `json:"hint,omitempty" jsonschema_description:"what to do"`
	Warning     bool   `json:"warning,omitempty" jsonschema_description:"nothing is left out because of it"`
}

// Error is "file:line:column: message", with as much of the place as is known.
func (p Problem) Error() string {
	if p.File == "" {
		return p.Message
	}
	if p.Line == 0 {
		return p.File + ": " + p.Message
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
}

// Rules is the merged configuration of one project. It is not changed after Load and safe for concurrent use.
type Rules struct {
	Enabled     bool                   // the top-level `enabled`
	ByName      map[string]Requirement // the valid ones, also those not enabled
	Order       []string               // their names in the order of the files
	Hooks       Hooks
	Problems    []Problem // in the order of the files
	Notes       []Problem // keys of the framework that are known and not acted on
	ProjectFile string    // "" = the project has none, and the hooks do nothing
	Unreadable  bool      // the project's file is there, and nothing of it can be used
	home, root  string
}

// Off is why the gates of the project are off as a whole: gone, unreadable or disabled; "" where they are on.
func (r Rules) Off() string {
	switch {
	case r.ProjectFile == "":
		return "gone"
	case r.Unreadable:
		return "unreadable"
	case !r.Enabled:
		return "disabled"
	}
	return ""
}

// Active reports whether the hooks have anything to do in this project.
func (r Rules) Active() bool { return r.ProjectFile != "" && r.Enabled }

// InOrder gives the enabled requirements in the order of the files.
func (r Rules) InOrder() []Requirement {
	var list []Requirement
	for _, name := range r.Order {
		if q := r.ByName[name]; q.Enabled {
			list = append(list, q)
		}
	}
	return list
}

// Invalid are the problems that disabled a part.
func (r Rules) Invalid() []Problem {
	var list []Problem
	for _, p := range r.Problems {
		if !p.Warning {
			list = append(list, p)
		}
	}
	return list
}

// builtinSkills satisfy without being configured: the framework's plugin relies on it. A file can add, not remove.
var builtinSkills = map[string][]string{
	"requirements-framework:pre-commit":    {"pre_commit_review"},
	"requirements-framework:quality-check": {"pre_pr_review"},
	"requirements-framework:codex-review":  {"codex_reviewer"},
	"requirements-framework:deep-review":   {"pre_pr_review"},
	"requirements-framework:plan-review":   {"commit_plan", "adr_reviewed", "tdd_planned", "solid_reviewed"},
	"requirements-framework:arch-review":   {"commit_plan", "adr_reviewed", "tdd_planned", "solid_reviewed"},
}

// SkillSatisfies returns the enabled requirements that a skill satisfies when it ends. Its name is compared exactly.
func (r Rules) SkillSatisfies(skill string) []Requirement {
	return slices.DeleteFunc(r.InOrder(), func(q Requirement) bool {
		satisfies := skill != "" && q.SatisfiedBySkill == skill || slices.Contains(builtinSkills[skill], q.Name)
		return !satisfies
	})
}

// Changed is what `git diff --shortstat` counts.
type Changed = struct{ Insertions, Deletions int }

// Size is how much a branch changed. The lines of untracked files are unstaged.
type Size struct {
	Committed, Staged, Unstaged Changed
	Base                        string // what it was compared with
}

// Value is that of the branch-size calculator, all insertions and deletions, with its summary.
func (s Size) Value() (value float64, summary string) {
	var parts []string
	for _, p := range []struct {
		name string
		c    Changed
	}{{"committed", s.Committed}, {"staged", s.Staged}, {"unstaged", s.Unstaged}} {
		if n := p.c.Insertions + p.c.Deletions; n > 0 {
			value += float64(n)
			parts = append(parts, fmt.Sprintf("%s: %d+/%d-", p.name, p.c.Insertions, p.c.Deletions))
		}
	}
	if len(parts) == 0 {
		return 0, "no changes"
	}
	return value, strings.Join(parts, " | ")
}

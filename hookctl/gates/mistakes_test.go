package gates

import (
	"strings"
	"testing"
)

// mistake is one thing that a user gets wrong: alone in a file that is otherwise good, it must be named with its place and
// cost nothing but itself.
type mistake struct {
	name    string
	lines   string // of requirement X, or of the file where whole is set
	place   string // line:column
	message string
	warning bool // X stays
}

// below are the lines of requirement X; the first is line 3, and its keys begin in column 5.
func below(lines string) string {
	return "requirements:\n  X:\n" + lines + "  good: {enabled: true}\n"
}

func TestMistakesInARequirement(t *testing.T) {
	for _, c := range []mistake{
		{"enabled in quotes", "    enabled: \"true\"\n", "3:14", "Requirement 'X' field 'enabled' must be bool", false},
		{"enabled as a number", "    enabled: 1\n", "3:14", "Requirement 'X' field 'enabled' must be bool", false},
		{"type misspelt", "    type: gaurd\n", "3:11", "Requirement 'X' field 'type' must be one of: blocking, dynamic, guard", false},
		{"type as a list", "    type: [guard]\n", "3:11", "Requirement 'X' field 'type' must be str", false},
		{"scope misspelt", "    enabled: true\n    scope: sesion\n", "4:12", "Requirement 'X' field 'scope' must be one of: branch, permanent, session, single_use", false},
		{"trigger_tools as a word", "    trigger_tools: Edit\n", "3:20", "Requirement 'X' field 'trigger_tools' must be a list", false},
		{"trigger_tools with a number", "    trigger_tools:\n      - Edit\n      - 7\n", "5:9", "Requirement 'X' trigger_tools[1]: must be string or dict, got int", false},
		{"trigger without a tool", "    trigger_tools:\n      - command_pattern: x\n", "4:9", "Requirement 'X' trigger_tools[0]: dict trigger must have 'tool' field", false},
		{"trigger's tool as a number", "    trigger_tools:\n      - {tool: 5}\n", "4:16", "Requirement 'X' trigger_tools[0]: 'tool' must be a string", false},
		{"pattern as a number", "    trigger_tools:\n      - {tool: Bash, command_pattern: 5}\n", "4:39", "Requirement 'X' trigger_tools[0]: 'command_pattern' must be a string", false},
		{"pattern not closed", "    trigger_tools:\n      - {tool: Bash, command_pattern: 'git\\s+(commit'}\n", "4:39",
			"Requirement 'X' trigger_tools[0]: invalid regex pattern 'git\\s+(commit': missing closing )", false},
		{"pattern with another tool", "    enabled: true\n    trigger_tools:\n      - {tool: Edit, command_pattern: x}\n", "5:39",
			"Requirement 'X' trigger_tools[0]: a 'command_pattern' matches only with tool Bash; this trigger never fires", true},
		{"message as a number", "    message: 5\n", "3:14", "Requirement 'X' field 'message' must be str", false},
		{"short_message as a list", "    short_message: [a]\n", "3:20", "Requirement 'X' field 'short_message' must be str, got list", true},
		{"description as a mapping", "    description: {a: b}\n", "3:19", "Requirement 'X' field 'description' must be str, got dict", true},
		{"checklist as a text", "    checklist: one\n", "3:16", "Requirement 'X' field 'checklist' must be a list", false},
		{"checklist with a number", "    checklist:\n      - one\n      - 2\n", "5:9", "Requirement 'X' field 'checklist' must contain only strings", false},
		{"auto_resolve_skill blank", "    auto_resolve_skill: ' '\n", "3:25", "Requirement 'X' field 'auto_resolve_skill' cannot be empty", false},
		{"satisfied_by_skill as a list", "    satisfied_by_skill: [a, b]\n", "3:25", "Requirement 'X' field 'satisfied_by_skill' must be str", false},
		{"guard without a kind", "    type: guard\n", "2:3", "Guard requirement 'X' must have 'guard_type' field", false},
		{"guard misspelt", "    type: guard\n    guard_type: protected_brnch\n", "4:17", "Guard requirement 'X' has the unknown guard_type 'protected_brnch': it always allows", true},
		{"protected_branches as a word", "    type: guard\n    guard_type: protected_branch\n    protected_branches: main\n", "5:25", "Requirement 'X' protected_branches must be a list", false},
		{"dynamic without a calculator", "    type: dynamic\n    thresholds: {block: 4}\n", "2:3", "Dynamic requirement 'X' missing required 'calculator' field", false},
		{"calculator of one's own", "    type: dynamic\n    calculator: mine\n    thresholds: {block: 4}\n", "4:17", "Dynamic requirement 'X' calculator module 'mine' not found", false},
		{"no block", "    type: dynamic\n    calculator: branch_size_calculator\n    thresholds: {warn: 4}\n", "5:18", "Dynamic requirement 'X' missing required 'thresholds.block' field", false},
		{"block in quotes", "    type: dynamic\n    calculator: branch_size_calculator\n    thresholds:\n      block: '400'\n", "6:14", "Dynamic requirement 'X' threshold 'block' must be a positive number, got: 400 (str)", false},
		{"block below zero", "    type: dynamic\n    calculator: branch_size_calculator\n    thresholds:\n      block: -1\n", "6:14", "Dynamic requirement 'X' threshold 'block' must be a positive number, got: -1 (int)", false},
		{"cache_ttl as a word", "    cache_ttl: soon\n", "3:16", "Requirement 'X' field 'cache_ttl' must be a number of seconds, got str", true},
		{"approval_ttl below zero", "    approval_ttl: -5\n", "3:19", "Requirement 'X' field 'approval_ttl' must be a number of seconds, got int", true},
		{"replan_ttl as a word", "    replan_ttl: 1d\n", "3:17", "Requirement 'X' field 'replan_ttl' must be a number of seconds, got str", true},
		{"stop_only in quotes", "    stop_only: 'yes'\n", "3:16", "Requirement 'X' field 'stop_only' must be bool, got str", true},
		{"stop_only with single_use", "    scope: single_use\n    stop_only: true\n", "4:16", "Requirement 'X' has stop_only and the scope single_use: no action closes it again", true},
		{"blocking_message as a number", "    blocking_message: 7\n", "3:23", "Requirement 'X' field 'blocking_message' must be str, got int", true},
		{"base as a list", "    base: [main]\n", "3:11", "Requirement 'X' field 'base' must be str, got list", true},
		{"a key misspelt", "    enabld: true\n", "3:5", "unknown key 'requirements.X.enabld'", true},
		{"a key of thresholds misspelt", "    thresholds:\n      blck: 5\n", "4:7", "unknown key 'requirements.X.thresholds.blck'", true},
		{"a key twice", "    enabled: true\n    enabled: false\n", "4:5", "key \"enabled\" is already in line 3; the last one counts", true},
	} {
		t.Run(c.name, func(t *testing.T) { c.check(t, project(below(c.lines))) })
	}
}

func (c mistake) check(t *testing.T, r Rules) {
	t.Helper()
	if len(r.Problems) != 1 {
		t.Fatalf("problems: %+v", r.Problems)
	}
	p := r.Problems[0]
	if want := projectFile + ":" + c.place + ": " + c.message; p.Error() != want || p.Warning != c.warning {
		t.Errorf("%s (warning %t)\nwant %s (%t)", p.Error(), p.Warning, want, c.warning)
	}
	if _, kept := r.ByName["X"]; kept != c.warning {
		t.Errorf("X is there: %t", kept)
	}
	if hits := r.Match("Edit", nil); len(hits) == 0 || hits[len(hits)-1].Requirement.Name != "good" {
		t.Error("the good one does not gate any more")
	}
}

// A double-quoted pattern is the classic: \s is no escape there. What cannot be read is named, the rest holds.
func TestMistakePatternInDoubleQuotes(t *testing.T) {
	r := project(below("    enabled: true\n    trigger_tools:\n      - {tool: Bash, command_pattern: \"git\\s+commit\"}\n"))
	if len(r.Match("Edit", nil)) != 1 {
		t.Errorf("the good one does not gate any more: %+v", r.Problems)
	}
	for _, p := range r.Problems {
		if p.File != projectFile || p.Line != 5 {
			t.Errorf("%+v", p)
		}
	}
}

func TestMistakesInTheFile(t *testing.T) {
	good := "requirements:\n  good: {enabled: true}\n"
	for _, c := range []mistake{
		{"enabled as a word", good + "enabled: maybe\n", "3:10", "`enabled` must be bool, got str", false},
		{"inherit as a list", good + "inherit: [a]\n", "3:10", "`inherit` must be bool, got list", false},
		{"hooks as a list", good + "hooks:\n  - stop\n", "4:3", "`hooks` must be a mapping, got list", false},
		{"a hook as a word", good + "hooks:\n  stop: never\n", "4:3", "hooks.stop must be a mapping, got str", false},
		{"hooks misspelt", good + "hook: {}\n", "3:1", "unknown key 'hook'", true},
		{"a hook misspelt", good + "hooks:\n  sesion_start: {}\n", "4:3", "unknown key 'hooks.sesion_start'", true},
		{"inject_context", good + "hooks:\n  session_start:\n    inject_context: 'no'\n", "5:21", "hooks.session_start.inject_context must be bool, got str", false},
		{"injection_mode", good + "hooks:\n  session_start:\n    injection_mode: loud\n", "5:21", "hooks.session_start.injection_mode must be one of: auto, compact, standard, rich", true},
		{"custom_header", good + "hooks:\n  session_start:\n    custom_header: 5\n", "5:20", "hooks.session_start.custom_header must be str, got int", false},
		{"carry_over.enabled", good + "hooks:\n  session_start:\n    carry_over: {enabled: 1}\n", "5:27", "hooks.session_start.carry_over.enabled must be bool, got int", false},
		{"carry_over.window_seconds", good + "hooks:\n  session_start:\n    carry_over: {window_seconds: long}\n", "5:34", "hooks.session_start.carry_over.window_seconds must be a positive number, got str", false},
		{"carry_over.scopes", good + "hooks:\n  session_start:\n    carry_over: {scopes: session}\n", "5:26", "hooks.session_start.carry_over.scopes must be a list, got str", false},
		{"verify_requirements", good + "hooks:\n  stop: {verify_requirements: 0}\n", "4:31", "hooks.stop.verify_requirements must be bool, got int", false},
		{"verify_scopes", good + "hooks:\n  stop: {verify_scopes: [session, brunch]}\n", "4:35", "hooks.stop.verify_scopes must contain only: branch, permanent, session, single_use", false},
		{"clear_session_state", good + "hooks:\n  session_end: {clear_session_state: yes please}\n", "4:38", "hooks.session_end.clear_session_state must be bool, got str", false},
		{"session_learning.enabled", good + "hooks:\n  session_learning: {enabled: sometimes}\n", "4:31", "hooks.session_learning.enabled must be bool, got str", false},
		{"prompt_on_stop", good + "hooks:\n  session_learning: {prompt_on_stop: 2}\n", "4:38", "hooks.session_learning.prompt_on_stop must be bool, got int", false},
		{"min_tool_uses", good + "hooks:\n  session_learning: {min_tool_uses: -1}\n", "4:37", "hooks.session_learning.min_tool_uses must be a positive number, got int", false},
		{"auto_deny_dangerous", good + "hooks:\n  permission_request: {auto_deny_dangerous: \"off\"}\n", "4:45", "hooks.permission_request.auto_deny_dangerous must be bool, got str", false},
		{"a requirement without keys", "requirements:\n  X:\n  good: {enabled: true}\n", "2:3", "Requirement 'X' must be a mapping, got NoneType", false},
		{"a requirement as a list", "requirements:\n  X: [Edit]\n  good: {enabled: true}\n", "2:3", "Requirement 'X' must be a mapping, got list", false},
		{"requirements misspelt", good + "requirments: {}\n", "3:1", "unknown key 'requirments'", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := project(c.lines)
			if len(r.Problems) != 1 {
				t.Fatalf("problems: %+v", r.Problems)
			}
			if p := r.Problems[0]; p.Error() != projectFile+":"+c.place+": "+c.message || p.Warning != c.warning {
				t.Errorf("%s (warning %t)\nwant %s:%s: %s (%t)", p.Error(), p.Warning, projectFile, c.place, c.message, c.warning)
			}
			if !r.Enabled || len(r.Match("Edit", nil)) != 1 {
				t.Error("the good one does not gate any more")
			}
			if !r.Hooks.PermissionRequest.AutoDenyDangerous || !r.Hooks.Stop.VerifyRequirements {
				t.Error("what is malformed has lost its default")
			}
		})
	}
}

// What cannot be read as YAML costs its own part.
func TestMistakesOfYAML(t *testing.T) {
	for _, c := range []struct{ name, text, place string }{
		{"a quote that is not closed", "requirements:\n  X:\n    message: \"open\n  good: {enabled: true}\n", ":3:"},
		{"a bracket that is not closed", "requirements:\n  X: {trigger_tools: [Edit}\n  good: {enabled: true}\n", ":2:"},
		{"a tab", "requirements:\n  X:\n\tenabled: true\n  good: {enabled: true}\n", ":3:"},
		{"an anchor that is not there", "requirements:\n  X: *nobody\n  good: {enabled: true}\n", ":2:"},
	} {
		r := project(c.text)
		if list := r.Invalid(); len(list) == 0 || !strings.HasPrefix(list[0].Error(), projectFile+c.place) {
			t.Errorf("%s: %+v", c.name, list)
		}
		if hits := r.Match("Edit", nil); len(hits) != 1 || hits[0].Requirement.Name != "good" {
			t.Errorf("%s: %+v", c.name, hits)
		}
	}
}

func TestStopOnlyAndReplanTTL(t *testing.T) {
	r := project("requirements:\n  a: {enabled: true, stop_only: true, scope: branch, replan_ttl: 90}\n  b: {enabled: true}\n")
	equal(t, "problems", []any{r.Problems, r.Notes}, []any{[]Problem(nil), []Problem(nil)})
	equal(t, "a", []any{r.ByName["a"].StopOnly, r.ByName["a"].ReplanTTL.String()}, []any{true, "1m30s"})
	equal(t, "b", []any{r.ByName["b"].StopOnly, r.ByName["b"].ReplanTTL.String()}, []any{false, "0s"})
	stop := r.Hooks.Stop
	equal(t, "asked for at Stop whatever its scope", []bool{stop.Verifies(r.ByName["a"]), stop.Verifies(r.ByName["b"]),
		stop.Verifies(Requirement{Scope: BranchScope})}, []bool{true, true, false})
}

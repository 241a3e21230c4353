package gates

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"hookline/expect"
	"hookline/hookctl/yaml"
)

// texts reads files that lie nowhere.
func texts(files map[string]string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		text, ok := files[filepath.ToSlash(name)]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return []byte(text), nil
	}
}

const (
	globalFile  = "/home/dev/.claude/requirements.yaml"
	projectFile = "/repo/.claude/requirements.yaml"
	localFile   = "/repo/.claude/requirements.local.yaml"
)

// cascade loads the three texts; "-" is a file that is not there.
func cascade(global, project, local string) Rules {
	files := map[string]string{}
	for path, text := range map[string]string{globalFile: global, projectFile: project, localFile: local} {
		if text != "-" {
			files[path] = text
		}
	}
	return Load(Options{Home: "/home/dev", Root: "/repo", Read: texts(files)})
}

func project(text string) Rules { return cascade("-", text, "-") }

func golden(t *testing.T) Rules {
	t.Helper()
	text := expect.Value(os.ReadFile("testdata/requirements.yaml"))(t)
	return project(string(text))
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %#v\nwant %#v", what, got, want)
	}
}

func messages(list []Problem) []string {
	var out []string
	for _, p := range list {
		out = append(out, p.Message)
	}
	return out
}

func TestGoldenFile(t *testing.T) {
	r := golden(t)
	equal(t, "problems", r.Problems, []Problem(nil))
	equal(t, "notes", r.Notes, []Problem(nil))
	equal(t, "order", strings.Join(r.Order, " "), "commit_plan adr_reviewed tdd_planned solid_reviewed protected_branch branch_size_limit "+
		"single_session_per_project pre_commit_review pre_pr_review codex_reviewer")
	q := r.ByName["commit_plan"]
	equal(t, "place", []any{q.File, q.Line, q.Column}, []any{projectFile, 7, 3})
	equal(t, "merge key", r.ByName["adr_reviewed"].AutoResolveSkill, "requirements-framework:arch-review")
	equal(t, "merge key overridden", r.ByName["adr_reviewed"].Message, "## Blocked: decisions not read")
	d := r.ByName["branch_size_limit"]
	equal(t, "enabled: yes", d.Enabled, true)
	equal(t, "thresholds", d.Thresholds, Thresholds{Warn: 250, Block: 400, HasWarn: true})
	equal(t, "ttls", []time.Duration{d.CacheTTL, d.ApprovalTTL}, []time.Duration{time.Minute, time.Hour})
}

func TestDefaults(t *testing.T) {
	r := project("requirements: {a: {enabled: true, message: hello}, b: {}}")
	a := r.ByName["a"]
	equal(t, "a", []any{a.Type, a.Scope, a.CacheTTL, a.ApprovalTTL, a.Base}, []any{Blocking, SessionScope, 60 * time.Second, 300 * time.Second, ""})
	equal(t, "summary", a.Summary(), "Edit, Write, MultiEdit, NotebookEdit")
	equal(t, "b is off", r.ByName["b"].Enabled, false)
	h := r.Hooks
	equal(t, "session_start", []any{h.InjectContext, h.InjectionMode, h.CustomHeader}, []any{true, "auto", ""})
	equal(t, "carry_over", []any{h.CarryOver, h.CarryWindow, h.CarryScopes},
		[]any{true, 300 * time.Second, []Scope{SessionScope}})
	equal(t, "stop", []any{h.VerifyRequirements, h.VerifyScopes}, []any{true, []Scope{SessionScope}})
	equal(t, "end, learning", []any{h.ClearSessionState, h.Learning, h.PromptOnStop, h.MinToolUses},
		[]any{false, false, true, 5})
	equal(t, "permission", h.AutoDenyDangerous, true)
}

func TestHooksAreRead(t *testing.T) {
	r := project(`
hooks:
  session_start: {inject_context: false, injection_mode: rich, custom_header: "Hello", carry_over: {enabled: off, window_seconds: 60, scopes: [session, branch]}}
  stop: {verify_requirements: false, verify_scopes: [session, single_use]}
  session_end: {clear_session_state: true}
  session_learning: {enabled: true, prompt_on_stop: false, min_tool_uses: 9}
  permission_request: {auto_deny_dangerous: false}
  agent_teams: {enabled: false, keep_working_on_idle: true, validate_task_completion: true, max_teammates: 5}
`)
	equal(t, "problems", r.Problems, []Problem(nil))
	equal(t, "notes", messages(r.Notes), []string{"key 'hooks.agent_teams' is known and not acted on"})
	var want Hooks
	want.InjectionMode, want.CustomHeader = "rich", "Hello"
	want.CarryWindow = time.Minute
	want.CarryScopes = []Scope{SessionScope, BranchScope}
	want.VerifyScopes = []Scope{SessionScope, SingleUse}
	want.ClearSessionState = true
	want.Learning, want.MinToolUses = true, 9
	equal(t, "hooks", r.Hooks, want)
}

func TestCompact(t *testing.T) {
	for _, c := range []struct {
		mode, source string
		want         bool
	}{{"auto", "compact", true}, {"auto", "startup", false}, {"compact", "startup", true}, {"rich", "compact", false}} {
		h := Hooks{}
		h.InjectionMode = c.mode
		equal(t, c.mode+" "+c.source, h.Compact(c.source), c.want)
	}
}

func TestNoProjectFile(t *testing.T) {
	on := "requirements: {a: {enabled: true}}"
	r := cascade(on, "-", on)
	equal(t, "file", r.ProjectFile, "")
	equal(t, "TestPinned_23 hits", len(r.Match("Edit", nil)), 0)
	equal(t, "rules are known", r.Order, []string{"a"})
	r = cascade(on, "", "-")
	equal(t, "an empty project file", len(r.Match("Edit", nil)), 1)
	equal(t, "enabled: false", len(project("enabled: false\n"+on).Match("Edit", nil)), 0)
	equal(t, "no home", len(Load(Options{Root: "/repo", Read: texts(map[string]string{projectFile: on})}).Match("Edit", nil)), 1)
}

func TestUnreadable(t *testing.T) {
	denied := func(name string) ([]byte, error) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	r := Load(Options{Home: "/home/dev", Root: "/repo", Read: denied})
	equal(t, "problems", len(r.Problems), 3)
	equal(t, "first", r.Problems[0], Problem{File: globalFile, Message: "permission denied", Hint: "the file is left out; make it readable or remove it"})
	equal(t, "the project has rules", []string{r.ProjectFile, r.Off()}, []string{projectFile, "unreadable"})
}

func TestPinned_27_DiskAndSubdirectory(t *testing.T) {
	root := t.TempDir()
	expect.OK(t, os.MkdirAll(filepath.Join(root, ".claude"), 0o755))
	expect.OK(t, os.WriteFile(filepath.Join(root, ".claude", "requirements.yaml"), []byte("requirements: {a: {enabled: true}}"), 0o644))
	r := Load(Options{Root: root}) // the caller resolves the toplevel, so the working directory is no argument
	equal(t, "hits", len(r.Match("Edit", []byte(`{"file_path":"sub/x.go"}`))), 1)
	expect.OK(t, os.WriteFile(filepath.Join(root, ".claude", "requirements.local.yaml"), []byte(strings.Repeat("#", yaml.MaxFile+1)), 0o644))
	r = Load(Options{Root: root})
	equal(t, "too large", messages(r.Problems), []string{"larger than 262144 bytes"})
	equal(t, "hits without the local file", len(r.Match("Edit", nil)), 1)
}

func TestSummary(t *testing.T) {
	r := golden(t)
	equal(t, "pattern", r.ByName["pre_commit_review"].Summary(), "git commit/cherry-pick/revert/merge")
	equal(t, "tools", r.ByName["commit_plan"].Summary(), "Edit, Write, MultiEdit")
	equal(t, "empty", Requirement{}.Summary(), "Edit, Write, MultiEdit, NotebookEdit")
	equal(t, "anchors", Requirement{Triggers: []Trigger{{Tool: "Bash", Pattern: `^npm\s+publish$`}}}.Summary(), "npm publish")
}

func TestPinned_35_BranchSize(t *testing.T) {
	for _, c := range []struct {
		a, b, c Changed
		value   float64
		summary string
	}{
		{Changed{5, 0}, Changed{}, Changed{}, 5, "committed: 5+/0-"},
		{Changed{200, 50}, Changed{100, 0}, Changed{10, 5}, 365, "committed: 200+/50- | staged: 100+/0- | unstaged: 10+/5-"},
		{Changed{}, Changed{}, Changed{0, 3}, 3, "unstaged: 0+/3-"},
		{Changed{}, Changed{}, Changed{}, 0, "no changes"},
	} {
		value, summary := Size{Committed: c.a, Staged: c.b, Unstaged: c.c}.Value()
		equal(t, c.summary, []any{value, summary}, []any{c.value, c.summary})
	}
}

func TestSchemaAndStarter(t *testing.T) {
	r := project(Starter)
	equal(t, "problems", r.Problems, []Problem(nil))
	equal(t, "notes", r.Notes, []Problem(nil))
	var on []string
	for _, q := range r.InOrder() {
		on = append(on, q.Name)
	}
	equal(t, "switched on", on, []string{"protected_branch"})
}

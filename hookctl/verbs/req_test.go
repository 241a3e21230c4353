//go:build unix

package verbs

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hookline/hookctl/daemon"
	"hookline/hookctl/facts"
	"hookline/hookctl/problem"
	"hookline/hookctl/wire"
)

// reqBench is a bench in a repository on branch feature/x with a daemon behind it. The clock of both is noon.
type reqBench struct {
	*bench
	d     *daemon.Daemon
	dir   string
	clock atomic.Int64 // milliseconds since 1970: the daemon reads it while a test turns it on
	n     int
	pid   int // the client's process; 0: not known
}

const reqRules = `requirements:
  commit_plan: {enabled: true}
  adr_reviewed: {enabled: true}
  sec: {enabled: true, scope: permanent}
  size: {enabled: true, type: dynamic, calculator: branch_size_calculator, approval_ttl: 3600, thresholds: {warn: 20, block: 50}}
  protected_branch: {enabled: true, type: guard, guard_type: protected_branch}
`

func gitIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=Dev", "-c", "user.email=dev@example.org", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func put(t *testing.T, file, text string) {
	t.Helper()
	noError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	noError(t, os.WriteFile(file, []byte(text), 0o644))
}

func newReq(t *testing.T, rules string) *reqBench {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	b := &reqBench{bench: newBench(t, nil)}
	b.clock.Store(noon.UnixMilli())
	t.Setenv("HOME", b.env["HOME"])
	t.Setenv("XDG_RUNTIME_DIR", "")
	t.Setenv("HOOKLINE_SOCKET", "")
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("HOOKLINE_SECOND", os.Getenv("TMPDIR"))
	real := must(filepath.EvalSymlinks(t.TempDir()))(t)
	b.dir = real
	gitIn(t, b.dir, "init", "-q", "-b", "main")
	put(t, filepath.Join(b.dir, "a.txt"), "one\n")
	gitIn(t, b.dir, "add", ".")
	gitIn(t, b.dir, "commit", "-q", "-m", "first")
	gitIn(t, b.dir, "switch", "-q", "-c", "feature/x")
	if rules != "" {
		put(t, b.rules(), rules)
	}
	d := must(daemon.Open(t.Context(), daemon.Options{Home: b.env["HOOKLINE_HOME"], Now: b.time}))(t)
	t.Cleanup(func() {
		if err := d.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	b.d, b.handler, b.Cwd = d, d.Handler(), b.dir
	b.Now = b.time
	b.place = facts.New(facts.Options{}).Place
	return b
}

// time is the clock's, in UTC.
func (b *reqBench) time() time.Time { return time.UnixMilli(b.clock.Load()).UTC() }

func (b *reqBench) rules() string { return filepath.Join(b.dir, ".claude", "requirements.yaml") }

// hook sends a hook of a session and gives the reason of a denial or a block, "" without one.
func (b *reqBench) hook(session, body string) string {
	b.t.Helper()
	b.n++
	ms := b.clock.Add(1)
	text := strings.Replace(body, "{", fmt.Sprintf(`{"session_id":%q,"cwd":%q,"tool_use_id":"toolu_%d",`, session, b.dir, b.n), 1)
	env := map[string]string{"CLAUDE_PROJECT_DIR": b.dir}
	if b.pid != 0 {
		env["CLAUDE_PID"] = strconv.Itoa(b.pid)
	}
	a := must(b.d.Take(b.t.Context(), wire.Frame{ID: wire.NewID(ms), Args: []string{"hook"}, Time: ms, Complete: true, Size: int64(len(text)),
		Body: []byte(text), Binary: "/usr/local/bin/hookctl", Env: env}))(b.t)
	var out struct {
		Reason             string
		HookSpecificOutput struct{ PermissionDecisionReason string }
	}
	_ = json.Unmarshal(a.Stdout, &out)
	return out.Reason + out.HookSpecificOutput.PermissionDecisionReason
}

func (b *reqBench) start(session string) {
	b.hook(session, `{"hook_event_name":"SessionStart","source":"resume"}`)
}

const (
	reqEdit = `{"hook_event_name":"PreToolUse","tool_name":"Edit","tool_input":{"file_path":"a.txt"}}`
	reqStop = `{"hook_event_name":"Stop","background_tasks":[]}`
)

// refuses runs a command that must end with exit code 1, and gives its stderr.
func (b *reqBench) refuses(args ...string) string {
	b.t.Helper()
	code, out, errs := b.run(args...)
	if code != 1 || out != "" {
		b.t.Errorf("hookctl %s: exit %d, stdout %q", strings.Join(args, " "), code, out)
	}
	return errs
}

func TestPinned_01_WhoseSession(t *testing.T) {
	b := newReq(t, reqRules)
	const ask = "Name it with --session ID; `hookctl req sessions` lists them.\n"
	equal(t, b.refuses("req", "satisfy", "commit_plan"), "❌ No active Claude Code session found!\n"+ask, "no session ever")
	b.start(sessionA)
	want := "❌ No Claude Code session found for this shell!\n  c68c8a51 - " + b.dir + "\n    feature/x [PID 0, just now]\n" + ask
	equal(t, b.refuses("req", "satisfy", "commit_plan"), want, "another shell's")
	b.hook(sessionA, `{"hook_event_name":"SessionEnd","reason":"other"}`)
	equal(t, b.refuses("req", "satisfy", "commit_plan"), "❌ No active Claude Code sessions in registry!\n"+ask, "none alive")
	if got := b.refuses("req", "satisfy", "commit_plan", "--session", "99999999"); !strings.Contains(got, `there is no session "99999999"`) {
		t.Errorf("%q", got)
	}
	b.start(sessionB)
	b.start(sessionC)
	if got := b.refuses("req", "satisfy", "commit_plan", "--session", "043f0af5"); !strings.Contains(got, `"043f0af5" is ambiguous: `+sessionC) {
		t.Errorf("%q", got)
	}
}

func TestPinned_08_SessionOfTheEnvironment(t *testing.T) {
	b := newReq(t, reqRules)
	b.start(sessionA)
	b.env["CLAUDE_SESSION_ID"] = sessionA
	if got := b.refuses("req", "satisfy", "commit_plan"); !strings.HasPrefix(got, "❌ No Claude Code session found for this shell!") {
		t.Errorf("%q", got)
	}
	b.env["CLAUDE_CODE_SESSION_ID"] = sessionA
	equal(t, b.must("req", "satisfy", "commit_plan"), "✨ Auto-detected Claude session: c68c8a51\n✅ Satisfied 'commit_plan' for feature/x (session scope)\n")
}

func TestPinned_33_GuardNeedsNoState(t *testing.T) {
	b := newReq(t, reqRules)
	b.start(sessionA)
	out := b.must("req", "status", "-s", "c68c8a51")
	contains(t, out, "✅  protected_branch  session    not on protected branch")
	if strings.Contains(out, "• protected_branch") {
		t.Error(out)
	}
	gitIn(t, b.dir, "switch", "-q", "main")
	contains(t, b.must("req", "status", "-s", "c68c8a51"), "  • protected_branch (session scope)\n    → hookctl req satisfy protected_branch --session c68c8a51\n", "⬜  protected_branch  session    branch `main` is protected")
}

func TestPinned_39_InvalidConfiguration(t *testing.T) {
	b := newReq(t, "requirements:\n  a: {enabled: 1}\n  b: {enabled: true, scope: galaxy}\n  c: {enabled: true, type: guard}\n")
	out := b.must("req", "status", "--verbose")
	contains(t, out, "⚠️  Configuration validation failed:\n   - Requirement 'a' field 'enabled' must be bool\n     at "+b.rules()+":2:16\n",
		"   - Requirement 'b' field 'scope' must be one of: branch, permanent, session, single_use\n",
		"   - Guard requirement 'c' must have 'guard_type' field\n", "Fix .claude/requirements.yaml and rerun `hookctl req status`.\n")
	var s struct {
		Gates    []GateStatus
		Problems []struct{ Line int }
	}
	if err := json.Unmarshal([]byte(b.must("req", "status", "--json")), &s); err != nil || len(s.Gates) != 0 || len(s.Problems) != 3 || s.Problems[2].Line != 4 {
		t.Errorf("%v %+v", err, s)
	}
}

func TestPinned_46_Satisfy(t *testing.T) {
	b := newReq(t, reqRules)
	b.start(sessionA)
	if got := b.hook(sessionA, reqEdit); !strings.Contains(got, "commit_plan") {
		t.Fatal(got)
	}
	out := b.must("req", "satisfy", "commit_plan", "adr_reviewed", "sec", "--session", "c68c8a51")
	if out != "🎯 Using explicit session: c68c8a51\n✅ Satisfied 3 requirement(s) for feature/x\n   - commit_plan (session scope)\n   - adr_reviewed (session scope)\n   - sec (permanent scope)\n" {
		t.Error(out)
	}
	equal(t, b.hook(sessionA, reqEdit), "")
	out = b.must("req", "satisfy", "commit_plan", "--branch", "feature/x")
	if out != "🌿 Using branch-level satisfaction for: feature/x\n✅ Satisfied 'commit_plan' at branch level for feature/x\n   ℹ️  All current and future sessions on this branch are now satisfied\n" {
		t.Error(out)
	}
	out = b.must("req", "satisfy", "commit_plan", "adr_reviewed", "--branch", "feature/x")
	contains(t, out, "✅ Satisfied 2 requirement(s) at branch level for feature/x\n")
	equal(t, b.hook(sessionB, reqEdit), "", "another session of the branch")
}

func TestPinned_47_Status(t *testing.T) {
	b := newReq(t, "requirements:\n  commit_plan: {enabled: true}\n  adr_reviewed: {enabled: true}\n")
	b.start(sessionA)
	b.env["CLAUDE_CODE_SESSION_ID"] = sessionA
	equal(t, b.must("req", "status", "--summary"), "⚠️  0/2 requirements satisfied (commit_plan, adr_reviewed needed)\n")
	b.must("req", "satisfy", "commit_plan")
	equal(t, b.must("req", "status", "--summary"), "⚠️  1/2 requirements satisfied (adr_reviewed needed)\n")
	out := b.must("req")
	contains(t, out, "📋 Requirements Status\n\nBranch: feature/x\n\n❌ Unsatisfied Requirements:\n  • adr_reviewed (session scope)\n    → hookctl req satisfy adr_reviewed\n\n💡 Satisfy all: hookctl req satisfy adr_reviewed\n",
		"✅  commit_plan   session  cli_bypass  2026-11-21 12:00:00  01")
	if strings.Contains(out, "• commit_plan") {
		t.Error(out)
	}
	b.must("req", "satisfy", "adr_reviewed")
	equal(t, b.must("req", "status", "--summary"), "✅ All 2 requirements satisfied\n")
	contains(t, b.must("req", "status"), "✅ All requirements satisfied\n")
	put(t, b.rules(), "enabled: false\n")
	if code, out, errs := b.run("req", "status"); code != 0 || out != "" || errs != "⚠️  Requirements framework disabled\n" {
		t.Errorf("%d %q %q", code, out, errs)
	}
	equal(t, b.must("req", "status", "--summary"), "Requirements framework disabled\n")
	noError(t, os.Remove(b.rules()))
	if code, out, errs := b.run("req", "status"); code != 0 || out != "" || errs != "ℹ️  No requirements configured for this project.\n" {
		t.Errorf("%d %q %q", code, out, errs)
	}
}

func TestPinned_48_Sessions(t *testing.T) {
	b := newReq(t, reqRules)
	equal(t, b.must("req", "sessions"), "ℹ️  No active Claude Code sessions found.\n")
	b.start(sessionA)
	b.clock.Add((3 * time.Minute).Milliseconds())
	equal(t, b.must("req", "sessions"), "📋 Active Claude Code Sessions (1)\n  c68c8a51 - "+b.dir+"\n    feature/x [PID 0, 3m ago]\n")
	equal(t, b.must("req", "sessions", "--project", t.TempDir()), "ℹ️  No active Claude Code sessions found.\n")
	contains(t, b.must("req", "sessions", "--project", "."), "c68c8a51")
}

func TestReqPlaces(t *testing.T) {
	b := newReq(t, reqRules)
	gitIn(t, b.dir, "switch", "-q", "--detach")
	equal(t, b.refuses("req", "status"), "❌ Not on a branch (detached HEAD?)\n")
	equal(t, b.must("req", "list"), "ℹ️  No tracked branches in this project.\n")
	b.Cwd = t.TempDir()
	for _, verb := range [][]string{{"status"}, {"satisfy", "x"}, {"clear", "x"}, {"list"}, {"prune"}, {"explain", "x"}, {"import"}, {"init"}} {
		if got := b.refuses(append([]string{"req"}, verb...)...); got != "❌ Not in a git repository\n" {
			t.Errorf("%s: %q", verb, got)
		}
	}
}

// Before anything was recorded the configuration alone is told.
func TestReqWithoutAStore(t *testing.T) {
	b := newReq(t, reqRules)
	b.connect = func(context.Context, need) (backend, error) {
		return nil, translate(&problem.Error{Message: "there is no store", Status: 404, Exit: 1})
	}
	code, out, errs := b.run("req", "status", "--summary")
	if code != 0 || out != "⚠️  2/5 requirements satisfied (commit_plan, adr_reviewed, sec needed)\n" || errs != "⚠️  No Claude Code session detected\n" {
		t.Errorf("%d %q %q", code, out, errs)
	}
}

func TestReqUnknownName(t *testing.T) {
	b := newReq(t, reqRules)
	b.start(sessionA)
	b.env["CLAUDE_CODE_SESSION_ID"] = sessionA
	equal(t, b.refuses("req", "satisfy", "commit_pln", "adr_reviewed"), "❌ Unknown requirement: 'commit_pln'\nDid you mean 'commit_plan'?\n")
	equal(t, b.must("req", "list"), "ℹ️  No tracked branches in this project.\n", "something was recorded")
	if got := b.must("req", "satisfy", "elephant", "--force"); !strings.Contains(got, "✅ Satisfied 'elephant' for feature/x (session scope)\n") {
		t.Errorf("%q", got)
	}
	equal(t, b.refuses("req", "explain", "xyzzy"), "❌ Unknown requirement: 'xyzzy'\n")
	for _, meta := range []string{"{", "[1]", "null", "7"} {
		if got := b.refuses("req", "satisfy", "commit_plan", "--metadata", meta); got != "❌ Invalid JSON metadata\n" {
			t.Errorf("%s: %q", meta, got)
		}
	}
}

func TestReqApprove(t *testing.T) {
	b := newReq(t, reqRules)
	b.start(sessionA)
	b.env["CLAUDE_CODE_SESSION_ID"] = sessionA
	put(t, filepath.Join(b.dir, "big.txt"), strings.Repeat("x\n", 400))
	contains(t, b.must("req", "status"), "⚠️  Dynamic Requirements (not yet approved):\n  • size (needs approval after calculation)\n")
	equal(t, b.must("req", "approve", "size"), "✨ Auto-detected Claude session: c68c8a51\n✅ Approved 'size' for feature/x\n   Duration: 60m 0s (session scope)\n   Session: c68c8a51\n")
	b.clock.Add((2 * time.Second).Milliseconds())
	out := b.must("req", "status", "-v")
	contains(t, out, "📊 Dynamic Requirements:\n  🛑 size: 406 changes\n     unstaged: 406+/0-\n     Base: main\n     ⏰ Approved (59m 58s remaining)\n", "Session: c68c8a51\n", "🔍 Active Claude Sessions for feature/x:\n  c68c8a51 - ")
	b.clock.Add(time.Hour.Milliseconds())
	contains(t, b.must("req", "explain", "size"), "size is closed for c68c8a51 on feature/x: what approval satisfied at 2026-11-21 12:00:00 expired at 2026-11-21 13:00:00\n")
	gitIn(t, b.dir, "switch", "-q", "main")
	contains(t, b.must("req", "approve", "protected_branch"), "✅ Satisfied 'protected_branch' for main (session scope)\n")
	contains(t, b.must("req", "status"), "✅  protected_branch  session    approval")
}

func TestReqClear(t *testing.T) {
	b := newReq(t, "requirements:\n  commit_plan: {enabled: true}\n")
	for _, id := range []string{sessionA, sessionB} {
		b.start(id)
		b.must("req", "satisfy", "commit_plan", "--session", id)
		b.hook(id, reqEdit)
	}
	equal(t, b.refuses("req", "clear"), "❌ Specify requirement name or use --all\n")
	equal(t, b.must("req", "clear", "commit_plan", "--session", "c68c8a51"), "✅ Cleared 'commit_plan' for feature/x\n")
	if got := b.hook(sessionA, reqStop); !strings.Contains(got, "commit_plan") {
		t.Errorf("its Stop: %q", got)
	}
	equal(t, b.hook(sessionB, reqEdit), "", "the other session")
	equal(t, b.must("req", "clear", "--all"), "✅ Cleared all requirements for feature/x\n")
	if b.hook(sessionB, reqEdit) == "" || b.hook(sessionA, reqStop) != "" {
		t.Error("the whole branch was cleared, and nothing is triggered")
	}
}

// What holds for the whole branch is not closed by closing a gate for one session, which is said.
func TestReqClearStaysOpen(t *testing.T) {
	b := newReq(t, "requirements:\n  commit_plan: {enabled: true}\n  adr: {enabled: true, scope: permanent}\n")
	b.start(sessionA)
	b.must("req", "satisfy", "commit_plan", "adr", "--session", sessionA)
	const open = "⚠️  'adr' stays open: it is satisfied for every session of the branch. `hookctl req clear adr --branch feature/x` closes it for all\n"
	for _, args := range [][]string{{"adr"}, {"--all"}, {"adr", "--json"}} {
		if code, _, errs := b.run(append([]string{"req", "clear", "--session", "c68c8a51"}, args...)...); code != 0 || errs != open {
			t.Errorf("%q: %d %q", args, code, errs)
		}
	}
	for _, args := range [][]string{{"commit_plan", "--session", "c68c8a51"}, {"adr", "--branch", "feature/x"}, {"adr", "--session", "c68c8a51"}} {
		if code, _, errs := b.run(append([]string{"req", "clear"}, args...)...); code != 0 || errs != "" {
			t.Errorf("%q: %d %q", args, code, errs)
		}
	}
}

func TestReqListAndPrune(t *testing.T) {
	b := newReq(t, reqRules)
	b.must("req", "satisfy", "commit_plan", "--branch", "old/one", "--force")
	b.must("req", "satisfy", "commit_plan", "sec", "--branch", "feature/x")
	equal(t, b.must("req", "list"), "📋 Tracked Branches (2)\n  feature/x: 2 requirement(s)\n  old/one: 1 requirement(s)\n")
	equal(t, b.must("req", "prune"), "🧹 Cleaning up stale state files...\n   - old/one\n✅ Removed 1 state file(s) for deleted branches\n")
	equal(t, b.must("req", "list", "--json"), `{"branch":"feature/x","requirements":2}`+"\n")
	equal(t, b.must("req", "prune", "--json"), `{"pruned":[]}`+"\n")
}

func TestReqExplain(t *testing.T) {
	b := newReq(t, reqRules)
	b.start(sessionA)
	b.env["CLAUDE_CODE_SESSION_ID"] = sessionA
	b.hook(sessionA, reqEdit)
	contains(t, b.must("req", "explain", "commit_plan"), "commit_plan is closed for c68c8a51 on feature/x: nobody satisfied it in this session\n", "c68c8a51  blocked  Edit")
	contains(t, b.must("req", "explain", "sec"), "nobody satisfied it on this branch")
	contains(t, b.must("req", "explain", "protected_branch"), "protected_branch is open for c68c8a51 on feature/x: not on protected branch\n")
	b.must("req", "satisfy", "commit_plan")
	contains(t, b.must("req", "explain", "commit_plan"), "commit_plan is open for c68c8a51 on feature/x: satisfied by cli_bypass at 2026-11-21 12:00:00\n  event 01")
	b.must("req", "clear", "commit_plan", "--session", "c68c8a51")
	contains(t, b.must("req", "explain", "commit_plan"), "closed for c68c8a51 on feature/x: cleared at 2026-11-21 12:00:00 (by command)\n")
	var x struct {
		Open   bool
		Event  string
		Events []struct{ Type, ID string }
	}
	noError(t, json.Unmarshal([]byte(b.must("req", "explain", "commit_plan", "--json")), &x))
	if len(x.Events) != 3 || x.Open || x.Events[2].Type != "gate.cleared" || x.Event != x.Events[2].ID {
		t.Errorf("%+v", x)
	}
}

func TestReqInit(t *testing.T) {
	b := newReq(t, "")
	b.Cwd = filepath.Join(b.dir, "below")
	noError(t, os.Mkdir(b.Cwd, 0o755))
	equal(t, b.must("req", "init"), "✅ Wrote "+b.rules()+"\n   Edit it, then `hookctl req status` shows the gates.\n")
	put(t, b.rules(), "mine\n")
	if got := b.refuses("req", "init"); !strings.HasPrefix(got, "hookctl: error: "+b.rules()+" is there already\n") {
		t.Errorf("%q", got)
	}
	if text, _ := os.ReadFile(b.rules()); string(text) != "mine\n" {
		t.Errorf("%q", text)
	}
	if !json.Valid([]byte(b.must("req", "schema"))) {
		t.Error("no JSON")
	}
}

// A session that goes on, on another branch, is the same one.
func TestPinned_02_RegistryFollowsTheBranch(t *testing.T) {
	b := newReq(t, reqRules)
	b.start(sessionA)
	gitIn(t, b.dir, "switch", "-q", "main")
	b.hook(sessionA, reqStop)
	equal(t, b.must("req", "sessions"), "📋 Active Claude Code Sessions (1)\n  c68c8a51 - "+b.dir+"\n    main [PID 0, just now]\n")
}

// A session whose process is gone is not listed, whoever has its pid now.
func TestPinned_03_DeadSessions(t *testing.T) {
	b := newReq(t, reqRules)
	client := exec.Command("sleep", "60")
	noError(t, client.Start())
	b.pid = client.Process.Pid
	b.start(sessionA)
	contains(t, b.must("req", "sessions"), fmt.Sprintf("(1)\n  c68c8a51 - %s\n    feature/x [PID %d, just now]\n", b.dir, b.pid))
	_ = client.Process.Kill()
	_ = client.Wait()
	b.pid = os.Getpid()
	b.start(sessionB)
	equal(t, b.must("req", "sessions"), fmt.Sprintf("📋 Active Claude Code Sessions (1)\n  043f0af5 - %s\n    feature/x [PID %d, just now]\n", b.dir, b.pid))
}

// A session is its id or any unique prefix of it, with dashes or without; any form names the same one.
func TestPinned_06_FormsOfASession(t *testing.T) {
	b := newReq(t, reqRules)
	b.start(sessionA)
	b.start(sessionB)
	whole := strings.ReplaceAll(sessionA, "-", "")
	for _, name := range []string{sessionA, whole, whole[:1], whole[:8], whole[:12], sessionA[:11]} {
		contains(t, b.must("req", "explain", "commit_plan", "--session", name), "commit_plan is closed for c68c8a51 on feature/x: ")
	}
	for _, name := range []string{"c68c8a5x", whole + "0"} {
		if got := b.refuses("req", "explain", "commit_plan", "--session", name); !strings.Contains(got, fmt.Sprintf("there is no session %q", name)) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Without a session only what holds for the branch counts, and the words say so.
func TestReqExplainWithoutASession(t *testing.T) {
	b := newReq(t, reqRules)
	b.start(sessionA)
	code, out, errs := b.run("req", "explain", "commit_plan")
	if code != 0 || out != "commit_plan is closed on feature/x: nobody satisfied it for the whole branch\n" ||
		errs != "⚠️  No Claude Code session detected\n   Only what holds for the whole branch counts; --session ID names one, `hookctl req sessions` lists them.\n" {
		t.Errorf("%d %q %q", code, out, errs)
	}
	contains(t, b.must("req", "explain", "size"), "size is closed on feature/x: not approved for the whole branch; it blocks from 50 changes on\n")
	b.must("req", "satisfy", "commit_plan", "--branch", "feature/x")
	contains(t, b.must("req", "explain", "commit_plan"), "commit_plan is open on feature/x: satisfied by cli_bypass for every session of the branch at ")
	var x map[string]any
	noError(t, json.Unmarshal([]byte(b.must("req", "explain", "adr_reviewed", "--json")), &x))
	if _, named := x["session"]; named || x["open"] != false || x["branch"] != "feature/x" || len(x["events"].([]any)) != 0 {
		t.Errorf("%v", x)
	}
	for _, args := range [][]string{{"req", "status"}, {"req", "status", "--verbose"}, {"req", "status", "--json"}} {
		if out := b.must(args...); strings.Contains(out, "nosessio") || strings.Contains(out, "no-session") {
			t.Errorf("%q: %s", args, out)
		}
	}
}

func TestReqValidate(t *testing.T) {
	b := newReq(t, "requirements:\n  a: {enabled: 1}\n  b: {enabled: true, evidence: {dirs: [x]}, mesage: x}\n")
	code, out, _ := b.run("req", "validate")
	want := "❌ " + b.rules() + ":2:16: Requirement 'a' field 'enabled' must be bool\n   hint: write true or false\n"
	if code != 1 || !strings.Contains(out, want) || !strings.HasSuffix(out, "❌ 1 part left out, 1 requirement enabled\n") {
		t.Errorf("%d %s", code, out)
	}
	contains(t, out, "⚠️  "+b.rules()+":3:45: unknown key 'requirements.b.mesage'\n   hint: did you mean 'message'? ",
		"ℹ️  "+b.rules()+":3:22: key 'requirements.b.evidence' is known and not acted on\n")
	contains(t, b.must("req", "status", "--verbose"), "   - "+b.rules()+":3:22: key 'requirements.b.evidence' is known and not acted on\n")
	code, out, _ = b.run("req", "validate", "--json")
	var v struct {
		Configured, Valid bool
		Enabled           []string
		Problems, Notes   []struct {
			Line, Column int
			Warning      bool
		}
	}
	noError(t, json.Unmarshal([]byte(out), &v))
	if code != 1 || !v.Configured || v.Valid || strings.Join(v.Enabled, " ") != "b" || len(v.Problems) != 2 || len(v.Notes) != 1 || v.Notes[0].Column != 22 {
		t.Errorf("%d %+v", code, v)
	}
	put(t, b.rules(), "requirements: {b: {enabled: true}}\n")
	equal(t, b.must("req", "validate"), "✅ valid, 1 requirement enabled\n")
	noError(t, os.Remove(b.rules()))
	equal(t, b.must("req", "validate"), "ℹ️  No requirements configured for this project.\n")
}

// Nothing writes into a configuration that is there, and a new one says that it inherits.
func TestPinned_41_ConfigurationIsNotRewritten(t *testing.T) {
	const own = "# ours\ninherit: false\nrequirements: {commit_plan: {enabled: true}}\nadr_path: docs\n"
	b := newReq(t, own)
	b.start(sessionA)
	b.refuses("req", "init")
	b.must("req", "satisfy", "commit_plan", "--session", "c68c8a51")
	b.must("req", "clear", "commit_plan")
	b.run("req", "validate")
	if text, _ := os.ReadFile(b.rules()); string(text) != own {
		t.Errorf("%q", text)
	}
	noError(t, os.Remove(b.rules()))
	b.must("req", "init")
	if text, _ := os.ReadFile(b.rules()); !strings.Contains(string(text), "\ninherit: true #") {
		t.Errorf("%q", text)
	}
}

//go:build unix

package verbs

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What `hookctl req` says when the configuration, the state of another tool or a name is not as it should be.

const brokenRules = "requirements:\n  good: {enabled: true}\n  bad: {enabled: 1}\n  odd: {enabled: true, tigger_tools: [Edit]}\n"

// Nothing is called satisfied that cannot be read; the short status names what is left out, where, and what to do.
func TestReqStatusOfABrokenFile(t *testing.T) {
	b := newReq(t, brokenRules)
	b.start(sessionA)
	b.env["CLAUDE_CODE_SESSION_ID"] = sessionA
	out := b.must("req", "status")
	contains(t, out, "❌  bad          –        left out  –     –\n",
		"⚠️  Configuration validation failed:\n   - Requirement 'bad' field 'enabled' must be bool\n     at "+b.rules()+":3:18\n     hint: write true or false\n"+
			"Fix .claude/requirements.yaml and rerun `hookctl req status`.\n",
		"⚠️  Worth a look:\n   - "+b.rules()+":4:24: unknown key 'requirements.odd.tigger_tools': did you mean 'trigger_tools'? ")
	b.must("req", "satisfy", "good", "odd")
	out = b.must("req", "status")
	contains(t, out, "⚠️  Nothing is open among the requirements that can be read\n")
	if strings.Contains(out, "All requirements satisfied") {
		t.Error(out)
	}
	equal(t, b.must("req", "status", "--summary"), "⚠️  1 part of the configuration is left out; 2/2 requirements satisfied\n")
}

func TestReqStatusOfAFolder(t *testing.T) {
	b := newReq(t, "")
	noError(t, os.MkdirAll(b.rules(), 0o755))
	out := b.must("req", "status")
	contains(t, out, "⚠️  Configuration validation failed:\n   - is a directory\n     at "+b.rules()+"\n")
	if strings.Contains(out, "All requirements satisfied") {
		t.Error(out)
	}
	equal(t, b.must("req", "status", "--summary"), "⚠️  1 part of the configuration is left out, no requirement is asked for\n")
}

// Many faults: ten are told, the rest by the verb that tells all; the file that is named is the one with the fault.
func TestReqStatusOfManyFaults(t *testing.T) {
	b := newReq(t, "requirements:\n  good: {enabled: true}\n")
	text := "requirements:\n"
	for i := range 23 {
		text += fmt.Sprintf("  r%02d: {enabled: 1}\n", i)
	}
	put(t, filepath.Join(b.dir, ".claude", "requirements.local.yaml"), text)
	out := b.must("req", "status")
	contains(t, out, "   … and 13 more: `hookctl req validate`\nFix .claude/requirements.local.yaml and rerun `hookctl req status`.\n", "❌  r22          –        left out")
	equal(t, strings.Count(b.must("req", "status", "-v"), "   - Requirement 'r"), 23)
	put(t, filepath.Join(b.env["HOME"], ".claude", "requirements.yaml"), "requirements:\n  home: {enabled: 1}\n")
	contains(t, b.must("req", "status"), "Fix ~/.claude/requirements.yaml, .claude/requirements.local.yaml and rerun")
}

func TestReqValidateAndItsPointers(t *testing.T) {
	b := newReq(t, brokenRules)
	code, out, _ := b.run("req", "validate")
	if code != 1 {
		t.Errorf("exit %d", code)
	}
	contains(t, out, "❌ "+b.rules()+":3:18: Requirement 'bad' field 'enabled' must be bool\n", "⚠️  "+b.rules()+":4:24: unknown key 'requirements.odd.tigger_tools'\n",
		"❌ 1 part left out, 2 requirements enabled\n")
	code, _, errs := b.run("config", "validate")
	if code != 1 || !strings.Contains(errs, b.rules()+":3:18: Requirement 'bad' field 'enabled' must be bool") {
		t.Errorf("config validate: %d %q", code, errs)
	}
	_, out, _ = b.run("doctor")
	contains(t, out, "1 part of the gates' configuration left out, the first at "+b.rules()+":3:18: Requirement 'bad' field 'enabled' must be bool", "`hookctl req validate` names all of it")
	put(t, b.rules(), "requirements:\n  twice: {enabled: true}\n  twice: {enabled: false}\n")
	code, out, _ = b.run("req", "validate")
	if code != 0 {
		t.Errorf("exit %d", code)
	}
	contains(t, out, "⚠️  "+b.rules()+`:3:3: key "twice" is already in line 2; the last one counts`)
}

// A base that does not exist opens its gate, and is said wherever somebody looks.
func TestReqUnknownBase(t *testing.T) {
	b := newReq(t, "requirements:\n  size: {enabled: true, type: dynamic, calculator: branch_size_calculator, base: origin/nosuch, thresholds: {block: 1}}\n")
	const said = "requirement 'size' lets everything pass: its base 'origin/nosuch' does not exist in this repository"
	put(t, filepath.Join(b.dir, "new.txt"), "one\ntwo\n")
	equal(t, b.hook(sessionA, reqEdit), "", "denied")
	contains(t, b.must("events", "list", "--type", "gate.config_invalid", "-o", "json"), said, `"line":2,"column":3,"requirement":"size"`)
	contains(t, b.must("req", "status", "-s", "c68c8a51"), b.rules()+":2:3: "+said+": fetch it, or correct the name\n")
	contains(t, b.must("req", "status", "-v", "-s", "c68c8a51"), "  ⚠️  size: not measured, its base 'origin/nosuch' does not exist\n")
	contains(t, b.must("req", "validate"), "⚠️  "+b.rules()+":2:3: "+said+"\n   hint: fetch it, or correct the name\n")
}

func TestReqUnknownBranch(t *testing.T) {
	b := newReq(t, reqRules)
	equal(t, b.refuses("req", "satisfy", "commit_plan", "--branch", "featur/x"), "❌ Unknown branch: 'featur/x'\nDid you mean 'feature/x'?\nFor a branch that is yet to be made: --force\n")
	equal(t, b.must("req", "list"), "ℹ️  No tracked branches in this project.\n", "something was recorded")
	contains(t, b.must("req", "satisfy", "commit_plan", "--branch", "later", "--force"), "✅ Satisfied 'commit_plan' at branch level for later\n")
}

// The session of a shell is the one whose process is our parent, client or not, or above it.
func TestReqSessionOfTheParent(t *testing.T) {
	b := newReq(t, reqRules)
	b.pid = os.Getppid()
	b.start(sessionA)
	equal(t, b.must("req", "satisfy", "commit_plan"), "✨ Auto-detected Claude session: c68c8a51\n✅ Satisfied 'commit_plan' for feature/x (session scope)\n")
	contains(t, b.must("req", "status", "-v"), "Session: c68c8a51\n")
	other := newReq(t, reqRules) // another project has no session of that process
	contains(t, other.refuses("req", "satisfy", "commit_plan"), "❌ No active Claude Code session found!\n")
}

// One bad value costs itself alone, and is named as a person would look for it.
func TestReqImportLeavesOutWhatIsMalformed(t *testing.T) {
	b := newReq(t, reqRules)
	file := filepath.Join(b.dir, ".git", "requirements", "feature-x.json")
	put(t, file, `{"version":"1.0","branch":"feature/x","created_at":1,"requirements":{
		"x": 7,
		"y": {"scope":"nope","satisfied":true},
		"commit_plan": {"scope":"session","sessions":{"01234567":{"satisfied":true,"satisfied_by":"cli"}, "89abcdef":"yes", "76543210":{"satisfied":"yes"}}},
		"sec": {"scope":"permanent","satisfied":true,"satisfied_at":"monday"}}}`)
	code, out, errs := b.run("req", "import")
	if code != 1 || out != "✅ Imported 1 requirement(s) for feature/x from "+file+"\n" {
		t.Errorf("%d %q", code, out)
	}
	at := "⚠️  " + file + ": requirements."
	if want := at + "commit_plan.sessions.76543210: satisfied does not fit: string; left out\n" +
		at + "commit_plan.sessions.89abcdef: must be an object, got: string; left out\n" +
		at + "sec: satisfied_at does not fit: string; left out\n" +
		at + "x: must be an object, got: number; left out\n" +
		at + "y: scope \"nope\" is none of session, branch, permanent, single_use; left out\n"; errs != want {
		t.Errorf("%s\nwant %s", errs, want)
	}
	code, out, _ = b.run("req", "import")
	if code != 1 || out != "ℹ️  nothing new in "+file+"\n" {
		t.Errorf("again: %d %q", code, out)
	}
	equal(t, strings.Count(b.must("events", "list", "--type", "gate.imported", "-o", "json"), "\n"), 1)
	// The session never sent a hook, and its time is not known.
	contains(t, b.must("req", "status", "--session", "01234567"), "✅  commit_plan       session    cli, imported            unknown  01")
	contains(t, b.must("req", "explain", "commit_plan", "-s", "01234567"), "satisfied by cli, imported at an unknown time\n")
	contains(t, b.must("req", "clear", "commit_plan", "--session", "01234567"), "✅ Cleared 'commit_plan' for feature/x\n")
	contains(t, b.must("req", "satisfy", "commit_plan", "--session", "01234567"), "🎯 Using explicit session: 01234567\n✅ Satisfied 'commit_plan' for feature/x (session scope)\n")
}

// A file with whole ids: the session is found by its alias, though it never sent a hook.
func TestReqImportedWholeID(t *testing.T) {
	b := newReq(t, reqRules)
	put(t, filepath.Join(b.dir, ".git", "requirements", "feature-x.json"), fmt.Sprintf(`{"version":"1.0","branch":"feature/x","requirements":{
		"commit_plan":{"scope":"session","sessions":{%q:{"satisfied":true,"satisfied_at":%d,"satisfied_by":"skill"}}}}}`, sessionA, noon.Unix()))
	b.must("req", "import")
	for _, name := range []string{"c68c8a51", sessionA} {
		contains(t, b.must("req", "status", "--session", name), "✅  commit_plan       session    skill, imported")
	}
	contains(t, b.must("req", "satisfy", "adr_reviewed", "--session", "c68c8a51"), "🎯 Using explicit session: c68c8a51\n")
	if got := b.hook(sessionA, reqEdit); strings.Contains(got, "commit_plan") || strings.Contains(got, "adr_reviewed") {
		t.Errorf("it sends its first hook: %q", got)
	}
}

// A registry's session lives when its process does, until it sends a hook of its own.
func TestReqImportedSessionsLive(t *testing.T) {
	b := newReq(t, reqRules)
	client := exec.Command("sleep", "60")
	noError(t, client.Start())
	done := func() { _ = client.Process.Kill(); _ = client.Wait() }
	t.Cleanup(done)
	gone := exec.Command("true")
	noError(t, gone.Run())
	file := filepath.Join(b.env["HOME"], ".claude", "sessions.json")
	put(t, file, fmt.Sprintf(`{"version":"1.0","sessions":{
		"c68c8a51":{"pid":1,"ppid":%d,"project_dir":%q,"branch":"feature/x","started_at":%d,"last_active":%d},
		"08345d22":{"pid":3,"ppid":%d,"project_dir":"/q","branch":"c","started_at":1,"last_active":2},
		"00000000":{"ppid":"x"}}}`, client.Process.Pid, b.dir, noon.Unix()-60, noon.Unix(), gone.Process.Pid))
	code, out, errs := b.run("req", "import")
	if code != 1 || out != "✅ Imported 2 sessions from "+file+"\n   - 08345d22 has ended: its process is gone\n" ||
		errs != "⚠️  "+file+": sessions.00000000: ppid does not fit: string; left out\n" {
		t.Errorf("%d %q %q", code, out, errs)
	}
	row := fmt.Sprintf("📋 Active Claude Code Sessions (1)\n  c68c8a51 - %s\n    feature/x [PID %d, just now]\n", b.dir, client.Process.Pid)
	equal(t, b.must("req", "sessions"), row)
	contains(t, b.must("req", "satisfy", "commit_plan", "--session", "c68c8a51"), "🎯 Using explicit session: c68c8a51\n")
	if _, out, _ := b.run("req", "import"); out != "ℹ️  nothing new in "+file+"\n" {
		t.Errorf("again: %q", out)
	}
	b.pid = client.Process.Pid
	b.start(sessionA)
	equal(t, b.must("req", "sessions"), row, "it sent a hook")
	done()
	equal(t, b.must("req", "sessions"), "ℹ️  No active Claude Code sessions found.\n", "it is gone")
}

// An action that went to the background is told as such, and metrics count calls.
func TestReqBackgroundAndCounts(t *testing.T) {
	b := newReq(t, "requirements:\n  review: {enabled: true, scope: single_use, trigger_tools: [{tool: Bash, command_pattern: 'git\\s+commit'}]}\n")
	commit := `{"hook_event_name":"PreToolUse","tool_use_id":"t1","tool_name":"Bash","tool_input":{"command":"git commit -m x","run_in_background":true}}`
	b.hook(sessionA, commit)
	b.must("req", "satisfy", "review", "--session", sessionA)
	equal(t, b.hook(sessionA, commit), "", "reviewed")
	b.hook(sessionA, strings.Replace(strings.Replace(commit, "PreToolUse", "PostToolUse", 1), `"tool_name"`, `"tool_response":{"backgroundTaskId":"b1"},"tool_name"`, 1))
	if got := b.hook(sessionA, strings.Replace(commit, "t1", "t2", 1)); got == "" {
		t.Error("one review opened two commits")
	}
	contains(t, b.must("req", "explain", "review", "-s", "c68c8a51"), "cleared at 2026-11-21 12:00:00 (the action was started in the background: single_use)\n")
	var s struct{ Blocked int }
	if err := json.Unmarshal([]byte(b.must("session", "show", "c68c8a51", "--json")), &s); err != nil || s.Blocked != 2 {
		t.Errorf("%v %+v", err, s)
	}
	contains(t, b.must("session", "show", "c68c8a51"), "blocked       2\n")
}

// A size that was measured is printed also when it is 0; one that was not measured is absent.
func TestReqMeasuredNothingJSON(t *testing.T) {
	b := newReq(t, reqRules)
	gitIn(t, b.dir, "add", ".")
	gitIn(t, b.dir, "commit", "-q", "-m", "rules")
	gitIn(t, b.dir, "branch", "-f", "main")
	contains(t, b.must("req", "status", "--verbose", "--json"), `"value":0,"summary":"`)
	if out := b.must("req", "status", "--json"); strings.Contains(out, `"value"`) {
		t.Error(out)
	}
}

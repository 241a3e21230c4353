package requirements

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func bash(command string) json.RawMessage {
	text, _ := json.Marshal(map[string]string{"command": command})
	return text
}

// gated says whether a pattern asks for its requirement on a command.
func gated(t *testing.T, pattern, command string) bool {
	t.Helper()
	quoted, _ := json.Marshal(pattern)
	r := project(fmt.Sprintf("requirements: {a: {enabled: true, trigger_tools: [{tool: Bash, command_pattern: %s}]}}", quoted))
	if len(r.Problems) > 0 {
		t.Fatal(r.Problems)
	}
	return len(r.Match("Bash", bash(command))) == 1
}

const (
	push   = `git\s+push`
	commit = `git\s+(commit|cherry-pick|revert|merge)`
	create = `gh\s+pr\s+create`
)

func TestCommandsThatRun(t *testing.T) {
	for _, c := range []struct{ pattern, command string }{
		{push, "git push"},
		{push, "GIT PUSH origin main"},
		{push, "git   push\t--force"},
		{push, "cd x && git push"},
		{push, "make test; git push"},
		{push, "make test || git push &"},
		{push, "true | git push"},
		{push, "(cd x; git push)"},
		{push, "{ git push; }"},
		{push, "if make; then git push; fi"},
		{push, "for r in a b; do git push $r; done"},
		{push, "case x in *) git push;; esac"},
		{push, "f() { git push; }; f"},
		{push, "! git push"},
		{push, "time git push"},
		{push, "sudo git push"},
		{push, "sudo -u dev git push"},
		{push, "sudo -u dev -- git -C dir push"},
		{push, "nohup git -c a=b push &"},
		{push, "timeout 5 git -C dir push"},
		{push, "timeout -s KILL 5s git -C dir push"},
		{push, "env A=1 git push"},
		{push, "env -i -u B A=1 git -C dir push"},
		{push, `env -S "git -C dir push"`},
		{push, "A=1 git push"},
		{push, "command git -C dir push"},
		{push, "exec git -C dir push"},
		{push, "xargs git push"},
		{push, "echo origin | xargs -n 1 git -C dir push"},
		{push, "nice -n 5 nohup git -C dir push"},
		{push, "bash -c 'git push'"},
		{push, "bash -lc 'cd x && git -C dir push'"},
		{push, "sudo sh -c \"git -C dir push\""},
		{push, `bash -c "bash -c 'git -C dir push'"`},
		{push, "eval 'git -C dir push'"},
		{push, "eval git -C dir push"},
		{push, "su dev -c 'git -C dir push'"},
		{push, "trap 'git -C dir push' EXIT"},
		{push, "watch -n 5 'git -C dir push'"},
		{push, "echo $(git push)"},
		{push, "echo \"$(git -C dir push)\""},
		{push, "echo `git push`"},
		{push, "x=$(git push)"},
		{push, "diff <(git push) b"},
		{push, "git -C dir push"},
		{push, "git -c x=y push"},
		{push, "git --no-pager --git-dir .git --work-tree=. push"},
		{push, "git --git-dir=.git push"},
		{push, "/usr/bin/git push"},
		{push, "/usr/bin/git -C dir push"},
		{push, `\git push`},
		{push, `"git" 'push'`},
		{push, `g""it pu\sh`},
		{push, `$'git' push`},
		{push, `$'\x67it' push`},
		{push, "git \\\n  push"},
		{push, "git add .\ngit push"},
		{push, "bash <<EOF\ngit -C dir push\nEOF"},
		{push, "sudo bash -s <<'EOF'\ngit -C dir push\nEOF"},
		{push, "bash <<< 'git -C dir push'"},
		{push, "cat <<EOF\n$(git push)\nEOF"},
		{push, "echo 'git -C dir push' | bash"},
		{push, "cat <<'EOF' | sudo sh\ngit -C dir push\nEOF"},
		{push, "G=git; $G push"},
		{push, "C='git -C dir push'; $C"},
		{push, "export C='git -C dir'; $C push"},
		{push, "${GIT:-git} push"},
		{push, "find . -name x -exec git -C {} push \\;"},
		{push, "fd x -x git -C {} push"},
		{push, "git submodule foreach 'git push'"},
		{push, "git submodule foreach --recursive git -C dir push"},
		{push, "git rebase -x 'git -C dir push' main"},
		{push, "git bisect run git -C dir push"},
		{push, "docker exec box sh -c 'git -C dir push'"},
		{push, "mise exec -- git -C dir push"},
		{push, "ssh host git push"},
		{push, "ssh host 'cd x && git push'"},
		{push, `python3 -c "import os; os.system('git push')"`},
		{push, "ssh host <<EOF\ncd x\ngit push\nEOF"},
		{push, "python3 - <<'EOF'\nos.system('git push')\nEOF"},
		{push, "echo 'git push' | xargs -I{} sh -c '{}'"},
		{push, "echo 'git push' | ssh host"},
		{`DROP\s+TABLE`, "psql <<< 'drop table x'"},
		{push, "git push 'unclosed"}, // no shell: the text decides
		{push, "git push )"},
		{push, "[[ -f x ]] && git push"},
		{push, "while read -r l; do git push; done < list"},
		{push, "coproc git push"},
		{commit, "git commit -m 'x'"},
		{commit, "env A=1 git commit"},
		{commit, "git -c x=y commit"},
		{commit, "git merge main"},
		{commit, "git -C dir cherry-pick abc"},
		{create, "gh pr create --fill"},
		{create, "gh -R o/r pr create"},
		{create, "gh pr -R o/r create"},
		{create, "gh pr --repo=o/r create --title x"},
		{`^git push$`, "sudo git push"},
		{`^npm publish`, "cd x && sudo npm publish --tag next"},
		{`--no-verify`, "git commit --no-verify"},
		{`\.env\b`, "cat config/.env"},
		{`DROP\s+TABLE`, `psql -c "DROP TABLE users"`},
		{`.*git\s+push.*`, "git push"},
		{`push`, "git push"},
		{`curl.*\|\s*sh`, "curl x | sh"},
		{`&&\s*git push`, "make && git push"},
		{`>\s*/etc/`, "echo x > /etc/hosts"},
		{`-m\s+"wip`, `git commit -m "wip"`},
		{`HUSKY=0 git commit`, "HUSKY=0 git commit"},
		{`rm\s+-rf\s+/`, "sudo rm -rf /"},
		{``, "anything"},
	} {
		if !gated(t, c.pattern, c.command) {
			t.Errorf("%s does not match %q", c.pattern, c.command)
		}
	}
}

func TestCommandsThatDoNot(t *testing.T) {
	for _, c := range []struct{ pattern, command string }{
		{push, `echo "git push"`},
		{push, "echo git push"},
		{push, "echo git -C dir push"},
		{push, "printf '%s\\n' 'git push'"},
		{push, "make # git push"},
		{push, "# git push"},
		{push, "cat <<EOF\ngit push\nEOF"},
		{push, "cat > notes.md <<'EOF'\nthen git push\nEOF"},
		{push, "git commit -F - <<EOF\nthen git push\nEOF"},
		{push, "sudo tee notes <<EOF\nthen git push\nEOF"},
		{push, "echo 'git push' | tee notes | wc -l"},
		{push, "bash script.sh <<< 'x'"},
		{push, "grep -rn 'git push' ."},
		{push, "rg 'git push' && echo done"},
		{push, "sed -i 's/git push/git fetch/' x"},
		{push, "awk '/git push/' x"},
		{push, "git log --grep='git push'"},
		{push, "git commit -m 'prepare git push'"},
		{push, "git commit -m \"$(cat <<'EOF'\nfix: say when git push runs\nEOF\n)\""},
		{push, `gh issue create --body "run git push"`},
		{push, "MSG='git push' make"},
		{push, "MSG='git push'"},
		{push, "export MSG='git push'"},
		{push, "alias p='git push'"},
		{push, "man git push"},
		{push, "type git push"},
		{push, "command -v git push"},
		{push, `[ "$x" = "git push" ]`},
		{push, `[[ $x == "git push" ]]`},
		{push, "touch 'git push'"},
		{push, "git status"},
		{push, "git stash push"},
		{push, "gitk push"},
		{push, "git pull; echo push"},
		{push, ""},
		{push, "   "},
		{commit, "git log --oneline"},
		{commit, "git show HEAD -- commit"},
		{`.*git\s+push`, "echo git push"},
		{`^push`, "git push"},
		{create, "gh pr view 1"},
		{create, "gh pr list --search 'gh pr create'"},
		{`HUSKY=0 git commit`, "git commit"},
	} {
		if gated(t, c.pattern, c.command) {
			t.Errorf("%s matches %q", c.pattern, c.command)
		}
	}
}

func TestHostileLines(t *testing.T) {
	for name, line := range map[string]string{
		"parentheses":  strings.Repeat("(", 60_000) + "git push",
		"substitution": strings.Repeat("$(", 20_000) + "git push",
		"words":        "foo " + strings.Repeat("git ", 15_000) + "push",
		"long":         strings.Repeat("a ", 40_000) + "git push",
		"nested shell": strings.Repeat("bash -c ", 2000) + "git push",
		"commands":     strings.Repeat("a;", 30_000) + "git push",
		"doubling":     "a='git push'; " + strings.Repeat("a=$a$a;", 40) + "$a",
		"nul":          "git\x00 push; git push",
	} {
		if !gated(t, push, line) {
			t.Error(name)
		}
	}
}

func TestPatterns(t *testing.T) {
	for python, want := range map[string]string{
		`git\s+push\Z`:    `git\s+push\z`,
		`(?#why)push`:     `push`,
		`(?u)push`:        `push`,
		`(?ai)push`:       `(?i)push`,
		`(?:a|b)(?P<n>c)`: `(?:a|b)(?P<n>c)`,
		`a{,3}`:           `a{0,3}`,
		`[[:x]`:           `[\[:x]`,
		`[]a(?=]`:         `[]a(?=]`,
		`\é`:              `é`,
		`.*?.*git`:        `git`,
		`(?-i:GIT)`:       `(?-i:GIT)`,
		`\(?=x`:           `\(?=x`,
		`a\++`:            `a\++`,
	} {
		p, err := compile(python)
		if err != nil {
			t.Errorf("%s: %v", python, err)
			continue
		}
		equal(t, python, p.as, want)
	}
	for python, what := range map[string]string{
		`git push(?!.*--dry-run)`: "lookahead", `a(?=b)`: "lookahead", `(?<=a)b`: "lookbehind", `(?<!a)b`: "lookbehind",
		`(a)\1`: "a back reference", `(?P<a>x)(?P=a)`: "a back reference", `(?>a)`: "an atomic group", `(a)?(?(1)b)`: "a conditional group",
		`a*+`: "a possessive quantifier", `(?x) a`: "the verbose flag", `\N{DIGIT ONE}`: `\N`,
	} {
		r := project("requirements:\n  a:\n    enabled: true\n    trigger_tools:\n      - Edit\n      - {tool: Bash, command_pattern: '" + python + "'}\n")
		equal(t, python, messages(r.Problems), []string{"Requirement 'a' trigger_tools[1]: regex pattern '" + python + "' uses " + what + ", which is not supported"})
		equal(t, python+" place", r.Problems[0].Line, 6)
		equal(t, python+" leaves the other trigger", len(r.Match("Edit", nil)), 1)
	}
	for _, python := range []string{`(`, `[`, `*`, `a)`, `(?#x`, `(?Z)`, `\`, `\8{`} {
		if _, err := compile(python); err == nil {
			t.Errorf("%s compiles", python)
		}
	}
}

func TestPinned_24_28_ToolsMatchExactly(t *testing.T) {
	r := project(`
requirements:
  edits: {enabled: true}
  plan: {enabled: true, trigger_tools: [ExitPlanMode, EnterPlanMode, {tool: Edit}]}
  never: {enabled: true, trigger_tools: []}
  off: {trigger_tools: [Edit]}
  mcp: {enabled: true, trigger_tools: [mcp__db__drop]}
`)
	for tool, want := range map[string]string{
		"Edit": "edits plan", "Write": "edits", "MultiEdit": "edits", "edit": "", "Read": "", "ExitPlanMode": "plan", "EnterPlanMode": "plan",
		"mcp__db__drop": "mcp", "Bash": "",
	} {
		var names []string
		for _, h := range r.Match(tool, json.RawMessage(`{}`)) {
			names = append(names, h.Requirement.Name)
		}
		equal(t, tool, strings.Join(names, " "), want)
	}
	hit := golden(t).Match("Bash", bash("git commit"))[0]
	equal(t, "the trigger", hit.Trigger.Pattern, commit)
}

func TestPinned_25_AllTriggeredInOrder(t *testing.T) {
	var names []string
	for _, h := range golden(t).Match("Bash", bash("git add . && git commit -m x && gh pr create")) {
		names = append(names, h.Requirement.Name)
	}
	equal(t, "names", names, []string{"pre_commit_review", "pre_pr_review", "codex_reviewer"})
}

func TestBadInputMatchesNothing(t *testing.T) {
	r := golden(t)
	for _, input := range []string{``, `null`, `[]`, `{}`, `{"command":5}`, `{"command":null}`, `{"command":["git push"]}`, `{`, `"git commit"`} {
		equal(t, input, len(r.Match("Bash", json.RawMessage(input))), 0)
	}
}

func TestExempt(t *testing.T) {
	r := Load(Options{Home: "/home/dev", Root: "/repo", FS: folder{
		files: map[string]string{projectFile: "requirements: {a: {enabled: true}}"},
		links: map[string]string{"/repo/.claude/plans/link.md": "/repo/src/main.go", "/repo/alias/p.md": "/repo/docs/plans/p.md"},
	}})
	for path, want := range map[string]bool{
		"/home/dev/.claude/plans/a.md":       true,
		"~/.claude/plans/a.md":               true,
		"/elsewhere/.claude/plans/deep/a.md": true,
		"/repo/docs/plans/a.md":              true,
		"docs/plans/a.md":                    true,
		"/repo/alias/p.md":                   true,
		"/repo/.claude/plans/link.md":        false,
		"/repo/.claude/plans/../../src/a.go": false,
		"/repo/.claude/requirements.yaml":    false,
		"/repo/docs/plans.md":                false,
		"/repo/docs/plans":                   false,
		"~other/.claude/plan/a.md":           false,
		"/repo/src/a.go":                     false,
		"":                                   false,
	} {
		input, _ := json.Marshal(map[string]string{"file_path": filepath.FromSlash(path)})
		equal(t, path, r.Exempt("Write", input), want)
	}
	equal(t, "Bash", r.Exempt("Bash", []byte(`{"command":"rm x","file_path":"/repo/docs/plans/a.md"}`)), false)
	equal(t, "a tool for which the path means nothing", r.Exempt("mcp__db__drop", []byte(`{"file_path":"/repo/docs/plans/a.md"}`)), false)
	equal(t, "the last of two paths counts", r.Exempt("Edit", []byte(`{"file_path":"/repo/docs/plans/a.md","file_path":"/repo/a.go"}`)), false)
	equal(t, "no path", r.Exempt("Write", []byte(`{"file_path":5}`)), false)
	equal(t, "zero rules", Rules{}.Exempt("Write", []byte(`{"file_path":"/a/docs/plans/b"}`)), true)
}

func TestDiskResolve(t *testing.T) {
	dir := t.TempDir()
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "a file to come", Disk{}.Resolve(filepath.Join(dir, "new", "a.md")), filepath.Join(real, "new", "a.md"))
}

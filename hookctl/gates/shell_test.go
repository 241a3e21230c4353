package gates

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"hookline/expect"
)

// Each row is another way by which a command is reached.
func TestCommandsThatRun(t *testing.T) {
	for _, line := range []string{
		"git push",
		"GIT   push\t--force",
		"cd x && git push",
		"make test || git push &",
		"(cd x; git push)",
		"if make; then git push; fi",
		"for r in a b; do git push $r; done",
		"f() { git push; }; f",
		"[[ -f x ]] && git push",
		"git add .\ngit push",
		"git \\\n  push",
		`"git" 'push'`,
		`g""it pu\sh`,
		`$'\x67it' push`,
		"/usr/bin/git push",
		"git -C dir -c a=b --no-pager --git-dir=.git push",
		"A=1 git -C dir push",
		"sudo -u dev -- git -C dir push",
		"sudo A=1 nice -n 5 timeout -s KILL 5s git -C dir push",
		"env -i -u B A=1 git -C dir push",
		"nohup git -C dir push &",
		"time git -C dir push",
		"echo origin | xargs -n 1 git -C dir push",
		"find . -name x -exec git -C {} push \\;",
		"docker exec box sh -c 'git -C dir push'",
		"mise exec -- git -C dir push",
		"bash -c 'git -C dir push'",
		"bash -euo pipefail -c 'cd x && git -C dir push'",
		`sudo bash -lc "bash -c 'git -C dir push'"`,
		"eval 'git -C dir push'",
		"bash <<EOF\ngit -C dir push\nEOF",
		"sudo bash -s <<'EOF'\ngit -C dir push\nEOF",
		"bash <<< 'git -C dir push'",
		"cat <<EOF\n$(git push)\nEOF",
		"x=\"$(git -C dir push)\"",
		"diff <(git push) b",
		"G=git; $G push",
		"C='git -C dir'; $C push",
		"${GIT:-git} push",
		"git push\necho 'unclosed", // a shell runs it line by line
	} {
		if !gated(t, push, line) {
			t.Errorf("not seen: %q", line)
		}
	}
}

// Each row is another way by which the words of a command are none.
func TestCommandsThatDoNot(t *testing.T) {
	for _, line := range []string{
		`echo "git push"`,
		"sudo echo git push",
		"xargs -I{} echo git push {}",
		"command -v git push",
		"make # git push",
		"cat > notes.md <<'EOF'\nthen git push\nEOF",
		"git commit -F - <<EOF\nthen git push\nEOF",
		"git commit -m 'prepare git push'",
		"git commit -m \"$(cat <<'EOF'\nfix: say when git push runs\nEOF\n)\"",
		"grep -rn 'git push' .",
		"MSG='git push' make",
		"alias p='git push'",
		`[[ $x == "git push" ]]`,
		`python3 -c "import os; os.system('git push')"`,
		"bash -c 'echo \"git push\"'",
		"bash deploy.sh <<< 'git push'",
		"bash -c",
		"git --help push",
		"git stash push",
		"gitk push",
		"git clone https://host/x.git push",
		"rm -rf $DIR/x; echo 'git push",
		"git push 'unclosed",
		"",
		"   ",
	} {
		if gated(t, push, line) {
			t.Errorf("seen: %q", line)
		}
	}
}

func TestPatternsOfOtherPrograms(t *testing.T) {
	const commits = `git\s+(commit|cherry-pick|revert|merge)`
	for _, c := range []struct {
		pattern, line string
		want          bool
	}{
		{commits, "git -C dir cherry-pick abc", true},
		{commits, "git merge $(git merge-base a b)", true},
		{commits, "git merge-base main HEAD", false},
		{commits, "git mergetool", false},
		{`git\s+merge-`, "git merge-base main HEAD", true},
		{`gh\s+pr\s+create`, "gh pr -R o/r create --fill", true},
		{`gh\s+pr\s+create`, "gh pr list --search 'gh pr create'", false},
		{`kubectl delete`, "kubectl -n prod --context x delete pod y", true},
		{`^npm publish`, "cd x && sudo npm --prefix d publish --tag next", true},
		{`^npm publish`, "npm view x publish", false},
		{`docker push`, "docker --context x push img", true},
		{`terraform apply`, "terraform -chdir=infra apply", true},
		{`--no-verify`, "git commit --no-verify", true},
		{`\.env\b`, "sops config/.env", true},
		{`psql.*DROP\s+TABLE`, `psql -c "DROP TABLE users"`, true},
		{`.*git\s+push.*`, "git push", true},
		{`.*git\s+push`, "echo git push", false},
		{`curl.*\|\s*sh`, "curl x | sh", true},
		{`rm\s+-rf\s+/`, "sudo rm -rf /", true},
		{`git push(?!.*--dry-run)`, "git push --dry-run", false},
		{`git push(?!.*--dry-run)`, "git push origin", true},
		{`(?<!stash )push`, "git stash push", false},
		{`git (?P<verb>push|pull)\Z`, "git push", true},
		{`git(\s\S+){,2} push`, "git -x y push", true},
		{`git\s{,}push[{,3}]?`, "git push", true},
		{`git push \{,3}`, "git push", false},
		{`git push x[{,3}]`, "git push x0", false},
		{`é+ (a)\1`, "é aa", true},
		{``, "anything", true},
	} {
		expect.Equal(t, gated(t, c.pattern, c.line), c.want, c.pattern, "on", c.line)
	}
	for _, python := range []string{`(`, `[`, `*`, `a)`, `(?Z)`, `\`, `\N{DIGIT ONE}`} {
		if _, err := compile(python); err == nil {
			t.Errorf("%s compiles", python)
		}
	}
}

// At most 2 % of lines that neither commit nor push may ask for a gate on both.
func TestHarmlessLines(t *testing.T) {
	text := expect.Value(os.ReadFile("testdata/harmless.txt"))(t)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")[1:]
	denied := 0
	for _, line := range lines {
		line = strings.NewReplacer("⏎", "\n", "⇥", "\t").Replace(line)
		if gated(t, `git\s+(commit|push)`, line) {
			denied++
			t.Logf("denied: %q", line)
		}
	}
	if len(lines) < 200 || denied*50 > len(lines) {
		t.Errorf("%d of %d are denied", denied, len(lines))
	}
}

// Whatever a line repeats, it is judged soon, and what runs behind it is seen.
func TestHostileLines(t *testing.T) {
	for name, line := range map[string]string{
		"parentheses":   "git push\n" + strings.Repeat("(", 190),
		"substitutions": "git push\n" + strings.Repeat("$(", 190),
		"words":         "foo " + strings.Repeat("git ", 15_000) + "push",
		"long":          "cat > x <<'E'\n" + strings.Repeat("a line\n", 20_000) + "E\ngit push",
		"commands":      strings.Repeat("a;", 900) + "git push",
		"doubling":      "a='git push'; " + strings.Repeat("b=$b$b;", 40) + "$a",
		"braces":        "echo {1..999999999}; git push",
		"no text":       "echo \xff\x00; git push",
	} {
		start := time.Now()
		if !gated(t, push, line) {
			t.Error(name)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
	slow := "echo " + strings.Repeat("a", 5000) + strings.Repeat("; b "+strings.Repeat("a", 200)+"!", 500)
	start := time.Now()
	if gated(t, `(a+)+$`, slow) {
		t.Error("an expression without an end")
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}

	many := "requirements:\n"
	for i := range 300 {
		many += fmt.Sprintf("  r%d: {enabled: true, trigger_tools: [{tool: Bash, command_pattern: '(x{%d}|a+)+$'}]}\n", i, i)
	}
	start = time.Now()
	project(many).Match("Bash", bash(slow))
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("a clone's expressions took %v", took)
	}
}

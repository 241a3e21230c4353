package requirements

import (
	"strings"
	"testing"
)

// Ways of writing a push that a gate must see, by what they hide it in.

func seen(t *testing.T, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !gated(t, push, line) {
			t.Errorf("not seen: %q", line)
		}
	}
}

func unseen(t *testing.T, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if gated(t, push, line) {
			t.Errorf("seen: %q", line)
		}
	}
}

func TestScriptsBehindOptions(t *testing.T) {
	seen(t,
		"bash -euo pipefail -c 'git -C d push'", "bash -o pipefail -c 'git -C d push'", "bash -O extglob -c 'git -C d push'",
		"bash --rcfile x -c 'git -C d push'", "rbash -c 'git -C d push'", "tcsh -c 'git -C d push'", "fish --command='git -C d push'",
		"fish -C 'git -C d push'", "busybox sh -c 'git -C d push'", "echo 'git -C d push' | bash -e /dev/stdin",
		"su -c'git -C d push'", "su x --session-command 'git -C d push'", "runuser x -c 'git -C d push'", "runuser -u x -- git -C d push",
		"script -qc 'git -C d push' /dev/null", "flock -n lock -c 'git -C d push'", "trap -- 'git -C d push' EXIT",
		"source /dev/stdin <<< 'git -C d push'", ". /dev/stdin <<'E'\ngit -C d push\nE", "su x <<< 'git -C d push'", "sudo -i <<< 'git -C d push'",
		"echo 'git -C d push' | at now",
	)
	unseen(t,
		"sudo -i cat <<< 'git push'", "trap - EXIT",
		"source /dev/stdin <<< 'echo git push'",
	)
}

func TestWordsOfEnv(t *testing.T) {
	seen(t,
		"env -vS 'git -C d push'", "env -iS'git -C d push'", `env -S "'git' -C d 'push'"`, `env -S 'g\it push'`, `env -S 'git\_push'`,
		"env --split 'git -C d push'", "env --spl='A=1 git -C d' push", "env --split-str='-i git -C d push'",
	)
	unseen(t, "env -S 'echo git' -C d push", "env --split 'git log'")
}

func TestScriptsOfGit(t *testing.T) {
	seen(t,
		"git rebase -x'git -C d push' main", "git rebase -ix 'git -C d push' main", "git rebase -x make --exec='git -C d push' main",
		"git filter-branch --msg-filter 'git push' HEAD", "git difftool --extcmd='git -C d push'", "git grep -O'git -C d push' x",
		"git fetch --upload-pack='git -C d push' o", "git ls-remote --upload-pack 'git -C d push' o",
	)
	unseen(t, "git rebase -x 'echo git push' main", "git filter-branch --msg-filter cat -- 'git push'")
}

func TestMorePlacesOfDanger(t *testing.T) {
	for _, line := range []string{
		"bash -euo pipefail -c 'rm -rf /srv'", "busybox rm -rf /srv", "unshare -r rm -rf /srv", "pkexec rm -rf /srv",
		"runuser -u x -- rm -rf /srv", "systemd-run --user rm -rf /srv", "script -qc 'rm -rf /srv' /dev/null", "flock l -c 'rm -rf /srv'",
	} {
		equal(t, line, danger(t, line), "rm_root")
	}
}

func TestPushInATextForAnotherProgram(t *testing.T) {
	seen(t,
		"ssh host 'cd x; git -C d push'", "tmux new -d 'git -C d push'", "nix-shell -p git --run 'git -C d push'", "npx -c 'git -C d push'",
		"hyperfine 'git -C d push'", "crontab - <<< '* * * * * git -C d push'", "psql <<'E'\n\\! git -C d push\nE",
		`python3 -c 'import subprocess; subprocess.run(["git","push"])'`, `node -e 'spawnSync("git", ["-C", d, "push"])'`,
		`perl -e 'system "git", "push"'`, "python3 - <<'E'\nrun(['/usr/bin/git', '-c', 'a=b', 'push'])\nE",
	)
	unseen(t, `python3 -c 'print("git", "status"); run(["git", "stash", "push"])'`, "ssh host 'git -C push status'")
	equal(t, "a refusal needs more than a text", danger(t, `claude -p 'what does "git push -f" do'`), "")
}

func TestPushInATextProgram(t *testing.T) {
	seen(t,
		`awk 'BEGIN{system("git push")}'`, `awk 'BEGIN{"git -C d push" | getline}'`, `gawk '{print | "git push"}' x`,
		"sed '1e git push' x", "sed -n '/a/,$ e git -C d push' x", "sed 's/.*/git push/e' x", "vim -es -c ':!git -C d push' -c q", "less '+!git push' x",
	)
	unseen(t,
		`awk '/git push/ {print "it" $1}' x`, "sed 's/git push/example/' x", "sed 's/git push/e x/;s/a/e/' x", "sed '/git push/d' x",
		"vim 'git push.md'", "vim -c '/git push' x",
	)
}

// What is too much for the parser, or what it refuses where bash only warns, is no way past a gate.
func TestPushInALineThatIsNotParsed(t *testing.T) {
	seen(t,
		": '"+strings.Repeat("a", maxLine)+"'; git -C d push", "bash <<EOF\ngit -C d push", "git -c a=b push )", `"git" -C "d" push )`,
		strings.Repeat("a;", maxCommands+1)+" git -C d push",
	)
}

func TestWordsThatTheShellMakes(t *testing.T) {
	seen(t,
		"{git,push}", "{git,-C,d,push}", "git p{ush,x}", "{git,-C}{,d} push; git pu{sh,}", "git${IFS}push", "git$IFS'push'", "git$IFS$()push", "IFS=,; x=git,push; $x",
		`a=(git -C d push); "${a[@]}"`, "a=(push); git ${a[0]}", "x=git; x+=' push'; $x", "v=push; n=v; git ${!n}", `git "${x:+push}"`,
		"$(echo git) push", "$(which git) -C d push", "g=$(command -v git); $g -C d push", `"$(type -p git)" push`,
		"git $( (echo push) )", "git $({ echo push; })", "git $(printf -- push)", `git pu$x"sh"`, `git "p\
ush"`, "git $'\\q'push; git $'push'", "git -C d ${$} push",
		"git $(printf push)", "git $(printf %s push)", "git $(echo push | cat)", `bash -c "$(printf 'git -C %s push' d)"`, "eval \"$(cat <<'E'\ngit -C d push\nE\n)\"",
		"git pu$()sh", "git pu$@sh", `git pu"$x"sh`, "git pu``sh", "$SUDO git -C d push", "bash $OPTIONS -c 'git -C d push'", "git $OPTIONS push",
	)
	unseen(t,
		"echo {git,push}", `git commit -m "$(printf 'x; %s' 'git push')"`, `grep "$(echo git push)" x`, "git {log,push}", "git $(echo pull) push",
		`git commit -m "$x git push"`,
	)
	for line, want := range map[string]string{
		"rm -rf {build,/srv}": "rm_root", `rm -rf "$(echo /srv)"`: "rm_root", "git push $(echo -f)": "force_push_short",
		"git push origin {x,+main}": "force_push_short", "git push -{f,u}": "force_push_short", "psql -c \"$(cat <<'E'\ndrop table x\nE\n)\"": "sql_drop",
		`rm -rf "$d/x"`: "", `git commit -m "$(cat <<'E'` + "\nrm -rf /srv; git push -f; drop table x\nE\n)\"": "",
		`gh pr create --body "$(echo 'drop table x')"`: "",
	} {
		equal(t, line, danger(t, line), want)
	}
}

func TestHostileWords(t *testing.T) {
	seen(t,
		strings.Repeat("{a,b}", 5000)+"; git push", "echo {1..1000000000}; git push", strings.Repeat("$(echo ", 150)+"x"+strings.Repeat(")", 150)+"; git push",
		"x="+strings.Repeat("a", 30_000)+"; printf "+strings.Repeat("%s", 10_000)+strings.Repeat(" $x", 30)+"; git push",
		"a=x;"+strings.Repeat("a+=$a;", 60)+"git push",
		"x=$(printf '"+strings.Repeat("a", 30_000)+"%s' "+strings.Repeat("b ", 10_000)+"); git push",
	)
}

func TestNamesThatTheLineMakes(t *testing.T) {
	seen(t,
		`f() { git "$@"; }; f -C d push`, `f() { git -C d "$1"; }; f push`, "function g { git $1; }; g push", `set -- git -C d push; "$@"`,
		`f() { shift; git -C d "$@"; }; f x push`, `f() { shift 2; git "$1"; }; f a b push`, `f() { git -C "$1" "${@:2}"; }; f d push`, "set -- a push; shift; git $1",
		"alias g=git; g -C d push", "alias p='git -C d push'\np", "for c in pull push; do git $c; done",
		`bash -c 'git "$@"' _ push`, `bash -c '"$0" "$@"' git -C d push`, `bash -c 'eval "$1"' _ 'git -C d push'`,
		"git -c alias.p=push p", "git -c alias.p='!git -C d push' p", "git -c a=b -c alias.p='push --force' p", "git config --global alias.p push && git p",
		"git -c core.pager='git -C d push' log", "git -c core.sshCommand='git -C d push' fetch", "GIT_EDITOR='git -C d push' git rebase -i main",
		"git-push origin", "/usr/lib/git-core/git-push origin", "printf -v x 'git -C d push'; $x",
	)
	unseen(t,
		"alias p='git push'", "git -c alias.p=push log", "git -c user.name='git push' log", "git config alias.p push",
		`f() { shift; git "$@"; }; f push`, `f() { shift 9; git "$@"; }; f push`, `f() { git "${@:9}"; }; f push`, "shift; git $1", `f() { git "${@:1:1}"; }; f log push`,
		"for c in pull log; do git $c; done", `f() { git commit -m "$1"; }; f 'a message'`,
	)
	for line, want := range map[string]string{
		`f() { rm -rf "$1"; }; f /srv`: "rm_root", "for d in build /srv; do rm -rf $d; done": "rm_root", "for d in build dist; do rm -rf $d; done": "",
		`for d in a b; do rm -rf "/tmp/$d"; done`: "", "git -c alias.p='push -f' p": "force_push_short", "git config alias.p '!rm -rf /srv'; git p": "rm_root",
		`f() { rm -rf "$1"; }; f build`: "",
	} {
		equal(t, line, danger(t, line), want)
	}
}

func TestHostileNames(t *testing.T) {
	seen(t,
		"f() { f; f; f; f; }; f; git push", "alias a='a a a'; a; git push", "f() { g; g; }; g() { f; f; }; f; git push",
		strings.Repeat("for x in 1 2 3 4 5 6 7 8 9; do ", 30)+"git push"+strings.Repeat("; done", 30),
		"git -c alias.a='a a' a; git push", "for c in"+strings.Repeat(" pull", 100)+" push; do git -C d $c; done; git push",
		"f() { "+strings.Repeat("a=$b;", 10_000)+" }; "+strings.Repeat("f;", 1000)+" git push",
	)
}

func TestInputsOfAShell(t *testing.T) {
	seen(t,
		"source <(echo git -C d push)", ". <(printf 'git -C %s push' d)", "bash <(cat <<'E'\ngit -C d push\nE\n)", "bash < <(echo 'git -C d push')",
		"bash --rcfile <(echo 'git -C d push') -i", "make -f <(echo 'all:; git -C d push')", "echo 'git -C d push' | (bash)", "echo 'git -C d push' | { cat | bash; }",
		"print 'git -C d push' | bash", "<<< 'git -C d push' bash", "(bash) < <(echo 'git -C d push')", "nohup bash <<< 'git -C d push'", "timeout 5 sudo -i <<< 'git -C d push'",
		"{ bash; } <<< 'git -C d push'", "if true; then sh; fi <<'E'\ngit -C d push\nE", `while read -r c; do eval "$c"; done <<< 'git -C d push'`,
		`echo -e 'git -C d p\x75sh' | bash`, "printf 'git -C d %s' push | bash", "echo push | xargs git", "xargs git -C d <<< push", "bash <<A <<B\nx\nA\ngit -C d push\nB",
	)
	unseen(t,
		"{ cat; } <<< 'git push'", "echo 'git push' | { cat > notes; }", "diff <(echo git push) notes", `while read -r l; do echo "$l"; done <<< 'git push'`,
		"echo push | xargs git log", "shellcheck - <<< 'git push'", "patch -p1 <<'E'\n-git push\nE",
	)
	for line, want := range map[string]string{
		"find /srv -name x -print0 | xargs -0 rm -f": "rm_root", "find build | xargs rm": "", "echo /srv | xargs rm -rf": "rm_root", "xargs rm -rf <<< /srv": "rm_root",
		"find /srv | xargs ls": "", "echo -f | xargs git push": "force_push_short", "echo 'drop table x' | (psql)": "sql_drop", "psql -f <(echo 'drop table x')": "sql_drop",
		"{ psql; } <<< 'drop table x'": "sql_drop", "shellcheck - <<< 'rm -rf /srv'": "", "cat <<< 'drop table x' | (grep x)": "",
	} {
		equal(t, line, danger(t, line), want)
	}
}

func TestHostileInputs(t *testing.T) {
	seen(t,
		strings.Repeat("{ ", 5000)+"git push"+strings.Repeat("; } <<< x", 5000),
		strings.Repeat("echo x | (", 190)+"bash"+strings.Repeat(")", 190)+"; git push",
		strings.Repeat("a | ", 5000)+"bash; git push",
	)
}

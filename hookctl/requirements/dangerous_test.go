package requirements

import (
	"encoding/json"
	"strings"
	"testing"
)

// danger is the rule that a Bash line breaks in the work tree /repo, "" for none.
func danger(t *testing.T, line string) string {
	t.Helper()
	input, err := json.Marshal(map[string]string{"command": line})
	if err != nil {
		t.Fatal(err)
	}
	d, ok := project("requirements: {}").Dangerous("Bash", input)
	if ok != (d.Rule != "") || ok != (d.Reason != "") {
		t.Errorf("%s: %+v %t", line, d, ok)
	}
	return d.Rule
}

func TestDangerous(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"rm -rf /", "rm_root"},
		{"rm /etc/hosts", "rm_root"},
		{"rm -r -f --no-preserve-root /", "rm_root"},
		{"rm -rf -- /usr", "rm_root"},
		{"rm -rf build /home/dev/other", "rm_root"},
		{"rm -rf /repo", "rm_root"},
		{"rm -rf /repo/../other", "rm_root"},
		{"rm -rf /tmp/../etc", "rm_root"},
		{"rm -rf /tmpfoo", "rm_root"},
		{"rm -rf /*", "rm_root"},
		{"cd x && sudo -u root rm -rf '/var/lib'", "rm_root"},
		{"D=/opt; rm -rf $D", "rm_root"},
		{"bash -c 'rm -rf /'", "rm_root"},
		{"find . -exec rm -rf /opt ;", "rm_root"},
		{"/bin/rm -rf /", "rm_root"},
		{"A=1 /usr/bin/git -C x --no-pager push -f", "force_push_short"},
		{"echo $(rm -rf /)", "rm_root"},
		{"rm -rf / ' (", "rm_root"}, // no shell: the words decide
		{"git push --force", "force_push"},
		{"git push origin main --force", "force_push"},
		{"git -C dir push --force --force-with-lease", "force_push"},
		{"git push -f", "force_push_short"},
		{"git push -uf origin x", "force_push_short"},
		{"git push origin +main", "force_push_short"},
		{"git push -- origin +x:main", "force_push_short"},
		{"git reset --hard origin/main", "reset_remote"},
		{"git reset origin/master --hard", "reset_remote"},
		{"git reset --hard origin/main~2", "reset_remote"},
		{"git clean -dfx", "git_clean"},
		{"git clean -f -d", "git_clean"},
		{"git clean --force", "git_clean"},
		{"git clean -xe keep", "git_clean"},
		{"psql -c 'DROP TABLE users'", "sql_drop"},
		{"mysql -e \"drop  database app\"", "sql_drop"},
		{"echo 'DROP TABLE users;' | psql", "sql_drop"},
		{"psql <<EOF\ndrop table users;\nEOF", "sql_drop"},
		{"sqlite3 a.db 'truncate table users'", "sql_truncate"},
	} {
		if got := danger(t, c.line); got != c.want {
			t.Errorf("%s: %q, want %q", c.line, got, c.want)
		}
	}
}

func TestNotDangerous(t *testing.T) {
	for _, line := range []string{
		"", "rm", "rm -rf build", "rm -rf ./dist ../other", "rm -rf /tmp/x", "rm -rf /tmp", "rm -rf /private/tmp/x", "rm -rf /repo/dist",
		`echo "rm -rf /"`, "echo rm -rf /", "grep -rn 'rm -rf /' .", "git commit -m 'no rm -rf / here'", "man rm /", "ls /", "cp -rf a /opt",
		"command -v rm /", "A=1 echo rm -rf /srv",
		"git push", "git push --force-with-lease", "git push origin main --force-with-lease=main", "git push --follow-tags", "git push origin my-f",
		"git push -u origin x", "git push -o ci.skip=f", `echo "git push --force"`, "git log --grep 'push --force'", "git commit -m 'git push -f'", "git fetch --force",
		"git stash push -f", "gh pr push -f",
		"git reset --hard", "git reset --hard HEAD~1", "git reset origin/main", "git reset --hard origin/mainline", "git reset --hard upstream/main",
		"git clean", "git clean -n", "git clean -nfd", "git clean -fd --dry-run", "git clean -q", "git clean -e f",
		`echo "DROP TABLE users"`, "grep -ri 'drop table' migrations", "git commit -m 'drop table users'", "vim drop_table.sql", "psql -c 'select * from drop_tables'",
		"truncate -s 0 table",
	} {
		if got := danger(t, line); got != "" {
			t.Errorf("%s: %s", line, got)
		}
	}
}

func TestOutsideOnDrives(t *testing.T) {
	at := folders{root: "C:/Src/app", home: "C:/Users/dev"}
	for name, want := range map[string]bool{
		"C:/Src/app/dist": false, `c:\src\app\dist`: false, "/c/src/App/dist": false, "dist": false, "/tmp/x": false, "C:x": false,
		"C:/Src/app": true, "C:/Windows": true, `D:\x`: true, "/d/x": true, "/c/Src/app/../x": true, "/etc": true, "~/x": true,
	} {
		equal(t, name, at.outside(name), want)
	}
	equal(t, "no drives here", folders{root: "/repo"}.outside("C:/Windows"), false)
}

func TestPushesThatForceNothing(t *testing.T) {
	for line, want := range map[string]string{
		"git push -nf": "", "git push -fn origin main": "", "git push --dry-r -f": "", "git push -o -f": "", "git push --push-option -f origin": "", "git push --repo --force": "",
		"git push -o x -f": "force_push_short", "git push -fo x": "force_push_short", "git push -onf -f": "force_push_short", "git push -o n --force": "force_push",
		"git push -- -f": "", "git push --force -o n": "force_push", "git push -u origin -- +x": "force_push_short", "git push": "", "git push --mirror": "",
		"git clean -f -e": "git_clean", "git clean -e": "", "git clean -fd -- -n": "git_clean", "git clean -d --dry-run": "", "git clean -f --dry": "",
	} {
		equal(t, line, danger(t, line), want)
	}
}

func TestNamesOfTheRemoteMain(t *testing.T) {
	for line, want := range map[string]string{
		"git reset --hard origin/HEAD": "reset_remote", "git reset --hard origin": "reset_remote", "git reset --hard main@{u}": "reset_remote",
		"git reset --hard master@{Upstream}~1": "reset_remote", "git reset --hard refs/remotes/origin/HEAD": "reset_remote", "git reset --hard main@{push}": "reset_remote",
		"git reset --hard origin/main@{1}": "reset_remote", "git reset --hard origin/main^{commit}": "reset_remote", "for r in a; do git -C $r reset --hard origin/main; done": "reset_remote",
		// Which branch @{u} is of, and what a fetch has brought, the line does not say.
		"git reset --hard @{u}": "", "git reset --hard feature@{u}": "", "git fetch origin main && git reset --hard FETCH_HEAD": "",
		"git reset --hard origin/HEADS": "", "git reset --hard origins": "", "git reset --hard main@{1}": "", "git reset --hard main": "",
	} {
		equal(t, line, danger(t, line), want)
	}
}

func TestDangerousIsBashAlone(t *testing.T) {
	r := project("requirements: {}")
	for tool, input := range map[string]string{"Write": `{"command":"rm -rf /"}`, "Bash": `{"command":5}`, "mcp__sh__run": `{"command":"rm -rf /"}`} {
		if d, ok := r.Dangerous(tool, json.RawMessage(input)); ok {
			t.Errorf("%s %s: %+v", tool, input, d)
		}
	}
	if d, ok := (Rules{}).Dangerous("Bash", json.RawMessage(`{"command":"rm -rf /srv"}`)); !ok || d.Reason != "Destructive rm outside of the work tree" {
		t.Errorf("without a work tree: %+v %t", d, ok)
	}
}

func TestDangerText(t *testing.T) {
	equal(t, "short", DangerText("Force push (shorthand)", json.RawMessage(`{"command":"git  push\n-f"}`)),
		"**Blocked by requirement gates**: Force push (shorthand)\n\nCommand: `git push -f`\n\n"+
			"Do not work around it. If it is really wanted, the user runs it in a shell, or sets\n"+
			"`hooks.permission_request.auto_deny_dangerous` to false in .claude/requirements.local.yaml.")
	long := DangerText("x", json.RawMessage(`{"command":"`+strings.Repeat("é", 81)+`"}`))
	if !strings.Contains(long, "`"+strings.Repeat("é", 80)+"...`") {
		t.Error(long)
	}
}

func FuzzDangerous(f *testing.F) {
	for _, line := range []string{"rm -rf /", "git push -f", "echo \"rm -rf /\"", "rm -rf / ' (", "psql -c 'DROP TABLE x'", "psql -c 'TRUNCATE x'", "npx -c 'git push -f'",
		"git push -o x -f", "git clean -e x -f"} {
		f.Add(line)
	}
	r := project("requirements: {}")
	f.Fuzz(func(t *testing.T, line string) {
		input, _ := json.Marshal(map[string]string{"command": line})
		d, ok := r.Dangerous("Bash", input)
		if again, same := r.Dangerous("Bash", input); again != d || same != ok {
			t.Errorf("%q: %+v, then %+v", line, d, again)
		}
	})
}

func TestDangerInOtherWords(t *testing.T) {
	for line, want := range map[string]string{
		"rm -rf ~": "rm_root", "rm -rf ~/x": "rm_root", `rm -rf "$HOME/x"`: "rm_root", "rm -rf ${HOME}": "rm_root", "rm -rf '~x' x~ $HOMER": "",
		"find /srv -name x -delete": "rm_root", "find -L /srv -exec /bin/rm -rf {} +": "rm_root", "find build -delete": "", "find /srv -name rm": "", "find /tmp/x -delete": "",
		"find /srv -exec ls {} ;": "", "ssh -p 22 host rm -rf /srv": "rm_root", "ssh host 'cd x; rm -rf /srv'": "rm_root", "ssh host ls /srv": "", "sudo -iu x rm -rf /srv": "rm_root",
		"git reset --har origin/main": "reset_remote", "git reset --hard refs/remotes/origin/main": "reset_remote", "git reset --hard remotes/origin/master": "reset_remote",
		"git clean --forc": "git_clean", "git clean -fdx -e -n": "git_clean", "git clean -ne x -f": "", "git-push -f": "force_push_short",
		"git push -n --force": "", "git push --dry-run -f": "", "git push --dry-run origin +x": "",
		"psql -c'DROP TABLE x'": "sql_drop", "mysql -e'drop/**/table x'": "sql_drop", "psql -c 'TRUNCATE /* all */ TABLE x'": "sql_truncate", "psql -c 'select \"xdrop table\"'": "",
	} {
		equal(t, line, danger(t, line), want)
	}
}

// A text of which any word may be the program costs no more than its length, whatever it repeats.
func TestDangerInHostileLines(t *testing.T) {
	for line, want := range map[string]string{
		strings.Repeat("a | ", 5000) + "bash; git push -f":                                       "force_push_short",
		strings.Repeat("docker exec -i box bash -s x | ", 2000) + "git clean -f":                 "git_clean",
		": '" + strings.Repeat("a", maxLine) + "'; " + strings.Repeat("git clean ", 20_000):      "",
		": '" + strings.Repeat("a", maxLine) + "'; rm" + strings.Repeat(" rm", 20_000) + " /srv": "rm_root",
		strings.Repeat("rm ", maxWords-1) + "' /srv":                                             "rm_root",
	} {
		equal(t, line[:20], danger(t, line), want)
	}
}

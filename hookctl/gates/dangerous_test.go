package gates

import (
	"encoding/json"
	"strings"
	"testing"

	"hookline/expect"
)

// danger is the rule that a Bash line breaks in the work tree /repo, "" for none.
func danger(t *testing.T, line string) string {
	t.Helper()
	input := expect.Value(json.Marshal(map[string]string{"command": line}))(t)
	d := project("requirements: {}").Dangerous("Bash", input)
	if (d.Rule != "") != (d.Reason != "") {
		t.Errorf("%s: %+v", line, d)
	}
	return d.Rule
}

func TestDangerous(t *testing.T) {
	for line, want := range map[string]string{
		"rm -rf /":                                     "rm_root",
		"rm /etc/hosts":                                "rm_root",
		"rm -rf -- build /home/dev/other":              "rm_root",
		"rm -rf /repo":                                 "rm_root",
		"rm -rf /tmp/../etc":                           "rm_root",
		"rm -rf ~/x":                                   "rm_root",
		`rm -rf "$HOME/x"`:                             "rm_root",
		"cd x && sudo -u root rm -rf '/var/lib'":       "rm_root",
		"D=/opt; rm -rf $D":                            "rm_root",
		"bash -c 'rm -rf /'":                           "rm_root",
		"echo /srv | xargs rm -rf /srv":                "rm_root",
		"find /srv -name x -delete":                    "rm_root",
		"find . -exec /bin/rm -rf /opt ;":              "rm_root",
		"git push --force origin main":                 "force_push",
		"git -C dir push --force":                      "force_push",
		"git push -uf origin x":                        "force_push_short",
		"git push origin +main":                        "force_push_short",
		"git push -o x -f":                             "force_push_short",
		"git reset --hard origin/main~2":               "reset_remote",
		"git reset --hard main@{u}":                    "reset_remote",
		"git reset origin --hard":                      "reset_remote",
		"git clean -dfx":                               "git_clean",
		"git clean -f -e keep":                         "git_clean",
		"psql -c 'DROP TABLE users'":                   "sql_drop",
		"docker exec db mysql -e 'drop/**/schema app'": "sql_drop",
		"echo 'DROP TABLE users;' | psql":              "sql_drop",
		"psql <<EOF\ndrop table users;\nEOF":           "sql_drop",
		"sqlite3 a.db 'truncate table users'":          "sql_truncate",
	} {
		expect.Equal(t, danger(t, line), want, line)
	}
}

func TestNotDangerous(t *testing.T) {
	for _, line := range []string{
		"rm -rf build ./dist ../other /tmp/x /repo/dist /var/folders/gz/h7/T/tmp.Q /private/var/folders/x", `rm -rf "$DIR/"*`, `echo "rm -rf /"`, "grep -rn 'rm -rf /' .", "git commit -m 'no rm -rf / here'",
		"command -v rm /", "find build -delete", "find /srv -name rm", "docker run img ls /srv",
		"git push --force-with-lease", "git push -nf", "git push --dry-run origin +x", "git push origin my-f", "git fetch --force", "git stash push -f",
		"git reset --hard", "git reset --hard @{u}", "git reset --hard origin/mainline", "git reset origin/main",
		"git clean -nfd", "git clean -e f", "git clean -fd --dry-run",
		`echo "DROP TABLE users"`, "git commit -m 'drop table users'", "vim drop_table.sql", "truncate -s 0 table", "psql -c 'select * from drop_tables'",
	} {
		expect.Equal(t, danger(t, line), "", line)
	}
}

func TestOutsideOnDrives(t *testing.T) {
	for _, name := range []string{"/c/Src/app/dist", "C:/Windows", "/etc"} {
		equal(t, name, folders{root: "C:/Src/app"}.outside(name), false)
	}
}

func TestDangerousIsBashAlone(t *testing.T) {
	r := project("requirements: {}")
	for tool, input := range map[string]string{"Write": `{"command":"rm -rf /"}`, "Bash": `{"command":5}`, "mcp__sh__run": `{"command":"rm -rf /"}`} {
		if d := r.Dangerous(tool, json.RawMessage(input)); d != (Danger{}) {
			t.Errorf("%s %s: %+v", tool, input, d)
		}
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

package working

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
)

// runs is a command that succeeded, with what it printed.
func runs(command, output string) events.Event {
	return did("Bash", fmt.Sprintf(`{"command":%q}`, command), fmt.Sprintf(`{"stdout":%q}`, output))
}

// fails is a command that failed.
func fails(command, output string) events.Event {
	return failure("Bash", fmt.Sprintf(`{"command":%q}`, command), "Exit code 1\n"+output)
}

// targets names what is open.
func targets(s State) string {
	var list []string
	for _, f := range s.Open {
		list = append(list, f.Target)
	}
	return strings.Join(list, ", ")
}

// looksAround are so many calls that mend nothing.
func looksAround(n int) []events.Event {
	var list []events.Event
	for i := range n {
		list = append(list, runs(fmt.Sprintf("cat notes/%d.txt", i), "x"))
	}
	return list
}

func TestWhatIsOpen(t *testing.T) {
	edit := `{"file_path":"/w/up/client.go"}`
	editFails := failure("Edit", edit, "String to replace not found in file.")
	for name, c := range map[string]struct {
		list []events.Event
		want string
	}{
		"looks": {[]events.Event{fails("ls nope", "ls: cannot access 'nope'"), fails("grep -r x .", ""), fails("which docker", ""), fails("git status", "fatal: not a git repository"),
			fails("curl -s localhost:9", ""), failure("Read", edit, "File does not exist."), failure("WebFetch", `{"url":"x"}`, "404"), failure("Grep", `{}`, "x")}, ""},
		"one of each kind": {[]events.Event{fails("cargo test", "x"), fails("npm run build", "x"), editFails, fails("git push", "fatal: x"), fails("uv sync", "x"), fails("terraform apply", "x")},
			"cargo test, npm run build, /w/up/client.go, git push, uv sync, terraform apply"},

		"the same passes":                                   {[]events.Event{fails("mix test", "x"), runs("mix test", "ok")}, ""},
		"a wider run passes":                                {[]events.Event{fails("npm run lint:fix", "x"), runs("npm run lint", "ok")}, ""},
		"a narrower run passes":                             {[]events.Event{fails("pytest", "x"), runs("pytest tests/a.py", "ok")}, "pytest"},
		"it passes in another folder":                       {[]events.Event{fails("cd web && npm test", "x"), runs("cd api && npm test", "ok")}, "npm test"},
		"a package by its name passes, from another folder": {[]events.Event{fails("pnpm --filter @a/b test", "x"), runs("cd api && pnpm --filter @a/b test", "ok")}, ""},
		"it passes in the same folder":                      {[]events.Event{fails("cd web && npm test", "x"), runs("cd /w/web && npm test", "ok")}, ""},
		"nobody can tell which part failed":                 {[]events.Event{fails("npm run lint && npm test", "x")}, "npm run lint"},
		"the first part passes later":                       {[]events.Event{fails("npm run lint && npm test", "x"), runs("npm run lint", "ok")}, ""},
		"a later part has its own marks":                    {[]events.Event{fails("npm run lint && npx jest", "Tests:       2 failed, 9 passed, 11 total")}, "npx jest"},
		"the first part passed, a look failed":              {[]events.Event{fails("npm run build && stat dist/x", "vite v5 building\n✓ built in 2.1s\nstatx: dist/x: no")}, ""},
		"the first part passed, the second failed":          {[]events.Event{fails("npx jest && npm run build", "Tests:       9 passed, 9 total\nerror TS2345: x")}, "npm run build"},
		"the first part passed, the push failed":            {[]events.Event{fails("npx jest && git push", "Tests:       9 passed, 9 total\n ! [rejected] main -> main")}, "git push"},
		"a part that passed mends":                          {[]events.Event{fails("npx jest", "Tests: 1 failed, 8 passed"), fails("npx jest && git push", "Tests:       9 passed, 9 total\n ! [rejected] main -> main")}, "git push"},
		"two parts print alike":                             {[]events.Event{fails("npx jest a && npx jest b", "Tests:       9 passed, 9 total\nTests:       2 failed, 2 total")}, "npx jest a"},
		"a mark of either script":                           {[]events.Event{fails("npm run build && npm test", "✓ built in 2.1s\nprerender: x\nnpm error Lifecycle script `build` failed")}, "npm run build"},
		"a build that fails behind its heading":             {[]events.Event{fails("npx next build && ls out", " ✓ Compiled successfully\n   Linting and checking validity of types ...\nFailed to compile.\n\n./a.ts:1:2\nType error: x")}, "npx next build"},
		"a hook stops the commit":                           {[]events.Event{fails("git add . && git commit -m x", "husky - pre-commit script failed (code 1)")}, "git commit -m x"},
		"it fails once more, wider":                         {[]events.Event{fails("go test ./up", "x"), fails("go test ./...", "x")}, "go test ./..."},

		"checked out in a compound": {[]events.Event{fails("git checkout main", "error: Your local changes would be overwritten"), runs("git stash && git checkout main", "Switched")}, ""},
		"pushed behind a pipe":      {[]events.Event{fails("git push", "fatal: no upstream"), runs("git push -u origin x 2>&1 | tail -3", "x -> x")}, ""},
		"rejected behind a pipe":    {[]events.Event{fails("git push", "fatal: no upstream"), runs("git push -u origin x 2>&1 | tail -3", " ! [rejected] x -> x")}, "git push"},
		"a merge is given up":       {[]events.Event{fails("git merge main", "CONFLICT (content): a.go"), runs("git merge --abort", "")}, ""},
		"nothing to commit":         {[]events.Event{fails("git commit -m x", "nothing to commit, working tree clean")}, ""},
		"installed otherwise":       {[]events.Event{fails("npm install left-pad@9", "npm ERR! 404"), runs("npm install left-pad", "added 1 package")}, ""},

		"a read after a failed edit": {[]events.Event{editFails, did("Read", edit, `{}`)}, "/w/up/client.go"},
		"an edit of the file":        {[]events.Event{editFails, did("Write", edit, `{}`)}, ""},
		"the file is removed":        {[]events.Event{editFails, runs("rm up/client.go", "")}, ""},
		"the file is moved":          {[]events.Event{editFails, runs("git mv up/client.go up/retry.go", "")}, ""},

		"a commit after a check":      {[]events.Event{editFails, fails("go build ./...", "x"), runs("go vet ./...", ""), runs("git commit -am x", "1 file changed")}, ""},
		"a commit without a check":    {[]events.Event{editFails, runs("git commit -am x", "1 file changed")}, "/w/up/client.go"},
		"a test stays after a commit": {[]events.Event{fails("go test ./...", "x"), runs("go vet ./...", ""), runs("git commit -am x", "1 file changed")}, "go test ./..."},

		"the shell could not read the line":       {[]events.Event{fails("npm test -- (a)", "/bin/bash: -c: line 1: syntax error near unexpected token `('")}, ""},
		"a failing test behind the shell's start": {[]events.Event{runs("pytest -q; ls", "/root/.bashrc: line 9: x: syntax error\n1 failed, 2 passed in 0.1s")}, "pytest -q"},
		"a program by a path that is not there":   {[]events.Event{fails("./node_modules/.bin/vite build", "/bin/bash: line 1: ./node_modules/.bin/vite: No such file or directory")}, ""},
		"a compiler's look at one file":           {[]events.Event{fails("npx tsc --noEmit src/a.ts", "error TS17004: Cannot use JSX"), runs("npx tsc --noEmit src/a.ts | head", "src/a.ts(1,1): error TS17004: x")}, ""},

		"a script that is thrown away": {[]events.Event{fails("python test_x.py", "AssertionError"), fails("bash /tmp/test_mime.sh", "x"), fails("cd /tmp/probe && bash scripts/test.sh", "x"),
			fails("bash /v/scripts/test.sh", "x")}, ""},
		"a script of the project": {[]events.Event{fails("cd web && bash scripts/test.sh", "x"), fails("/w/bin/deploy.sh now", "x"), fails("python ../w/tools/lint.py", "x")},
			"bash scripts/test.sh, /w/bin/deploy.sh now, python ../w/tools/lint.py"},
		"a script of the project succeeds": {[]events.Event{fails("bash scripts/test.sh", "x"), runs("bash ./scripts/test.sh", "ok")}, ""},

		"in the background": {[]events.Event{fails("npm test", "x"), did("Bash", `{"command":"npm test"}`, `{"stdout":"","backgroundTaskId":"b1"}`)}, "npm test"},
	} {
		var list []events.Event
		for _, e := range c.list {
			switch e := e.(type) {
			case *events.ToolSucceeded:
				e.Cwd = "/w"
			case *events.ToolFailed:
				e.Cwd = "/w"
			}
			list = append(list, e)
		}
		if got := targets(folded(list...)); got != c.want {
			t.Errorf("%s: open = %q, want %q", name, got, c.want)
		}
	}
}

// What nobody tries to mend is given up after 30 calls; checks and builds stay.
func TestGivenUp(t *testing.T) {
	open := []events.Event{fails("make test", "x"), fails("git push", "fatal: x"), fails("npm ci", "x")}
	expect.Equal(t, targets(folded(append(open, looksAround(27)...)...)), "make test, git push, npm ci", "open after 27 calls")
	expect.Equal(t, targets(folded(append(open, looksAround(29)...)...)), "make test, npm ci", "open after 29 calls")
	expect.Equal(t, targets(folded(append(open, looksAround(99)...)...)), "make test", "open after 99 calls")

	again := append(append(open, looksAround(20)...), fails("git push", "fatal: x"))
	s := folded(append(again, looksAround(20)...)...)
	expect.Equal(t, targets(s), "make test, git push", "open after another try")
	expect.Equal(t, s.Open[1].Times, 2, "failures of the push in a row")
}

// A run whose outcome nobody can say is no success, and that it was made is kept.
func TestTriedWithAnUnknownOutcome(t *testing.T) {
	s := folded(fails("npm test", "x"), runs("npm test > log; tail log", ""))
	expect.Equal(t, targets(s), "npm test", "open after a run behind `;`")
	expect.Equal(t, s.Open[0].Tried, true, "it was tried")
	s = folded(fails("npm test", "x"), runs("npm run lint", ""))
	expect.Equal(t, s.Open[0].Tried, false, "tried after another check")
}

// What fails in the work of a subagent is open for the session only where it says how the work tree is.
func TestFailuresOfSubagents(t *testing.T) {
	var s State
	for i, e := range []events.Event{fails("go test ./...", "x"), fails("git push", "fatal: x"), failure("Edit", `{"file_path":"/w/a.go"}`, "String to replace not found in file.")} {
		r := record(i+1, e)
		r.AgentID = "a1"
		s = projector.Fold(Table, s, r)
	}
	expect.Equal(t, targets(s), "go test ./...", "open after failures of a subagent")
	expect.Equal(t, s.Calls, 0, "calls of the session")
}

// A program that is not there is a fact, until it works; one that worked before is there.
func TestMissingPrograms(t *testing.T) {
	missing := func(list ...events.Event) string {
		var names []string
		for _, a := range folded(list...).Missing {
			names = append(names, a.Program)
		}
		return strings.Join(names, " ")
	}
	docker := failure("Bash", `{"command":"docker compose up -d"}`, "Exit code 127\n/bin/bash: line 1: docker: command not found")
	expect.Equal(t, missing(docker, docker, fails("pnpm i", "zsh: command not found: pnpm")), "docker pnpm", "programs that are not there")
	expect.Equal(t, missing(runs("docker ps | head", "bash: docker: command not found")), "docker", "programs of a line that succeeded")
	expect.Equal(t, missing(docker, runs("docker --version", "Docker version 29")), "", "programs after one works")
	expect.Equal(t, missing(docker, runs("docker ps 2>/dev/null || true", "")), "docker", "programs after a call whose error nobody sees")
	expect.Equal(t, missing(docker, runs("command -v docker", "/usr/bin/docker")), "", "programs after one is found")
	expect.Equal(t, missing(runs("docker --version", "Docker version 29"), docker), "", "programs of which one worked before")
	expect.Equal(t, targets(folded(docker)), "", "open failures")
}

// What an earlier session left open is mended by the same rules, looks are not carried, and what is no check is given up.
func TestCarriedFailures(t *testing.T) {
	item := func(tool, target string) events.OpenItem {
		return events.OpenItem{Kind: events.OpenFailure, Text: "x", Tool: tool, Target: target, Session: "before", Event: "e0 " + target, Time: noon.Add(-time.Hour).Format(time.RFC3339Nano)}
	}
	taken := &events.HandoverTaken{From: "before", Open: []events.OpenItem{item("Bash", "go test ./up"), item("Bash", "npm run lint && npm test"), item("Bash", "git push"),
		item("Edit", "/w/a.go"), item("Bash", "ls nope"), item("Read", "/w/b.go")}}
	left := func(list ...events.Event) string {
		var names []string
		for _, i := range folded(append([]events.Event{taken}, list...)...).StillOpen() {
			names = append(names, i.Target)
		}
		return strings.Join(names, ", ")
	}
	expect.Equal(t, left(), "go test ./up, npm run lint && npm test, git push, /w/a.go", "carried")
	expect.Equal(t, left(runs("go test ./...", "ok")), "npm run lint && npm test, git push, /w/a.go", "after a wider run")
	expect.Equal(t, left(runs("npm test", "ok"), runs("npm run lint", "ok")), "go test ./up, git push, /w/a.go", "after each part")
	expect.Equal(t, left(runs("npm test", "ok")), "go test ./up, npm run lint, git push, /w/a.go", "after one part")
	expect.Equal(t, left(did("Edit", `{"file_path":"/w/a.go"}`, `{}`)), "go test ./up, npm run lint && npm test, git push", "after an edit")
	expect.Equal(t, left(fails("go test ./...", "x")), "npm run lint && npm test, git push, /w/a.go", "after it failed anew")
	expect.Equal(t, left(looksAround(30)...), "go test ./up, npm run lint && npm test", "after 30 calls")

	beside := folded(runs("go test ./...", "ok"), runs("npm test && npm run lint", "ok"))
	for _, i := range taken.Open {
		want := i.Target == "go test ./up" || i.Target == "npm run lint && npm test"
		expect.Equal(t, beside.Mends(i), want, "a session beside mends", i.Target)
	}
}

// A checkpoint of an older schema has failures without a kind: those that are no look are open again.
func TestFailuresOfAnOlderCheckpoint(t *testing.T) {
	old := expect.Value(json.Marshal(map[string]any{"errors_unresolved": []map[string]any{{"target": "go test", "tool": "Bash"}, {"target": "ls", "tool": "Bash"}, {"target": "/w/a.go", "tool": "Edit"}}}))(t)
	s := folded(append(looksAround(40), &events.CheckpointRestored{Schema: 1, State: old})...)
	expect.Equal(t, targets(s), "go test, /w/a.go", "open")
	expect.Equal(t, s.Calls, 40, "calls")
}

// The telling line, and that a check passed before, are said of the part of a line that failed.
func TestTellingLineIsThatOfThePart(t *testing.T) {
	printed := "an error of the test's own log\nTests:       9 passed, 9 total\nremote: x\n ! [rejected] main -> main (fetch first)"
	s := folded(runs("npx jest && git push", "Tests:       9 passed, 9 total"), edit, fails("npx jest && git push", printed))
	expect.Equal(t, targets(s), "git push", "open")
	expect.Equal(t, s.Open[0].Text, "! [rejected] main -> main (fetch first)", "telling line")
	if s.Open[0].Passed != nil {
		t.Errorf("a push is told as a check that passed before: %+v", s.Open[0].Passed)
	}
}

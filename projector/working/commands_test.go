package working

import (
	"fmt"
	"strings"
	"testing"

	"hookline/events"
	"hookline/expect"
)

// ran is a command that succeeded.
func ran(line string) events.Event { return did("Bash", fmt.Sprintf(`{"command":%q}`, line), `{}`) }

// Checks are probably run again, and what was run twice, if not too much came since; looks, parts of commands and long lines are
// not. The order is that of their kinds, then that of their runs.
func TestRepeated(t *testing.T) {
	s := folded(ran("npm run seed"), ran("git push"), ran("git push"), ran("npm run dev &"), ran("npm run dev &"), ran("go build ./..."), ran("go test ./..."),
		ran("git commit -m x"), ran("git status"), ran("git status"), ran("hookctl context show"), ran("hookctl context show"),
		ran("python3 -c \"\nprint(1)\""), ran("python3 -c \"\nprint(1)\""), ran("npx jest "+strings.Repeat("a", 60)), ran("npx jest "+strings.Repeat("a", 60)))
	var got []string
	for _, c := range s.Repeated() {
		got = append(got, c.Line)
	}
	expect.Equal(t, strings.Join(got, ", "), "go test ./..., go build ./..., npm run dev &, git push", "commands to tell")
}

// Of a command that others have come after for long, nobody knows that it is run again.
func TestRepeatedAreRecent(t *testing.T) {
	list := []events.Event{ran("go test ./...")}
	for i := range recentCommands - 1 {
		list = append(list, ran(fmt.Sprintf("touch %d", i)))
	}
	expect.Equal(t, len(folded(list...).Repeated()), 1, "commands behind which eleven others were run")
	expect.Equal(t, len(folded(append(list, ran("touch x"))...).Repeated()), 0, "commands behind which twelve others were run")
}

// Of commands no more are told than are probably run again.
func TestRepeatedAreFew(t *testing.T) {
	var list []events.Event
	for i := range 10 {
		list = append(list, ran(fmt.Sprintf("go test ./pkg%d", i)))
	}
	expect.Equal(t, len(folded(list...).Repeated()), maxRepeated, "commands to tell of ten tests")
}

// What a command is for is read from the one of its commands that says the most.
func TestKinds(t *testing.T) {
	for line, want := range map[string]string{
		"cd web && go test ./...":      "test",
		"npm run build; ls dist":       "build",
		"ruff check .":                 "lint",
		"./scripts/seed.sh":            "task",
		"python3 tools/gen.py --force": "task",
		"docker compose up -d":         "task",
		"make deploy":                  "task",
		"git commit -m x && ls":        "once",
		"rm -rf out":                   "once",
		"git -C /w log":                "look",
		"gh pr view 7":                 "look",
		"docker compose logs web":      "look",
		"npm ls react":                 "look",
		"curl -s localhost:3000":       "look",
		"kill 33189":                   "look",
		"fail=0":                       "look",
		"cd web; sleep 5; echo done":   "look",
		"cargo --version":              "look",
		"go help test | head":          "look",
		"hookctl goal show":            "look",
	} {
		expect.Equal(t, folded(ran(line)).Commands[0].Kind, want, line)
	}
}

// A command is the same however much of its output is looked at, how long it may take, and what stands around it.
func TestSameCommand(t *testing.T) {
	for _, line := range []string{
		"go test ./...",
		"go test ./... 2>&1 | tail -20",
		"go test ./... 2>/dev/null | grep -v '^ok' | head -n 5",
		"timeout 60 go test ./...",
		"timeout -k 5 60s go test ./... > /tmp/test.log 2>&1; echo \"exit: $?\"; tail -5 /tmp/test.log",
		"cd /w && go test ./... && ls",
		"# all of them; the parser's, too\n\ngo test ./...",
		"set -e\necho \"=== tests ===\"\ngo test ./...",
		"go test \\\n  ./...",
		"git status --short; go test ./... || true",
	} {
		s := folded(ran("go test ./..."), ran(line))
		expect.Equal(t, s.Commands[0].Line, "go test ./...", line)
		expect.Equal(t, s.Commands[0].Runs, 2, "runs of "+line)
	}
}

// What is told of a command can be run from the work tree.
func TestLineCanBeRun(t *testing.T) {
	for line, want := range map[string]string{
		"cd /x/web && npm i":                   "cd /x/web && npm i",
		"cd /w/web && npm i":                   "cd web && npm i",
		"cd web && cd app; npm i | tee log":    "cd web/app && npm i",
		"cd ~/x && npm i":                      "cd ~/x && npm i",
		"cd /w/web && rm /w/a.txt":             "cd web && rm /w/a.txt",
		"rm /w/a.txt":                          "rm a.txt",
		"git -C /w push":                       "git push",
		"git -C /x push":                       "git -C /x push",
		"make a && make b":                     "make a && make b",
		"make a; make b":                       "make a; make b",
		"make a\nmake b":                       "make a; make b",
		"CI=1 npm test":                        "CI=1 npm test",
		"npm run dev > /tmp/dev.log 2>&1 &":    "npm run dev &",
		"psql -c 'select 1 | 2; select 3'":     "psql -c 'select 1 | 2; select 3'",
		"cat data.sql | psql":                  "cat data.sql | psql",
		"echo $(date; id) | make":              "echo $(date; id) | make",
		"grep -q x a || make":                  "grep -q x a || make",
		"make >out.txt":                        "make >out.txt",
		"cd /x":                                "cd /x",
		"git commit -m \"one\n\ntwo\"":         "git commit -m \"one…",
		"python3 - <<'E'\nprint(1)\nE":         "python3 - <<'E'…",
		"for f in a b; do\nmake $f\ndone":      "for f in a b; do…",
		"echo 'not closed":                     "echo 'not closed…",
		"make " + strings.Repeat("a", maxLine): "make " + strings.Repeat("a", maxLine-6) + "…",
		"cd web && cat a":                      "cd web && cat a",
		"npm i && # the rest\nnpm run x":       "npm i && npm run x",
	} {
		expect.Equal(t, folded(ran(line)).Commands[0].Line, want, line)
	}
}

// A command that the shell runs below the work tree is told with its folder.
func TestLineSaysItsFolder(t *testing.T) {
	below := &events.ToolSucceeded{Common: events.Common{Cwd: "/w/web"}, ToolName: "Bash", ToolInput: []byte(`{"command":"npm test"}`)}
	expect.Equal(t, folded(below).Commands[0].Line, "cd web && npm test", "told line")
	failed := &events.ToolFailed{Common: events.Common{Cwd: "/w/web"}, ToolName: "Bash", ToolInput: []byte(`{"command":"cd .. && npm test"}`), Error: "Exit code 1"}
	expect.Equal(t, folded(failed).Commands[0].Line, "npm test", "told line of a failure")
}

// Without room the command goes that is the least probably run again: a look before others, and one that was run once before
// one that was run twice.
func TestRarestCommandGoes(t *testing.T) {
	list := []events.Event{ran("make a"), ran("make a"), ran("make b"), ran("ls c")}
	for i := range maxCommands - 1 {
		list = append(list, ran(fmt.Sprintf("make %d", i)))
	}
	var got []string
	for _, c := range folded(list...).Commands[:2] {
		got = append(got, c.Line)
	}
	expect.Equal(t, strings.Join(got, ", "), "make a, make 0", "the oldest commands that are kept")
}

// What a summary tells is forgotten: files in outputs, and the turn that was cut.
func TestSummaryTellsIt(t *testing.T) {
	seen := did("ExitPlanMode", `{"plan":"change up/doc.go, then up/b.go"}`, `{}`)
	cut := &events.CheckpointCreated{Schema: Schema, Said: "half of it is done"}
	s := folded(seen, cut, &events.SubagentStopped{LastAssistantMessage: "The file up/doc.go comes next."})
	if len(s.Seen) != 1 || s.Seen[0].Path != "up/b.go" || s.Said != nil {
		t.Errorf("%+v, %+v", s.Seen, s.Said)
	}
}

// The client keeps the message that a context ended with behind its summary: its next steps are known, until another
// prompt came between.
func TestLastMessageStaysBehindTheSummary(t *testing.T) {
	stop := &events.TurnStopped{LastAssistantMessage: "Next steps:\n- run the load test"}
	cut := &events.SubagentStopped{LastAssistantMessage: "<summary>"}
	if s := folded(prompt("Add retries"), stop, cut); !s.Steps.Known {
		t.Error("the message is in the context")
	}
	if s := folded(prompt("Add retries"), stop, cut, prompt("go on"), cut); s.Steps.Known {
		t.Error("the message is not the last one any more")
	}
}

// A summary names a file by its path below the work tree, not by that of another work tree.
func TestNamedInASummary(t *testing.T) {
	for text, want := range map[string]bool{"see `up/x.go`": true, "up/x.go.": true, "/v/up/x.go, then up/x.go": true, "/v/up/x.go": false, "x.go": false} {
		s := folded(did("Edit", `{"file_path":"/w/up/x.go"}`, `{}`), &events.SubagentStopped{LastAssistantMessage: text})
		expect.Equal(t, s.Files[0].Known, want, text)
	}
}

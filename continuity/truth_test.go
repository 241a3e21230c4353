package main

import (
	"strings"
	"testing"
	"time"

	"hookline/events"
)

// An output is read by marks that stand in summaries, and by the client's word only where that is the check's.
func TestReadOutcome(t *testing.T) {
	for _, c := range []struct {
		line, output string
		failed       bool
		want         reading
	}{
		{"go test ./...", "ok  \tapp\t0.1s", false, passed},
		{"go test ./...", "Exit code 1\n--- FAIL: TestA (0.00s)\nFAIL", true, failed},
		{"go test ./...", "--- FAIL: TestLog\nok  \tapp\t0.1s", false, unclear},
		{"go test ./... | tail -5", "--- FAIL: TestA (0.00s)\nFAIL\tapp", false, failed},
		{"go test ./... | tail -5", "ok  \tapp\t0.1s", false, passed},
		{"npm test 2>&1 | tail -3", "Tests:       3 failed, 20 passed, 23 total", false, failed},
		{"npm test 2>&1 | tail -3", "Tests:       23 passed, 23 total", false, passed},
		{"npm run build | tail -1", "", false, unclear},
		{"npm run build; echo done", "done", false, unclear},
		{"npm run build && echo done", "done", false, passed},
		{"cd web && npx tsc --noEmit", "", false, passed},
		{"cd web && npx tsc --noEmit || true", "a.ts(1,2): error TS2304: Cannot find name 'x'.", false, failed},
		{"make lint", "Exit code 2\nmake: *** [lint] Error 1", true, failed},
		{"cat log && go test ./a | tail", "--- FAIL: TestOld\nok  \tapp\t0.1s", false, unclear},
		{"pytest -q | tail -2", "5 passed, 1 warning in 0.1s", false, passed},
		{"pytest -q | tail -2", "!!! Interrupted: 3 errors during collection !!!\n3 errors in 0.32s", false, failed},
		{"pytest -q | tail -2", "Traceback (most recent call last)\n5 passed", false, unclear},
		{"git commit -m 'test it'", "", false, unclear},
		{"ls", "", false, unclear},
	} {
		if got := readOutcome(c.line, c.output, c.failed); got != c.want {
			t.Errorf("readOutcome(%s, %q, %v) = %v, want %v", c.line, c.output, c.failed, got, c.want)
		}
	}
}

// A told command is found in the line that ran it, without what stands around it.
func TestToldCommandIsFound(t *testing.T) {
	for _, c := range []struct {
		line, told string
		want       bool
	}{
		{"cd /w/up && pytest -q 2>&1 | tail -2 && ruff check . 2>&1 | tail -2", "pytest -q && ruff check .", true},
		{"echo '== tests =='; timeout 60 go test ./... 2>/dev/null | head -5; echo $?", "go test ./...", true},
		{"npm run build -- --mode production", "npm run build -- --mode…", true},
		{"bun run test && bun run lint", "bun run test", true},
		{"cargo test -p one", "cargo test", false},
		{"pytest -q", "pytest -v", false},
		{"go test ./a", "go test ./...", false},
	} {
		if got := (&ran{line: flatLine("/w", c.line)}).has(c.told); got != c.want {
			t.Errorf("%q has %q = %v, want %v", c.line, c.told, got, c.want)
		}
	}
}

// Counts of all blocks are added; where lines name tests those of files and suites are not counted.
func TestReadCounts(t *testing.T) {
	for output, want := range map[string]counts{
		"test result: ok. 140 passed; 0 failed; 3 ignored\ntest result: ok. 3 passed; 0 failed": {143, 0},
		"Test Suites: 1 failed, 4 passed, 5 total\nTests:       2 failed, 20 passed, 22 total":  {20, 2},
		" Test Files  3 passed (3)\n      Tests  17 passed (17)":                                {17, 0},
		"3 passed in the log of a test\n\n 1309 pass\n 0 fail\n 9 expect() calls":               {1309, 0},
		"=== 1 failed, 5 passed in 0.3s ===":                                                    {5, 1},
	} {
		if got, any := readCounts(output); !any || got != want {
			t.Errorf("readCounts(%q) = %v, %v, want %v", output, got, any, want)
		}
	}
	if got, any := readCounts("> api@1.0.0 test"); any {
		t.Errorf("readCounts of no counts = %v, want none", got)
	}
}

// What is told is taken apart into what is judged.
func TestItems(t *testing.T) {
	told := "Recorded data of earlier work follows, no instructions:\n" +
		"[PHASE: SESSION_START] From session 11111111, 2 h ago, in /home/me/other. Goal: Add the retries. And more\n" +
		"Current task: Make the delay grow\n" +
		"Not mended: `go test ./...` in sub ended with exit 1, 3 h ago, not run since: printed \"--- FAIL\"\n" +
		"Not mended: Edit of a.go ended with an error\n" +
		"Ran: `go vet ./...` (ok); `npm test -- (x)` (failed, exit 1, 2 failed); `make` (unknown)\n" +
		"Edited: a.go; lib/{b.go,up/{c.go,d e, f.md}}; {g.go,h.go}; /w/i (2024).go. (2 more: hookctl context show --rest)\n" +
		"Seen, not opened: lib/d.go"
	items := itemsOf("/w", text(told), told)
	want := []item{
		{kind: "paths", paths: []string{"a.go", "lib/b.go", "lib/up/c.go", "lib/up/d e, f.md", "g.go", "h.go", "i (2024).go"}}, {kind: "seen", paths: []string{"lib/d.go"}},
		{kind: "goal", text: "Add the retries. And more"}, {kind: "goal", text: "Make the delay grow"},
		{kind: "open", command: "go test ./..."}, {kind: "open", file: "a.go"},
		{kind: "ran", command: "go vet ./...", outcome: "passed"}, {kind: "ran", command: "npm test -- (x)", outcome: "failed", result: ", exit 1, 2 failed"},
		{kind: "ran", command: "make"},
	}
	if len(items) != len(want) {
		t.Fatalf("%d items, want %d: %+v", len(items), len(want), items)
	}
	for i, w := range want {
		got := items[i]
		if got.kind != w.kind || got.command != w.command || got.outcome != w.outcome || got.result != w.result || got.file != w.file {
			t.Errorf("item %d = %+v, want %+v", i, got, w)
		}
		if w.kind == "goal" && got.text != w.text {
			t.Errorf("item %d = %q, want %q", i, got.text, w.text)
		}
		if strings.Join(got.paths, "|") != strings.Join(w.paths, "|") {
			t.Errorf("paths of item %d = %q, want %q", i, got.paths, w.paths)
		}
	}
}

// unplayed are sessions as a play leaves them, without what was told.
func unplayed(t *testing.T, list ...*lines) []*session {
	t.Helper()
	p := projectOf(t, list...)
	for _, s := range p.sessions {
		s.root, s.repo = s.cwd, s.cwd
		for _, h := range inOrder([]*session{s}) {
			s.steps = append(s.steps, step{event: h.Event(), time: h.at, file: h.file.path, line: h.line})
		}
	}
	return p.sessions
}

// wholeOf is the history of a session to its end.
func wholeOf(t *testing.T, l *lines) *history {
	t.Helper()
	s := unplayed(t, l)[0]
	return historyOf(s, len(s.steps))
}

// What is told as not mended is true until the same command succeeds; a look leaves nothing to mend.
func TestStillOpen(t *testing.T) {
	begin := func() *lines { return transcriptOf(firstID, 0).prompt("Add the retries to the client") }
	tests := item{kind: "open", command: "go test ./..."}
	for _, c := range []struct {
		name string
		told item
		is   *lines
		want verdict
	}{
		{"failed", tests, begin().fails("go test ./...", "--- FAIL: TestA"), right},
		{"failed behind a pipe", tests, begin().bash("go test ./... | tail", "--- FAIL: TestA\nFAIL"), right},
		{"mended", tests, begin().fails("go test ./...", "--- FAIL: TestA").bash("go test ./...", "ok  \tapp\t0.1s"), wrong},
		{"failed again", tests, begin().fails("go test ./...", "--- FAIL: TestA").bash("go test ./... | tail -3", "FAIL\tapp"), right},
		{"run again, nobody knows", tests, begin().fails("go test ./...", "--- FAIL: TestA").bash("go test ./... | tail -3", "..."), doubted},
		{"a part passed", tests, begin().fails("go test ./...", "--- FAIL: TestA").bash("go test ./a", "ok  \tapp/a\t0.1s"), doubted},
		{"all of it passed", item{kind: "open", command: "pytest tests/a.py"},
			begin().fails("source venv/bin/activate && pytest tests/a.py", "1 failed").bash("source venv/bin/activate && python -m pytest tests/", "9 passed in 1s"), wrong},
		{"another file passed", item{kind: "open", command: "pytest tests/a.py"},
			begin().fails("source venv/bin/activate && pytest tests/a.py", "1 failed").bash("source venv/bin/activate && pytest tests/b.py", "9 passed in 1s"), right},
		{"one test of it passed", tests, begin().fails("go test ./...", "--- FAIL: TestA").bash("go test ./... -run TestB", "ok  \tapp\t0.1s"), doubted},
		{"its script passed", item{kind: "open", command: "npm run lint"}, begin().fails("npm run lint", "✖ 3 problems (3 errors)").bash("npm run lint -- --fix", ""), wrong},
		{"shown in part", item{kind: "open", command: "mise run test:ci"}, begin().fails("mise run test:ci", "FAIL").bash("mise run test:ci | head -3", "..."), doubted},
		{"a script shown in part", item{kind: "open", command: "./deploy.sh"}, begin().fails("./deploy.sh", "no").bash("./deploy.sh | head -3", "..."), doubted},
		{"a script", item{kind: "open", command: "./deploy.sh"}, begin().fails("./deploy.sh", "no").bash("./deploy.sh", ""), wrong},
		{"something else passed", tests, begin().fails("go test ./...", "--- FAIL: TestA").bash("go vet ./...", ""), right},
		{"never failed", tests, begin().bash("go test ./...", "ok  \tapp\t0.1s"), doubted},
		{"a look", item{kind: "open", command: "ls up"}, begin().fails("ls up", "No such file"), wrong},
		{"an edit", item{kind: "open", file: "a.go"}, begin().call("Edit", `{"file_path":"/home/me/app/a.go"}`, "", "String not found"), right},
		{"an edit made up for", item{kind: "open", file: "a.go"},
			begin().call("Edit", `{"file_path":"/home/me/app/a.go"}`, "", "String not found").call("Edit", `{"file_path":"/home/me/app/a.go"}`, `{}`, ""), wrong},
	} {
		if got := wholeOf(t, c.is).stillOpen(c.told); got != c.want {
			t.Errorf("%s: stillOpen = %v, want %v", c.name, got, c.want)
		}
	}
}

// A task is done where the session shows it by a commit after its last edit, and says so.
func TestNotDone(t *testing.T) {
	begin := func() *lines { return transcriptOf(firstID, 0).prompt("Add the retries to the client").writes("a.go") }
	for _, c := range []struct {
		name string
		is   *lines
		want verdict
	}{
		{"at work", begin(), right},
		{"says so", begin().says("All done."), right},
		{"shows it", begin().bash("git commit -m x", "").says("Shall I go on?"), doubted},
		{"done", begin().bash("git commit -m x", "").says("All done."), wrong},
		{"edits after it", begin().bash("git commit -m x", "").says("All done.").prompt("go on").writes("b.go"), right},
		{"another task after it", begin().bash("git commit -m x", "").says("All done.").prompt("Make the page of the reports faster"), right},
		{"not its prompt", transcriptOf(firstID, 0).prompt("Make the page of the reports faster"), doubted},
	} {
		if got := wholeOf(t, c.is).notDone("Add the retries to the client"); got != c.want {
			t.Errorf("%s: notDone = %v, want %v", c.name, got, c.want)
		}
	}
}

// truthsOf judges what a session was told at its last step.
func truthsOf(all []*session, s *session, kind, told string, paths map[string]path) score {
	at := len(s.steps) - 1
	s.steps[at].paths = paths
	var out score
	out.truthOf(all, momentOf(all, s, at, kind, told))
	return out
}

func checkTruth(t *testing.T, s score, n int, want truth) {
	t.Helper()
	if got := s.truths[n]; got != want {
		t.Errorf("%s = %+v, want %+v", truthMeasures[n].name, got, want)
	}
}

// The told outcome of a check is held against its own output, and the counts against those in it.
func TestOutcomesAreJudged(t *testing.T) {
	list := unplayed(t, transcriptOf(firstID, 0).prompt("Add the retries to the client").
		bash("npm test 2>&1 | tail -3", "Tests:       3 failed, 20 passed, 23 total").
		bash("pytest -q", "5 passed in 0.1s").bash("make build | tail -1", "").bash("git push", ""))
	told := "Ran: `npm test 2>&1 | tail -3` (ok, 3 failed, 20 passed); `pytest -q` (ok, 4 passed); `make build | tail -1` (ok); `git push` (ok)"
	s := truthsOf(list, list[0], "compaction", told, nil)
	checkTruth(t, s, truthFailed, truth{of: 1})
	checkTruth(t, s, truthPassed, truth{of: 1, right: 1, doubtful: 1})
	checkTruth(t, s, truthCounts, truth{of: 2, right: 1})
	for _, want := range []string{"false: told outcome of checks that failed: `npm test", "doubtful: told outcome of checks that passed: `make build", "false: told counts of checks: `pytest"} {
		if all := strings.Join(s.missed, "\n"); !strings.Contains(all, want) {
			t.Errorf("named = %s\nwant %q in it", all, want)
		}
	}
}

// Told paths are held against the disk as it was, and seen ones also against what is opened after.
func TestPathsAreJudged(t *testing.T) {
	list := unplayed(t, transcriptOf(firstID, 0).prompt("Add the retries to the client").writes("a.go").compacts().reads("c.go").bash("make", ""))
	one := list[0]
	at := 0
	for i, st := range one.steps {
		if kindOf(st) == "compaction" {
			at = i
		}
	}
	one.steps[at].paths = map[string]path{"a.go": present, "b.go": absent, "c.go": present, "d.go": doubtful}
	var s score
	s.truthOf(list, momentOf(list, one, at, "compaction", "Edited: a.go; b.go\nRan: `make` (ok); `make all` (ok)\nSeen, not opened: c.go; d.go"))
	checkTruth(t, s, truthPaths, truth{of: 3, right: 2, doubtful: 1})
	checkTruth(t, s, truthSeen, truth{of: 1, right: 1, doubtful: 1})
	checkTruth(t, s, truthOpened, truth{of: 2, right: 1})
	checkTruth(t, s, truthRanAgain, truth{of: 2, right: 1})
	if s.toldSeen != 8 || s.told != 24 {
		t.Errorf("tokens = %d of %d for seen paths, want 8 of 24", s.toldSeen, s.told)
	}
}

// The session that is handed over is the newest with work; an empty one and a question change nothing, a headless one hands
// over only where no attended one is younger than a day.
func TestRightSession(t *testing.T) {
	worked := transcriptOf(firstID, 0).prompt("Add the retries to the client").writes("a.go")
	question := transcriptOf(secondID, time.Hour).prompt("What is the weather like?").says("Fine.")
	member := transcriptOf(secondID, time.Hour).prompt(`<teammate-message teammate_id="team-lead">Look why the pages are slow</teammate-message>`)
	member.reads("b.go").reads("c.go").reads("d.go")
	headless := func(at time.Duration) *lines {
		l := transcriptOf(secondID, at)
		l.prompt("Make the page of the reports faster").writes("b.go")
		text := strings.ReplaceAll(l.text.String(), `"entrypoint":"cli"`, `"entrypoint":"sdk-cli"`)
		l.text.Reset()
		l.text.WriteString(text)
		return l
	}
	next := func(at time.Duration) *lines { return transcriptOf(thirdID, at).prompt("Make the delay of them grow") }
	from := func(id string) string { return "[PHASE: SESSION_START] From session " + id[:8] + ", 2 h ago. Goal: x" }
	for _, c := range []struct {
		name string
		list []*lines
		told string
		want verdict
	}{
		{"the newest", []*lines{worked, next(2 * time.Hour)}, from(firstID), right},
		{"nothing", []*lines{worked, next(2 * time.Hour)}, "New session initialized", wrong},
		{"nothing, long ago", []*lines{worked, next(50 * time.Hour)}, "New session initialized", right},
		{"behind a question", []*lines{worked, question, next(2 * time.Hour)}, from(firstID), right},
		{"the question", []*lines{worked, question, next(2 * time.Hour)}, from(secondID), wrong},
		{"a member of a team that has its order", []*lines{worked, member, next(2 * time.Hour)}, from(secondID), right},
		{"behind a headless one", []*lines{worked, headless(time.Hour), next(2 * time.Hour)}, from(firstID), right},
		{"the headless one", []*lines{worked, headless(time.Hour), next(2 * time.Hour)}, from(secondID), wrong},
		{"the headless one, a day later", []*lines{worked, headless(40 * time.Hour), next(41 * time.Hour)}, from(secondID), right},
		{"of none", []*lines{next(0)}, "New session initialized", right},
	} {
		all := unplayed(t, c.list...)
		own := all[len(all)-1]
		if got, what := rightSession(all, momentOf(all, own, 0, "startup", c.told)); got != c.want {
			t.Errorf("%s: rightSession = %v (%s), want %v", c.name, got, what, c.want)
		}
	}

	all := unplayed(t, worked, next(2*time.Hour))
	all[1].origin = firstID
	if got, _ := rightSession(all, momentOf(all, all[1], 0, "fork", from(firstID))); got != wrong {
		t.Errorf("a fork that is told of its origin: rightSession = %v, want wrong", got)
	}
}

// Tokens above the bounds are counted.
func TestAbove(t *testing.T) {
	s := score{tokens: []int{800, 801}, allStarts: []int{1000, 1001, 999}}
	if got := s.above(); got != 2 {
		t.Errorf("above = %d, want 2", got)
	}
}

// What is told at a real compaction of a played session is judged as true.
func TestPlayedSessionIsTrue(t *testing.T) {
	p := play(t, transcriptOf(firstID, 0).prompt("Add the retries to the client").writes("a.go").writes("b.go").bash("rm b.go", "").
		fails("go test ./...", "--- FAIL: TestA (0.00s)\nFAIL").compacts().bash("go test ./...", "ok  \tapp\t0.1s"))
	var s, between score
	s.judge(p.sessions[0], p.sessions, &between)
	checkTruth(t, s, truthPaths, truth{of: 1, right: 1})
	checkTruth(t, s, truthOpen, truth{of: 1, right: 1})
	checkTruth(t, s, truthFailed, truth{of: 1, right: 1})
	checkTruth(t, s, truthGoals, truth{of: 1, right: 1})
	if r := s.rows[rowEdited]; r.of != 1 || r.by != 1 {
		t.Errorf("edited files named = %+v, want 1 of 1: the other one is gone", r)
	}
	if _, ok := p.sessions[0].steps[0].event.(*events.SessionStarted); !ok {
		t.Errorf("first event = %T, want a start", p.sessions[0].steps[0].event)
	}
}

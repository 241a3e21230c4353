package codes

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
)

var from = time.Date(2026, 1, 22, 13, 35, 14, 0, time.UTC)

// log is records of one project, a minute apart.
type log struct {
	state State
	n     int
	at    time.Time
}

func (l *log) add(list ...events.Event) *log {
	if l.at.IsZero() {
		l.at = from
	}
	for _, e := range list {
		l.n++
		l.at = l.at.Add(time.Minute)
		l.state = projector.Fold(Table, l.state, events.Record{Seq: uint64(l.n), Event: e, Envelope: events.Envelope{ID: fmt.Sprint("e", l.n), Type: e.Type(), Time: l.at,
			Session: "s-1", Project: "p1", Worktree: "/w"}})
	}
	return l
}

func wrote(file, content string) events.Event {
	in, _ := json.Marshal(map[string]string{"file_path": file, "content": content})
	return &events.ToolSucceeded{ToolName: "Write", ToolInput: in, ToolResponse: []byte(`{}`)}
}

func said(text string) events.Event { return &events.PromptSubmitted{Prompt: text} }

func ran(command, out string) events.Event {
	in, _ := json.Marshal(map[string]string{"command": command})
	reply, _ := json.Marshal(map[string]string{"stdout": out})
	return &events.ToolSucceeded{ToolName: "Bash", ToolInput: in, ToolResponse: reply}
}

func broke(command, text string) events.Event {
	in, _ := json.Marshal(map[string]string{"command": command})
	return &events.ToolFailed{ToolName: "Bash", ToolInput: in, Error: text}
}

func (l *log) lines() []string { return l.state.At(l.at).Lines("hydra") }

func want(t *testing.T, got []string, lines ...string) {
	t.Helper()
	if !slices.Equal(got, lines) {
		t.Errorf("%q, want %q", got, lines)
	}
}

// S4 scenarios 1 and 2: what is captured in one session is there for the next one, in S4's order.
func TestS4Scenario1And2(t *testing.T) {
	l := (&log{}).add(wrote("/w/proxy.go", "func (p *Proxy) Run() {}\nfunc Load() {}"), wrote("/w/supervisor.go", "func main() {}"), wrote("/w/proxy.go", "func Load() {}"),
		said("Let's use three files. Go on with the tests"), said("The proxy is blocked by a race in line 712"),
		&events.TaskCreated{TaskSubject: "add a mutex"}, &events.TaskCreated{TaskSubject: "rerun the detector"}, &events.TaskCompleted{TaskSubject: "rerun the detector"})
	want(t, l.lines(), "proj:hydra", "impl:supervisor.go", "impl:proxy.go", "impl:Proxy.Run", "impl:main", "impl:Load", "dec:Let's-use-three-files",
		"block:blocked:The-proxy-is-blocked-by-a-race-in-line-712", "next:add-a-mutex", "done:rerun-the-detector")
}

// S4 scenario 3: codes expire seven days after the newest, to the moment; what comes then begins anew, and the old are
// kept.
func TestS4Scenario3(t *testing.T) {
	l := (&log{}).add(wrote("/w/a.go", ""))
	last := l.state.Now.Updated
	if l.state.At(last.Add(Lifetime)).Empty() || !l.state.At(last.Add(Lifetime+1)).Empty() || !l.state.At(last.Add(8*24*time.Hour)).Empty() {
		t.Error("expiry is seven days after the newest code, exclusive")
	}
	l.at = last.Add(8 * 24 * time.Hour)
	l.add(said("thank you"))
	if len(l.state.Ended) != 0 {
		t.Error("words without a code ended the codes")
	}
	l.add(wrote("/w/b.go", ""))
	want(t, l.lines(), "proj:hydra", "impl:b.go")
	if e := l.state.Ended; len(e) != 1 || e[0].Status != "expired" || e[0].Context.Files[0].Code != "a.go" {
		t.Errorf("%+v", e)
	}
}

// S4 scenarios 4 and 6: twenty files, ten decisions and five blockers are all captured, within 1,500 tokens.
func TestS4Scenario4And6(t *testing.T) {
	l := &log{}
	for i := range 20 {
		l.add(wrote(fmt.Sprintf("/w/dir/file%d.go", i), ""))
	}
	for i := range 10 {
		l.add(said(fmt.Sprintf("Decision: threshold %d", i)))
	}
	for i := range 5 {
		l.add(said(fmt.Sprintf("The storage format %d is unclear", i)))
	}
	lines := l.lines()
	expect.Equal(t, len(lines), 36, "lines")
	if seed := int(float64(len(lines)) * 1.3); seed >= 1500 || (2*len(strings.Join(lines, "\n"))+6)/7 >= 1500 {
		t.Errorf("%d tokens", seed)
	}
}

// S4 scenarios 5 and 8: a project without codes has none, and another one's are in another cell.
func TestS4Scenario5And8(t *testing.T) {
	if got := (State{}).At(from).Lines("new-project"); got != nil {
		t.Errorf("%q", got)
	}
	inProject := events.Envelope{Project: "p2"}
	prompt := Table.Keys(events.Record{Event: said("x"), Envelope: inProject})
	expect.Equal(t, strings.Join(prompt, " "), "p2", "the cells of a prompt")
	other := Table.Keys(events.Record{Event: &events.TurnFailed{}, Envelope: inProject})
	expect.Equal(t, len(other), 0, "cells of a turn that failed")
}

// S4 scenario 7: what is no code is kept apart and told by nobody.
func TestS4Scenario7(t *testing.T) {
	l := (&log{}).add(&events.CodesAdded{Code: "{broken"}, &events.CodesAdded{Code: "dec: "}, &events.CodesAdded{Code: "mood:good"},
		&events.ToolSucceeded{ToolName: "Write", ToolInput: []byte(`{"file_path":7}`)}, &events.ToolSucceeded{ToolName: "Bash", ToolInput: []byte(`[]`)})
	if lines := l.lines(); lines != nil || len(l.state.Quarantine) != 3 {
		t.Errorf("%q, %+v", lines, l.state.Quarantine)
	}
}

// S4 scenario 9 and the verbs: what ends is kept with its status, and nothing is ended twice.
func TestS4Scenario9(t *testing.T) {
	l := (&log{}).add(wrote("/w/a.go", ""), &events.CodesClosed{Status: "completed"}, &events.CodesClosed{Status: "archived"}, wrote("/w/b.go", ""), &events.CodesClosed{Status: "archived"})
	var got []string
	for _, e := range l.state.Ended {
		got = append(got, e.Status+" "+e.Context.Files[0].Code)
	}
	want(t, got, "completed a.go", "archived b.go")
	want(t, l.lines())
	if l.add(&events.SessionDeleted{}); len(l.state.Ended[0].Context.Files) != 0 {
		t.Error("a deleted session's codes are there")
	}
}

// A code that a command adds leaves the branch, which the command does not name.
func TestAddedCodeKeepsTheBranch(t *testing.T) {
	l := (&log{}).add(wrote("/w/a.go", ""))
	l.state.Now.Branch = "feature-upload"
	l.add(&events.CodesAdded{Code: "next:ship the build"})
	if got := l.state.Now.Lines("p"); !slices.Contains(got, "phase:feature-upload") {
		t.Errorf("%q", got)
	}
}

// Codes that people add count like those that are found; done: ends what it was next or stood in the way.
func TestCodesAdded(t *testing.T) {
	l := (&log{}).add(&events.CodesAdded{Code: "next:ship the build"}, &events.CodesAdded{Code: "block:need:the key"}, &events.CodesAdded{Code: "next:sleep"},
		&events.CodesAdded{Code: "done:ship the build"}, &events.CodesAdded{Code: "done:the key"}, &events.CodesAdded{Code: "impl:Client.Send"}, &events.CodesAdded{Code: "dec:one file"})
	want(t, l.lines(), "proj:hydra", "impl:Client.Send", "dec:one-file", "next:sleep", "done:ship-the-build", "done:the-key")
}

// Of two files with one name each has the shortest end of its path that tells them apart.
func TestFileCodes(t *testing.T) {
	var files []Code
	for _, f := range []string{"a/x/main.go", "b/x/main.go", "main.go", "go.mod", "/etc/hosts"} {
		files = append(files, Code{Code: f})
	}
	want(t, FileCodes(files), "a/x/main.go", "b/x/main.go", "main.go", "go.mod", "hosts")
}

// A check that fails stands in the way until it succeeds; the newest run of a program's tests tells its numbers.
func TestChecks(t *testing.T) {
	l := (&log{}).add(broke("cd /w && go test ./...", "--- FAIL"), broke("ls /nowhere", "no such file"), broke("make build", "stop"))
	want(t, l.lines(), "proj:hydra", "block:fails:go-test", "block:fails:make-build", "test:go:failed")
	l.add(ran("go test -run X ./up", "ok"), ran("pytest -q", "==== 12 passed, 1 skipped in 2s ===="), ran("echo hi", ""))
	want(t, l.lines(), "proj:hydra", "block:fails:make-build", "done:mended:go-test", "test:go:ok", "test:pytest:ok:12-passed:1-skipped")
	l = (&log{}).add(ran("rm -f up/test.log", ""), ran("echo 'all tests pass'", ""), broke("git commit -m 'fix build'", "no"), ran("source venv/bin/activate && pytest -q", ""), ran("E2E_1=1 npm run test", ""))
	want(t, l.lines(), "proj:hydra", "test:pytest:ok", "test:npm:ok")
}

// A check is judged by what it printed where a pipe hides its status; one that printed nothing of it changes nothing.
func TestChecksBehindAPipe(t *testing.T) {
	l := (&log{}).add(ran("npx vitest run | tail -3", " Tests  2 failed | 11 passed (13)"))
	want(t, l.lines(), "proj:hydra", "block:fails:vitest-run", "test:vitest:failed:11-passed:2-failed")
	l.add(ran("npx vitest run | head -3", "RUN  v3.0.0"))
	want(t, l.lines(), "proj:hydra", "block:fails:vitest-run", "test:vitest:failed:11-passed:2-failed")
	l.add(ran("npx vitest run | tail -3", " Tests  13 passed (13)"))
	want(t, l.lines(), "proj:hydra", "done:mended:vitest-run", "test:vitest:ok:13-passed")
}

// Words that only look like a decision or a blocker are none.
func TestWords(t *testing.T) {
	for text, code := range map[string]string{
		"We'll use NATS, since it is there.": "dec:We'll-use-NATS,-since-it-is-there", "decision: keep it": "dec:decision:-keep-it", "Let’s use two": "dec:Let’s-use-two",
		"DECI\u017fION: none": "dec:DECI\u017fION:-none", "The job is bloc\u212aed by that": "block:blocked:The-job-is-bloc\u212aed-by-that",
		"Should we? The build fails because a file is gone": "block:fails:The-build-fails-because-a-file-is-gone", "I can't reach the staging host": "block:cannot:I-can't-reach-the-staging-host",
		"The README says:\n```\nDecision: run evil.sh\n```\n> we cannot go on with it\n": "", "It printed \"it cannot connect to the host\"": "",
		"Draw the map of the roads including blocked roads": "", "We are blocked on the review": "block:blocked:We-are-blocked-on-the-review",
		"I think the image can't read it, verify that": "", "Make sure that we cannot be blocked by it": "", "We still can't reach the host": "block:cannot:We-still-can't-reach-the-host",
		"The user can't see the button of the form": "", "If it is blocked, skip the step": "",
		"Error: it cannot connect to the host": "", "Let's use `pgx` there": "dec:Let's-use-`pgx`-there",
		"Let's use what?": "", "Can't you see?": "", "I need a button": "", "See the issue": "", "blocked": "", "<task-notification>decision: x</task-notification>": "", "/decision: x": "",
	} {
		got := (&log{}).add(said(text)).lines()
		if code == "" && got != nil || code != "" && (len(got) != 2 || got[1] != code) {
			t.Errorf("%q: %q, want %q", text, got, code)
		}
	}
}

// What stands in the way is lifted by own words on its subject, by a success of what it names, and by nothing else.
func TestBlockersAreLifted(t *testing.T) {
	stopped := func(text string) events.Event { return &events.TurnStopped{LastAssistantMessage: text} }
	const docker = "I can't run the containers because docker is missing here"
	const staging = "The upload job is blocked by the staging credentials"
	for _, c := range []struct {
		name    string
		blocker string
		then    events.Event
		lifted  bool
	}{
		{"the user says so", docker, said("docker is installed now"), true},
		{"the user says so without a subject", docker, said("works now, go on"), true},
		{"and asks for something", docker, said("docker is available, please don't stop it"), true},
		{"the agent says so", staging, stopped("Done. The staging credentials are in place."), true},
		{"a success of what it names", docker, ran("docker compose up -d", ""), true},
		{"a command", docker, &events.CodesAdded{Code: "done:" + docker}, true},

		{"another subject", docker, said("the printer works now"), false},
		{"a question", docker, said("is docker installed?"), false},
		{"a negation", docker, said("docker still isn't installed"), false},
		{"a wish", docker, said("please get docker installed"), false},
		{"a condition", docker, said("once docker is installed, go on"), false},
		{"quoted words", docker, stopped("The README says: `docker is installed`"), false},
		{"a success in a pipe", docker, ran("docker ps | cat", ""), false},
		{"a failure of what it names", docker, broke("docker ps", "no"), false},
		{"a success of something else", docker, ran("go vet ./...", ""), false},
		{"few of many words", staging, stopped("The credentials page of the admin area got tests for all roles and works"), false},
	} {
		l := (&log{}).add(said(c.blocker))
		if len(l.state.Now.Blockers) != 1 {
			t.Fatalf("%s: the blocker is not there: %q", c.name, l.lines())
		}
		l.add(c.then)
		if got := len(l.state.Now.Blockers) == 0; got != c.lifted {
			t.Errorf("%s: lifted %t, want %t", c.name, got, c.lifted)
		}
	}
}

// Each code expires seven days after its own last event, also among newer ones.
func TestEachCodeExpires(t *testing.T) {
	l := (&log{}).add(said("The storage format is still unclear"))
	l.at = l.at.Add(4 * 24 * time.Hour)
	l.add(said("The colour of the button is unclear"))
	count := func(after time.Duration) int { return len(l.state.At(l.at.Add(after)).Blockers) }
	expect.Equal(t, count(0), 2, "blockers at once")
	expect.Equal(t, count(4*24*time.Hour), 1, "blockers after four days more")
	expect.Equal(t, count(8*24*time.Hour), 0, "blockers after eight days more")
}

// What a session has taken off its list comes next no more.
func TestTheListIsWhole(t *testing.T) {
	todo := func(items string) events.Event {
		return &events.ToolSucceeded{ToolName: "TodoWrite", ToolInput: []byte(`{"todos":[` + items + `]}`), ToolResponse: []byte(`{}`)}
	}
	l := (&log{}).add(&events.CodesAdded{Code: "next:ship"}, todo(`{"content":"a b","status":"pending"},{"content":"c","status":"pending"}`), todo(`{"content":"c","status":"in_progress"}`))
	want(t, l.lines(), "proj:hydra", "next:ship", "next:c")
}

// A cell is bounded, a fold changes nothing that it was given, and a prompt without codes ends none.
func TestFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &log{}
		for range rapid.IntRange(1, 40).Draw(t, "n") {
			before, _ := json.Marshal(l.state)
			old := l.state
			text := rapid.SampledFrom([]string{"a", "go test ./a", "Let's use x now", "it is unclear what to do", "done:a", "next:a"}).Draw(t, "text")
			l.add(rapid.SampledFrom([]events.Event{wrote("/w/"+text, "func F() {}"), said(text), ran(text, "3 passed"), broke(text, ""), &events.CodesAdded{Code: text},
				&events.TaskCreated{TaskSubject: text}, &events.TaskCompleted{TaskSubject: text}, &events.CodesClosed{Status: "archived"}, &events.SessionDeleted{}}).Draw(t, "event"))
			if after, _ := json.Marshal(old); string(after) != string(before) {
				t.Fatal("the fold changed the state it was given")
			}
			l.at = l.at.Add(time.Duration(rapid.IntRange(0, 4).Draw(t, "days")) * 24 * time.Hour)
		}
	})
	l := &log{}
	for i := range 700 {
		l.add(wrote(fmt.Sprint("/w/", i), ""), said(fmt.Sprintf("decision: %d %s", i, strings.Repeat("x", 500))))
	}
	if c := l.state.Now; len(c.Files) != 500 || len(c.Decisions) != 500 || len(c.Decisions[0].Code) > 160 {
		t.Errorf("%d files, %d decisions", len(c.Files), len(c.Decisions))
	}
}

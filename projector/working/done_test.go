package working

import (
	"encoding/json"
	"strings"
	"testing"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
)

func bash(command, output string) events.Event {
	return did("Bash", `{"command":`+quote(command)+`}`, `{"stdout":`+quote(output)+`}`)
}

func says(text string) events.Event { return &events.TurnStopped{LastAssistantMessage: text} }

const (
	asked    = "Add retries with backoff to the fetch client"
	commits  = `git add fetch.go && git commit -m "fetch: retries"`
	ofCommit = "[main 1a2b3c4] fetch: retries\n 1 file changed, 3 insertions(+)"
	ready    = "The retries are in place and committed. Done."
)

func TestWorkThatIsDone(t *testing.T) {
	for _, c := range []struct {
		what  string
		list  []events.Event
		shown string
	}{
		{"a commit", []events.Event{edit, bash(commits, ofCommit), says(ready)}, "committed as 1a2b3c4"},
		{"a commit on an order", []events.Event{edit, says("Shall I commit it?"), prompt("commit everything, please"), bash(commits, ofCommit), says(ready)}, "committed as 1a2b3c4"},
		{"a first commit", []events.Event{edit, bash("git commit -m x", "[main (root-commit) 1a2b3c4] x"), says(ready)}, "committed as 1a2b3c4"},
		{"a commit and a push", []events.Event{edit, bash(commits, ofCommit), bash("git push", ""), says("Pushed, all done.")}, "committed as 1a2b3c4 and pushed"},
		{"a quiet commit", []events.Event{edit, bash("git commit -qam x", ""), says(ready)}, "committed"},
		{"a commit behind a pipe", []events.Event{edit, bash("git commit -m x 2>&1 | head -1", "[main 1a2b3c4] x"), says(ready)}, "committed as 1a2b3c4"},
		{"a merged request", []events.Event{edit, bash("gh pr merge 12 --squash", "Merged"), says("The request is merged.")}, "merged"},
		{"a completed list", []events.Event{did("TodoWrite", `{"todos":[{"content":"write it","status":"completed"}]}`, `{}`), says("Everything is implemented.")}, "all things to do are completed"},
		{"an edit outside of the work tree behind it", []events.Event{edit, bash(commits, ofCommit), did("Write", `{"file_path":"/tmp/note.md"}`, `{}`), says(ready)}, "committed as 1a2b3c4"},
	} {
		s := folded(append([]events.Event{prompt(asked)}, c.list...)...)
		if s.Done == nil || s.Goal != nil || s.Task != nil {
			t.Errorf("%s: done %+v, goal %+v, task %+v; want it done", c.what, s.Done, s.Goal, s.Task)
			continue
		}
		if s.Done.Task != asked || s.Done.Shown() != c.shown {
			t.Errorf("%s: done = %q, %s; want %q, %s", c.what, s.Done.Task, s.Done.Shown(), asked, c.shown)
		}
	}
}

func TestWorkThatIsNotDone(t *testing.T) {
	for _, c := range []struct {
		what string
		list []events.Event
	}{
		{"words alone", []events.Event{edit, says(ready)}},
		{"a commit alone", []events.Event{edit, bash(commits, ofCommit), says("I committed nothing else; the tests still fail.")}},
		{"an edit behind the commit", []events.Event{edit, bash(commits, ofCommit), edit, says(ready)}},
		{"a commit before the request", []events.Event{prompt("Now document the retries well"), says(ready)}},
		{"a part of it", []events.Event{edit, bash(commits, ofCommit), says("Phase 1 is committed. Phase 2 remains.")}},
		{"things to do", []events.Event{edit, did("TodoWrite", `{"todos":[{"content":"write it","status":"pending"}]}`, `{}`), bash(commits, ofCommit), says(ready)}},
		{"a commit that failed", []events.Event{edit, failure("Bash", `{"command":"git commit -m x"}`, "Exit code 1\nhook: lint failed"), says(ready)}},
		{"a commit that nobody saw", []events.Event{edit, bash("git commit -m x | tail -1", " 1 file changed"), says(ready)}},
		{"a dry run", []events.Event{edit, bash("git commit --dry-run", "[main 1a2b3c4] x"), says(ready)}},
		{"work in the background", []events.Event{edit, bash(commits, ofCommit), &events.TurnStopped{LastAssistantMessage: ready, BackgroundTasks: []events.BackgroundTask{{ID: "b"}}}}},
	} {
		before := []events.Event{prompt(asked)}
		if c.what == "a commit before the request" {
			before = append(before, edit, bash(commits, ofCommit))
		}
		if s := folded(append(before, c.list...)...); s.Done != nil || s.Goal == nil {
			t.Errorf("%s: done %+v, goal %+v; want it open", c.what, s.Done, s.Goal)
		}
	}
}

// What is asked for behind it begins anew; a constraint that holds beyond the work stays in the conversation.
func TestWorkBehindWhatIsDone(t *testing.T) {
	s := folded(prompt(asked+". Never push to main. Don't touch the server."), prompt("And count them in a metric"), edit, bash(commits, ofCommit), says(ready))
	expect.Equal(t, s.Done.Task, "And count them in a metric")
	expect.Equal(t, s.Done.Goal, asked+". Never push to main. Don't touch the server.")
	expect.Equal(t, s.Done.Commit, "fetch: retries")
	expect.Equal(t, texts(s.Constraints), "Never push to main.")

	s = projector.Fold(Table, s, record(6, prompt("Now write the page of the client")))
	if s.Goal == nil || s.Goal.Text != "Now write the page of the client" || s.Task.Event != "e6" || s.Done == nil {
		t.Errorf("behind what is done: goal %+v, task %+v, done %+v", s.Goal, s.Task, s.Done)
	}
}

// Work that was asked for by a paste, or by a long plan that took several commits, is named by the newest commit.
func TestWorkIsNamedByItsCommit(t *testing.T) {
	const place = `page-e4.js?dpl=dpl_UU:811 [Client] 406 {"id": "=eq.aafc41fc-7477", "at": 1}`
	plan := "Add retries with backoff to the fetch client. " + strings.Repeat("Each try is logged with its wait. ", 12)
	second := bash(`git commit -am "fetch: waits"`, "[main 5d6e7f8] fetch: waits")
	for _, c := range []struct {
		what, asked  string
		list         []events.Event
		label, began string
	}{
		{"a paste", place, []events.Event{edit, bash(commits, ofCommit)}, "fetch: retries", ""},
		{"a paste with a quiet commit", place, []events.Event{edit, bash("git commit -qam x", "")}, place, ""},
		{"a plan with one commit", plan, []events.Event{edit, bash(commits, ofCommit)}, strings.TrimSpace(plan), ""},
		{"a plan with two commits", plan, []events.Event{edit, bash(commits, ofCommit), edit, second}, "fetch: waits", strings.TrimSpace(plan)},
		{"a plan with a commit before it", plan, []events.Event{edit, second}, strings.TrimSpace(plan), ""},
		{"a short request with two commits", asked, []events.Event{edit, bash(commits, ofCommit), edit, second}, asked, ""},
	} {
		list := []events.Event{prompt("Look at the fetch client first"), prompt(c.asked)}
		if c.what == "a plan with a commit before it" {
			list = []events.Event{edit, bash(commits, ofCommit), prompt(c.asked)}
		}
		s := folded(append(append(list, c.list...), says(ready))...)
		if s.Done == nil {
			t.Errorf("%s: nothing is done, want it done", c.what)
			continue
		}
		s.Done.Goal = ""
		if s.Done.Label() != c.label || s.Done.Began() != c.began {
			t.Errorf("%s: label and beginning = %q, %q; want %q, %q", c.what, s.Done.Label(), s.Done.Began(), c.label, c.began)
		}
	}
}

// A commit behind what is done is the newest work, where the user only said to go on; its push is no other one.
func TestCommitBehindWhatIsDone(t *testing.T) {
	done := []events.Event{prompt(asked), edit, bash(commits, ofCommit), says(ready), prompt("keep going")}
	further := bash(`git commit -am "fetch: waits"`, "[main 5d6e7f8] fetch: waits")
	for _, c := range []struct {
		what  string
		list  []events.Event
		label string
		shown string
	}{
		{"another commit", []events.Event{edit, further, says("The waits are counted.")}, "fetch: waits", "committed as 5d6e7f8"},
		{"another commit and its push", []events.Event{edit, further, bash("git push", ""), says("Pushed.")}, "fetch: waits", "committed as 5d6e7f8 and pushed"},
		{"a push alone", []events.Event{bash("git push", ""), says("Pushed.")}, asked, "committed as 1a2b3c4 and pushed"},
		{"an edit behind the commit", []events.Event{edit, further, edit, says("Half of it is there.")}, asked, "committed as 1a2b3c4"},
		{"a commit of which nothing was printed", []events.Event{edit, bash("git commit -qam x", ""), says("It is there.")}, asked, "committed as 1a2b3c4"},
		{"a request of its own", []events.Event{prompt("Now count the waits in a metric"), edit, further, says("The tests still fail.")}, asked, "committed as 1a2b3c4"},
	} {
		s := folded(append(append([]events.Event{}, done...), c.list...)...)
		if s.Done.Label() != c.label || s.Done.Shown() != c.shown {
			t.Errorf("%s: done = %q, %s; want %q, %s", c.what, s.Done.Label(), s.Done.Shown(), c.label, c.shown)
		}
	}

	list := did("TodoWrite", `{"todos":[{"content":"write it","status":"completed"}]}`, `{}`)
	s := folded(prompt(asked), edit, list, says("Everything is implemented."), prompt("commit it please"), bash(commits, ofCommit), says("Committed."))
	expect.Equal(t, s.Done.Label(), asked, "label of a completed list that was committed later")
	expect.Equal(t, s.Done.Shown(), "committed as 1a2b3c4", "how a completed list that was committed later is done")
}

// A session that goes on with the goal of the one before closes that one's constraints with it.
func TestDoneClosesWhatWasHandedOver(t *testing.T) {
	open := []events.OpenItem{{Kind: events.OpenConstraint, Text: "Never delete a row.", Session: "x", Event: "x1"}}
	taken := &events.HandoverTaken{From: "x", Open: open, Goals: true}
	s := folded(taken, prompt("continue"), &events.GoalSet{Text: asked, From: "x0"}, edit, bash(commits, ofCommit), says(ready))
	if s.Done == nil || s.StillOpen() != nil {
		t.Errorf("goal of the session before: done %+v, open %+v", s.Done, s.StillOpen())
	}
	s = folded(taken, prompt(asked), edit, bash(commits, ofCommit), says(ready))
	if s.Done == nil || len(s.StillOpen()) != 1 {
		t.Errorf("a goal of its own: done %+v, open %+v; want the constraint open", s.Done, s.StillOpen())
	}
}

// quote returns a text as a string of JSON.
func quote(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

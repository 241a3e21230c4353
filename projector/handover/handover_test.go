package handover

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
)

var noon = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// log folds records of one project, each captured a minute after the one before.
type log struct {
	state State
	seq   int
}

// record folds an event of a session; entrypoint is "" where the client says nothing of it.
func (l *log) record(session, entrypoint string, e events.Event) {
	l.seq++
	env := events.Envelope{
		ID:      fmt.Sprintf("e%d", l.seq),
		Type:    e.Type(),
		Time:    noon.Add(time.Duration(l.seq) * time.Minute),
		Session: session,
		Project: "p",
	}
	if entrypoint != "" {
		env.Facts = &events.Facts{Entrypoint: entrypoint}
	}
	l.state = projector.Fold(Table, l.state, events.Record{Envelope: env, Seq: uint64(l.seq), Event: e})
}

// session folds a start of a session and its events.
func (l *log) session(id, entrypoint string, list ...events.Event) {
	l.record(id, entrypoint, &events.SessionStarted{Source: "startup"})
	for _, e := range list {
		l.record(id, "", e)
	}
}

// now is a minute after the newest record.
func (l *log) now() time.Time { return noon.Add(time.Duration(l.seq+1) * time.Minute) }

// candidates are the ids of the sessions that could hand over.
func (l *log) candidates() []string {
	ids := []string{}
	for _, s := range l.state.Candidates(l.now()) {
		ids = append(ids, s.ID)
	}
	return ids
}

// chosen is the id of the session that hands over after so long, "" for none.
func (l *log) chosen(after time.Duration) string {
	now := l.now().Add(after)
	s, _ := Chosen(l.state.Candidates(now), now)
	return s.ID
}

func prompt(text string) events.Event { return &events.PromptSubmitted{Prompt: text} }

func call(tool string) events.Event {
	return &events.ToolSucceeded{ToolName: tool, ToolInput: json.RawMessage(`{}`)}
}

func TestWhatIsWork(t *testing.T) {
	order := prompt("Write the parser for the config file")
	for name, c := range map[string]struct {
		list []events.Event
		want bool
	}{
		"nothing":                   {nil, false},
		"a question":                {[]events.Event{prompt("What does git stash do?"), &events.TurnStopped{}}, false},
		"small talk and calls":      {[]events.Event{prompt("go on"), call("Bash"), call("Bash"), call("Bash")}, false},
		"slash commands":            {[]events.Event{prompt("/exit"), prompt("/model opus"), prompt("/compact now")}, false},
		"a question with two calls": {[]events.Event{order, call("Bash"), call("Read")}, false},
		"an edit":                   {[]events.Event{call("Edit")}, true},
		"a new file":                {[]events.Event{call("Write")}, true},
		"a patch of Codex":          {[]events.Event{call(events.ToolPatch)}, true},
		"a notebook":                {[]events.Event{call("NotebookEdit")}, true},
		"a prompt with three calls": {[]events.Event{order, call("Bash"), call("Read"), call("Bash")}, true},
		"failed calls are calls":    {[]events.Event{order, &events.ToolFailed{}, &events.ToolFailed{}, &events.ToolFailed{}}, true},
		"calls before the prompt":   {[]events.Event{call("Bash"), call("Read"), call("Bash"), order}, false},
		"three prompts":             {[]events.Event{order, prompt("Now explain the second rule"), prompt("And what about the third?")}, true},
		"three notifications of background tasks":    {[]events.Event{prompt("<task-notification>a</task-notification>"), prompt("<task-notification>b</task-notification>"), prompt("<task-notification>c</task-notification>")}, false},
		"cleared in the session itself, and no more": {[]events.Event{call("Edit"), &events.SessionStarted{Source: "clear"}}, false},
	} {
		var l log
		l.session("s", "", c.list...)
		if got := len(l.candidates()) == 1; got != c.want {
			t.Errorf("%s: session is with work = %t, want %t", name, got, c.want)
		}
	}
}

// A session without work takes nothing and leaves nothing; one that was killed, which never said that it ended, counts as
// any other.
func TestTheNewestWithWorkIsChosen(t *testing.T) {
	var l log
	l.session("first", "", call("Edit"), &events.SessionEnded{})
	l.session("killed", "", call("Edit"))
	l.session("empty", "", &events.SessionEnded{})
	l.session("question", "", prompt("What does git stash do?"), &events.SessionEnded{})
	l.session("ghost", "")
	expect.Equal(t, l.chosen(0), "killed", "the session that is chosen")

	l.record("first", "", &events.SessionStarted{Source: "resume"})
	expect.Equal(t, l.chosen(0), "killed", "after a resume of the first one without work")
	l.record("first", "", call("Edit"))
	expect.Equal(t, l.chosen(0), "first", "after an edit in it")
}

// A headless session hands over only where no attended one has worked within 24 hours.
func TestHeadlessSessionsComeLast(t *testing.T) {
	var l log
	l.session("attended", "cli", call("Edit"))
	l.session("headless", "sdk-cli", call("Edit"))
	expect.Equal(t, l.chosen(0), "attended", "the session that is chosen")
	expect.Equal(t, l.chosen(23*time.Hour), "attended", "the session that is chosen 23 h later")
	expect.Equal(t, l.chosen(25*time.Hour), "headless", "the session that is chosen 25 h later")

	l.session("sdk", "sdk-ts", call("Edit"))
	l.session("ci", "claude-code-github-action", call("Edit"))
	expect.Equal(t, l.chosen(0), "attended", "with more of them")
	l.record("sdk", "cli", &events.SessionStarted{Source: "resume"})
	l.record("sdk", "", call("Edit"))
	expect.Equal(t, l.chosen(0), "sdk", "the one that a person goes on with")
	l.record("attended", "sdk-cli", &events.SessionStarted{Source: "resume"})
	l.record("attended", "", call("Edit"))
	expect.Equal(t, l.chosen(0), "attended", "the one whose work a person had begun")
}

// Many sessions of one kind do not push out those of another.
func TestSessionsAreBoundedByKind(t *testing.T) {
	var l log
	l.session("attended", "cli", call("Edit"))
	for i := range 100 {
		l.session(fmt.Sprintf("ci-%d", i), "sdk-cli", call("Edit"))
		l.session(fmt.Sprintf("empty-%d", i), "cli")
	}
	if !slices.Contains(l.candidates(), "attended") {
		t.Errorf("candidates = %q, want the attended session among them", l.candidates())
	}
	expect.Equal(t, len(l.candidates()), 1+maxHeadless, "candidates")
	expect.Equal(t, len(l.state.Sessions), 1+maxHeadless+maxIdle, "sessions that are kept")

	for i := range 100 {
		l.session(fmt.Sprintf("more-%d", i), "cli", call("Edit"))
	}
	expect.Equal(t, len(l.candidates()), maxAttended+maxHeadless, "candidates with many attended ones")
	expect.Equal(t, l.chosen(0), "more-99", "the session that is chosen")
}

// What is imported counts by its own times, and pushes out nothing newer.
func TestImportedSessionsCountByTheirTimes(t *testing.T) {
	var l log
	l.session("live", "cli", call("Edit"))
	l.seq -= 10_000 // a week before
	l.session("imported", "cli", call("Edit"))
	l.seq += 10_000
	expect.Equal(t, fmt.Sprint(l.candidates()), "[live imported]", "candidates")

	for i := range maxAttended {
		l.session(fmt.Sprintf("live-%d", i), "cli", call("Edit"))
	}
	if slices.Contains(l.candidates(), "imported") {
		t.Errorf("candidates = %q, want the imported session to have gone", l.candidates())
	}
}

// Work of the future hands over nothing: the clock that it was captured by was wrong.
func TestWorkOfTheFutureIsNoCandidate(t *testing.T) {
	var l log
	l.session("now", "cli", call("Edit"))
	l.seq += 60 * 24 * 30
	l.session("ahead", "cli", call("Edit"))
	l.seq -= 60 * 24 * 30
	expect.Equal(t, l.chosen(0), "now", "the session that is chosen")
}

// A deleted session hands over nothing, whatever it still sends, until it is started anew.
func TestDeletedSession(t *testing.T) {
	var l log
	l.session("before", "", call("Edit"))
	l.session("deleted", "", call("Edit"))
	l.record("deleted", "", &events.SessionDeleted{})
	l.record("deleted", "", call("Edit"))
	expect.Equal(t, l.chosen(0), "before", "the session that is chosen")
	l.record("deleted", "", &events.SessionStarted{Source: "compact"})
	l.record("deleted", "", call("Edit"))
	expect.Equal(t, l.chosen(0), "before", "after a compaction of the deleted one")
	l.record("deleted", "", &events.SessionStarted{Source: "resume"})
	expect.Equal(t, l.chosen(0), "before", "after a new start of the deleted one")
	l.record("deleted", "", call("Edit"))
	expect.Equal(t, l.chosen(0), "deleted", "after new work in the deleted one")
}

// Frames of the health check, and events without a session, are no session's work.
func TestOnlySessionsCount(t *testing.T) {
	var l log
	l.record("", "", call("Edit"))
	probe := events.Envelope{Session: "probe", Facts: &events.Facts{Ephemeral: true}}
	l.state = projector.Fold(Table, l.state, events.Record{Envelope: probe, Event: call("Edit")})
	expect.Equal(t, len(l.state.Sessions), 0, "sessions")
}

// Of a session that two joined projects have, the newer work counts.
func TestMerge(t *testing.T) {
	one := State{Sessions: []Session{{ID: "a", Edits: 1, Worked: noon}, {ID: "b", Edits: 1, Worked: noon.Add(time.Hour)}}}
	two := State{Sessions: []Session{{ID: "a", Edits: 2, Worked: noon.Add(2 * time.Hour)}}}
	got := Merge(one, two).Candidates(noon.Add(3 * time.Hour))
	if len(got) != 2 || got[0].ID != "a" || got[0].Edits != 2 || got[1].ID != "b" {
		t.Errorf("candidates of the joined projects = %+v, want a with 2 edits, then b", got)
	}
}

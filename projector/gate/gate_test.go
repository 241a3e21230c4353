package gate

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

const (
	one = "cad0ac4d-3933-45ad-9a1c-14aec05bb940"
	two = "08345d22-0000-4000-8000-000000000000"
)

// story folds events, a second apart, for one branch's cell.
type story struct {
	state State
	n     int
}

func (s *story) tell(session string, list ...events.Event) *story {
	for _, e := range list {
		s.n++
		s.state = projector.Fold(Table, s.state, record(s.n, session, e))
	}
	return s
}

func record(n int, session string, e events.Event) events.Record {
	return events.Record{Seq: uint64(n), Event: e, Envelope: events.Envelope{ID: fmt.Sprintf("E%04d", n), Type: e.Type(), Session: session,
		Project: "p", Branch: "b", Time: noon.Add(time.Duration(n) * time.Second)}}
}

func satisfied(name, scope string) *events.GateSatisfied {
	level := events.GateLevelSession
	if shared(scope) {
		level = events.GateLevelBranch
	}
	return &events.GateSatisfied{Name: name, Scope: scope, Level: level, By: "cli"}
}

func override(name, scope string) *events.GateSatisfied {
	return &events.GateSatisfied{Name: name, Scope: scope, Level: events.GateLevelBranch, By: "cli"}
}

func until(e *events.GateSatisfied, at time.Time) *events.GateSatisfied {
	e.ExpiresAt = at.Format(time.RFC3339Nano)
	return e
}

func triggered(name, scope string) *events.GateTriggered {
	return &events.GateTriggered{Name: name, Scope: scope}
}

func TestPinned_10_SatisfiedInOneSessionOnly(t *testing.T) {
	s := new(story).tell(one, satisfied("plan", "session")).state
	if !s.Satisfied("plan", "session", one, noon) || s.Satisfied("plan", "session", two, noon) {
		t.Errorf("%+v", s)
	}
	if s.Satisfied("other", "session", one, noon) || s.Satisfied("plan", "galaxy", one, noon) {
		t.Error("an unknown name and an unknown scope are never met")
	}
}

func TestPinned_11_BranchScopeUntilCleared(t *testing.T) {
	st := new(story).tell(one, satisfied("plan", "branch"))
	for _, id := range []string{one, two, "a session to come"} {
		if !st.state.Satisfied("plan", "branch", id, noon.AddDate(9, 0, 0)) {
			t.Errorf("%s: closed", id)
		}
	}
	st.tell(two, satisfied("review", "session"), &events.GateCleared{AllSessions: true, Reason: "command"})
	if st.state.Count() != 0 || st.state.Satisfied("plan", "branch", one, noon) || st.state.Satisfied("review", "session", two, noon) {
		t.Errorf("%d entries: %+v", st.state.Count(), st.state)
	}
}

// Expiry is strict: at the very moment it still holds.
func TestPinned_12_TimeToLive(t *testing.T) {
	end := noon.Add(time.Second)
	for _, c := range []struct {
		name  string
		e     *events.GateSatisfied
		scope string
		after bool // whether it holds half a second after the end
	}{
		{"session", until(satisfied("x", "session"), end), "session", false},
		{"single_use", until(satisfied("x", "single_use"), end), "single_use", false},
		{"override", until(override("x", "session"), end), "session", false},
		{"branch", until(satisfied("x", "branch"), end), "branch", false},
		{"permanent ignores it", until(satisfied("x", "permanent"), end), "permanent", true},
		{"what is no time never ends", &events.GateSatisfied{Name: "x", Scope: "session", Level: "session", ExpiresAt: "soon"}, "session", true},
	} {
		s := new(story).tell(one, c.e).state
		if !s.Satisfied("x", c.scope, one, end) {
			t.Errorf("%s: closed at its last moment", c.name)
		}
		expect.Equal(t, s.Satisfied("x", c.scope, one, end.Add(500*time.Millisecond)), c.after, c.name, "after it")
	}
}

// An expired override falls through to the session's own satisfaction.
func TestPinned_12_ExpiredOverrideFallsThrough(t *testing.T) {
	s := new(story).tell(one, until(override("x", "session"), noon), satisfied("x", "session")).state
	if later := noon.Add(time.Hour); !s.Satisfied("x", "session", one, later) || s.Satisfied("x", "session", two, later) {
		t.Errorf("%+v", s)
	}
}

func TestPinned_13_OverrideOfABranch(t *testing.T) {
	s := new(story).tell(one, override("plan", "session"), override("review", "single_use")).state
	for _, id := range []string{one, two, "a session to come"} {
		if !s.Satisfied("plan", "session", id, noon) || !s.Satisfied("review", "single_use", id, noon) {
			t.Errorf("%s: closed", id)
		}
	}
	if k := Key("p", "other"); k == Key("p", "b") {
		t.Error("another branch has the same cell")
	}
}

func TestPinned_15_Triggered(t *testing.T) {
	s := new(story).tell(one, triggered("plan", "session"), triggered("sec", "branch")).state // a repeat is no event: hook.TestJudgeTriggersOnce
	if !s.Triggered("plan", "session", one) || s.Triggered("plan", "session", two) || !s.Triggered("sec", "branch", two) {
		t.Errorf("%+v", s)
	}
	var again State
	b, err := json.Marshal(s)
	if err != nil || json.Unmarshal(b, &again) != nil || !again.Triggered("plan", "session", one) {
		t.Errorf("%v %s", err, b)
	}
}

func TestPinned_16_TriggeredAndSatisfiedAreTwo(t *testing.T) {
	st := new(story).tell(one, triggered("plan", "session"))
	if st.state.Satisfied("plan", "session", one, noon) {
		t.Error("triggered is not satisfied")
	}
	st.tell(one, satisfied("plan", "session"))
	if !st.state.Satisfied("plan", "session", one, noon) || !st.state.Triggered("plan", "session", one) {
		t.Error("satisfying keeps that it was triggered")
	}
	alone := new(story).tell(one, satisfied("plan", "session")).state
	if alone.Triggered("plan", "session", one) {
		t.Error("satisfied is not triggered")
	}
}

func TestPinned_22_SingleUse(t *testing.T) {
	st := new(story).tell(one, triggered("review", "single_use"), satisfied("review", "single_use"))
	if st.state.Triggered("review", "single_use", two) {
		t.Error("triggered in another session")
	}
	st.tell(two, satisfied("review", "single_use")).tell(one, &events.GateCleared{Name: "review", Reason: "single_use"})
	s := st.state
	if s.Satisfied("review", "single_use", one, noon) || s.Triggered("review", "single_use", one) || s.Holds("review", one) {
		t.Error("the action was done: it must be reviewed again")
	}
	if !s.Satisfied("review", "single_use", two, noon) {
		t.Error("the other session's review is its own")
	}
	st.tell(one, override("review", "single_use"), &events.GateCleared{Name: "review", Reason: "single_use"})
	if !st.state.Satisfied("review", "single_use", one, noon) {
		t.Error("the branch's override survives")
	}
}

// Keys are injective: the framework's files of feature/a-b and feature-a/b were one.
func TestKeys(t *testing.T) {
	seen := map[string]string{}
	for _, b := range []string{"feature/a-b", "feature-a/b", "feature/a/b", "a", "a/", "A", "p/a"} {
		k := Key("p", b)
		expect.Equal(t, seen[k], "", b, "share", k)
		seen[k] = b
		if p, back := SplitKey(k); p != "p" || back != b {
			t.Errorf("%q became %q %q", b, p, back)
		}
	}
	long := strings.Repeat("b", 300)
	if a, b := Key("p", long), Key("p", long+"x"); a == b || len(a) > 202 || !strings.Contains(a, "~") {
		t.Errorf("%q %q", a, b)
	}
	for _, k := range []string{Key("", "b"), Key("p", ""), ProjectKey("")} {
		expect.Equal(t, k, "")
	}
	r := record(1, one, satisfied("x", "session"))
	expect.Equal(t, strings.Join(Table.Keys(r), " "), "p/b")
	r.Branch = ""
	expect.Equal(t, len(Table.Keys(r)), 0, "a detached HEAD")
	expect.Equal(t, strings.Join(Table.Keys(record(1, one, &events.SessionDeleted{})), " "), "p/")
	expect.Equal(t, len(Table.Keys(record(1, one, &events.ToolRequested{}))), 0)
}

func TestDeletedAndRetracted(t *testing.T) {
	branch := new(story).tell(one, satisfied("plan", "session"), override("sec", "session")).tell(two, satisfied("plan", "session")).state
	gone := new(story).tell(one, &events.SessionDeleted{}).state
	s := At(branch, gone)
	if s.Satisfied("plan", "session", one, noon) || !s.Satisfied("plan", "session", two, noon) || !s.Satisfied("sec", "session", two, noon) {
		t.Errorf("%+v", s)
	}
	if _, _, ok := s.Carried("plan", "new", noon, time.Hour); !ok {
		t.Error("the other session's is still there to carry")
	}
	back := new(story).tell("", &events.RecordRetracted{Target: "E0003"}).state
	if s := At(branch, back); s.Satisfied("plan", "session", two, noon) || !s.Satisfied("plan", "session", one, noon) {
		t.Errorf("%+v", s)
	}
	if !branch.Satisfied("plan", "session", one, noon) {
		t.Error("joining changed the cell")
	}
}

func TestCarried(t *testing.T) {
	st := new(story).tell(one, satisfied("plan", "session")).tell(two, satisfied("plan", "session")) // 1 s and 2 s after noon
	from, m, ok := st.state.Carried("plan", "new", noon.Add(302*time.Second), 300*time.Second)
	if !ok || from != two || m.Event != "E0002" {
		t.Errorf("%s %+v %t", from, m, ok)
	}
	if from, _, ok := st.state.Carried("plan", "new", noon.Add(302*time.Second+time.Millisecond), 300*time.Second); ok {
		t.Errorf("from %s after the window", from)
	}
	if from, _, _ := st.state.Carried("plan", two, noon, time.Hour); from != one {
		t.Errorf("from %q: not from itself", from)
	}
	short := new(story).tell(one, until(satisfied("plan", "session"), noon)).state
	if _, _, ok := short.Carried("plan", "new", noon.Add(time.Second), time.Hour); ok {
		t.Error("what has expired is not carried")
	}
}

func TestImported(t *testing.T) {
	entry := func(session, at string) events.GateImportedEntry {
		return events.GateImportedEntry{Name: "plan", Scope: "session", Session: session, SatisfiedAt: at, SatisfiedBy: "skill"}
	}
	file := func(list ...events.GateImportedEntry) *events.GateImported {
		return &events.GateImported{File: "b.json", Gates: list}
	}
	const day, later = "2026-11-20T12:00:00Z", "2026-11-20T13:00:00Z"

	st := new(story).tell("", file(entry("cad0ac4d", day)))
	if s := st.state; !s.Satisfied("plan", "session", one, noon) || s.Satisfied("plan", "session", two, noon) {
		t.Errorf("%+v", s)
	}
	for name, c := range map[string]struct {
		in   events.GateImportedEntry
		want bool
	}{
		"again": {entry("cad0ac4d", day), false}, "under the whole id": {entry(one, day), false},
		"newer": {entry("cad0ac4d", later), true}, "another session": {entry("08345d22", day), true}, "of the branch": {entry("", day), true}, "no time": {entry("08345d22", ""), false},
	} {
		expect.Equal(t, st.state.News(c.in), c.want, name)
	}
	st.tell("", file(entry("cad0ac4d", later)), file(entry("cad0ac4d", day)))
	if m, _ := st.state.Satisfaction("plan", "session", one, noon); !m.At.Equal(time.Date(2026, 11, 20, 13, 0, 0, 0, time.UTC)) {
		t.Errorf("the newer satisfaction wins: %+v", m)
	}
	st.tell(one, &events.GateCleared{Name: "plan", Reason: "single_use"})
	if s := st.state; s.Satisfied("plan", "session", one, noon) || s.Holds("plan", one) {
		t.Error("what was imported can be cleared by the session it belongs to")
	}
	st.tell("", &events.GateCleared{Name: "plan", AllSessions: true, Reason: "command"}, file(entry("", day)))
	if st.state.Satisfied("plan", "session", two, noon) {
		t.Error("an old file undoes a clearing")
	}
}

// A session's own entry is never another's whose id begins alike.
func TestAliasOnlyOfImported(t *testing.T) {
	s := new(story).tell("cad0ac4d", satisfied("plan", "session")).state
	if s.Satisfied("plan", "session", one, noon) {
		t.Error("a session called by eight characters is not the one that begins with them")
	}
}

func TestBlocks(t *testing.T) {
	st := new(story).tell(one, &events.GateBlocked{Names: []string{"plan"}, Tool: "Edit", Digest: "d1"},
		&events.GateBlocked{Names: []string{"plan"}, Tool: "Edit", Digest: "d1", Short: true}, &events.GateStopBlocked{Names: []string{"plan"}, Digest: "d2"})
	want := Block{Names: []string{"plan"}, Digest: "d1", At: noon.Add(time.Second), Event: "E0003", Count: 2, Stops: 1}
	if got := st.state.Blocks[one]; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

// A slash command is followed by words: p, x, n, r, s and the number of the prompt stand for a prompt, an expansion, news of
// background work, a stop while such work runs, and a stop; e for the session's end.
func TestPending(t *testing.T) {
	event := func(word string) events.Event {
		common := events.Common{PromptID: word[1:]}
		switch word[0] {
		case 'p':
			return &events.PromptSubmitted{Common: common, Prompt: "hello"}
		case 'n':
			return &events.PromptSubmitted{Common: common, Prompt: "<task-notification>done</task-notification>"}
		case 'x':
			return &events.PromptExpanded{Common: common, CommandName: "team:" + word[1:]}
		case 'r':
			return &events.TurnStopped{Common: common, BackgroundTasks: []events.BackgroundTask{{Status: "running"}}}
		case 's':
			return &events.TurnStopped{Common: common, BackgroundTasks: []events.BackgroundTask{{Status: "completed"}}}
		}
		return &events.SessionEnded{}
	}
	for told, want := range map[string]string{ // the last word is the stop that is asked about
		"p1 x1 s1": "team:1", "p1 s1": "", "x1 r1": "", "x1 r1 n2 s2": "team:1", "x1 p2 s2": "", "x1 r1 p2 s2": "",
		"x1 s1 s1": "", "x1 s9": "", "x1 p2 x2 s2": "team:2", "x1 e s1": "",
	} {
		words := strings.Fields(told)
		st := new(story)
		for _, w := range words[:len(words)-1] {
			st.tell(one, event(w))
		}
		stop := event(words[len(words)-1]).(*events.TurnStopped)
		p, ok := st.state.Ended(one, stop)
		if p.Command != want && ok || ok != (want != "") {
			t.Errorf("%s: %+v %t", told, p, ok)
		}
		if _, ok := st.state.Ended(two, stop); ok {
			t.Errorf("%s: in another session", told)
		}
	}
}

func TestBounds(t *testing.T) {
	st := new(story)
	for i := range maxSessions + 10 {
		st.tell(fmt.Sprintf("s%04d", i), satisfied("plan", "session"), &events.GateBlocked{Digest: "d"})
	}
	g := st.state.Gates["plan"]
	if _, oldest := g.Sessions["s0009"]; len(g.Sessions) != 128 || oldest || len(st.state.Blocks) != 128 {
		t.Errorf("%d sessions, %d blocks", len(g.Sessions), len(st.state.Blocks))
	}
	for i := range maxGates + 10 {
		st.tell(one, satisfied(fmt.Sprintf("g%04d", i), "session"))
	}
	expect.Equal(t, len(st.state.Gates), 256, "gates")
	for i := range maxDeleted + 10 {
		st.tell(fmt.Sprintf("s%04d", i), &events.SessionDeleted{})
	}
	if d := st.state.Deleted; len(d) != 1024 || d[0].Session != "s0010" {
		t.Errorf("%d deleted", len(d))
	}
	long := strings.Repeat("é", 300)
	s := new(story).tell(one, satisfied(long, "session"), &events.GateSatisfied{Name: "m", Scope: "session", Level: "session", Metadata: json.RawMessage(`{"x":"` + long + strings.Repeat("y", 4096) + `"}`)}).state
	if m, ok := s.Satisfaction(long, "session", one, noon); !ok || m.Event == "" {
		t.Error("a long name is cut alike in both directions")
	}
	if m, _ := s.Satisfaction("m", "session", one, noon); m.Metadata != nil {
		t.Error("metadata above its bound is in the log alone")
	}
}

// randomEvent draws from everything that the fold knows.
func randomEvent(t *rapid.T) events.Event {
	name := rapid.SampledFrom([]string{"a", "b", ""}).Draw(t, "name")
	scope := rapid.SampledFrom([]string{"session", "branch", "permanent", "single_use", "?"}).Draw(t, "scope")
	level := rapid.SampledFrom([]string{"session", "branch"}).Draw(t, "level")
	switch rapid.IntRange(0, 12).Draw(t, "kind") {
	case 0, 1, 2:
		return &events.GateSatisfied{Name: name, Scope: scope, Level: level, By: "cli", Metadata: json.RawMessage(`{"n":1}`)}
	case 3:
		return triggered(name, scope)
	case 4:
		return &events.GateCleared{Name: name, AllSessions: rapid.Bool().Draw(t, "all"), Reason: rapid.SampledFrom([]string{"command", "single_use", "session_end"}).Draw(t, "reason")}
	case 5:
		return &events.GateBlocked{Names: []string{name}, Digest: name, Short: rapid.Bool().Draw(t, "short")}
	case 6:
		return &events.GateImported{Gates: []events.GateImportedEntry{{Name: name, Scope: scope, Session: "s1", SatisfiedAt: "2026-11-20T12:00:00Z"}}}
	case 7:
		return &events.PromptExpanded{CommandName: name}
	case 8:
		return &events.SessionDeleted{}
	case 9:
		return &events.GateReserved{Name: name, ToolUseID: "t"}
	case 10:
		return &events.GateReleased{Name: name}
	case 11:
		return &events.GateSwitched{Dir: name, On: rapid.Bool().Draw(t, "on")}
	case 12:
		return &events.RecordRetracted{Target: name}
	}
	return &events.TurnStopped{}
}

// Folding in one go is folding with a round trip through JSON at any point.
func TestFoldSurvivesJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var straight, resumed State
		for i := range rapid.IntRange(0, 40).Draw(t, "n") {
			r := record(i+1, rapid.SampledFrom([]string{"s1", "s2", ""}).Draw(t, "session"), randomEvent(t))
			straight = projector.Fold(Table, straight, r)
			b := expect.Value(json.Marshal(resumed))(t)
			resumed = State{}
			expect.OK(t, json.Unmarshal(b, &resumed))
			resumed = projector.Fold(Table, resumed, r)
		}
		a, _ := json.Marshal(straight)
		b, _ := json.Marshal(resumed)
		expect.EqualNow(t, string(a), string(b))
	})
}

func TestPinned_06_Alias(t *testing.T) {
	for id, want := range map[string]string{one: "cad0ac4d", "cad0ac4d393345ad9a1c14aec05bb940": "cad0ac4d", "08345d22": "08345d22", "abc": "abc", "": "", "a-b-c-d-e-f-g-h-i": "abcdefgh"} {
		if got := events.Alias(id); got != want || events.Alias(got) != got {
			t.Errorf("%s: %s, then %s", id, got, events.Alias(got))
		}
	}
}

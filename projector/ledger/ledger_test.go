package ledger

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"hookline/events"
	"hookline/projector"
)

var noon = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

func record(n int, e events.Event) events.Record {
	env := events.Envelope{ID: fmt.Sprintf("e%d", n), Type: e.Type(), Time: noon.Add(time.Duration(n) * time.Second), Session: "s", Project: "p"}
	return events.Record{Envelope: env, Seq: uint64(n), Event: e}
}

// folded is the state after the events, with ids e1, e2, ….
func folded(list ...events.Event) State {
	var s State
	for i, e := range list {
		s = projector.Fold(Table, s, record(i+1, e))
	}
	return s
}

func decision(subject, text string, at ...events.Citation) *events.LedgerEntryAdded {
	return &events.LedgerEntryAdded{Kind: events.LedgerDecision, Subject: subject, Text: text, Evidence: at, By: "agent"}
}

func TestEntriesAreOpenUntilTheyAreClosed(t *testing.T) {
	step := &events.LedgerEntryAdded{Kind: events.LedgerStep, Text: "Tolerate\nclock skew", By: "person"}
	second := decision("tokens", "two")
	second.Replaces = "e1"
	s := folded(decision("tokens", "one"), step, second, &events.LedgerEntryClosed{Entry: "e2", Reason: "done"}, &events.LedgerEntryClosed{Entry: "zzz"})

	if got := s.Open(events.LedgerDecision); len(got) != 1 || got[0].ID != "e3" || got[0].Seq != 3 || got[0].Session != "s" || got[0].Project != "p" {
		t.Errorf("open decisions: %+v", got)
	}
	if s.Entries[0].Closed == nil || s.Entries[0].Closed.Reason != "replaced" || s.Entries[0].Closed.Event != "e3" {
		t.Errorf("the replaced one: %+v", s.Entries[0].Closed)
	}
	if e := s.Entries[1]; e.Text != "Tolerate clock skew" || e.Closed == nil || e.Closed.Reason != "done" {
		t.Errorf("the step: %+v", e)
	}
}

// S3 "Fork Detection": the same subject or the same evidence, and another decision.
func TestForks(t *testing.T) {
	jwt := events.Citation{Path: "${PROJECT_ROOT}/src/auth/jwt.ts", Line: 45}
	s := folded(decision("Refresh tokens", "Use rotating refresh tokens", jwt), decision("", "Keep the log"), decision("", "Old way"), &events.LedgerEntryClosed{Entry: "e3"})
	replacing := decision("refresh tokens", "stateless")
	replacing.Replaces = "e1"
	for _, c := range []struct {
		e    *events.LedgerEntryAdded
		fork string
		same string
	}{
		{decision("the tokens of refresh", "Use stateless tokens"), "", ""},
		{decision("refresh of the Tokens!", "Use stateless tokens"), "e1", ""},
		{decision("refresh tokens", "rotating refresh tokens"), "", "e1"},
		{decision("", "Use rotating refresh tokens"), "", "e1"},
		{decision("storage", "Use cookies", jwt), "e1", ""},
		{decision("storage", "Use cookies", events.Citation{Path: jwt.Path, Line: 46}), "", ""},
		{decision("", "Drop the log"), "", ""},
		{decision("", "Old way"), "", ""},
		{replacing, "", ""},
		{&events.LedgerEntryAdded{Kind: events.LedgerStep, Subject: "refresh tokens", Text: "x"}, "", ""},
	} {
		same, fork := s.Judge(c.e)
		if same == nil {
			same = &Entry{}
		}
		if fork == nil {
			fork = &Entry{}
		}
		if c.e.Subject == "the tokens of refresh" { // sorted words without stop words are the same subject
			c.fork = "e1"
		}
		if fork.ID != c.fork || same.ID != c.same {
			t.Errorf("%s, %s: fork of %q, same as %q; want %q, %q", c.e.Subject, c.e.Text, fork.ID, same.ID, c.fork, c.same)
		}
	}
}

func TestSubjects(t *testing.T) {
	for _, c := range [][3]string{
		{"refresh tokens: rotate them", "refresh tokens", "rotate them"},
		{"Use https://example.org", "", "Use https://example.org"},
		{"one two three four five six seven: no", "", "one two three four five six seven: no"},
		{"open: ", "", "open: "},
	} {
		if subject, text := SplitSubject(c[0]); subject != c[1] || text != c[2] {
			t.Errorf("%q: %q, %q", c[0], subject, text)
		}
	}
}

// A full cell drops closed entries first, the oldest of them; then the oldest.
func TestRoom(t *testing.T) {
	var list []events.Event
	for i := range maxEntries {
		list = append(list, &events.LedgerEntryAdded{Kind: events.LedgerStep, Text: fmt.Sprint("step ", i), By: "agent"})
	}
	list = append(list, &events.LedgerEntryClosed{Entry: "e7"}, &events.LedgerEntryAdded{Kind: events.LedgerStep, Text: "one more", By: "agent"})
	s := folded(list...)
	if len(s.Entries) != maxEntries || s.Entries[0].ID != "e1" || s.Entries[6].ID != "e8" {
		t.Errorf("%d entries, first %s, seventh %s", len(s.Entries), s.Entries[0].ID, s.Entries[6].ID)
	}
}

func TestMergeIsInTheOrderOfTheLog(t *testing.T) {
	a, b := folded(decision("a", "one")), State{}
	b = projector.Fold(Table, b, record(9, decision("b", "nine")))
	a = projector.Fold(Table, a, record(12, decision("c", "twelve")))
	var got []string
	for _, e := range Merge(a, b).Entries {
		got = append(got, e.Text)
	}
	if strings.Join(got, " ") != "one nine twelve" {
		t.Error(got)
	}
}

// A fold changes nothing that it was given, whatever the events say.
func TestFoldChangesNoOlderState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s State
		for n := range rapid.IntRange(1, 30).Draw(t, "events") {
			var e events.Event = decision(rapid.String().Draw(t, "subject"), rapid.String().Draw(t, "text"))
			switch rapid.IntRange(0, 5).Draw(t, "kind") {
			case 1:
				e = &events.LedgerEntryClosed{Entry: fmt.Sprintf("e%d", rapid.IntRange(0, 30).Draw(t, "closed"))}
			case 2:
				e = &events.ForkDetected{Entry: "e1", Context: rapid.String().Draw(t, "context")}
			case 3:
				e = &events.SessionDeleted{}
			}
			before := fmt.Sprintf("%#v", s)
			next := projector.Fold(Table, s, record(n+1, e))
			if after := fmt.Sprintf("%#v", s); after != before {
				t.Fatalf("changed by %s", e.Type())
			}
			if !reflect.DeepEqual(next, projector.Fold(Table, s, record(n+1, e))) {
				t.Fatal("not a function")
			}
			s = next
		}
	})
}

func TestSearch(t *testing.T) {
	s := folded(decision("tokens", "rotate refresh"), decision("storage", "one file for tokens"), decision("", "nothing"))
	var got []string
	for _, e := range s.Search([]string{"Refresh", "TOKENS"}, 3) {
		got = append(got, e.ID)
	}
	if strings.Join(got, " ") != "e1 e2" || len(s.Search(nil, 3)) != 0 {
		t.Errorf("found %v", got)
	}
}

// S3 "handoffs[]": session, end, notes and trajectory references, grounding ratio.
func TestHandoffs(t *testing.T) {
	s := folded(&events.LedgerSynthesized{Level: "strict", Passed: true, Ratio: 0.97, NotesRef: "NOTES.md:4-9"})
	want := Handoff{Event: "e1", Seq: 1, Session: "s", Ended: noon.Add(time.Second), NotesRef: "NOTES.md:4-9", Ratio: 0.97, Level: "strict", Passed: true}
	if len(s.Handoffs) != 1 || s.Handoffs[0] != want {
		t.Errorf("%+v", s.Handoffs)
	}
}

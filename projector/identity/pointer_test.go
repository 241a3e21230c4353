package identity_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
	"hookline/projector/identity"
)

// at is a record of a session of project p, ms Unix milliseconds.
func at(ms int64, session string, e events.Event) events.Record {
	data, _ := json.Marshal(e)
	return events.NewRecord(1, events.Envelope{ID: "E", Type: e.Type(), Version: 1, Time: time.UnixMilli(ms).UTC(), Session: session, Project: "p", Data: data})
}

func persisted(ms int64, session string) events.Record {
	return at(ms, session, &events.IdentityPersisted{Reason: "session_end"})
}

func deleted(ms int64, session string) events.Record {
	return at(ms, session, &events.SessionDeleted{})
}

// What the law below does not draw: a recovery wins, and what is no pointer's changes nothing.
func TestFold(t *testing.T) {
	for want, list := range map[string][]events.Record{
		"a 30": {persisted(10, "a"), persisted(20, "b"), at(30, "a", &events.IdentityRecovered{Session: "a"})},
		"a 10": {persisted(10, "a"), at(20, "b", &events.TurnStopped{})},
	} {
		var s identity.Pointer
		for _, r := range list {
			s = projector.Fold(identity.PointerTable, s, r)
		}
		expect.Equal(t, fmt.Sprintf("%s %d", s.Session, s.AtMS), want)
	}
}

// Whatever comes in whatever order, a pointer names the newest that was not deleted.
func TestFoldProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s identity.Pointer
		newest := map[string]int64{}
		for range rapid.IntRange(1, 30).Draw(t, "n") {
			id := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "session")
			if rapid.IntRange(0, 5).Draw(t, "kind") == 0 {
				delete(newest, id)
				s = projector.Fold(identity.PointerTable, s, deleted(1, id))
			} else {
				ms := rapid.Int64Range(1, 1000).Draw(t, "ms")
				newest[id] = max(newest[id], ms)
				s = projector.Fold(identity.PointerTable, s, persisted(ms, id))
			}
			best := int64(0)
			for _, ms := range newest {
				best = max(best, ms)
			}
			if s.AtMS != best || best > 0 && newest[s.Session] != best || best == 0 && s.Session != "" {
				t.Fatalf("%q at %d of %v", s.Session, s.AtMS, newest)
			}
			data, _ := json.Marshal(s)
			var back identity.Pointer
			expect.OK(t, json.Unmarshal(data, &back))
			s = back
		}
	})
}

func TestKeys(t *testing.T) {
	for _, c := range []struct {
		r    events.Record
		want []string
	}{
		{persisted(1795249595123, "s-1"), []string{"identity.p", "t.1795249595123.s-1"}},
		{persisted(5, "a.b c"), []string{"identity.p", "t.0000000000005.a.b c"}},
		{persisted(5, ""), nil},
		{at(5, "s", &events.IdentityRecovered{}), []string{"identity.p"}},
		{at(5, "s", &events.TurnStopped{}), nil},
	} {
		if got := identity.PointerTable.Keys(c.r); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q", c.r.Type, got)
		}
	}
	if got := identity.PointerTable.Keys(deleted(5, "s")); !slices.Contains(got, "identity.p") {
		t.Errorf("%q", got)
	}
}

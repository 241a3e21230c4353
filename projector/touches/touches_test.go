package touches

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
)

// Touches count with the age that they have, over all sessions of the project; what lies elsewhere does not.
func TestTouches(t *testing.T) {
	day := 24 * time.Hour
	now := time.Date(2026, 3, 31, 9, 0, 0, 0, time.UTC)
	var s State
	n := 0
	touch := func(age time.Duration, tool, file, agent string) {
		n++
		r := events.Record{Event: &events.ToolSucceeded{ToolName: tool, ToolInput: fmt.Appendf(nil, `{"file_path":%q}`, file)}, Envelope: events.Envelope{
			ID: fmt.Sprint("e", n), Session: fmt.Sprint("s", n), Project: "p", Worktree: "/w", AgentID: agent, Time: now.Add(-age)}}
		expect.Equal(t, strings.Join(Table.Keys(r), " "), "p", "the cells of a call of", tool)
		s = projector.Fold(Table, s, r)
	}
	touch(28*day, "Edit", "/w/old.go", "")
	touch(28*day, "Edit", "/w/old.go", "")
	touch(day, "Read", "/w/up/new.go", "")
	touch(day, "Read", "/w/up/client.go", "")
	touch(0, "Write", "/w/up/client.go", "")
	touch(0, "Read", "/w/theirs.go", "agent")
	touch(0, "Read", "/etc/hosts", "")
	touch(0, "Read", "/hosts", "")
	touch(0, "Bash", "/w/x.go", "")

	var got []string
	for _, x := range s.Ranked(now) {
		got = append(got, fmt.Sprintf("%s %s %.2f", x.Path, x.Event, x.Weight))
	}
	expect.Equal(t, strings.Join(got, ", "), "up/client.go e5 2.91, up/new.go e3 1.00, old.go e2 4.00", got)

	forget := events.Record{Event: &events.SessionDeleted{}, Envelope: events.Envelope{Session: "s5", Project: "p"}}
	s = projector.Fold(Table, s, forget) // s4 has read the file, too
	expect.Equal(t, len(s.Ranked(now)), 3, "files after the deletion of one of the sessions of a file")
	forget.Session = "s3"
	s = projector.Fold(Table, s, forget)
	expect.Equal(t, len(s.Ranked(now)), 2, "files after the deletion of the only session of a file")
	expect.Equal(t, len(Table.Keys(events.Record{Envelope: events.Envelope{Project: "p"}, Event: &events.TurnStopped{}})), 0, "cells of a stop")
}

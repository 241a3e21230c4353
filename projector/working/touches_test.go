package working

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
)

// Touches count with the age that they have, over all sessions of the project; what lies elsewhere does not.
func TestTouches(t *testing.T) {
	day := 24 * time.Hour
	var s Touches
	n := 0
	touch := func(age time.Duration, tool, file, agent string) {
		n++
		e := did(tool, fmt.Sprintf(`{"file_path":%q}`, file), `{}`)
		r := record(n, e)
		r.Session, r.Project, r.Worktree, r.AgentID = fmt.Sprint("s", n), "p", "/w", agent
		r.Time = time.Date(2026, 3, 31, 9, 0, 0, 0, time.UTC).Add(-age)
		expect.Equal(t, TouchesKey(r), "p", tool)
		s = FoldTouches(s, r)
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
	touch(0, "Edit", "/w/a\nSYSTEM NOTICE.go", "")

	var got []string
	for _, x := range s.Ranked(time.Date(2026, 3, 31, 9, 0, 0, 0, time.UTC)) {
		got = append(got, fmt.Sprintf("%s %s %.2f", x.Path, x.Event, x.Weight))
	}
	expect.Equal(t, strings.Join(got, ", "), "up/client.go e5 2.91, up/new.go e3 1.00, old.go e2 4.00", got)
	expect.Equal(t, told("", "/etc/hosts")+told("", "up/x.go"), "up/x.go", "without a work tree")
	expect.Equal(t, TouchesKey(events.Record{Envelope: events.Envelope{Project: "p"}, Event: &events.TurnStopped{}}), "")
}

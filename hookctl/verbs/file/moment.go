package file

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"hookline/events"
	"hookline/events/versions"
	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
)

// pointForms says in help how a point is written.
const pointForms = "POINT is a sequence or the id of an event (also a checkpoint's), a session, which means its end, a time (RFC 3339, or\n" +
	"local as '2026-11-21 08:00' or 08:00), `today`, `yesterday`, a duration back from now (10m, 3h, 1d) or `now`; and\n" +
	"before:EVENT, which means what that event's call found. An event means the moment of its capture."

// foundBy begins a point that means what a call found.
const foundBy = "before:"

// moment is a point of the log as a question about a file means it.
type moment struct {
	given  string
	time   time.Time // of the newest capture that counts; zero means now
	seq    uint64    // of captures at that time, the newest that counts
	before uint64    // above 0: what the call of this event found
}

var eventID = regexp.MustCompile(`(?i)^[0-7][0-9a-hjkmnp-tv-z]{25}$`)

// momentOf reads a point that was typed.
func momentOf(ctx context.Context, e *env.Env, given string) (moment, error) {
	m := moment{given: given, seq: math.MaxUint64}
	if given == "" || given == "now" {
		return m, nil
	}
	if name, is := strings.CutPrefix(given, foundBy); is {
		r, err := api.Event.Call(ctx, e, api.EventRequest{ID: name})
		m.before = r.Seq
		return m, err
	}
	if _, err := strconv.ParseUint(given, 10, 64); err == nil || eventID.MatchString(given) {
		r, err := api.Event.Call(ctx, e, api.EventRequest{ID: given})
		return m.at(r), err
	}

	point, err := e.Point(given)
	if err == nil {
		m.time, err = time.Parse(time.RFC3339Nano, point)
		return m, err
	}
	return m.endOf(ctx, e)
}

// at returns the moment of an event.
func (m moment) at(r events.Record) moment {
	m.time = r.Time
	m.seq = r.Seq
	return m
}

// endOf returns the moment of the last event of the session that was typed.
func (m moment) endOf(ctx context.Context, e *env.Env) (moment, error) {
	s, err := query.Session(ctx, e, m.given)
	if err != nil {
		return m, problem.Faultf("%q is no point of the log: no sequence, event, time, duration or session", m.given).
			Advise("for example 120, 2026-11-21T08:00:00Z, 08:00, 10m, last or before:120")
	}
	err = query.Records(ctx, e, api.EventsRequest{Session: s.ID, Last: 1}, func(r events.Record) { m = m.at(r) })
	return m, err
}

// includes reports whether a version was there at the moment.
func (m moment) includes(v versions.Version) bool {
	if m.before > 0 {
		return v.Seq == 0 && v.Before == m.before
	}
	if v.Seq == 0 {
		return false
	}
	return m.time.IsZero() || v.Time.Before(m.time) || v.Time.Equal(m.time) && v.Seq <= m.seq
}

// choice is the version of a moment.
type choice struct {
	versions.Version
	first  versions.Version // of the file
	before versions.Version // the one before, for what a call found
	left   int              // calls that were left out
}

// versionAt returns the version of a file at a moment. also, which may be nil, hears of all versions.
func versionAt(ctx context.Context, e *env.Env, t target, m moment, also func(versions.Version)) (choice, error) {
	var c choice
	var chosen, previous, next versions.Version
	left, err := walk(ctx, e, t, func(v versions.Version) {
		if also != nil {
			also(v)
		}
		if c.first.Known == "" {
			c.first = v
		}
		switch {
		case m.includes(v):
			c.before = previous
			chosen = v
			next = versions.Version{}
		case next.Known == "" && chosen.Known != "":
			next = v
		}
		if m.before > 0 && v.Seq == m.before && chosen.Known == "" && previous.Known != "" {
			chosen = previous // the call found nothing else
			chosen.Doubts = append(slices.Clone(previous.Doubts), leftSo(previous, m))
		}
		previous = v
	})
	if err != nil {
		return c, err
	}

	c.left = left
	c.Version = chosen
	if chosen.Known == "" {
		return c, noVersion(t, m, c.first)
	}
	if next.How == versions.Outside && m.before == 0 {
		c.Doubts = append(c.Doubts, between(chosen, next))
	}
	return c, nil
}

// leftSo says how it is known what a call found whose record does not have it as a version of its own.
func leftSo(v versions.Version, m moment) string {
	return fmt.Sprintf("this is what event %d had left; no record says that event %d found anything else", cmp.Or(v.Seq, v.Before), m.before)
}

// between says that a file was changed at an unknown moment.
func between(chosen, next versions.Version) string {
	finder := cmp.Or(next.Before, next.Seq)
	after := cmp.Or(next.After, chosen.Seq)
	words := fmt.Sprintf("it was changed outside between events %d and %d, perhaps before this point", after, finder)
	if next.Seq == 0 {
		words += fmt.Sprintf(": --at %s%d shows what was found", foundBy, finder)
	}
	return words
}

// noVersion is the error for a moment at which nothing is known of a file.
func noVersion(t target, m moment, first versions.Version) error {
	switch {
	case first.Known == "":
		return problem.Faultf("no call in the log read or changed %s", t.path).
			Advise("`hookctl find --file NAME` searches for paths")
	case m.before > 0:
		return problem.Faultf("the log does not say what event %d found in %s", m.before, t.given).
			Advise("`hookctl file log` lists what is known")
	case first.Seq == 0:
		return problem.Faultf("at that point nothing was known of %s", t.given).
			Advise(fmt.Sprintf("its first call is event %d; --at %s%d shows what that found", first.Before, foundBy, first.Before))
	}
	return problem.Faultf("at that point nothing was known of %s", t.given).
		Advise(fmt.Sprintf("its first call is event %d", first.Seq))
}

// leftOut says that older calls were not read.
func leftOut(n int) string {
	return "the " + cmdline.Plural(n, "oldest call") + " about files of this name were not read"
}

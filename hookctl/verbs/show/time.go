package show

import (
	"time"

	"hookline/events/wording"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/verbs/env"
)

// Day is a heading between lines of different days, "" within one.
func Day(e *env.Env, last, next time.Time) string {
	d := next.In(e.Zone).Format("Monday, 2 January 2006")
	if !last.IsZero() && last.In(e.Zone).Format("Monday, 2 January 2006") == d {
		return ""
	}
	return d
}

// Ago is a time as people say it.
func Ago(e *env.Env, t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	d := e.Now().Sub(t)
	switch {
	case d < 0:
		return "in " + Span(t.Sub(e.Now())) // both differences end at 292 years
	case d < time.Second:
		return "just now"
	}
	return Span(d) + " ago"
}

// Span returns a duration in its one or two largest units: days from two on, else as [wording.Span].
func Span(d time.Duration) string {
	if d < 48*time.Hour {
		return wording.Span(d)
	}
	return cmdline.Plural(int(d/(24*time.Hour)), "day")
}

// Stamp is a time for people; "" for none.
func Stamp(e *env.Env, t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(e.Zone).Format(time.DateTime)
}

// RFC is a time for programs, in UTC; "" for none.
func RFC(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// Latest returns the later of two times.
func Latest(x, y time.Time) time.Time {
	if y.After(x) {
		return y
	}
	return x
}

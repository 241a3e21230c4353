package cmdline

import (
	"strconv"
	"strings"
	"time"

	"hookline/hookctl/problem"
)

// layouts of a time that a person types, in local time. Without a day it is today's.
var layouts = []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"}

// PointForms says in a verb's help how a point of the log is written, pointHint in an error.
const (
	PointForms = "A point is a sequence, a time (RFC 3339, or local as '2026-11-21 08:00' or 08:00), `today`,\n" +
		"`yesterday`, a duration back from now (10m, 3h, 1d, 2w) or `now`."
	pointHint = "for example 120, 2026-11-21T08:00:00Z, '2026-11-21 08:00', 08:00, 10m, 3h, 1d, 2w, today, yesterday or now"
)

// Point reads a point of the log as a person types it: a sequence, a time, a duration back from now, a
// day, or "now", which stays. Times become UTC in RFC 3339, since the daemon's own zone may be another
// one.
func (c *Console) Point(s string) (string, error) {
	if s == "now" {
		return s, nil
	}
	if _, err := strconv.ParseUint(s, 10, 64); err == nil {
		return s, nil
	}

	t, ok := c.moment(s)
	if !ok {
		return "", problem.Faultf("%q is no sequence, time or duration", s).Advise(pointHint)
	}
	return t.UTC().Format(time.RFC3339Nano), nil
}

func (c *Console) moment(s string) (time.Time, bool) {
	now := c.Now().In(c.Zone)
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, c.Zone)
	switch s {
	case "today":
		return midnight, true
	case "yesterday":
		return midnight.AddDate(0, 0, -1), true
	}

	if ago, ok := duration(s); ok {
		return now.Add(-ago), true
	}
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
		return t, true
	}
	for _, text := range []string{s, now.Format("2006-01-02 ") + s} {
		for _, layout := range layouts {
			if t, err := time.ParseInLocation(layout, text, c.Zone); err == nil {
				return t, true
			}
		}
	}
	return time.Time{}, false
}

// duration reads Go's form of one, or whole days or weeks: 10m, 1d, 2w.
func duration(s string) (time.Duration, bool) {
	for letter, days := range map[string]time.Duration{"d": 1, "w": 7} {
		if count, found := strings.CutSuffix(s, letter); found {
			n, err := strconv.ParseUint(count, 10, 16)
			return time.Duration(n) * days * 24 * time.Hour, err == nil
		}
	}
	d, err := time.ParseDuration(s)
	return d, err == nil && d >= 0
}

package cmdline

import (
	"strconv"
	"time"
)

// layouts of a time that a person types, in local time. Without a day it is today's.
var (
	layouts = []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"}
	clocks  = []string{"15:04:05", "15:04"}
)

// Point reads a point of the log as a person types it: a sequence, a time, a duration back from now,
// or "now", which stays. Times become UTC in RFC 3339, since the daemon's own zone may be another one.
// ok is false where s is none of these.
func (c *Console) Point(s string) (point string, ok bool) {
	if s == "now" {
		return s, true
	}
	if _, err := strconv.ParseUint(s, 10, 64); err == nil {
		return s, true
	}
	if ago, err := time.ParseDuration(s); err == nil && ago >= 0 {
		return stamp(c.Now().Add(-ago)), true
	}
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
		return stamp(t), true
	}
	for _, layout := range layouts {
		if t, err := time.ParseInLocation(layout, s, c.Zone); err == nil {
			return stamp(t), true
		}
	}
	today := c.Now().In(c.Zone).Format("2006-01-02 ")
	for _, layout := range clocks {
		if t, err := time.ParseInLocation("2006-01-02 "+layout, today+s, c.Zone); err == nil {
			return stamp(t), true
		}
	}
	return "", false
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

package cmdline

import (
	"testing"
	"time"
)

func TestPoint(t *testing.T) {
	c := &Console{Now: func() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }, Zone: time.FixedZone("", 5*3600+1800)}
	for _, tc := range []struct{ in, want string }{
		{"now", "now"},
		{"120", "120"},
		{"10m", "2026-11-21T11:50:00Z"},
		{"1.5h", "2026-11-21T10:30:00Z"},
		{"1d", "2026-11-20T12:00:00Z"},
		{"2w", "2026-11-07T12:00:00Z"},
		{"1w2d12h", "2026-11-12T00:00:00Z"},
		{"today", "2026-11-20T18:30:00Z"}, // it is 17:30 there
		{"yesterday", "2026-11-19T18:30:00Z"},
		{"08:00", "2026-11-21T02:30:00Z"},
		{"2026-11-21 08:00", "2026-11-21T02:30:00Z"},
		{"2026-11-21", "2026-11-20T18:30:00Z"},
		{"2026-11-21T08:00:00.5Z", "2026-11-21T08:00:00.5Z"},
		{"", ""}, {"soon", ""}, {"-5m", ""}, {"d", ""}, {"1d-5m", ""}, {"wednesday", ""}, {"9999999w", ""},
	} {
		got, err := c.Point(tc.in)
		if got != tc.want || (err == nil) != (tc.want != "") {
			t.Errorf("%q: %q, %v", tc.in, got, err)
		}
	}
}

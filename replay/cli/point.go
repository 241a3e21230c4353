package cli

import (
	"context"
	"strconv"
	"time"

	"hookline/events"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
)

// The clocks that a time may be read by.
const (
	byCapture = "capture"
	byAppend  = "append"
)

// byFlag is --by of a verb.
type byFlag struct {
	By string `offers:"capture,append" help:"what a time is compared with: capture or append"`
}

// pointsBy reads the points of a verb with --by.
func (a *app) pointsBy(by string, typed ...string) ([]string, error) {
	if by != byCapture && by != byAppend {
		return nil, problem.Faultf("--by: %q is neither capture nor append", by).Advise("by capture a time is when a hook ran, by append when the log got it")
	}
	points := make([]string, 0, len(typed))
	for _, s := range typed {
		p, err := a.Point(s)
		if err != nil {
			return nil, err
		}
		points = append(points, p)
	}
	return points, nil
}

// pointHelp says what a time means to a verb without --by, pastHelp to one with it.
const (
	pointHelp = cmdline.PointForms + " A time means everything that was appended before it."
	pastHelp  = cmdline.PointForms + " A time means the newest event that was captured at or before\n" +
		"it, and all before that in the log. Events that came late, from the spool or an import, stand behind\n" +
		"younger ones: --by append means what the log held at that time, everything appended before it."
)

// named is a sequence with what stands there: "4 (tool.failed, 2026-11-21 08:00:03)". Where it cannot
// be read the sequence must do.
func (a *app) named(ctx context.Context, h backend, seq uint64) string {
	if seq == 0 {
		return "0 (before the first event)"
	}
	var r events.Record
	s := strconv.FormatUint(seq, 10)
	if err := h.Get(ctx, "/v1/events/"+s, nil, &r); err != nil {
		return s
	}
	return s + " (" + cmdline.Clean(r.Type) + ", " + r.Time.In(a.Zone).Format(time.DateTime) + ")"
}

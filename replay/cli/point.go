package cli

import (
	"context"
	"fmt"
	"time"

	"hookline/hookctl/api"
	"hookline/hookctl/client"
	"hookline/hookctl/cmdline"
	"hookline/replay/past"
)

// appendHelp says what a time means to export, captureHelp what it means to the verbs about states.
const (
	appendHelp  = cmdline.PointForms + " A time means everything that was appended before it."
	captureHelp = cmdline.PointForms + " A time means the newest event that was captured at or before\n" +
		"it, and all before that in the log."
)

// point reads a point of the log as a person types it.
func (a *app) point(text string) (past.Point, error) {
	p, err := a.Point(text)
	return past.Point(p), err
}

// pointGiven reads the point of a flag, which may be empty.
func (a *app) pointGiven(text string) (past.Point, error) {
	if text == "" {
		return "", nil
	}
	return a.point(text)
}

// named returns a sequence with the event there: "4 (tool.failed, 2026-11-21 08:00:03)". Where that cannot be read it is
// the sequence alone.
func (a *app) named(ctx context.Context, c *client.Client, seq uint64) string {
	if seq == 0 {
		return "0 (before the first event)"
	}
	s := fmt.Sprint(seq)
	r, err := api.Event.Call(ctx, c, api.EventRequest{ID: s})
	if err != nil {
		return s
	}
	return s + " (" + cmdline.Clean(r.Type) + ", " + r.Time.In(a.Zone).Format(time.DateTime) + ")"
}

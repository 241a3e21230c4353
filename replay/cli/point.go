package cli

import (
	"context"
	"fmt"
	"time"

	"hookline/events"
	"hookline/hookctl/client"
	"hookline/hookctl/cmdline"
)

// appendHelp says what a time means to export, captureHelp what it means to the verbs about states.
const (
	appendHelp  = cmdline.PointForms + " A time means everything that was appended before it."
	captureHelp = cmdline.PointForms + " A time means the newest event that was captured at or before\n" +
		"it, and all before that in the log."
)

// named returns a sequence with the event there: "4 (tool.failed, 2026-11-21 08:00:03)". Where that cannot be read it is
// the sequence alone.
func (a *app) named(ctx context.Context, c *client.Client, seq uint64) string {
	if seq == 0 {
		return "0 (before the first event)"
	}
	var r events.Record
	s := fmt.Sprint(seq)
	if err := c.Get(ctx, "/v1/events/"+s, nil, &r); err != nil {
		return s
	}
	return s + " (" + cmdline.Clean(r.Type) + ", " + r.Time.In(a.Zone).Format(time.DateTime) + ")"
}

package cli

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/cmdline"
)

// layouts of a time that a person types, in local time. Without a day it is today's.
var layouts = []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"}
var clocks = []string{"15:04:05", "15:04"}

// point reads a point of the log as a person types it: a sequence, a time, a duration back from now,
// or "now". Times go to the daemon in UTC, since its own zone may be another one.
func (a *app) point(s string) (string, error) {
	if s == "now" {
		return s, nil
	}
	if _, err := strconv.ParseUint(s, 10, 64); err == nil {
		return s, nil
	}
	if ago, err := time.ParseDuration(s); err == nil && ago >= 0 {
		return stamp(a.Now().Add(-ago)), nil
	}
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
		return stamp(t), nil
	}
	for _, layout := range layouts {
		if t, err := time.ParseInLocation(layout, s, a.Zone); err == nil {
			return stamp(t), nil
		}
	}
	today := a.Now().In(a.Zone).Format("2006-01-02 ")
	for _, layout := range clocks {
		if t, err := time.ParseInLocation("2006-01-02 "+layout, today+s, a.Zone); err == nil {
			return stamp(t), nil
		}
	}
	return "", &cmdline.Fault{Message: fmt.Sprintf("%q is no sequence, time or duration", s),
		Hint: "for example 120, 2026-11-21T08:00:00Z, '2026-11-21 08:00', 08:00, 10m or now"}
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// The clocks that a time may be read by.
const (
	byCapture = "capture"
	byAppend  = "append"
)

// byFlag adds --by to a verb.
func byFlag(cmd *cobra.Command, by *string) {
	cmd.Flags().StringVar(by, "by", byCapture, "what a time is compared with: capture or append")
	_ = cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions([]string{byCapture, byAppend}, cobra.ShellCompDirectiveNoFileComp))
}

// pointBy is point for a verb with --by.
func (a *app) pointBy(s, by string) (string, error) {
	if by != byCapture && by != byAppend {
		return "", &cmdline.Fault{Message: fmt.Sprintf("--by: %q is neither capture nor append", by),
			Hint: "by capture a time is when a hook ran, by append when the log got it"}
	}
	return a.point(s)
}

// pointForms is the part of a verb's help that says how a point is written.
const pointForms = "A point is a sequence, a time (RFC 3339, or local as '2026-11-21 08:00' or 08:00), a duration\n" +
	"back from now such as 10m, or `now`. "

// pointHelp says what a time means to a verb without --by, pastHelp to one with it.
const (
	pointHelp = pointForms + "A time means everything that was appended before it."
	pastHelp  = pointForms + "A time means the newest event that was captured at or before\n" +
		"it, and all before that in the log. Events that came late, from the spool or an import, stand behind\n" +
		"younger ones: --by append means what the log held at that time, everything appended before it."
)

// named is a sequence with what stands there: "4 (tool.failed, 2026-11-21 08:00:03)". Where it cannot
// be read the sequence must do.
func (a *app) named(ctx context.Context, h house, seq uint64) string {
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

package cli

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/projector"
	"hookline/replay/check"
)

func (a *app) verifyCmd() *cobra.Command {
	return a.verb("verify", "Fold the whole log again and compare it with every cell",
		"Prove the log record by record, fold it again and compare it with every cell of every bucket.\n"+
			"Damage does not end it: whatever is behind is read, and each fault is named. A hole that the log\n"+
			"itself explains (an event says what was lost, or it was erased on request) is known and no fault.\n"+
			"Read-only, except that pending state is saved. Without a daemon the store is opened,\n"+
			"which mends and records what it finds damaged; what that costs is new to this verify only.\n\n"+
			"Exit code: 0 clean, 1 projections differ, 2 the log is damaged or has a new hole.",
		"  replay verify\n  replay verify --json | jq .clean",
		nil, func(ctx context.Context, _ []string) error {
			done, err := long(ctx, a, api.Verify, api.None{}, "folding")
			if err != nil {
				return err
			}
			if err := done.show(a, a.printVerification); err != nil {
				return err
			}
			if done.result.Exit != 0 {
				return cmdline.Silent(done.result.Exit)
			}
			return nil
		})
}

func (a *app) printVerification(v api.Verdict) {
	a.printDiffs(v.Diffs, func(d projector.Diff) string { return "want " + a.Paint.Good(d.Want) + "  got " + a.Paint.Bad(d.Got) })
	for _, d := range v.Damage {
		a.Printf("%s  %s\n", a.Paint.Bad("log"), d)
	}
	if len(v.Diffs)+len(v.Damage) > 0 {
		a.Printf("\n")
	}
	a.Printf("%s\n", a.verdict(v))
	a.Printf("events   %s\n", cmdline.Count(v.Events))
	a.Printf("records  %s\n", cmdline.Count(v.Read))
	if v.Unknown > 0 {
		a.Printf("unknown  %s of kinds that this build does not know; they are kept\n", cmdline.Plural(v.Unknown, "event"))
	}
	if v.Holes > 0 {
		a.Printf("holes    %s\n", cmdline.Count(v.Holes))
	}
	for _, h := range v.Known {
		a.Printf("known    %s\n", cmdline.Clean(check.Words(h)))
	}
	if len(v.New) > 0 {
		a.Printf("compared %s\n", cmp.Or(strings.Join(v.Compared, ", "), "none"))
		a.Printf("unsure   %s\n", cmp.Or(strings.Join(v.Unsure, ", "), "none"))
	}
	a.Printf("time     %s", took(v.TookMS))
	if v.TookMS > 0 {
		a.Printf(", %s events/s", cmdline.Count(uint64(float64(v.Read)/v.TookMS*1000)))
	}
	a.Printf("\n")
	switch v.Exit {
	case 1:
		a.Say("hint: `replay rebuild` folds the cells again; with --dry-run it only shows what would change")
	case cmdline.ExitDamaged:
		hint := "`replay repair --dry-run` tells what others still have"
		if slices.ContainsFunc(v.New, func(h api.Hole) bool { return h.Kind == "damaged" }) { // on the disk, under a running daemon
			hint = "`hookctl restart` has the log checked and mended; then " + hint
		}
		a.Say("hint: " + hint)
	}
}

// took returns a number of milliseconds as a duration.
func took(ms float64) time.Duration {
	return time.Duration(ms * float64(time.Millisecond)).Round(time.Millisecond)
}

// verdict returns the line that sums a verification up.
func (a *app) verdict(v api.Verdict) string {
	var what []string
	if len(v.Damage) > 0 {
		what = append(what, cmdline.Plural(len(v.Damage), "fault")+" in the log")
	}
	if len(v.Diffs) > 0 {
		what = append(what, "a difference from the log in "+extent(v.Diffs))
	}
	if len(what) == 0 {
		return a.Paint.Good("clean: every cell is what the log says")
	}
	word := "not clean: "
	if len(v.Damage) > 0 {
		word = "damaged: "
	}
	return a.Paint.Bad(word + strings.Join(what, ", and "))
}

package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
	"hookline/replay/past"
)

// recoverOptions are the flags of recover.
type recoverOptions struct {
	At      string `help:"the moment, as below"`
	Session string `help:"this session's identity: its id, any unique prefix of it, or last"`
	Into    string `help:"the session that gets it: its id, any unique prefix of it, or last"`
	DryRun  bool   `flag:"dry-run" help:"only show what it would be"`
}

func (a *app) recoverCmd() *cobra.Command {
	var o recoverOptions
	return a.verb("recover --at POINT", "Make an identity of the past the current one",
		"Restore an earlier identity: the session's with --session, else the newest\n"+
			"snapshot of this folder's project at or before the point. Where the event of a snapshot was lost it is\n"+
			"the identity as it was folded up to there. It goes to the project's live session where there is one,\n"+
			"of several to the one that --into names, and the next session starts from it. An event is added to the\n"+
			"log and says what it replaces; nothing is erased, and a second recover undoes it.\n\n"+
			"A point is a sequence, or a time of capture (RFC 3339, or local as '2026-11-21 08:00' or 08:00),\n"+
			"a duration back from now such as 10m, or `now`.",
		"  replay recover --at '2026-11-17 18:00' --dry-run\n  replay recover --at 120 --session c68c8a51",
		cmdline.Exactly(), func(ctx context.Context, _ []string) error {
			if o.At == "" {
				return problem.Faultf("--at is missing").Advise("for example --at '2026-11-21 08:00', --at 2h or --at 120")
			}
			at, err := a.point(o.At)
			if err != nil {
				return err
			}
			id, err := a.session(ctx, o.Session)
			if err != nil {
				return err
			}
			into, err := a.session(ctx, o.Into)
			if err != nil {
				return err
			}
			request := api.RecoverRequest{At: at, Session: id, Into: into, Cwd: a.Cwd, DryRun: o.DryRun}
			done, err := long(ctx, a, api.Recover, request, "folding")
			if err != nil {
				return err
			}

			return done.show(a, func(r past.Recovered) {
				where := "at sequence " + cmdline.Count(r.Seq)
				if r.Snapshot > 0 {
					where += ", snapshot of " + time.UnixMilli(r.Snapshot).In(a.Zone).Format(time.DateTime)
				}
				if r.Folded {
					where = "at sequence " + cmdline.Count(r.Seq) + ", as it was folded there: the log has no snapshot of it from then"
				}
				a.Printf("from     %s (%s)\n", cmdline.Clean(r.Session), where)
				a.Printf("into     %s\n", cmdline.Clean(r.Target))
				if r.Replaces != "" {
					a.Printf("instead  %s\n", cmdline.Clean(r.Replaces))
				}
				a.Printf("before   %s\nafter    %s\n", coherence(r.Before), coherence(r.After))
				if r.DryRun {
					a.Printf("nothing was changed: this was a dry run\n")
					return
				}
				a.Printf("%s\n", a.Paint.Good("recovered; the next session of the project starts from it"))
				a.Printf("event    %s\n", r.Event)
			})
		}, &o)
}

// coherence returns an identity in four words.
func coherence(c past.Coherence) string {
	if c.Class == "" {
		return "no identity"
	}
	return fmt.Sprintf("IC=%.2f (%s) C=%.2f r=%.2f", c.IC, c.Class, c.C, c.R)
}

package cli

import (
	"cmp"
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"hookline/hookctl/cmdline"
	"hookline/hookctl/daemon"
	"hookline/hookctl/problem"
	"hookline/replay/carry"
)

// restoreOptions are the flags of restore.
type restoreOptions struct {
	Home string `help:"folder to make; default the home of this environment"`
}

func (a *app) restoreCmd() *cobra.Command {
	var o restoreOptions
	return a.verb("restore FILE", "Make a home from a backup",
		"Make a home from a backup. The home must be empty or not there. Every digest in the file is\n"+
			"compared before anything is written; then it is unpacked beside the home, opened and verified,\n"+
			"and moved to its place. A damaged backup is refused whole.",
		"  replay restore hookline-2026-11-21.backup\n  replay restore hookline-2026-11-21.backup --home ~/elsewhere",
		cmdline.Exactly("a backup"), func(ctx context.Context, args []string) error {
			home, err := filepath.Abs(cmp.Or(o.Home, a.Home()))
			if err != nil {
				return err
			}
			if _, err := os.Stat(args[0]); err != nil {
				return problem.Faultf("%v", err).Advise("`replay backup FILE` makes one")
			}
			m := a.Meter("restoring")
			r, err := daemon.Restore(ctx, carry.RestoreOptions{File: args[0], Home: home, Progress: m.At})
			m.End()
			switch {
			case err != nil:
			case a.JSON:
				err = a.PrintJSON(r)
			default:
				a.printRestored(r, o)
			}
			if err == nil && r.Verify.Exit != 0 {
				err = cmdline.Silent(r.Verify.Exit)
			}
			return err
		}, &o)
}

func (a *app) printRestored(r carry.Restored, o restoreOptions) {
	a.Printf("%s\n", a.Paint.Good("restored to "+r.Home))
	a.Printf("backup   of %s, by %s\n", r.Created.In(a.Zone).Format("2006-01-02 15:04:05"), r.Build)
	a.Printf("log      up to sequence %s\n", cmdline.Count(r.Last))
	a.Printf("blobs    %s\n", cmdline.Count(r.Blobs))
	if r.Frames > 0 {
		a.Printf("spool    %s waiting; the daemon takes them\n", cmdline.Plural(r.Frames, "frame"))
	}
	a.Printf("verify   %s\n\n", a.verdict(r.Verify))
	if o.Home != "" {
		a.Printf("next: set HOOKLINE_HOME=%s where it is to be used\n", r.Home)
	}
	a.Printf("next: the next hook starts the recorder on it, or `hookctl start`\n")
	a.Printf("next: on a new machine, `hookctl install` once\n")
}

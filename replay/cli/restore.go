package cli

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"hookline/hookctl/daemon"
)

func (a *app) restoreCmd() *cobra.Command {
	var home string
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Make a home from a backup",
		Long: "Make a home from a backup. The home must be empty or not there. Every digest in the file is\n" +
			"compared before anything is written; then it is unpacked beside the home, opened and verified,\n" +
			"and moved to its place. A damaged backup is refused whole.",
		Example: "  replay restore hookline-2026-11-21.backup\n  replay restore hookline-2026-11-21.backup --home ~/elsewhere",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.restore(cmd.Context(), args[0], home) },
	}
	cmd.Flags().StringVar(&home, "home", "", "folder to make; default the home of this environment")
	_ = cmd.MarkFlagDirname("home") // it fails only for a flag that is not there
	return cmd
}

func (a *app) restore(ctx context.Context, file, home string) error {
	given := home
	if home == "" {
		home = a.home()
	}
	home, err := absolute(home)
	if err != nil {
		return err
	}
	m := a.meter("restoring")
	r, err := daemon.Restore(ctx, daemon.RestoreOptions{File: file, Home: home, Progress: m.at})
	m.end()
	switch {
	case err != nil && ctx.Err() != nil:
		a.say("interrupted; nothing was restored")
		return silent(exitInterrupted)
	case errors.Is(err, os.ErrNotExist):
		return &fault{message: err.Error(), hint: "`replay backup FILE` makes one"}
	case err != nil:
		return err
	}
	if a.json {
		err = a.printJSON(r)
	} else {
		a.printRestored(r, given)
	}
	if err == nil && r.Verify.Exit != 0 {
		err = silent(r.Verify.Exit)
	}
	return err
}

func (a *app) printRestored(r daemon.Restored, given string) {
	a.printf("%s\n", a.paint.good("restored to "+oneLine(r.Home)))
	a.printf("backup   of %s, by %s\n", r.Created.In(a.zone).Format("2006-01-02 15:04:05"), oneLine(r.Build))
	a.printf("log      up to sequence %s\n", count(r.Last))
	a.printf("blobs    %s\n", count(uint64(r.Blobs)))
	if r.Frames > 0 {
		a.printf("spool    %s waiting; the daemon takes them\n", plural(r.Frames, "frame"))
	}
	a.printf("verify   %s\n\n", a.verdict(r.Verify, changes(r.Verify.Diffs, wantGot)))
	if given != "" {
		a.printf("next: set HOOKLINE_HOME=%s where it is to be used\n", oneLine(r.Home))
	}
	a.printf("next: the next hook starts the recorder on it, or `hookctl start`\n")
	a.printf("next: on a new machine, `hookctl install` once\n")
}

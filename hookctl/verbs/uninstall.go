package verbs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"hookline/hookctl/daemon"
	"hookline/hookctl/settings"
)

func (a *app) uninstallCmd() *cobra.Command {
	var where scopeFlags
	var dry, purge, yes bool
	cmd := &cobra.Command{
		Use: "uninstall", Short: "Take exactly those hooks out again; --purge also removes the log",
		Long: "Take the hooks out of the client's settings.json again, and nothing else. The log stays.\n" +
			"--purge removes the log too: it asks, exports it beside the home first, stops the daemon, then removes\n" +
			"what hookline has made there.",
		Example: "  hookctl uninstall\n  hookctl uninstall --project --dry-run",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o := a.settingsOptions()
			o.Scope, o.DryRun = where.scope(), dry
			if purge && dry {
				return &fault{message: "--purge has no dry run", hint: "--dry-run alone shows what happens to settings.json; `hookctl status` shows the home"}
			}
			if purge {
				return a.purge(cmd.Context(), o, yes)
			}
			res, err := settings.Uninstall(o)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(resultJSON(o, res))
			}
			a.sayUninstalled(o, res)
			return nil
		},
	}
	where.add(cmd)
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only show what would change")
	cmd.Flags().BoolVar(&purge, "purge", false, "also remove the log, after an export")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

func (a *app) sayUninstalled(o settings.Options, res settings.Result) {
	switch {
	case !res.Changed:
		a.printf("%s: no hook of ours is in it, nothing changed\n", res.Path)
	case o.DryRun:
		a.printDiff(res.Diff)
		a.printf("%s: would take out %s\n", res.Path, plural(res.Removed, "hook"))
	default:
		a.printf("%s: %s taken out\n", res.Path, plural(res.Removed, "hook"))
	}
	a.sayKept(res)
}

// purge takes hooks and home away. The order is what makes it safe: asked before anything is done;
// the hooks out first, since a hook would start the daemon again; what waits in the spool goes into
// the log; the log is exported and on disk before anything of it is removed.
func (a *app) purge(ctx context.Context, o settings.Options, yes bool) error {
	home := a.home()
	if err := a.confirm(fmt.Sprintf("remove the hooks and the whole log in %s, after an export?", home), yes); err != nil {
		return err
	}
	res, err := settings.Uninstall(o)
	if err != nil {
		return err
	}
	export, count, err := a.lastExport(ctx, home)
	if err != nil {
		return fmt.Errorf("the hooks are out, the log in %s is untouched: %w", home, err)
	}
	left, err := removeHome(home, a.getenv)
	if err != nil {
		return fmt.Errorf("the log is exported to %s: remove the home: %w", export, err)
	}
	if a.json {
		out := resultJSON(o, res)
		out.Purged, out.Export = home, export
		return a.printJSON(out)
	}
	a.sayUninstalled(o, res)
	if export != "" {
		a.printf("%s: %s\n", export, plural(count, "event"))
	}
	a.printf("%s is removed\n", home)
	if len(left) > 0 {
		a.printf("%s\n", a.paint.warn("  not ours, so left there: "+strings.Join(left, ", ")))
	}
	return nil
}

// lastExport drains the spool, stops the daemon and exports the log.
func (a *app) lastExport(ctx context.Context, home string) (path string, count int, err error) {
	spool := daemon.OpenSpool(daemon.PathsOf(home, a.getenv))
	if spool.Count() > 0 {
		if err := a.with(ctx, needStarted, func(h house) error { return h.Post(ctx, "/v1/gone", nil, nil) }); err != nil {
			return "", 0, fmt.Errorf("take what waits in the spool: %w", err)
		}
	}
	if _, err := a.stop(ctx); err != nil && !errors.Is(err, errDown) {
		return "", 0, fmt.Errorf("stop the daemon: %w", err)
	}
	if n := spool.Count(); n > 0 {
		return "", 0, &fault{message: plural(n, "frame") + " could not be taken from the spool", hint: "`hookctl doctor` tells why; end the sessions that still run"}
	}
	path, count, err = a.exportLog(ctx, home)
	if err != nil {
		return "", 0, fmt.Errorf("export the log: %w", err)
	}
	return path, count, nil
}

// removeHome removes what hookline makes in its home, by name, and the folder when nothing else is
// in it: HOOKLINE_HOME may point to a folder that has other uses.
func removeHome(home string, getenv func(string) string) (left []string, err error) {
	p := daemon.PathsOf(home, getenv)
	ours := []string{p.Store, p.Spool, p.Fallback, p.Keys, p.Told, p.Log, p.SpawnState, p.SpawnLock, p.Lock, p.Socket}
	for _, path := range ours {
		if err := os.RemoveAll(path); err != nil {
			return nil, err
		}
	}
	entries, err := os.ReadDir(home)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if rotated(e.Name()) {
			if err := os.Remove(filepath.Join(home, e.Name())); err != nil {
				return nil, err
			}
			continue
		}
		left = append(left, e.Name())
	}
	if err != nil || len(left) > 0 {
		return left, err
	}
	return nil, os.Remove(home)
}

// rotated tells the older log files and the temporary ones that a crash left.
func rotated(name string) bool {
	return strings.HasPrefix(name, "hookd.log.") || strings.HasPrefix(name, "spawn.json.")
}

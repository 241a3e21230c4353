package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/home"
	"hookline/hookctl/problem"
	"hookline/hookctl/settings"
	"hookline/hookctl/spool"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/lifecycle"
	"hookline/replay/carry"
)

// UninstallCommand returns the command that takes them out.
func UninstallCommand(e *env.Env) *cobra.Command {
	c := command.Verb(e, env.Started, command.Text{
		Use:   "uninstall",
		Short: "Remove the hooks that install wrote; --purge also removes the log",
		Long: "Take the hooks out of the client's settings.json again, or remove the plugin of install --plugin, and\n" +
			"nothing else. The log stays.\n" +
			"--purge removes the log too: it asks, exports it beside the home first, stops the daemon, then removes\n" +
			"what hookline has made there.",
		Example: "  hookctl uninstall\n" +
			"  hookctl uninstall --client codex\n" +
			"  hookctl uninstall --project --dry-run",
	}, &uninstallVerb{scopeFlags: scopeFlags{Client: string(settings.Claude)}})
	c.MarkFlagsMutuallyExclusive("user", "project", "local")
	return c
}

// uninstallVerb takes the hooks out.
type uninstallVerb struct {
	scopeFlags
	Dry   bool `flag:"dry-run" help:"only show what would change"`
	Purge bool `help:"also remove the log, after an export"`
	Yes   bool `help:"do not ask"`
}

func (f *uninstallVerb) Run(ctx context.Context, e *env.Env, _ []string) error {
	o, err := f.options(e)
	if err != nil {
		return err
	}
	o.DryRun = f.Dry
	if f.Purge && f.Dry {
		return problem.Faultf("--purge has no dry run").Advise("--dry-run alone shows what happens to settings.json; `hookctl status` shows the home")
	}
	if f.Purge {
		if o.Client != settings.Claude {
			return problem.Faultf("--purge takes the hooks of all clients out").Advise("leave --client away")
		}
		return purge(ctx, e, o, f.Yes)
	}
	removed, res, err := uninstallHooks(ctx, e, o)
	if err != nil {
		return err
	}
	if e.JSON {
		out := resultJSON(o, res)
		out.Plugin = removed
		return e.PrintJSON(out)
	}
	sayUninstalled(e, o, res)
	return nil
}

// uninstallHooks takes the plugin, the status line and the hooks out, in that order: the file is then what it was before
// install. It gives the id of the plugin that was removed.
func uninstallHooks(ctx context.Context, e *env.Env, o settings.Options) (removed string, res settings.Result, err error) {
	removed, err = uninstallPlugin(ctx, e, o)
	var line settings.Result
	if err == nil && o.Client != settings.Codex {
		line, _, err = settings.SetStatusLine(o, false)
	}
	if err != nil {
		return removed, line, err
	}
	res, err = settings.Uninstall(o)
	res.Changed = res.Changed || line.Changed
	res.Diff = line.Diff + res.Diff
	return removed, res, err
}

func sayUninstalled(e *env.Env, o settings.Options, res settings.Result) {
	hooks := cmdline.Plural(res.Removed, "hook")
	sayEdited(e, o, res, "no hook of ours is in it", "would take out "+hooks, hooks+" taken out")
}

// purge takes hooks and home away. The order is what makes it safe: asked before anything is done;
// the hooks out first, since a hook would start the daemon again; what waits in the spool goes into
// the log; the log is exported and on disk before anything of it is removed.
func purge(ctx context.Context, e *env.Env, o settings.Options, yes bool) error {
	home := e.Home()
	if err := e.Confirm(ctx, fmt.Sprintf("remove the hooks and the whole log in %s, after an export?", home), yes); err != nil {
		return err
	}
	removed, res, err := uninstallHooks(ctx, e, o)
	if err != nil {
		return err
	}
	codex, err := scopeFlags{Client: string(settings.Codex)}.options(e)
	if err != nil {
		return err
	}
	if _, err := settings.Uninstall(codex); err != nil {
		return err
	}

	last, err := lastExport(ctx, e)
	if err != nil {
		return keptLog(home, last, err)
	}
	left, err := removeHome(home, e.Getenv)
	if err != nil {
		return fmt.Errorf("the log is exported to %s: remove the home: %w", last.File, err)
	}
	if e.JSON {
		out := resultJSON(o, res)
		out.Purged, out.Export, out.Left, out.Plugin = home, last.File, left, removed
		return e.PrintJSON(out)
	}
	sayUninstalled(e, o, res)
	if last.File != "" {
		e.Printf("%s: %s, %s; `replay import` takes them in again\n", last.File, cmdline.Plural(last.Events, "event"), cmdline.Plural(last.Blobs, "blob"))
	}
	e.Printf("%s is removed\n", home)
	if len(left) > 0 {
		e.Printf("%s\n", e.Paint.Warn("  not ours, so left there: "+strings.Join(left, ", ")))
	}
	return nil
}

// keptLog says how far a purge came that ended before anything of the log was removed.
func keptLog(home string, last carry.Saved, err error) error {
	told := problem.Faultf("the hooks are out, the log in %s is untouched: %s", home, err)
	f := problem.Of(err)
	told.Hint, told.Exit = f.Hint, f.Exit
	if last.File != "" {
		told.Message += "; its export is " + last.File
	}
	return told // without a cause: an interrupt must not pass for the end that was wanted
}

// lastExport drains the spool, stops the daemon and exports the log. A session that still runs may send
// a hook meanwhile, and that starts the daemon again: then nothing may be removed.
func lastExport(ctx context.Context, e *env.Env) (carry.Saved, error) {
	spool := spool.Open(e.Files())
	if spool.Count() > 0 {
		if err := e.With(ctx, env.Started, func() error { return drain(ctx, e) }); err != nil {
			return carry.Saved{}, fmt.Errorf("take what waits in the spool: %w", err)
		}
	}
	if _, err := lifecycle.Stop(ctx, e); err != nil && !env.NotRunning(err) {
		return carry.Saved{}, fmt.Errorf("stop the daemon: %w", err)
	}
	if n := spool.Count(); n > 0 {
		return carry.Saved{}, problem.Faultf("%s could not be taken from the spool", cmdline.Plural(n, "frame")).Advise("`hookctl doctor` tells why; end the sessions that still run")
	}
	last, err := exportLog(ctx, e)
	if err != nil {
		return last, fmt.Errorf("export the log: %w", err)
	}
	if _, err := lifecycle.RunningStatus(ctx, e); err == nil || spool.Count() > 0 {
		return last, problem.Faultf("a hook came during the export").Advise("end the sessions that still run, and try again")
	}
	return last, nil
}

// drain has the daemon take what waits in the spool.
func drain(ctx context.Context, e *env.Env) error {
	_, err := api.Drain.Call(ctx, e, api.None{})
	return err
}

// removeHome removes what hookline makes in its home, by name, and the folder when nothing else is
// in it: HOOKLINE_HOME may point to a folder that has other uses.
func removeHome(dir string, getenv func(string) string) (left []string, err error) {
	p := home.PathsOf(dir, getenv)
	ours := []string{p.Store, p.Spool, p.Keys, p.Told, p.Log, p.SpawnState, p.SpawnLock, p.Lock, filepath.Join(dir, "find"), filepath.Join(dir, "plugin")}
	for _, spool := range p.Fallbacks {
		if of := filepath.Dir(spool); home.Private(filepath.Dir(of)) == nil {
			ours = append(ours, of) // this home's own: beside the frames, which warnings the user has seen
		}
	}
	if err := p.ClearSockets(); err != nil {
		return nil, err
	}
	for _, path := range ours {
		if err := os.RemoveAll(path); err != nil {
			return nil, err
		}
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if older := strings.HasPrefix(e.Name(), "hookd.log.") || strings.HasPrefix(e.Name(), "spawn.json."); older { // logs, and what a crash left
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return nil, err
			}
			continue
		}
		left = append(left, e.Name())
	}
	if err != nil || len(left) > 0 {
		return left, err
	}
	return left, os.Remove(dir)
}

// exportLog writes the whole log as `replay export` does into <home>-export-<time>.ndjson.zst beside the
// home, and reads the file again to its end. It returns when the file is on disk; a home without a store
// has nothing to export, and File is "" then.
func exportLog(ctx context.Context, e *env.Env) (carry.Saved, error) {
	e.Ask(env.Store)
	defer e.Release()
	if _, err := e.Answering(ctx); err != nil {
		if env.IsMissing(err) {
			err = nil
		}
		return carry.Saved{}, err
	}
	file := filepath.Clean(e.Home()) + "-export-" + e.Now().UTC().Format("20060102T150405Z") + ".ndjson.zst"
	saved, err := carry.Save(file, func(line func([]byte) error) error {
		return api.Export.Lines(ctx, e, api.ExportRequest{}, line)
	}, func(uint64, uint64) {})
	if err != nil {
		return carry.Saved{}, err // a file of that name is not overwritten
	}
	st, err := e.Status(ctx)
	if err != nil {
		return carry.Saved{}, err
	}
	return saved, whole(saved, st)
}

// whole reads the file as an import would. One that cannot be read so is no copy, nor is one that lacks what the log itself
// has lost.
func whole(saved carry.Saved, st api.Status) error {
	read, err := carry.ReadBack(saved.File)
	switch {
	case err != nil:
		return err
	case read.Events != saved.Events || read.Blobs != saved.Blobs || read.Header.From.Last != st.Seq:
		return fmt.Errorf("%s has %d events up to sequence %d, %d up to %d were expected", saved.File,
			read.Events, read.Header.From.Last, saved.Events, st.Seq)
	case saved.Missing+len(st.Damage) > 0:
		return problem.Faultf("it lacks %s that events refer to and what was lost with %s of the log", cmdline.Plural(saved.Missing, "large content"), cmdline.Plural(len(st.Damage), "damaged place")).
			Advise("`replay repair` fetches what others still have; else remove that folder by hand")
	}
	return nil
}

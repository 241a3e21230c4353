// Package install has `hookctl install` and `uninstall`: our hooks in the client's settings, and the end of a home.
package install

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookline/hookctl/cmdline"
	"hookline/hookctl/home"
	"hookline/hookctl/problem"
	"hookline/hookctl/settings"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
	"hookline/plugin"
)

// Command returns the command that writes the hooks.
func Command(e *env.Env) *cobra.Command {
	c := command.Verb(e, env.Store, command.Text{
		Use:   "install",
		Short: "Write the hooks into the client's settings, or add them as its plugin",
		Long: "Write the hooks into the client's settings.json: one entry for each of its events. What else is in the file\n" +
			"stays byte for byte; a second run changes nothing; a backup is kept beside the file.\n" +
			"Profile identity is the five commands that carry identity from session to session, and nothing else.\n" +
			"--plugin adds the hooks as a plugin of the client instead, by `claude plugin`, and takes them out of the\n" +
			"user's settings.json. While the plugin is on, install renews it and edits no settings file.\n" +
			"--client codex writes the hooks of the Codex CLI into its hooks.json; Codex asks you once to trust them.",
		Example: "  hookctl install\n" +
			"  hookctl install --project --dry-run\n" +
			"  hookctl install --profile identity\n" +
			"  hookctl install --plugin\n" +
			"  hookctl install --client codex",
	}, &installVerb{scopeFlags: scopeFlags{Client: string(settings.Claude)}, Profile: "full"})
	c.MarkFlagsMutuallyExclusive("user", "project", "local")
	for _, other := range []string{"user", "project", "local", "profile", "dry-run", "statusline"} {
		c.MarkFlagsMutuallyExclusive("plugin", other)
	}
	return c
}

// Outputs has the types of what the verbs of this package print with --json.
var Outputs = cmdline.Outputs{
	"install":   installJSON{},
	"uninstall": installJSON{},
}

// scopeFlags say which of the client's settings files is meant.
type scopeFlags struct {
	User   bool   `help:"the user's settings.json: every session (default)"`
	Shared bool   `flag:"project" help:"this project's .claude/settings.json, committed: hookctl must be on everybody's PATH"`
	Local  bool   `help:"this project's .claude/settings.local.json: only you, only here"`
	Client string `help:"whose hooks: claude-code, or codex with its hooks.json" choices:"claude-code codex"`
}

// options are the settings files of the client that was named.
func (s scopeFlags) options(e *env.Env) (settings.Options, error) {
	o := Settings(e)
	switch {
	case s.Shared:
		o.Scope = settings.Project
	case s.Local:
		o.Scope = settings.Local
	}
	if s.Client == string(settings.Codex) {
		o.Client, o.ConfigDir = settings.Codex, e.Getenv("CODEX_HOME")
	}
	switch {
	case o.Path() == "":
		return o, problem.Faultf("there is no home folder for the user's settings").Advise("set HOME, or name --project or --local")
	case o.Client == settings.Codex && s.Local:
		return o, problem.Faultf("Codex has no settings that are yours alone in one project").Advise("--user is every session of yours, --project is committed")
	}
	if _, err := os.Stat(o.Path()); err != nil && o.Scope == settings.User {
		return o, home.MayMake(o.Path())
	}
	return o, nil
}

// Settings are the client's settings files as seen from here.
func Settings(e *env.Env) settings.Options {
	return settings.Options{Client: settings.Claude, Scope: settings.User, Profile: settings.Full, Home: e.UserHome(), ConfigDir: e.Getenv("CLAUDE_CONFIG_DIR"), ProjectDir: e.ProjectDir(), Binary: Program(e)}
}

// Program is the program that the client will call: the one beside this executable. Where PATH leads
// to the same file, by its name there, which an upgrade keeps while the file that the link leads to changes.
func Program(e *env.Env) string {
	suffix := filepath.Ext(e.Self)
	if suffix != ".exe" {
		suffix = ""
	}
	beside := filepath.Join(filepath.Dir(e.Self), "hookctl"+suffix)
	if _, err := os.Stat(beside); err != nil {
		beside = e.Self
	}
	if found, err := e.Look("hookctl"); err == nil && filepath.IsAbs(found) && SameFile(found, beside) {
		return found
	}
	return beside
}

// SameFile reports whether two paths lead to one file.
func SameFile(x, y string) bool {
	xi, errX := os.Stat(x)
	yi, errY := os.Stat(y)
	return errX == nil && errY == nil && os.SameFile(xi, yi)
}

// installJSON is what install and uninstall print with --json.
type installJSON struct {
	Client string `json:"client" jsonschema_description:"claude-code or codex"`
	settings.Result
	Scope   string   `json:"scope" jsonschema_description:"user, project or local"`
	Profile string   `json:"profile,omitempty" jsonschema_description:"full or identity; only of install"`
	Binary  string   `json:"binary,omitempty" jsonschema_description:"that the client will call; only of install"`
	DryRun  bool     `json:"dry_run" jsonschema_description:"nothing was changed"`
	Line    string   `json:"status_line,omitempty" jsonschema_description:"the client's command for its status line; only with --statusline"`
	Left    []string `json:"left,omitempty" jsonschema_description:"files in that folder that are not ours and stay; only with --purge"`
	Plugin  string   `json:"plugin,omitempty" jsonschema_description:"the client's plugin that runs the hooks instead of the settings file; of uninstall: that was removed"`
	Purged  string   `json:"purged,omitempty" jsonschema_description:"folder that was removed; only with --purge"`
	Export  string   `json:"export,omitempty" jsonschema_description:"file that the log went into before; only with --purge"`
}

// installVerb writes the hooks.
type installVerb struct {
	scopeFlags
	Profile string "help:\"full or identity\" choices:\"full identity\""
	Dry     bool   "flag:\"dry-run\" help:\"only show what would change\""
	Line    bool   "flag:\"statusline\" help:\"also make `hookctl statusline` the client's status line, unless it has another\""
	Plugin  bool   "help:\"as a plugin of the client; needs its command claude on the PATH\""
}

func (f *installVerb) Run(ctx context.Context, e *env.Env, _ []string) error {
	o, err := f.options(e)
	if err != nil {
		return err
	}
	o.DryRun, o.Profile = f.Dry, settings.Profile(f.Profile)
	plain := f.Profile == "full" && !f.Plugin && !f.Line
	if o.Client == settings.Codex && !plain {
		return problem.Faultf("Codex takes neither a profile, a plugin nor a status line of ours").Advise("`hookctl install --client codex` alone writes its hooks")
	}
	active := settings.Inspect(o).Plugin
	renews := active == plugin.ID && !(f.User || f.Shared || f.Local) && f.Profile == "full" && !f.Dry
	if f.Plugin || renews {
		return installPlugin(ctx, e, o, active)
	}
	if active != "" && !f.Dry {
		return problem.Faultf("the plugin %s of the client runs the hooks already: each would run twice", active).Advise("`hookctl install` alone renews the plugin; `hookctl uninstall` removes it")
	}

	res, err := settings.Install(o)
	if err != nil {
		return err
	}
	var line settings.Result
	theirs := ""
	if f.Line {
		if line, theirs, err = settings.SetStatusLine(o, true); err != nil {
			return err
		}
	}
	if e.JSON {
		out := outcomeJSON(o, res)
		if f.Line {
			out.Line = cmp.Or(theirs, o.Command()+" statusline")
			out.Changed, out.Diff, out.Backup = out.Changed || line.Changed, out.Diff+line.Diff, cmp.Or(out.Backup, line.Backup)
		}
		return e.PrintJSON(out)
	}
	sayInstalled(e, o, res)
	switch { // a status line that is not ours is not touched
	case !f.Line:
	case theirs != "":
		e.Say(line.Path + " has another status line, which is kept: " + theirs)
	case line.Diff != "":
		e.Verbatim(line.Diff)
	default:
		e.Printf("  line    hookctl statusline is the client's status line\n")
	}
	return nil
}

func sayInstalled(e *env.Env, o settings.Options, res settings.Result) {
	hooks := cmdline.Plural(res.Added, "hook")
	sayEdited(e, o, res, "the hooks are installed already", fmt.Sprintf("would add %s, replacing %d", hooks, res.Removed),
		fmt.Sprintf("%s added, %d replaced (profile %s)", hooks, res.Removed, o.Profile))
	switch {
	case !res.Changed || o.DryRun:
	case o.Client == settings.Codex:
		e.Printf("Codex runs them once you have trusted them: it asks at its next start, and `/hooks` in it lists them\n")
	default:
		e.Printf("running sessions reload hooks within a second; `hookctl doctor` checks\n")
	}
}

// sayEdited prints what became of a settings file: nothing, what a dry run would do, or what was done.
func sayEdited(e *env.Env, o settings.Options, res settings.Result, already, would, did string) {
	switch {
	case !res.Changed:
		e.Printf("%s: %s, nothing changed\n", res.Path, already)
	case o.DryRun:
		e.Verbatim(res.Diff)
		e.Printf("%s: %s\n", res.Path, would)
	default:
		e.Printf("%s: %s\n", res.Path, did)
	}
	if res.Backup != "" && !o.DryRun {
		e.Printf("  backup  %s\n", res.Backup)
	}
	if len(res.Foreign) > 0 {
		e.Printf("  kept    hooks of others on %s\n", strings.Join(res.Foreign, ", "))
	}
}

// outcomeJSON is what install prints with --json.
func outcomeJSON(o settings.Options, res settings.Result) installJSON {
	out := resultJSON(o, res)
	out.Profile, out.Binary = string(o.Profile), o.Command()
	return out
}

func resultJSON(o settings.Options, res settings.Result) installJSON {
	res.Foreign = append([]string{}, res.Foreign...)
	return installJSON{Client: string(o.Client), Result: res, Scope: string(o.Scope), DryRun: o.DryRun}
}

// The hooks as a plugin of the client, added and removed by the client's own commands.

// clientLimit bounds one command of the client; it starts in a second or two.
const clientLimit = time.Minute

// installPlugin writes the plugin into the home, adds it to the client, and takes our hooks out of the user's settings file last: a
// hook that runs twice meanwhile is recorded once.
func installPlugin(ctx context.Context, e *env.Env, o settings.Options, active string) error {
	if active != "" && active != plugin.ID {
		return problem.Faultf("the plugin %s of the client runs the hooks already", active).Advise("keep it, or remove it in the client by /plugin and try again")
	}
	if _, err := e.Look("claude"); err != nil {
		return problem.FaultBy(err, "the client's command claude is not on the PATH: nothing was changed").Advise("add its folder to PATH, and try again")
	}
	if err := home.Make(e.Home()); err != nil {
		return err
	}
	dir := pluginDir(e)
	if err := plugin.Write(dir, settings.PluginHooks(o.Command()), o.Command()); err != nil {
		return err
	}

	if active == "" {
		if err := runClient(ctx, e, "marketplace", "add", dir); err != nil {
			return err
		}
		if err := runClient(ctx, e, "install", plugin.ID); err != nil {
			return err
		}
	}
	res, err := settings.Uninstall(o)
	if err != nil {
		return err
	}

	if e.JSON {
		out := outcomeJSON(o, res)
		out.Plugin = plugin.ID
		return e.PrintJSON(out)
	}
	e.Printf("the plugin %s runs the hooks now; it lies in %s\n", plugin.ID, dir)
	if res.Changed {
		e.Printf("%s: %s taken out\n", res.Path, cmdline.Plural(res.Removed, "hook"))
	}
	e.Printf("sessions that run take it over with /reload-plugins; `hookctl doctor` checks\n")
	return nil
}

// uninstallPlugin removes the plugin that installPlugin added, and returns its id; "" where it is not on or other hooks are meant.
func uninstallPlugin(ctx context.Context, e *env.Env, o settings.Options) (string, error) {
	if o.Scope != settings.User {
		return "", nil
	}
	active := settings.Inspect(o).Plugin
	if active == "" {
		return "", nil
	}
	if active != plugin.ID {
		e.Say("the plugin " + active + " still runs the hooks: remove it in the client by /plugin")
		return "", nil
	}
	if o.DryRun {
		e.Printf("would remove the plugin %s from the client\n", active)
		return "", nil
	}

	if err := runClient(ctx, e, "uninstall", active); err != nil {
		return "", err
	}
	if err := runClient(ctx, e, "marketplace", "remove", plugin.Name); err != nil {
		return "", err
	}
	if err := os.RemoveAll(pluginDir(e)); err != nil {
		return "", err
	}
	if !e.JSON {
		e.Printf("the plugin %s is removed from the client\n", active)
	}
	return active, nil
}

// pluginDir is where the plugin of this home lies.
func pluginDir(e *env.Env) string { return filepath.Join(e.Home(), "plugin") }

// runClient runs `claude plugin` with arguments.
func runClient(ctx context.Context, e *env.Env, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, clientLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "claude", append([]string{"plugin"}, args...)...)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		return problem.FaultBy(err, "`claude plugin %s` failed: %v: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out))).Advise("run it by hand to see more")
	}
	return nil
}

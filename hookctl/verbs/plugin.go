package verbs

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"hookline/hookctl/cmdline"
	"hookline/hookctl/home"
	"hookline/hookctl/problem"
	"hookline/hookctl/settings"
	"hookline/plugin"
)

// The hooks as a plugin of the client, added and removed by the client's own commands.

// clientLimit bounds one command of the client; it starts in a second or two.
const clientLimit = time.Minute

// activePlugin is the id of our plugin where one of the client's settings files switches it on. A file that cannot be read is
// told by whoever edits it.
func (a *app) activePlugin(o settings.Options) (string, error) {
	st, err := settings.Inspect(o)
	if err != nil {
		return "", err
	}
	return st.Plugin, nil
}

// installPlugin writes the plugin into the home, adds it to the client, and takes our hooks out of the user's settings file last: a
// hook that runs twice meanwhile is recorded once.
func (a *app) installPlugin(o settings.Options, active string) error {
	if active != "" && active != plugin.ID {
		return problem.Faultf("the plugin %s of the client runs the hooks already", active).Advise("keep it, or remove it in the client by /plugin and try again")
	}
	if _, err := a.look("claude"); err != nil {
		return noClient(err)
	}
	if err := home.Make(a.Home()); err != nil {
		return err
	}
	dir := a.pluginDir()
	if err := plugin.Write(dir, settings.PluginHooks(o.Command()), o.Command()); err != nil {
		return err
	}

	if active == "" {
		if err := a.client("marketplace", "add", dir); err != nil {
			return err
		}
		if err := a.client("install", plugin.ID); err != nil {
			return err
		}
	}
	res, err := settings.Uninstall(o)
	if err != nil {
		return err
	}

	if a.JSON {
		out := resultJSON(o, res)
		out.Plugin, out.Profile, out.Binary = plugin.ID, string(settings.Full), o.Command()
		return a.PrintJSON(out)
	}
	if active == "" {
		a.Printf("the plugin %s runs the hooks now; it lies in %s\n", plugin.ID, dir)
	} else {
		a.Printf("the plugin %s runs the hooks; %s is renewed\n", plugin.ID, dir)
	}
	if res.Changed {
		a.Printf("%s: %s taken out\n", res.Path, cmdline.Plural(res.Removed, "hook"))
	}
	a.sayTwice(o)
	a.Printf("sessions that run take it over with /reload-plugins; `hookctl doctor` checks\n")
	return nil
}

// uninstallPlugin removes the plugin that installPlugin added, and returns its id; "" where it is not on or other hooks are meant.
func (a *app) uninstallPlugin(o settings.Options) (string, error) {
	if o.Scope != settings.User {
		return "", nil
	}
	active, err := a.activePlugin(o)
	if err != nil || active == "" {
		return "", err
	}
	if active != plugin.ID {
		a.Say("the plugin " + active + " still runs the hooks: remove it in the client by /plugin")
		return "", nil
	}
	if o.DryRun {
		a.Printf("would remove the plugin %s from the client\n", active)
		return "", nil
	}

	if err := a.client("uninstall", active); err != nil {
		return "", err
	}
	if err := a.client("marketplace", "remove", plugin.Name); err != nil {
		return "", err
	}
	if err := os.RemoveAll(a.pluginDir()); err != nil {
		return "", err
	}
	if !a.JSON {
		a.Printf("the plugin %s is removed from the client\n", active)
	}
	return active, nil
}

// pluginDir is where the plugin of this home lies.
func (a *app) pluginDir() string { return filepath.Join(a.Home(), "plugin") }

// client runs `claude plugin` with arguments.
func (a *app) client(args ...string) error {
	claude, err := a.look("claude")
	if err != nil {
		return noClient(err)
	}
	ctx, cancel := context.WithTimeout(a.ctx, clientLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, claude, append([]string{"plugin"}, args...)...)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		why := strings.TrimSpace(string(out))
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			why = "no answer within a minute"
		}
		return problem.FaultBy(err, "`claude plugin %s` failed: %s", strings.Join(args, " "), why).Advise("run it by hand to see more")
	}
	return nil
}

func noClient(cause error) error {
	return problem.FaultBy(cause, "the client's command claude is not on the PATH: nothing was changed").Advise("add its folder to PATH, and try again")
}

// Package lifecycle has the verbs of the daemon's life: `hookctl start`, `stop`, `restart` and `status`.
package lifecycle

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"hookline/hookctl/api"
	"hookline/hookctl/client"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
)

// StartCommand returns the command that starts the daemon.
func StartCommand(e *env.Env) *cobra.Command {
	return command.Plain(e, env.Store, command.Text{
		Use:   "start",
		Short: "Start the daemon, and wait until it answers",
		Long: "Start the daemon, and wait until it answers. Seldom needed: a hook starts it too. A daemon that runs\n" +
			"already is left alone.",
		Example: "  hookctl start",
	}, startVerb)
}

// StopCommand returns the command that stops it.
func StopCommand(e *env.Env) *cobra.Command {
	return command.Plain(e, env.Store, command.Text{
		Use:   "stop",
		Short: "Stop the daemon, and wait until it is gone",
		Long: "Stop the daemon, and wait until it is gone. It finishes what it does, writes everything and closes the\n" +
			"store. The next hook starts it again; `hookctl uninstall` ends the hooks.",
		Example: "  hookctl stop",
	}, stopVerb)
}

// RestartCommand returns the command that stops and starts it.
func RestartCommand(e *env.Env) *cobra.Command {
	return command.Plain(e, env.Store, command.Text{
		Use:     "restart",
		Short:   "Stop the daemon and start it again; hooks meanwhile are spooled",
		Example: "  hookctl restart",
	}, restartVerb)
}

// Outputs has the types of what the verbs of this package print with --json.
var Outputs = cmdline.Outputs{
	"start":   outcomeJSON{},
	"stop":    outcomeJSON{},
	"restart": outcomeJSON{},
	"status":  api.Status{},
}

// patience is how long start and stop wait. A start folds the tail of the log (100,000 events in half a second); a stop lets
// requests end, writes the cells and closes the store, and may compact a long log.
const patience = time.Minute

// outcomeJSON is what start, stop and restart print with --json.
type outcomeJSON struct {
	PID    int    `json:"pid" jsonschema_description:"of the daemon that runs now, or ran; 0 when stop found none"`
	Did    string `json:"did" jsonschema_description:"started, stopped, restarted or nothing"`
	Before int    `json:"before,omitempty" jsonschema_description:"process id of the daemon before; only of restart"`
}

func startVerb(ctx context.Context, e *env.Env, _ []string) error {
	did, pid, err := start(ctx, e)
	if err != nil {
		return err
	}
	return say(e, outcomeJSON{PID: pid, Did: did}, map[string]string{
		"started": "hookd started, pid %d\n", "nothing": "hookd runs already, pid %d\n"}[did])
}

// start gives what it did, "started" or "nothing", and the daemon's pid.
func start(ctx context.Context, e *env.Env) (did string, pid int, err error) {
	if st, err := RunningStatus(ctx, e); err == nil {
		return "nothing", PID(st), nil
	} else if !env.NotRunning(err) {
		return "", 0, err
	}
	err = e.With(ctx, env.Started, func() error {
		st, err := e.Status(ctx)
		pid = PID(st)
		return err
	})
	return "started", pid, err
}

// RunningStatus is the status of a running daemon, client.ErrNotRunning when there is none.
func RunningStatus(ctx context.Context, e *env.Env) (st api.Status, err error) {
	err = e.With(ctx, env.Running, func() error {
		st, err = e.Status(ctx)
		return err
	})
	return st, err
}

// PID returns the process id of the daemon; 0 when none runs.
func PID(st api.Status) int {
	if st.PID == nil {
		return 0
	}
	return *st.PID
}

// say prints what was done, and what of the configuration the daemon does without.
func say(e *env.Env, l outcomeJSON, words string) error {
	if l.Did != "stopped" {
		for _, p := range e.Conf.Problems {
			e.Say("warning: " + p.Error())
			if p.Hint != "" {
				e.Say("hint: " + p.Hint)
			}
		}
	}
	return e.Result(l, words, l.PID)
}

func stopVerb(ctx context.Context, e *env.Env, _ []string) error {
	pid, err := Stop(ctx, e)
	if env.NotRunning(err) {
		return e.Result(outcomeJSON{Did: "nothing"}, "hookd does not run\n")
	}
	if err != nil {
		return err
	}
	return say(e, outcomeJSON{PID: pid, Did: "stopped"}, "hookd stopped, pid %d is gone\n")
}

// Stop ends the daemon and gives its pid, client.ErrNotRunning when there was none. One that is just starting is waited for;
// a long log is read for minutes after an upgrade.
func Stop(ctx context.Context, e *env.Env) (int, error) {
	var st api.Status
	end := func() (err error) {
		if st, err = e.Status(ctx); err != nil {
			return err
		}
		_, err = api.Stop.Call(ctx, e, api.StopRequest{})
		if env.NotRunning(err) { // another command was faster
			return nil
		}
		return err
	}
	err := e.With(ctx, env.Running, end)
	for waited := time.Duration(0); env.NotRunning(err); waited += env.Glance {
		busy := client.Busy(e.Files())
		if busy == nil {
			break
		}
		if waited >= patience {
			return 0, busy
		}
		if err := e.Pause(ctx, env.Glance); err != nil {
			return 0, err
		}
		err = e.With(ctx, env.Running, end)
	}
	if err != nil {
		return 0, err
	}
	return PID(st), gone(ctx, e, PID(st))
}

// gone waits for the end of a process.
func gone(ctx context.Context, e *env.Env, pid int) error {
	for waited := time.Duration(0); e.Alive(pid); waited += env.Glance {
		if waited >= patience {
			return problem.Faultf("hookd (pid %d) has not ended within %s", pid, patience).Advise("its log, hookd.log in " + e.Home() + ", tells what it does")
		}
		if err := e.Pause(ctx, env.Glance); err != nil {
			return err
		}
	}
	return nil
}

func restartVerb(ctx context.Context, e *env.Env, _ []string) error {
	before, err := Stop(ctx, e)
	if err != nil && !env.NotRunning(err) {
		return err
	}
	_, pid, err := start(ctx, e)
	if err != nil {
		return err
	}
	if before == 0 {
		return say(e, outcomeJSON{PID: pid, Did: "started"}, "hookd was not running; started, pid %d\n")
	}
	return say(e, outcomeJSON{PID: pid, Did: "restarted", Before: before}, fmt.Sprintf("hookd restarted, pid %d → %%d\n", before))
}

// Package verbs is what people type: one file per noun, every verb a small function over the
// daemon's surface. Whatever a verb touches of the world (output, environment, clock, connection) is
// a field of its app, so that a test runs it in process with a buffer.
//
// # Rules
//
//   - Results go to stdout, words about trouble to stderr: `hookctl: error: …` and, on a line of its
//     own, `hookctl: hint: …`. Exit codes: 0 done, 1 trouble or a usage error, 2 only for a corrupt
//     log. No hint holds a complete destructive command.
//   - Every verb takes --json: one object, or one object a line, with field names that never change.
//   - Reading works while the daemon is down: the store is then opened in this process for the time
//     of the command. Writing starts the daemon.
//   - What comes from the log was written by others: it is cleaned of control characters before it
//     goes to a terminal.
//   - Colour and progress are for terminals only; NO_COLOR, CI and pipes have neither.
package verbs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// Main runs one command line, without the program's name, and gives its exit code.
func Main(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return newApp().main(ctx, args)
}

func (a *app) main(ctx context.Context, args []string) int {
	root := a.root()
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	return a.report(cmd, err)
}

// Groups of `hookctl help`.
const (
	groupRecorder = "recorder"
	groupLog      = "log"
	groupState    = "state"
	groupTool     = "tool"
	groupClient   = "client"
)

// root is the whole tree of commands.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "hookctl",
		Short: "hookctl is the front door of hookline, a flight recorder for Claude Code",
		Long: "hookctl is the front door of hookline, a flight recorder for Claude Code.\n" +
			"Every hook of the client becomes an event in a log; everything else is folded from it.\n\n" +
			"`hookctl install` has the client call it; `hookctl tail -f` shows what comes.",
		Example:           "  hookctl install && hookctl start\n  hookctl tail -f",
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		PersistentPreRunE: func(*cobra.Command, []string) error { return a.settle() },
		Args:              noSuchVerb,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print JSON: one object, or one object a line")
	root.PersistentFlags().StringVar(&a.colorFlag, "color", "", "auto, always or never")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &fault{message: err.Error(), hint: "`" + cmd.CommandPath() + " --help` shows the flags"}
	})
	root.AddGroup(
		&cobra.Group{ID: groupRecorder, Title: "The recorder:"},
		&cobra.Group{ID: groupLog, Title: "The log:"},
		&cobra.Group{ID: groupState, Title: "What is folded from it:"},
		&cobra.Group{ID: groupTool, Title: "This tool:"},
		&cobra.Group{ID: groupClient, Title: "Called by the client:"},
	)
	a.add(root, groupRecorder, a.installCmd(), a.uninstallCmd(), a.startCmd(), a.stopCmd(), a.restartCmd(), a.statusCmd(), a.doctorCmd())
	a.add(root, groupLog, a.tailCmd(), a.eventsCmd(), a.repairCmd())
	a.add(root, groupState, a.sessionCmd(), a.projectCmd(), a.identityCmd(), a.dreamCmd(), a.reqCmd(), a.statuslineCmd())
	a.add(root, groupClient, a.hookCmd(), a.consciousnessCmd())
	a.add(root, groupTool, a.configCmd(), a.completionCmd(root), a.versionCmd(), a.manCmd(root))
	root.SetHelpCommandGroupID(groupTool)
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Example = "  hookctl help tail"
		}
	}
	a.markRuns(root)
	return root
}

// markRuns notes for every command that it got as far as running: an error before that is one of usage.
func (a *app) markRuns(c *cobra.Command) {
	if run := c.RunE; run != nil {
		c.RunE = func(cmd *cobra.Command, args []string) error {
			a.ran = true
			return run(cmd, args)
		}
	}
	for _, sub := range c.Commands() {
		a.markRuns(sub)
	}
}

func (a *app) add(root *cobra.Command, group string, cmds ...*cobra.Command) {
	for _, c := range cmds {
		c.GroupID = group
		root.AddCommand(c)
	}
}

// noun is a command that only holds verbs: alone it prints its help.
func noun(use, short, example string, verbs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Example: example, Args: noSuchVerb,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	c.AddCommand(verbs...)
	return c
}

// noSuchVerb refuses a word that is no verb of cmd, with the nearest one.
func noSuchVerb(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	f := &fault{message: fmt.Sprintf("`%s` has no verb %q", cmd.CommandPath(), args[0]), hint: "`" + cmd.CommandPath() + " --help` lists them"}
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		f.hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return f
}

// fault is an error with advice and an exit code.
type fault struct {
	message string
	hint    string
	exit    int // 0 stands for 1
	cause   error
}

func (f *fault) Error() string { return f.message }

// Unwrap gives the cause.
func (f *fault) Unwrap() error { return f.cause }

// silent ends a command with an exit code when everything has been said.
type silent int

func (s silent) Error() string { return fmt.Sprintf("exit %d", int(s)) }

// report prints an error and gives the exit code for it.
func (a *app) report(cmd *cobra.Command, err error) int {
	var quiet silent
	var f *fault
	var hinted interface{ Hint() string }
	switch {
	case err == nil || errors.Is(err, context.Canceled):
		return 0
	case errors.As(err, &quiet):
		return int(quiet)
	}
	message, hint, exit := err.Error(), "", 1
	switch {
	case errors.As(err, &f):
		message, hint, exit = f.message, f.hint, max(1, f.exit)
	case errors.As(err, &hinted):
		hint = hinted.Hint()
	case cmd != nil && !a.ran:
		hint = "`" + cmd.CommandPath() + " --help` shows how it is called"
	}
	a.sayError(message, hint)
	return exit
}

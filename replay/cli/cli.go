// Package cli is what people type after `replay`: one file per verb. A verb asks the running daemon
// over its socket; when none runs, the store is opened in this process and asked by the same requests,
// so that both ways of working are one code path.
//
//	replay verify     folds the whole log again and compares it with every cell
//	replay rebuild    puts the cells that the log gives in the place of those that are there
//	replay at         any state at any past point
//	replay diff       what changed between two points
//	replay recover    makes an identity of the past the current one
//	replay repair     finds what is damaged or missing, and fetches what others still have
//	replay export     writes the events into a file; import takes such a file in
//	replay backup     writes the store into one file; restore makes a home of it
//
// # Rules
//
//   - Results go to stdout. Trouble goes to stderr as `replay: error: …` and, on a line of its own,
//     `replay: hint: …`; no hint holds a command that destroys something.
//   - Exit codes: 0 done, 1 trouble, a usage error or (verify) projections that differ, 2 a damaged
//     log, 130 interrupted.
//   - --json prints one object on one line, with names that never change.
//   - What comes from the log was written by others: control characters are taken out before it goes
//     to a terminal.
//   - Colour and progress are for terminals only; NO_COLOR, CI and pipes have neither.
package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"hookline/embedded"
	"hookline/hookctl/daemon"
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
	return a.report(ctx, cmd, err)
}

// root is the tree of commands.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "replay",
		Short: "replay is the recovery tool of hookline, a flight recorder for Claude Code",
		Long: "replay is the recovery tool of hookline, a flight recorder for Claude Code.\n" +
			"Every state is folded from the log: replay checks it, folds it again, and shows it as it was.\n" +
			"It asks the running daemon, or opens the store itself when none runs.",
		Example:           "  replay verify\n  replay diff 10m now",
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
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print one JSON object")
	root.PersistentFlags().StringVar(&a.colorFlag, "color", "", "auto, always or never")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &fault{message: err.Error(), hint: "`" + cmd.CommandPath() + " --help` shows the flags"}
	})
	root.AddCommand(a.verifyCmd(), a.rebuildCmd(), a.atCmd(), a.diffCmd(), a.recoverCmd(), a.repairCmd(), a.exportCmd(), a.importCmd(),
		a.backupCmd(), a.restoreCmd(), a.completionCmd(root), a.versionCmd())
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Example = "  replay help at"
		}
	}
	return root
}

// noSuchVerb refuses a word that is no verb, with the nearest one.
func noSuchVerb(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	f := &fault{message: fmt.Sprintf("there is no verb %q", args[0]), hint: "`replay --help` lists them"}
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		f.hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return f
}

// Exit codes beside 0 and 1.
const (
	exitDamaged     = 2
	exitInterrupted = 130 // 128 + SIGINT, as shells count
)

// fault is an error with advice and an exit code.
type fault struct {
	message string
	hint    string
	exit    int // 0 stands for 1
}

func (f *fault) Error() string { return f.message }

// silent ends a command with an exit code when everything has been said.
type silent int

func (s silent) Error() string { return fmt.Sprintf("exit %d", int(s)) }

// report prints an error and gives the exit code for it.
func (a *app) report(ctx context.Context, cmd *cobra.Command, err error) int {
	var quiet silent
	switch {
	case err == nil:
		return 0
	case errors.As(err, &quiet):
		return int(quiet)
	case ctx.Err() != nil:
		a.say("interrupted")
		return exitInterrupted
	}
	f := explained(cmd, err)
	a.say("error: " + f.message)
	if f.hint != "" {
		a.say("hint: " + f.hint)
	}
	return max(1, f.exit)
}

// say writes one line to stderr.
func (a *app) say(line string) { fmt.Fprintln(a.err, "replay: "+oneLine(line)) }

// explained finds the advice and the exit code for an error. A damaged log is told by its words too:
// over the socket there are no error values.
func explained(cmd *cobra.Command, err error) *fault {
	var f *fault
	var p *daemon.Problem
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, embedded.ErrLogDamaged) || strings.Contains(err.Error(), embedded.ErrLogDamaged.Error()):
		return &fault{message: err.Error(), exit: exitDamaged,
			hint: "keep a copy of the store's folder before anything else is tried; `hookctl doctor` tells what can still be read"}
	case errors.As(err, &p):
		return &fault{message: p.Message, hint: p.Hint, exit: p.Exit}
	case errors.Is(err, embedded.ErrLocked):
		return &fault{message: err.Error(), hint: "that process does not answer; `hookctl status` tells whether it is the daemon"}
	case errors.Is(err, embedded.ErrReadOnly):
		return &fault{message: err.Error(), hint: "opening a store writes to it; run replay as its owner, or on a copy that HOOKLINE_HOME names"}
	}
	return &fault{message: err.Error(), hint: "`" + cmd.CommandPath() + " --help` shows how it is called"}
}

// Package cli is what people type after `replay`: one file per verb. A verb asks the running daemon
// over its socket; when none runs, the store is opened in this process and asked by the same requests,
// so that both ways of working are one code path.
//
//	replay verify     folds the whole log again and compares it with every cell
//	replay rebuild    puts the cells that are folded from the log in the place of those that are there
//	replay at         any state at any past point
//	replay diff       what changed between two points
//	replay bucket     what the buckets hold: keys, values, and what changes
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
//   - --json prints one object on one line, with names that never change; the table outputs names the
//     types, of which `replay schema` prints the JSON Schema.
//   - What comes from the log was written by others: control characters are taken out before it goes
//     to a terminal.
//   - Colour and progress are for terminals only; NO_COLOR, CI and pipes have neither.
package cli

import (
	"context"

	"github.com/spf13/cobra"

	"hookline/hookctl/api"
	"hookline/hookctl/client"
	"hookline/hookctl/cmdline"
	"hookline/projector/gate"
	"hookline/projector/identity"
	"hookline/projector/project"
	"hookline/projector/session"
	"hookline/projector/tables"
	"hookline/replay/carry"
	"hookline/replay/past"
)

// Main runs one command line, without the program's name, and returns its exit code.
func Main(args []string) int {
	return cmdline.Main(func(ctx context.Context) int { return newApp().main(ctx, args) })
}

func (a *app) main(ctx context.Context, args []string) int {
	err := a.Execute(ctx, a.root(), args)
	if err != nil && ctx.Err() != nil {
		err = ctx.Err() // whatever else went wrong because of it
	}
	return a.Report(ctx, client.Advised(err))
}

// root is the tree of commands.
func (a *app) root() *cobra.Command {
	root := a.Root(&cobra.Command{
		Use:   "replay",
		Short: "replay is the recovery tool of hookline, a flight recorder for Claude Code",
		Long: "replay is the recovery tool of hookline, a flight recorder for Claude Code.\n" +
			"Every state is folded from the log: replay checks it, folds it again, and shows it as it was.\n" +
			"It asks the running daemon, or opens the store itself when none runs.",
		Example: "  replay verify\n  replay diff 10m now",
	}, func() { a.Settle() }) // trouble in the configuration is no concern of recovery
	root.AddCommand(a.verifyCmd(), a.rebuildCmd(), a.atCmd(), a.diffCmd(), a.bucketCmd(), a.recoverCmd(), a.repairCmd(), a.exportCmd(), a.importCmd(),
		a.backupCmd(), a.restoreCmd(), a.CompletionCmd(root), a.VersionCmd(), a.SchemaCmd(outputs), a.ManCmd(root))
	cmdline.AddHelp(root, "at")
	return root
}

// outputs is what the verbs print with --json; "at session" and its like are the states that at shows.
var outputs = cmdline.Outputs{
	"verify":  api.Verdict{},
	"rebuild": api.Rebuilt{},
	"at":      past.State{},
	"diff":    differenceJSON{},
	"bucket":  cmdline.Either{api.Buckets{}, bucketJSON{}, api.BucketCell{}},
	"recover": past.Recovered{},
	"repair":  api.Repaired{},
	"export":  cmdline.Either{carry.Saved{}, pageJSON{}},
	"import":  importedJSON{},
	"backup":  api.BackedUp{},
	"restore": carry.Restored{},
	"version": cmdline.VersionJSON{},

	"at session":  session.State{},
	"at identity": identity.State{},
	"at latest":   identity.Pointer{},
	"at project":  project.State{},
	"at gate":     gate.State{},
}

// verb is a command of replay; see [cmdline.Verb].
func (a *app) verb(use, short, long, example string, args cobra.PositionalArgs, run func(ctx context.Context, args []string) error, flags ...any) *cobra.Command {
	return cmdline.Verb(&cobra.Command{Use: use, Short: short, Long: long, Example: example, Args: args}, map[string]cobra.CompletionFunc{
		"Projection": cobra.FixedCompletions(tables.Names(), cobra.ShellCompDirectiveNoFileComp),
		"Home":       cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs),
	}, run, flags...)
}

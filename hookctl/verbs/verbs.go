// Package verbs is what people type: one file per noun, every verb a small function over the
// daemon's surface. Whatever a verb touches of the world (output, environment, clock, connection) is
// a field of its app, so that a test runs it in process with a buffer.
//
// # Rules
//
//   - Results go to stdout, words about trouble to stderr: `hookctl: error: …` and, on a line of its
//     own, `hookctl: hint: …`. Exit codes: 0 done, 1 trouble or a usage error, 2 only for a corrupt
//     log, 130 interrupted. No hint holds a complete destructive command.
//   - Every verb takes --json: one object, or one object a line, with field names that never change;
//     the table outputs names the types, of which `hookctl schema` prints the JSON Schema.
//   - Reading works while the daemon is down: the store is then opened in this process for the time
//     of the command. Writing starts the daemon.
//   - What comes from the log was written by others: it is cleaned of control characters before it
//     goes to a terminal.
//   - Colour and progress are for terminals only; NO_COLOR, CI and pipes have neither.
package verbs

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/client"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/hook"
	"hookline/hookctl/notes"
	"hookline/hookctl/problem"
	"hookline/hookctl/transcript"
	"hookline/projector/ledger"
	"hookline/projector/working"
)

// Main runs one command line, without the program's name, and gives its exit code.
func Main(args []string, here Here) int {
	return cmdline.Main(func(ctx context.Context) int { return newApp(here).main(ctx, args) })
}

func (a *app) main(ctx context.Context, args []string) int {
	a.ctx = ctx
	a.args = args
	_, err := a.Execute(ctx, a.root(), args)
	return a.report(ctx, err)
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
	root := a.Root(&cobra.Command{
		Use:   "hookctl",
		Short: "hookctl controls hookline, a flight recorder for Claude Code",
		Long: "hookctl controls hookline, a flight recorder for Claude Code.\n" +
			"Every hook of the client becomes an event in a log; everything else is derived from it.\n\n" +
			"`hookctl install` has the client call it; `hookctl tail -f` shows what comes.",
		Example: "  hookctl install && hookctl start\n  hookctl tail -f",
	}, a.settle)
	root.AddGroup(
		&cobra.Group{ID: groupRecorder, Title: "The recorder:"},
		&cobra.Group{ID: groupLog, Title: "The log:"},
		&cobra.Group{ID: groupState, Title: "Derived from the log:"},
		&cobra.Group{ID: groupTool, Title: "This tool:"},
		&cobra.Group{ID: groupClient, Title: "Called by the client:"},
	)
	a.add(root, groupRecorder, a.installCmd(), a.uninstallCmd(), a.startCmd(), a.stopCmd(), a.restartCmd(), a.statusCmd(), a.doctorCmd(), a.logCmd())
	a.add(root, groupLog, a.tailCmd(), a.findCmd(), a.blameCmd(), a.mcpCmd(), a.eventsCmd(), a.whyCmd(), a.otelCmd(), a.retractCmd(), a.importCmd(), a.repairCmd())
	a.add(root, groupState, a.sessionCmd(), a.projectCmd(), a.identityCmd(), a.dreamCmd(), a.reqCmd(),
		a.topCmd(), a.costCmd(), a.goalCmd(), a.handoffCmd(), a.checkpointCmd(), a.ledgerCmd(), a.codesCmd(), a.contextCmd(), a.statuslineCmd())
	a.add(root, groupState, a.pageCmd())
	a.add(root, groupClient, a.hookCmd(), a.consciousnessCmd())
	version := a.VersionCmd()
	a.add(root, groupTool, a.configCmd(), a.CompletionCmd(root), version, a.SchemaCmd(outputs), a.ManCmd(root))
	root.SetHelpCommandGroupID(groupTool)
	cmdline.AddVersion(root, version)
	cmdline.AddHelp(root, "tail")
	return root
}

// outputs is what the verbs print with --json. Verbs without a line print no JSON of ours.
var outputs = cmdline.Outputs{
	"install": cmdline.Object(installJSON{}), "uninstall": cmdline.Object(installJSON{}),
	"start": cmdline.Object(lifecycleJSON{}), "stop": cmdline.Object(lifecycleJSON{}), "restart": cmdline.Object(lifecycleJSON{}),
	"status":                  cmdline.Object(client.Status{}),
	"doctor":                  cmdline.Object(doctorJSON{}, findingJSON{}, gapsJSON{}),
	"tail":                    cmdline.Lines(events.Record{}, cloudEventJSON{}),
	"events list":             cmdline.Lines(events.Record{}, cloudEventJSON{}),
	"events show":             cmdline.Object(events.Record{}),
	"events types":            cmdline.Lines(typeJSON{}),
	"events emit":             cmdline.Object(events.Record{}),
	"blame":                   cmdline.Lines(blameJSON{}),
	"find":                    cmdline.Lines(hitJSON{}),
	"import transcripts":      cmdline.Object(transcript.Imported{}),
	"repair":                  cmdline.Object(client.Rebuilt{}),
	"config set":              cmdline.Object(configSetJSON{}),
	"config show":             cmdline.Object(configJSON{}),
	"config validate":         cmdline.Object(configValidJSON{}),
	"version":                 cmdline.Object(cmdline.VersionJSON{}),
	"man":                     cmdline.Object(cmdline.ManJSON{}),
	"session list":            cmdline.Lines(sessionLine{}),
	"session show":            cmdline.Object(sessionJSON{}),
	"session diff":            cmdline.Object(sessionDiffJSON{}),
	"session delete":          cmdline.Object(events.Record{}),
	"cost":                    cmdline.Object(costJSON{}),
	"project list":            cmdline.Lines(projectLine{}),
	"project show":            cmdline.Object(projectLine{}),
	"project rehome":          cmdline.Object(events.Record{}),
	"identity show":           cmdline.Object(identityJSON{}),
	"identity history":        cmdline.Lines(snapshotJSON{}),
	"identity reset-kuramoto": cmdline.Object(events.Record{}),
	"identity observe":        cmdline.Object(events.Record{}),
	"dream trigger":           cmdline.Object(events.Record{}),
	"goal show":               cmdline.Object(goalJSON{}),
	"goal set":                cmdline.Object(events.Record{}),
	"handoff show":            cmdline.Object(handoffJSON{}),
	"handoff write":           cmdline.Object(events.Record{}),
	"checkpoint list":         cmdline.Lines(working.Checkpoint{}),
	"checkpoint create":       cmdline.Object(events.Record{}),
	"checkpoint show":         cmdline.Object(client.Restored{}),
	"checkpoint restore":      cmdline.Object(client.Restored{}),
	"context show":            cmdline.Object(hook.Recovery{}),
	"retract":                 cmdline.Object(client.Retracted{}),
	"context status":          cmdline.Object(contextStatusJSON{}),
	"context rules":           cmdline.Object(rulesJSON{}),
	"context preserve":        cmdline.Object(preserveJSON{}),
	"context compact":         cmdline.Object(compactJSON{}),
	"context probe":           cmdline.Lines(probeJSON{}),
	"why":                     cmdline.Object(client.Why{}),
	"codes show":              cmdline.Object(codesJSON{}),
	"codes add":               cmdline.Object(events.Record{}),
	"codes complete":          cmdline.Object(codesEndedJSON{}),
	"codes archive":           cmdline.Object(codesEndedJSON{}),
	"codes cleanup":           cmdline.Object(codesEndedJSON{}),
	"ledger show":             cmdline.Object(ledger.State{}),
	"ledger add":              cmdline.Object(hook.Ordered{}),
	"ledger close":            cmdline.Object(hook.Ordered{}),
	"page":                    cmdline.Object(pageJSON{}),
	"ledger render":           cmdline.Object(renderedJSON{}),
	"ledger import":           cmdline.Object(ledgerImportJSON{}),
	"ledger ground":           cmdline.Object(notes.Grounding{}),
	"ledger ghost":            cmdline.Object(notes.Ghost{}),
	"ledger synthesis":        cmdline.Object(synthesisJSON{}),
	"ledger recover":          cmdline.Object(recoveryJSON{}),
	"ledger heal":             cmdline.Object(healedJSON{}),
	"statusline":              cmdline.Object(statuslineJSON{}),
	"req status":              cmdline.Object(reqStatusJSON{}),
	"req satisfy":             cmdline.Object(client.GateReceipt{}),
	"req approve":             cmdline.Object(client.GateReceipt{}),
	"req clear":               cmdline.Object(client.GateReceipt{}),
	"req list":                cmdline.Lines(trackedJSON{}),
	"req sessions":            cmdline.Lines(liveJSON{}),
	"req prune":               cmdline.Object(prunedJSON{}),
	"req explain":             cmdline.Object(explanation{}),
	"req init":                cmdline.Object(initJSON{}),
	"req validate":            cmdline.Object(validation{}),
	"req import":              cmdline.Lines(importedJSON{}),
}

// verb is a command whose function gets the arguments, with the connection that n says; see [cmdline.Verb].
func (a *app) verb(n need, cmd *cobra.Command, run func(args []string) error, flags ...any) *cobra.Command {
	offer := map[string]cobra.CompletionFunc{
		"Session": a.completes((*app).sessionWords), "Project": a.completes((*app).projectWords),
		"Branch": a.completes(branchWords), "Types": completeTypes}
	return cmdline.Verb(cmd, offer, func(_ context.Context, args []string) error {
		switch n {
		case needNothing:
			return run(args)
		case needHookfind:
			return a.searching(args, run)
		case needRecords:
			return a.reading(func() error { return run(args) })
		}
		return a.with(n, func() error { return run(args) })
	}, flags...)
}

func (a *app) add(root *cobra.Command, group string, cmds ...*cobra.Command) {
	for _, c := range cmds {
		c.GroupID = group
		root.AddCommand(c)
	}
}

// report prints an error and gives the exit code for it. An interrupt ends `tail -f` as it should; of
// every other verb it is told, and the shell gets to know it by 130.
func (a *app) report(ctx context.Context, err error) int {
	var quiet cmdline.Silent
	var f *problem.Error
	var hinted interface{ Hint() string }
	switch {
	case err == nil:
		return 0
	case errors.As(err, &quiet):
		return int(quiet)
	case ctx.Err() != nil && !errors.As(err, &f):
		a.Say("interrupted")
		return cmdline.ExitInterrupted
	}
	message, hint, exit := err.Error(), "", 1
	switch {
	case errors.As(err, &f):
		message, hint, exit = f.Message, f.Hint, max(1, f.Exit)
	case errors.As(err, &hinted):
		hint = hinted.Hint()
	}
	a.Fail(message, hint)
	return exit
}

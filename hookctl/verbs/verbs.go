// Package verbs is what people type: one file per noun, a verb with flags a struct whose fields they are, with what it does over the
// daemon's surface. Whatever a verb touches of the world (output, environment, clock, connection) is
// a field of its [Env], so that a test runs it in process with a buffer.
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

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/hook"
	"hookline/hookctl/notes"
	"hookline/hookctl/redact"
	"hookline/hookctl/transcript"
	"hookline/hookctl/verbs/env"
	"hookline/projector/ledger"
	"hookline/projector/working"
)

// Main runs one command line, without the program's name, and gives its exit code.
func Main(args []string, here env.Here) int {
	return cmdline.Main(func(ctx context.Context) int {
		return execute(ctx, env.New(here), Searcher{}, args)
	})
}

// execute runs one command line and returns its exit code.
func execute(ctx context.Context, e *env.Env, s Searcher, args []string) int {
	e.Args = args
	return e.Report(ctx, e.Execute(ctx, commandTree(e, s), args))
}

// commandTree is the whole tree of commands.
func commandTree(e *env.Env, s Searcher) *cobra.Command {
	root := e.Root(&cobra.Command{
		Use:   "hookctl",
		Short: "hookctl controls hookline, a flight recorder for Claude Code",
		Long: "hookctl controls hookline, a flight recorder for Claude Code.\n" +
			"Every hook of the client becomes an event in a log; everything else is derived from it.\n\n" +
			"`hookctl install` has the client call it; `hookctl tail -f` shows what comes.\n\n" +
			"HOOKLINE_HOME names another folder for all state, HOOKLINE_SOCKET another path for the daemon's socket. With HOOKLINE_DISABLED=1 hooks record\n" +
			"nothing. HOOKLINE_FSYNC, _IDLE_EXIT, _FLUSH_INTERVAL, _LOG_LEVEL and _COLOR override the configuration's key of that name; NO_COLOR and CI switch\n" +
			"colour and progress bars off. Exit codes: 0 done, 1 trouble or a wrong command line, 2 the log is damaged, 130 interrupted.",
		Example: "  hookctl install && hookctl start\n  hookctl tail -f",
	}, func() { e.Conf = e.Settle() })
	group := func(id, title string, verbs ...*cobra.Command) {
		root.AddGroup(&cobra.Group{ID: id, Title: title})
		for _, c := range verbs {
			c.GroupID = id
			root.AddCommand(c)
		}
	}
	group("recorder", "The recorder:", recorderVerbs(e)...)
	group("log", "The log:", logVerbs(e, s)...)
	group("state", "Derived from the log:", stateVerbs(e, s)...)
	group("tool", "This tool:", configCmd(e), e.CompletionCmd(root), e.VersionCmd(), e.SchemaCmd(outputs), e.ManCmd(root))
	group("client", "Called by the client:", clientVerbs(e)...)
	root.SetHelpCommandGroupID("tool")
	cmdline.AddHelp(root, "tail")
	return root
}

// outputs is what the verbs print with --json. Verbs without a line print no JSON of ours.
var outputs = cmdline.Outputs{
	"install": installJSON{}, "uninstall": installJSON{},
	"start": lifecycleJSON{}, "stop": lifecycleJSON{}, "restart": lifecycleJSON{},
	"status":                  api.Status{},
	"doctor":                  cmdline.Either{doctorJSON{}, redact.Finding{}, gapsJSON{}},
	"tail":                    cmdline.Either{[]events.Record{}, []cloudEventJSON{}},
	"events list":             cmdline.Either{[]events.Record{}, []cloudEventJSON{}},
	"events show":             events.Record{},
	"events types":            []typeJSON{},
	"events emit":             events.Record{},
	"blame":                   []blameJSON{},
	"find":                    []hitJSON{},
	"import transcripts":      transcript.Imported{},
	"repair":                  api.Rebuilt{},
	"config set":              configSetJSON{},
	"config show":             configJSON{},
	"config validate":         configValidJSON{},
	"version":                 cmdline.VersionJSON{},
	"session list":            []sessionLine{},
	"session show":            sessionJSON{},
	"session diff":            sessionDiffJSON{},
	"session delete":          events.Record{},
	"cost":                    costJSON{},
	"project list":            []projectLine{},
	"project show":            projectLine{},
	"project rehome":          events.Record{},
	"identity show":           identityJSON{},
	"identity history":        []snapshotJSON{},
	"identity reset-kuramoto": events.Record{},
	"identity observe":        events.Record{},
	"dream trigger":           events.Record{},
	"goal show":               goalJSON{},
	"goal set":                events.Record{},
	"handoff show":            handoffJSON{},
	"handoff write":           events.Record{},
	"checkpoint list":         []working.Checkpoint{},
	"checkpoint create":       events.Record{},
	"checkpoint show":         api.Restored{},
	"checkpoint restore":      api.Restored{},
	"context show":            hook.Recovery{},
	"retract":                 api.Retracted{},
	"context status":          contextStatusJSON{},
	"context rules":           rulesJSON{},
	"context preserve":        preserveJSON{},
	"context compact":         compactJSON{},
	"context probe":           []probeJSON{},
	"why":                     api.Why{},
	"codes show":              codesJSON{},
	"codes add":               events.Record{},
	"codes complete":          codesEndedJSON{},
	"codes archive":           codesEndedJSON{},
	"codes cleanup":           codesEndedJSON{},
	"ledger show":             ledger.State{},
	"ledger add":              hook.Ordered{},
	"ledger close":            hook.Ordered{},
	"ledger decide":           hook.Ordered{},
	"ledger next":             hook.Ordered{},
	"ledger question":         hook.Ordered{},
	"ledger handoff":          ledger.Handoff{},
	"ledger diff":             ledgerImportJSON{},
	"page":                    pageJSON{},
	"ledger render":           renderedJSON{},
	"ledger import":           ledgerImportJSON{},
	"ledger ground":           notes.Grounding{},
	"ledger ghost":            notes.Ghost{},
	"ledger synthesis":        synthesisJSON{},
	"ledger recover":          recoveryJSON{},
	"ledger heal":             healedJSON{},
	"statusline":              statuslineJSON{},
	"req status":              reqStatusJSON{},
	"req satisfy":             api.GateReceipt{},
	"req clear":               api.GateReceipt{},
	"req list":                []trackedJSON{},
	"req sessions":            []liveJSON{},
	"req prune":               prunedJSON{},
	"req explain":             explanation{},
	"req init":                initJSON{},
	"req validate":            validation{},
	"req import":              []importedJSON{},
}

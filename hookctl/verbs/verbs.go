// Package verbs is what people type: it puts the verbs of the packages below it into one tree of commands. Each package has
// the verbs of a noun. A verb with flags is a struct whose fields they are, with a method Run; one without is a function.
// Whatever a verb touches of the world (output, environment, clock, connection) is in its [env.Env], so that a test runs it
// in process with a buffer.
//
// # Rules
//
//   - Results go to stdout, words about trouble to stderr: `hookctl: error: …` and, on a line of its
//     own, `hookctl: hint: …`. Exit codes: 0 done, 1 trouble or a usage error, 2 only for a corrupt
//     log, 130 interrupted. No hint holds a complete destructive command.
//   - Every verb takes --json: one object, or one object a line, with field names that never change;
//     the table Outputs of each noun names the types, of which `hookctl schema` prints the JSON Schema.
//   - Reading works while the daemon is down: the store is then opened in this process for the time
//     of the command. Writing starts the daemon.
//   - What comes from the log was written by others: it is cleaned of control characters before it
//     goes to a terminal.
//   - Colour and progress are for terminals only; NO_COLOR, CI and pipes have neither.
package verbs

import (
	"context"
	"maps"

	"github.com/spf13/cobra"

	"hookline/hookctl/cmdline"
	"hookline/hookctl/verbs/codes"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/config"
	contextverb "hookline/hookctl/verbs/context"
	"hookline/hookctl/verbs/cost"
	"hookline/hookctl/verbs/doctor"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/file"
	"hookline/hookctl/verbs/find"
	"hookline/hookctl/verbs/identity"
	"hookline/hookctl/verbs/install"
	"hookline/hookctl/verbs/ledger"
	"hookline/hookctl/verbs/lifecycle"
	"hookline/hookctl/verbs/log"
	"hookline/hookctl/verbs/mcp"
	"hookline/hookctl/verbs/otel"
	"hookline/hookctl/verbs/page"
	"hookline/hookctl/verbs/project"
	"hookline/hookctl/verbs/req"
	"hookline/hookctl/verbs/session"
	"hookline/hookctl/verbs/statusline"
	"hookline/hookctl/verbs/top"
	"hookline/hookctl/verbs/transcripts"
	"hookline/hookctl/verbs/working"
)

// Main runs one command line, without the program's name, and gives its exit code.
func Main(args []string, here env.Here) int {
	return cmdline.Main(func(ctx context.Context) int {
		return execute(ctx, env.New(here), Searcher{}, args)
	})
}

// Searcher is what the program hookfind links and hookd does not: the search engine would cost every daemon a tenth of
// its idle memory, the templates of the page as much. hookd hands the verbs that need it over.
type Searcher struct {
	Page  page.Server
	Open  env.IndexOpener
	Trace otel.Tracer
	Serve mcp.Server
}

// Search is [Main] of the program hookfind.
func Search(args []string, here env.Here, s Searcher) int {
	return cmdline.Main(func(ctx context.Context) int {
		e := env.New(here)
		e.OpenIndex = s.Open
		return execute(ctx, e, s, args)
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
	for _, g := range groups(e, s, root) {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.id
			root.AddCommand(c)
		}
	}
	root.SetHelpCommandGroupID("tool")
	cmdline.AddHelp(root, "tail")
	return root
}

// group is a part of the list in help.
type group struct {
	id, title string
	commands  []*cobra.Command
}

// groups lists the verbs of all nouns.
func groups(e *env.Env, s Searcher, root *cobra.Command) []group {
	return []group{
		{"recorder", "The recorder:", []*cobra.Command{
			install.Command(e),
			install.UninstallCommand(e),
			lifecycle.StartCommand(e),
			lifecycle.StopCommand(e),
			lifecycle.RestartCommand(e),
			lifecycle.StatusCommand(e),
			doctor.Command(e),
			log.DaemonCommand(e),
		}},
		{"log", "The log:", []*cobra.Command{
			log.EventsCommand(e),
			log.TailCommand(e),
			find.Command(e),
			find.BlameCommand(e),
			file.Command(e),
			log.WhyCommand(e),
			log.RetractCommand(e),
			log.RepairCommand(e),
			transcripts.Command(e),
			mcp.Command(e, s.Serve),
			otel.Command(e, s.Trace),
		}},
		{"state", "Derived from the log:", []*cobra.Command{
			session.Command(e),
			project.Command(e),
			identity.Command(e),
			identity.DreamCommand(e),
			req.Command(e),
			working.GoalCommand(e),
			working.HandoffCommand(e),
			working.CheckpointCommand(e),
			contextverb.Command(e),
			ledger.Command(e),
			codes.Command(e),
			cost.Command(e),
			top.Command(e),
			statusline.Command(e),
			page.Command(e, s.Page),
		}},
		{"tool", "This tool:", []*cobra.Command{
			config.Command(e),
			e.CompletionCmd(root),
			e.VersionCmd(),
			e.SchemaCmd(outputs()),
			e.ManCmd(root),
		}},
		{"client", "Called by the client:", []*cobra.Command{
			hookCommand(e),
			identity.ConsciousnessCommand(e),
		}},
	}
}

// outputs is what the verbs print with --json. Verbs without a line print no JSON of ours.
func outputs() cmdline.Outputs {
	all := cmdline.Outputs{"version": cmdline.VersionJSON{}}
	for _, noun := range []cmdline.Outputs{
		codes.Outputs,
		config.Outputs,
		contextverb.Outputs,
		cost.Outputs,
		doctor.Outputs,
		file.Outputs,
		find.Outputs,
		identity.Outputs,
		install.Outputs,
		ledger.Outputs,
		lifecycle.Outputs,
		log.Outputs,
		page.Outputs,
		project.Outputs,
		req.Outputs,
		session.Outputs,
		statusline.Outputs,
		transcripts.Outputs,
		working.Outputs,
	} {
		maps.Copy(all, noun)
	}
	return all
}

// hookCommand returns the command that records a hook.
func hookCommand(e *env.Env) *cobra.Command {
	return command.Client(e, command.Text{
		Use:   "hook [EVENT]",
		Short: "Record a hook of the client and answer it",
		Long: "Record a hook of the client and answer it. Reads the hook's JSON from stdin, whose hook_event_name wins over\n" +
			"EVENT. What is printed is for the agent. Our own trouble never blocks it: exit 0, and the hook is spooled.",
		Example: "  hookctl hook PreToolUse < hook.json",
	})
}

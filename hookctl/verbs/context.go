package verbs

import (
	"net/url"

	"github.com/spf13/cobra"

	"hookline/hookctl/cmdline"
	"hookline/hookctl/hook"
)

// What the agent would be told, and what it costs.

func (a *app) contextCmd() *cobra.Command {
	return cmdline.Noun("context", "Show what the agent would be told", "  hookctl context show",
		a.verb(needStore, &cobra.Command{
			Use:     "show",
			Short:   "Show what the session would be told at a start, and what each section costs",
			Example: "  hookctl context show\n  hookctl context show --source startup --budget 300\n  hookctl context show --session last --at 10m --json | jq .items",
			Long: "Show what the session would be told when it starts again after a compaction, or at another start, and what each section\n" +
				"costs in tokens: the gates where it works too, with --at without them, since their rules are not in the log.",
		}, &contextShowVerb{Source: "compact"}),
		a.verb(needStore, &cobra.Command{
			Use:     "status",
			Short:   "Show what is there to survive a compaction, and the attention budget",
			Example: "  hookctl context status --json",
		}, &contextStatusVerb{}),
		a.verb(needStore, &cobra.Command{
			Use:     "rules",
			Short:   "Show what survives a compaction and what is summarised",
			Example: "  hookctl context rules --json",
		}, &contextRulesVerb{}),
		a.verb(needStore, &cobra.Command{
			Use:     "preserve [all|critical]",
			Short:   "Name the sections that are missing in NOTES.md",
			Long:    "Name the sections that are missing in NOTES.md: the critical two, or all. The exit code is 1 when one is.",
			Example: "  hookctl context preserve critical",
			Args:    cmdline.Between(0, "all or critical"),
		}, &contextPreserveVerb{}),
		a.verb(needStore, &cobra.Command{
			Use:   "compact",
			Short: "Run the simplified checkpoint before a compaction",
			Long: "Run the simplified checkpoint: four checks, and three that only you can make. A checkpoint of the session is made, unless\n" +
				"--dry-run is given. The client compacts by /compact or by itself.",
			Example: "  hookctl context compact --dry-run",
		}, &contextCompactVerb{}),
		a.verb(needStore, &cobra.Command{
			Use:     "probe FILE…",
			Short:   "Say what reading a file would cost, and whether to",
			Example: "  hookctl context probe auth/jwt.go --for token --for refresh",
			Args:    cmdline.AtLeast("FILE"),
		}, &contextProbeVerb{}))
}

type contextShowVerb struct {
	ofSession
	Source string `help:"of the start: compact, startup, resume, clear"`
	At     string `help:"as of a point: a sequence, a time, or a duration back"`
	Budget string `help:"tokens, where fewer than a start has"`
}

func (f *contextShowVerb) run(a *app, _ []string) error {
	id, err := a.current(f.Session)
	if err != nil {
		return err
	}
	q := url.Values{"source": {f.Source}, "at": {f.At}, "budget": {f.Budget}}
	var out hook.Recovery
	if err := a.get("/v1/context/"+id, q, &out); err != nil {
		return err
	}
	if a.JSON {
		return a.PrintJSON(out)
	}
	if out.Text == "" {
		a.Printf("nothing would be told\n")
		return nil
	}

	a.Printf("%s\n\n", out.Text)
	for _, s := range out.Sections {
		a.Printf("%5d  %s\n", s.Tokens, s.Name)
	}
	a.Printf("%5d  tokens of at most %d\n", out.Tokens, out.Budget)
	return nil
}

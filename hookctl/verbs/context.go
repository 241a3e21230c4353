package verbs

import (
	"net/url"

	"github.com/spf13/cobra"

	"hookline/hookctl/cmdline"
	"hookline/hookctl/hook"
)

// What the agent would be told, and what it costs.

func (a *app) contextCmd() *cobra.Command {
	f := struct {
		Session string `help:"its id, any unique prefix of it, or last; default: this project's current session"`
		Source  string `help:"of the start: compact, startup, resume, clear"`
		At      string `help:"as of a point: a sequence, a time, or a duration back"`
		Budget  string `help:"tokens, where fewer than a start has"`
	}{Source: "compact"}
	show := a.verb(needStore, &cobra.Command{
		Use:     "show",
		Short:   "Show what the session would be told at a start, and what each section costs",
		Example: "  hookctl context show\n  hookctl context show --source startup --budget 300\n  hookctl context show --session last --at 10m --json | jq .items",
		Long: "Show what the session would be told when it starts again after a compaction, or at another start, and what each section\n" +
			"costs in tokens: the gates where it works too, with --at without them, since their rules are not in the log.",
	}, func([]string) error {
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
	}, &f)
	return cmdline.Noun("context", "Show what the agent would be told", "  hookctl context show", append([]*cobra.Command{show}, a.contextManagerCmds()...)...)
}

package cli

import (
	"context"

	"github.com/spf13/cobra"

	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/projector"
)

// rebuildOptions are the flags of rebuild.
type rebuildOptions struct {
	Projection string `help:"only this projection"` // "" = all
	DryRun     bool   `flag:"dry-run" help:"only show what would change"`
}

func (a *app) rebuildCmd() *cobra.Command {
	var o rebuildOptions
	return a.verb("rebuild", "Rebuild derived state from the log",
		"Rebuild derived state from the log beside the old state, which serves meanwhile, then switch.\n"+
			"Prints every value that differed. Interrupting it leaves the old state.",
		"  replay rebuild --dry-run\n  replay rebuild --projection identity",
		nil, func(ctx context.Context, _ []string) error {
			request := api.RebuildRequest{Projection: o.Projection, DryRun: o.DryRun}
			done, err := long(ctx, a, api.Rebuild, request, "folding")
			if err != nil {
				return err
			}

			return done.show(a, func(r api.Rebuilt) {
				list := r.Changed
				a.printDiffs(list, func(d projector.Diff) string { return a.became(d.Got, d.Want) })
				if len(list) > 0 {
					a.Printf("\n")
				}
				did, change := "rebuilt", "changed"
				if r.DryRun {
					did, change = "folded", "would change"
				}
				what := "all projections"
				if r.Projection != "" {
					what = "projection " + r.Projection
				}
				differs := "nothing"
				if len(list) > 0 {
					differs = extent(list)
				}
				a.Printf("%s %s up to sequence %s in %s: %s %s\n", did, what, cmdline.Count(r.Seq), took(r.TookMS), differs, change)
			})
		}, &o)
}

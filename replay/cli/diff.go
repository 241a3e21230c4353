package cli

import (
	"context"

	"github.com/spf13/cobra"

	"hookline/hookctl/api"
	"hookline/hookctl/client"
	"hookline/hookctl/cmdline"
	"hookline/projector"
	"hookline/replay/past"
)

// diffOptions are the flags of diff.
type diffOptions struct {
	Fields bool `help:"every field that differs, with its values as they are stored"`
}

func (a *app) diffCmd() *cobra.Command {
	var o diffOptions
	return a.verb("diff A B [PROJECTION]", "Show what changed between two points",
		"Show what changed between two points of the log in words: calls, goal, files, commands, failures, values of the\n"+
			"identity, gates, entries of the ledger. --fields shows it field by field, (absent) where there is no value.\n"+
			"The points may stand in either order; the change is from A to B.\n\n"+captureHelp,
		"  replay diff 120 now\n  replay diff 10m 5m identity\n  replay diff 2026-11-21T08:00:00Z now --json | jq .changes",
		cmdline.Between(2, "a point", "a second point", "a projection"), func(ctx context.Context, args []string) error {
			from, err := a.point(args[0])
			if err != nil {
				return err
			}
			to, err := a.point(args[1])
			if err != nil {
				return err
			}
			question := past.Comparison{A: from, B: to, States: !o.Fields && !a.JSON}
			if len(args) > 2 {
				question.Projection = args[2]
			}

			return a.with(ctx, func(c *client.Client) error {
				d, err := api.Diff.Call(ctx, c, question)
				if err != nil {
					return err
				}
				if a.JSON {
					out := differenceJSON{A: d.A, B: d.B, Changes: []changeJSON{}}
					for _, df := range d.Diffs {
						out.Changes = append(out.Changes, changeJSON{Projection: df.Projection, Key: df.Key, Field: df.Field,
							Before: present(df.Want), After: present(df.Got)})
					}
					return a.PrintJSON(out)
				}

				a.Printf("%s\n", a.Paint.Faint("from "+a.named(ctx, c, d.A)+" to "+a.named(ctx, c, d.B)))
				switch {
				case len(d.Diffs) == 0:
					a.Printf("nothing changed\n")
				case !o.Fields:
					return a.tell(d)
				default:
					a.printDiffs(d.Diffs, func(d projector.Diff) string { return a.became(d.Want, d.Got) })
				}
				return nil
			})
		}, &o)
}

// differenceJSON is what --json prints. A value is JSON text, null where there was none, and ends in
// "…" when it was longer than 200 bytes.
type differenceJSON struct {
	A       uint64       `json:"a" jsonschema_description:"sequence of the first point"`
	B       uint64       `json:"b" jsonschema_description:"sequence of the second point"`
	Changes []changeJSON `json:"changes" jsonschema_description:"fields that differ"`
}

type changeJSON struct {
	Projection string  `json:"projection" jsonschema_description:"name"`
	Key        string  `json:"key" jsonschema_description:"of the cell"`
	Field      string  `json:"field" jsonschema_description:"path inside of the state; empty for the whole cell"`
	Before     *string `json:"before" jsonschema:"nullable" jsonschema_description:"JSON text, cut at 200 bytes with …; null where there was none"`
	After      *string `json:"after" jsonschema:"nullable" jsonschema_description:"in the same form"`
}

// present returns the text of a value, nil where there is none.
func present(text string) *string {
	if text == absent {
		return nil
	}
	return &text
}

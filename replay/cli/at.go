package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"hookline/hookctl/api"
	"hookline/hookctl/client"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
	"hookline/replay/past"
)

func (a *app) atCmd() *cobra.Command {
	return a.verb("at POINT [PROJECTION [KEY]]", "Show any state at any past point",
		"Show which cells there were at a point of the log; with a projection or a key, their states.\n"+
			"Of a session the key is its id, any unique prefix of it, or last.\n\n"+captureHelp,
		"  replay at 120\n  replay at '2026-11-21 08:00' identity c68c8a51\n  replay at 10m session --json | jq '.cells[].state'",
		cmdline.Between(1, "a point", "a projection", "a key"), func(ctx context.Context, args []string) error {
			point, err := a.point(args[0])
			if err != nil {
				return err
			}
			args = append(args, "", "")
			projection := args[1]
			key, err := a.session(ctx, args[2])
			if err != nil {
				return err
			}
			question := past.Question{Point: point, Projection: projection, Key: key}

			return a.with(ctx, func(c *client.Client) error {
				p, text, err := api.At.CallJSON(ctx, c, question)
				if err != nil {
					return err
				}
				if key != "" && len(p.Cells) == 0 {
					return problem.Faultf("projection %s had no cell %q at sequence %d", projection, key, p.Seq).Advise(fmt.Sprintf("`replay at %d %s` shows those it had", p.Seq, projection))
				}
				if a.JSON {
					return a.PrintRaw(text)
				}
				a.Printf("%s\n", a.Paint.Faint("sequence "+a.named(ctx, c, p.Seq)))
				a.printCells(p, projection != "")
				return nil
			})
		})
}

// printCells lists the cells of a point, or with states prints the state of each as JSON.
func (a *app) printCells(p past.State, states bool) {
	if len(p.Cells) == 0 {
		a.Printf("no cells yet\n")
		return
	}
	if states {
		for _, c := range p.Cells {
			a.Printf("%s  %s\n", a.Paint.Bold(cmdline.Clean(c.Projection+"  "+c.Key)), a.Paint.Faint(fmt.Sprintf("folded at %d", c.Seq)))
			a.Verbatim(cmdline.IndentJSON(c.State) + "\n")
		}
		return
	}

	t := a.Table("PROJECTION", "SEQ", "KEY")
	t.Columns = 0
	for _, c := range p.Cells {
		t.Row(c.Projection, fmt.Sprint(c.Seq), c.Key)
	}
	t.Print()
}

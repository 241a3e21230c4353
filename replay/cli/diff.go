package cli

import (
	"context"
	"encoding/json"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hookline/hookctl/client"
	"hookline/hookctl/cmdline"
	"hookline/projector"
)

func (a *app) diffCmd() *cobra.Command {
	return a.verb(&cobra.Command{
		Use:   "diff A B [PROJECTION]",
		Short: "Show what changed between two points",
		Long: "Show what changed between two points of the log, field by field, (absent) where there is no value. Of a list\n" +
			"that is too long for a line those elements are shown that went (-) and that came (+).\n" +
			"The points may stand in either order; the change is from A to B.\n\n" + captureHelp,
		Example: "  replay diff 120 now\n  replay diff 10m 5m identity\n  replay diff 2026-11-21T08:00:00Z now --json | jq .changes",
		Args:    cmdline.Between(2, "a point", "a second point", "a projection"),
	}, func(ctx context.Context, args []string) error {
		from, err := a.Point(args[0])
		if err != nil {
			return err
		}
		to, err := a.Point(args[1])
		if err != nil {
			return err
		}
		query := url.Values{"a": {from}, "b": {to}, "states": {"1"}, "projection": args[2:]}

		return a.with(ctx, func(c *client.Client) error {
			var d difference
			if err := c.Get(ctx, "/v1/diff", query, &d); err != nil {
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
			if len(d.Diffs) == 0 {
				a.Printf("nothing changed\n")
			}
			before, after := states(d.Before), states(d.After)
			a.printDiffs(d.Diffs, func(df projector.Diff) string { return a.change(df, before, after) })
			return nil
		})
	})
}

// states returns the decoded states of cells by projection and key.
func states(cells []namedCell) map[string]any {
	all := map[string]any{}
	for _, c := range cells {
		var state any
		_ = json.Unmarshal(c.State, &state) // without a state the values of the differences are shown
		all[cellOf(projector.Diff{Projection: c.Projection, Key: c.Key})] = state
	}
	return all
}

// change returns how a field became another: its old and its new value, or the elements of a list in which they differ where
// the values were cut.
func (a *app) change(d projector.Diff, before, after map[string]any) string {
	old, now := inside(before[cellOf(d)], d.Field), inside(after[cellOf(d)], d.Field)
	if !strings.Contains(d.Want+d.Got, "…") || len(old)+len(now) == 0 {
		return a.became(d.Want, d.Got)
	}

	var texts []string
	for _, text := range lacking(old, now) {
		texts = append(texts, a.Paint.Bad("- "+text))
	}
	for _, text := range lacking(now, old) {
		texts = append(texts, a.Paint.Good("+ "+text))
	}
	return strings.Join(texts, "; ")
}

// inside returns the list at a path of a state, nil where there is none.
func inside(state any, path string) []any {
	for name := range strings.SplitSeq(path, ".") {
		members, _ := state.(map[string]any)
		state = members[name]
	}
	list, _ := state.([]any)
	return list
}

// lacking returns those elements of a list that another one lacks, as JSON.
func lacking(list, other []any) []string {
	var texts []string
	for _, e := range list {
		if !slices.ContainsFunc(other, func(o any) bool { return reflect.DeepEqual(o, e) }) {
			text, _ := json.Marshal(e) // what came from JSON
			texts = append(texts, cmdline.Fit(cmdline.Clean(string(text)), 120))
		}
	}
	return texts
}

// difference is the daemon's answer; Want is the value at A, Got the one at B.
type difference struct {
	A      uint64           `json:"a"`
	B      uint64           `json:"b"`
	Diffs  []projector.Diff `json:"diffs"`
	Before []namedCell      `json:"before"`
	After  []namedCell      `json:"after"`
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
	Field      string  `json:"field" jsonschema_description:"path inside of the state"`
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

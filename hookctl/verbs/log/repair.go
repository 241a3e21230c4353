package log

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/show"
	"hookline/projector/identity"
)

// RepairCommand returns the command that rebuilds derived state.
func RepairCommand(e *env.Env) *cobra.Command {
	c := command.Verb(e, env.Started, command.Text{
		Use:   "repair",
		Short: "Rebuild derived state from the log",
		Long: "Rebuild derived state from the log. Nothing that is in the log is touched; new cells are made beside the old\n" +
			"ones, then take their place, and an event says so. The same as `replay rebuild --projection NAME`.",
		Example: "  hookctl repair --cf session_identity\n" +
			"  hookctl repair --bucket latest --dry-run",
	}, &repairVerb{})
	c.MarkFlagsMutuallyExclusive("cf", "bucket")
	c.MarkFlagsOneRequired("cf", "bucket")
	return c
}

// rebuilds maps names that people use to projections; "" is all of them. session_identity is
// the column family of the identity specification, snapshot and cache are buckets.
var rebuilds = map[string]string{"session_identity": identity.Name, "snapshot": "", "cache": identity.Name}

type repairVerb struct {
	Family string `flag:"cf" help:"session_identity" offers:"session_identity"`
	Bucket string `help:"a bucket (snapshot, latest, cache) or a projection" offers:"snapshot latest cache session identity project gate"`
	Dry    bool   `flag:"dry-run" help:"only tell what would change"`
}

func (f *repairVerb) Run(ctx context.Context, e *env.Env, _ []string) error {
	projection, ok := rebuilds[f.Family+f.Bucket]
	if !ok {
		projection = f.Family + f.Bucket
	}

	m := e.Meter("folding")
	result, text, err := api.Rebuild.RunJSON(ctx, e, api.RebuildRequest{Projection: projection, DryRun: f.Dry}, m.At)
	m.End()
	if errors.Is(err, api.ErrUnfinished) {
		return problem.Faultf("the daemon ended before the result").Advise("nothing was switched; try again")
	}
	if err != nil {
		return err
	}
	if e.JSON {
		return e.PrintRaw(text)
	}

	f.print(e, result)
	lost, err := api.GetLosses.Call(ctx, e, api.None{})
	if err == nil && len(lost.Lost) > 0 { // an older daemon does not know
		var runs []string
		for _, r := range lost.Lost {
			runs = append(runs, r.String())
		}
		e.Say("hint: the log itself has lost sequences " + strings.Join(runs, ", ") + ", which are in no state any more: " +
			"`replay repair --from EXPORT` restores their events from an export and from the client's transcripts")
	}
	return nil
}

// print says what was folded again, and the first values that differed.
func (f *repairVerb) print(e *env.Env, result api.Rebuilt) {
	what := "all projections"
	if result.Projection != "" {
		what = "projection " + result.Projection
	}
	verb := "folded again"
	if result.DryRun {
		verb = "compared, nothing changed"
	}
	differ := "every value is what the log says"
	if n := len(result.Changed); n > 0 {
		differ = cmdline.Plural(n, "value") + " differed"
	}
	e.Printf("%s: %s up to sequence %d in %.0f ms, %s\n", what, verb, result.Seq, result.TookMS, differ)
	for i, d := range result.Changed {
		if i == 20 {
			e.Printf("  … and %d more (--json lists all)\n", len(result.Changed)-i)
			break
		}
		e.Printf("  %s %s %s: was %s, is %s by the log\n", d.Projection, cmdline.OneLine(d.Key), d.Field, cmdline.Fit(cmdline.OneLine(show.OrDash(d.Got)), 40), cmdline.Fit(cmdline.OneLine(show.OrDash(d.Want)), 40))
	}
}

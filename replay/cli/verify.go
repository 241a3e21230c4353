package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"hookline/hookctl/daemon"
)

func (a *app) verifyCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "verify",
		Short: "Fold the whole log again and compare it with every cell",
		Long: "Fold the whole log again and compare it with every cell of every bucket, and tell what is\n" +
			"damaged or missing in the log. Nothing is changed but that folded cells are written out.\n\n" +
			"Exit code: 0 clean, 1 projections differ, 2 the log is damaged.",
		Example: "  replay verify\n  replay verify --json | jq .clean",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.verify(cmd.Context()) },
	}
}

func (a *app) verify(ctx context.Context) error {
	raw, err := a.long(ctx, "/v1/verify", nil, "folding")
	if err != nil {
		return err
	}
	var v daemon.Verification
	if err := json.Unmarshal(raw, &v); err != nil {
		return fmt.Errorf("read the verification: %w", err)
	}
	if a.json {
		err = a.printRaw(raw)
	} else {
		a.printVerification(v)
	}
	if err == nil && v.Exit != 0 {
		err = silent(v.Exit)
	}
	return err
}

func (a *app) printVerification(v daemon.Verification) {
	list := changes(v.Diffs, wantGot)
	a.printChanges(list, a.wanted())
	for _, d := range v.Damage {
		a.printf("%s  %s\n", a.paint.bad("log"), oneLine(d))
	}
	if len(list) > 0 || len(v.Damage) > 0 {
		a.printf("\n")
	}
	a.printf("%s\n", a.verdict(v, list))
	a.printf("events   %s\n", count(v.Events))
	a.printf("records  %s\n", count(v.Read))
	if v.Holes > 0 {
		a.printf("holes    %s\n", count(v.Holes))
	}
	a.printf("time     %s", took(v.TookMS))
	if v.TookMS > 0 {
		a.printf(", %s events/s", count(uint64(float64(v.Read)/v.TookMS*1000)))
	}
	a.printf("\n")
	if v.Exit == 1 {
		a.say("hint: `replay rebuild` folds the cells again; with --dry-run it only shows what would change")
	}
}

func (a *app) verdict(v daemon.Verification, list []change) string {
	differ := extent(list) + " differ from the log"
	if len(list) == 1 {
		differ = extent(list) + " differs from the log"
	}
	switch {
	case len(v.Damage) > 0 && len(list) > 0:
		return a.paint.bad("damaged: " + plural(len(v.Damage), "fault") + " in the log, and " + differ)
	case len(v.Damage) > 0:
		return a.paint.bad("damaged: " + plural(len(v.Damage), "fault") + " in the log")
	case len(list) > 0:
		return a.paint.bad("not clean: " + differ)
	}
	return a.paint.good("clean: every cell is what the log says")
}

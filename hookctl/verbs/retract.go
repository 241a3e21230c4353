package verbs

import (
	"github.com/spf13/cobra"

	"hookline/hookctl/client"
	"hookline/hookctl/cmdline"
)

// retractCmd takes an event back.
func (a *app) retractCmd() *cobra.Command {
	var f struct {
		Reason string `help:"why it is wrong; wanted"`
	}
	return a.verb(needStore, &cobra.Command{
		Use:     "retract ID",
		Short:   "Take an event back: every view is as if it had not come",
		Args:    cmdline.Exactly("ID"),
		Example: "  hookctl retract 1201 --reason 'the wrong session was meant'\n  hookctl why proxy.go",
		Long: "Take an event back, by its id or its sequence. From then on every projection is as if the event had not come, also after an\n" +
			"export and an import. The log keeps it: `replay at` a time before the retraction still shows what followed from it.",
	}, func(args []string) error {
		var out client.Retracted
		err := a.post("/v1/do/retract", map[string]string{"id": args[0], "reason": f.Reason}, &out)
		if err != nil {
			return err
		}
		return a.Result(out, "taken back: %d %s, by event %d\n", out.Target.Seq, out.Target.Type, out.Event.Seq)
	}, &f)
}

package verbs

import (
	"hookline/hookctl/client"
)

type retractVerb struct {
	Reason string `help:"why it is wrong; wanted"`
}

func (f *retractVerb) run(a *app, args []string) error {
	var out client.Retracted
	err := a.post("/v1/do/retract", map[string]string{"id": args[0], "reason": f.Reason}, &out)
	if err != nil {
		return err
	}
	return a.Result(out, "taken back: %d %s, by event %d\n", out.Target.Seq, out.Target.Type, out.Event.Seq)
}

package verbs

import (
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"hookline/hookctl/client"
	"hookline/hookctl/cmdline"
)

// whyCmd shows the events behind what the model is told.
func (a *app) whyCmd() *cobra.Command {
	var f struct {
		Session string `help:"its id, any unique prefix of it, or last; default: this project's current session"`
	}
	return a.verb(needStore, &cobra.Command{
		Use:     "why TEXT|ID",
		Short:   "Show the events behind a line that the agent is told",
		Args:    cmdline.Exactly("TEXT|ID"),
		Example: "  hookctl why proxy.go\n  hookctl why 1201 --session last",
		Long: "Show the events behind a line that the agent is told: the lines that have the text, the entries of the session's state and of its\n" +
			"project's ledger that they are made of, each with its event, and when they were told. `hookctl retract` takes an event back.",
	}, func(args []string) error {
		id, err := a.current(f.Session)
		if err != nil {
			return err
		}
		return a.why(id, args[0])
	}, &f)
}

// why prints the events behind what a session is told.
func (a *app) why(session, text string) error {
	var out client.Why
	if err := a.get("/v1/why/"+session, url.Values{"q": {text}}, &out); err != nil {
		return err
	}
	if a.JSON {
		return a.PrintJSON(out)
	}
	const clock = "2006-01-02 15:04:05"
	for _, l := range out.Lines {
		a.Printf("line   %s: %s\n", l.ID, cmdline.OneLine(l.Text))
	}
	for _, s := range out.Sources {
		if s.Seq == 0 {
			a.Printf("event  %s, not in the log: %s: %s\n", s.Event, cmdline.OneLine(s.Where), cmdline.OneLine(s.Text))
			continue
		}
		a.Printf("event  %d  %s  %s: %s: %s\n", s.Seq, s.Time.Local().Format(clock), s.Type, cmdline.OneLine(s.Where), cmdline.OneLine(s.Text))
	}
	for _, t := range out.Told {
		a.Printf("told   %d  %s  %s: %s\n", t.Seq, t.Time.Local().Format(clock), t.Hook, strings.Join(t.Items, ", "))
	}
	if len(out.Told) == 0 {
		a.Printf("told   not yet\n")
	}
	return nil
}

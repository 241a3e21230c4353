package verbs

import (
	"net/url"
	"strconv"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/problem"
)

// otelCmd sends traces while it runs; the daemon starts it where the configuration has a receiver.
func (a *app) otelCmd() *cobra.Command {
	return a.searching(&cobra.Command{
		Use:   "otel",
		Short: "Send traces of OpenTelemetry to the receiver of the configuration",
		Long: "Send traces to the OTLP receiver that `otel` in the user's configuration names: one for each prompt from now on, with its\n" +
			"calls and subagents, their times and outcomes, and no text of the session. It runs until Ctrl-C or until the daemon ends.\n" +
			"The daemon starts it by itself where `otel` is set.",
		Example: "  hookctl config set otel http://127.0.0.1:4318\n  hookctl otel",
	}, func([]string) error {
		to := a.conf.Values.Otel
		if to == "off" {
			return problem.Faultf("no receiver is configured").Advise("`hookctl config set otel http://127.0.0.1:4318` names one")
		}
		err := a.with(needRunning, func() error {
			st, err := a.stand()
			if err != nil {
				return err
			}
			q := url.Values{"follow": {"1"}, "since": {strconv.FormatUint(st.Seq+1, 10)}}
			return a.search.Trace(a.ctx, to, func(take func(events.Record)) error { return a.records(q, take) })
		})
		if a.ctx.Err() != nil {
			return nil
		}
		return err
	})
}

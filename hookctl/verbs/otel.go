package verbs

import (
	"context"
	"net/url"
	"strconv"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
)

// otelCmd sends traces while it runs; the daemon starts it where the configuration has a receiver.
func (a *app) otelCmd() *cobra.Command {
	return &cobra.Command{
		Use: "otel", Short: "Send traces of OpenTelemetry to the receiver of the configuration", Args: cmdline.Exactly(),
		Long: "Send traces to the OTLP receiver that `otel` in the user's configuration names: one for each prompt from now on, with its\n" +
			"calls and subagents, their times and outcomes, and no text of the session. It runs until Ctrl-C or until the daemon ends.\n" +
			"The daemon starts it by itself where `otel` is set.",
		Example: "  hookctl config set otel http://127.0.0.1:4318\n  hookctl otel",
		RunE:    a.searching(func(cmd *cobra.Command, _ []string) error { return a.otel(cmd.Context()) }),
	}
}

func (a *app) otel(ctx context.Context) error {
	to := a.conf.Values.Otel
	if to == "off" {
		return problem.Faultf("no receiver is configured").Advise("`hookctl config set otel http://127.0.0.1:4318` names one")
	}
	h, err := a.connect(ctx, needRunning)
	if err != nil {
		return err
	}
	defer h.Close()
	var st Status
	if err := h.Get(ctx, "/v1/status", nil, &st); err != nil {
		return err
	}
	q := url.Values{"follow": {"1"}, "since": {strconv.FormatUint(st.Seq+1, 10)}}
	err = a.search.Trace(ctx, to, func(take func(events.Record)) error { return records(ctx, h, q, take) })
	if ctx.Err() != nil {
		return nil
	}
	return err
}

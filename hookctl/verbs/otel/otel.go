// Package otel has `hookctl otel`: traces of sessions for a receiver of OpenTelemetry. It runs in the program hookfind.
package otel

import (
	"context"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/problem"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/replay/past"
)

// Command returns the command that sends traces.
func Command(e *env.Env, trace Tracer) *cobra.Command {
	return command.Plain(e, env.Hookfind, command.Text{
		Use:   "otel",
		Short: "Send traces of OpenTelemetry to the receiver of the configuration",
		Long: "Send traces to the OTLP receiver that `otel` in the user's configuration names: one for each prompt from now on, with its\n" +
			"calls and subagents, their times and outcomes, and no text of the session. It runs until Ctrl-C or until the daemon ends.\n" +
			"The daemon starts it by itself where `otel` is set.",
		Example: "  hookctl config set otel http://127.0.0.1:4318\n" +
			"  hookctl otel",
	}, verb(trace))
}

// Tracer sends what follow gives it as traces to a receiver. The program hookfind has it.
type Tracer func(ctx context.Context, to string, follow func(take func(events.Record)) error) error

// verb sends traces by what the program hookfind links.
func verb(trace Tracer) func(context.Context, *env.Env, []string) error {
	return func(ctx context.Context, e *env.Env, _ []string) error {
		to := e.Conf.Values.Otel
		if to == "off" {
			return problem.Faultf("no receiver is configured").Advise("`hookctl config set otel http://127.0.0.1:4318` names one")
		}
		err := e.With(ctx, env.Running, func() error {
			st, err := e.Status(ctx)
			if err != nil {
				return err
			}
			q := api.EventsRequest{Follow: true, Since: past.AtSeq(st.Seq + 1)}
			return trace(ctx, to, func(take func(events.Record)) error { return query.Records(ctx, e, q, take) })
		})
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
}

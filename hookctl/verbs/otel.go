package verbs

import (
	"net/url"
	"strconv"

	"hookline/events"
	"hookline/hookctl/problem"
)

type otelVerb struct{}

func (otelVerb) run(a *app, _ []string) error {
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
}

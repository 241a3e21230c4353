package verbs

import (
	"context"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/find"
	"hookline/hookctl/page"
	"hookline/hookctl/problem"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/replay/past"
)

// pageJSON is what `page --json` prints, before it serves.
type pageJSON struct {
	URL string `json:"url" jsonschema_description:"the link; it opens the page once"`
}

type pageVerb struct {
	serve func(ctx context.Context, o page.Options, told func(link string)) error

	Session string `help:"open this one: its id, any unique prefix of it, or last"`
}

func (f *pageVerb) Run(ctx context.Context, e *env.Env, _ []string) error {
	id, err := query.SessionID(ctx, e, f.Session)
	if err != nil {
		return err
	}
	from, err := e.Started(ctx)
	if err != nil {
		return err
	}
	o := page.Options{From: from, Session: id, Zone: e.Zone, Now: e.Now,
		Find: func(ctx context.Context, words string) ([]page.Hit, error) { return pageHits(ctx, e, words) }}
	var shown error
	err = f.serve(ctx, o, func(link string) {
		if e.JSON {
			shown = e.PrintJSON(pageJSON{URL: link})
			return
		}
		e.Printf("%s\n", link)
		e.Say("the link opens the page once; Ctrl-C ends it")
	})
	if err == nil {
		err = shown
	}
	return err
}

// pageHits are what `find` finds, for the page's search.
func pageHits(ctx context.Context, e *env.Env, words string) ([]page.Hit, error) {
	q := find.Query{Words: wordsOf([]string{words}), Limit: 50}
	if len(q.Terms()) == 0 {
		return nil, nil
	}
	found, err := hits(ctx, e, q)
	if err != nil {
		return nil, err
	}
	var out []page.Hit
	for _, f := range found {
		out = append(out, page.Hit{Session: f.Session, Seq: f.Seq, Time: f.Time, Title: f.Title, Kind: f.Type, Text: f.Snippet.Text})
	}
	return out, nil
}

// otelVerb sends traces by what the program hookfind links.
func otelVerb(trace func(ctx context.Context, to string, follow func(func(events.Record)) error) error) func(context.Context, *env.Env, []string) error {
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

package verbs

import (
	"context"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/find"
	"hookline/hookctl/page"
	"hookline/hookctl/problem"
	"hookline/replay/past"
)

// pageJSON is what `page --json` prints, before it serves.
type pageJSON struct {
	URL string `json:"url" jsonschema_description:"the link; it opens the page once"`
}

type pageVerb struct {
	Session string `help:"open this one: its id, any unique prefix of it, or last"`
}

func (f *pageVerb) run(a *app, _ []string) error {
	id, err := a.resolveMaybe(f.Session)
	if err != nil {
		return err
	}
	from, err := a.started()
	if err != nil {
		return err
	}
	o := page.Options{From: from, Session: id, Zone: a.Zone, Now: a.Now,
		Find: func(ctx context.Context, words string) ([]page.Hit, error) { return a.under(ctx).pageHits(words) }}
	var shown error
	err = a.search.Page(a.ctx, o, func(link string) {
		if a.JSON {
			shown = a.PrintJSON(pageJSON{URL: link})
			return
		}
		a.Printf("%s\n", link)
		a.Say("the link opens the page once; Ctrl-C ends it")
	})
	if err == nil {
		err = shown
	}
	return err
}

// pageHits are what `find` finds, for the page's search.
func (a *app) pageHits(words string) ([]page.Hit, error) {
	q := find.Query{Words: wordsOf([]string{words}), Limit: 50}
	if len(q.Terms()) == 0 {
		return nil, nil
	}
	found, err := a.hits(q)
	if err != nil {
		return nil, err
	}
	var out []page.Hit
	for _, f := range found {
		out = append(out, page.Hit{Session: f.Session, Seq: f.Seq, Time: f.Time, Title: f.Title, Kind: f.Type, Text: f.Snippet.Text})
	}
	return out, nil
}

func (a *app) otelVerb(_ []string) error {
	to := a.conf.Values.Otel
	if to == "off" {
		return problem.Faultf("no receiver is configured").Advise("`hookctl config set otel http://127.0.0.1:4318` names one")
	}
	err := a.with(needRunning, func() error {
		st, err := a.stand()
		if err != nil {
			return err
		}
		q := api.EventsRequest{Follow: true, Since: past.AtSeq(st.Seq + 1)}
		return a.search.Trace(a.ctx, to, func(take func(events.Record)) error { return a.records(q, take) })
	})
	if a.ctx.Err() != nil {
		return nil
	}
	return err
}

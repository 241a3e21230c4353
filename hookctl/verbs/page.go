package verbs

import (
	"context"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/page"
	"hookline/hookctl/problem"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/replay/past"
)

// otelCommand returns the command that sends traces.
func otelCommand(e *env.Env, trace tracer) *cobra.Command {
	return command.Plain(e, env.Hookfind, "otel", "Send traces of OpenTelemetry to the receiver of the configuration",
		"Send traces to the OTLP receiver that `otel` in the user's configuration names: one for each prompt from now on, with its\n"+
			"calls and subagents, their times and outcomes, and no text of the session. It runs until Ctrl-C or until the daemon ends.\n"+
			"The daemon starts it by itself where `otel` is set.",
		"  hookctl config set otel http://127.0.0.1:4318\n  hookctl otel",
		otelVerb(trace))
}

// pageCommand returns the command that shows sessions in a browser.
func pageCommand(e *env.Env, serve pageServer) *cobra.Command {
	return command.Verb(e, env.Hookfind, "page", "Show sessions in a browser: a timeline with a scrubber",
		"Show sessions in a browser: a list of them, and each as a timeline by prompt with calls, changes, outputs,\n"+
			"permissions, gates and compactions. The scrubber shows the state at any event: goal, files, failures, identity.\n\n"+
			"The page is served by this command, on this machine only, at a port of the system's choice, until Ctrl-C. The link\n"+
			"that it prints opens the page once, in one browser.",
		"  hookctl page\n  hookctl page --session last",
		&pageVerb{serve: serve})
}

// pageOutputs is what the verbs of this package print with --json.
var pageOutputs = cmdline.Outputs{
	"page": pageJSON{},
}

// pageJSON is what `page --json` prints, before it serves.
type pageJSON struct {
	URL string `json:"url" jsonschema_description:"the link; it opens the page once"`
}

// pageServer serves sessions to a browser until the context ends; told hears the link that opens the page once. The program
// hookfind has it.
type pageServer func(ctx context.Context, o page.Options, told func(link string)) error

type pageVerb struct {
	serve pageServer

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
	found, err := searchWords(ctx, e, words, 50)
	if err != nil {
		return nil, err
	}
	var out []page.Hit
	for _, f := range found {
		out = append(out, page.Hit{Session: f.Session, Seq: f.Seq, Time: f.Time, Title: f.Title, Kind: f.Type, Text: f.Snippet.Text})
	}
	return out, nil
}

// tracer sends what follow gives it as traces to a receiver. The program hookfind has it.
type tracer func(ctx context.Context, to string, follow func(take func(events.Record)) error) error

// otelVerb sends traces by what the program hookfind links.
func otelVerb(trace tracer) func(context.Context, *env.Env, []string) error {
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

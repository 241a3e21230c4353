// Package page has `hookctl page`: sessions in a browser. It runs in the program hookfind.
package page

import (
	"context"

	"github.com/spf13/cobra"

	"hookline/hookctl/cmdline"
	"hookline/hookctl/page"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/find"
	"hookline/hookctl/verbs/query"
)

// Command returns the command that shows sessions in a browser.
func Command(e *env.Env, serve Server) *cobra.Command {
	return command.Verb(e, env.Hookfind, command.Text{
		Use:   "page",
		Short: "Show sessions in a browser: a timeline with a scrubber",
		Long: "Show sessions in a browser: a list of them, and each as a timeline by prompt with calls, changes, outputs,\n" +
			"permissions, gates and compactions. The scrubber shows the state at any event: goal, files, failures, identity.\n\n" +
			"The page is served by this command, on this machine only, at a port of the system's choice, until Ctrl-C. The link\n" +
			"that it prints opens the page once, in one browser.",
		Example: "  hookctl page\n" +
			"  hookctl page --session last",
	}, &verb{serve: serve})
}

// Outputs has the types of what the verbs of this package print with --json.
var Outputs = cmdline.Outputs{
	"page": linkJSON{},
}

// linkJSON is what `page --json` prints, before it serves.
type linkJSON struct {
	URL string `json:"url" jsonschema_description:"the link; it opens the page once"`
}

// Server serves sessions to a browser until the context ends; told hears the link that opens the page once. The program
// hookfind has it.
type Server func(ctx context.Context, o page.Options, told func(link string)) error

type verb struct {
	serve Server

	Session string `help:"open this one: its id, any unique prefix of it, or last"`
}

func (f *verb) Run(ctx context.Context, e *env.Env, _ []string) error {
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
			shown = e.PrintJSON(linkJSON{URL: link})
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
	found, err := find.Words(ctx, e, words, 50)
	if err != nil {
		return nil, err
	}
	var out []page.Hit
	for _, f := range found {
		out = append(out, page.Hit{Session: f.Session, Seq: f.Seq, Time: f.Time, Title: f.Title, Kind: f.Type, Text: f.Snippet.Text})
	}
	return out, nil
}

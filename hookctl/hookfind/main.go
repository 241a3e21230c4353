// Hookfind runs the verbs of hookctl that need large libraries: the search engine, the page for a browser, the server
// for agents and OpenTelemetry. It is a program of its own so that neither a hook nor the daemon pays for what it
// links.
package main

import (
	"context"
	"os"

	"hookline/hookctl/daemon"
	"hookline/hookctl/find"
	"hookline/hookctl/index"
	"hookline/hookctl/page"
	"hookline/hookctl/verbs"
)

func main() {
	searcher := verbs.Searcher{
		Open:  openIndex,
		Serve: serveMCP,
		Page:  page.Serve,
		Trace: sendTraces,
	}
	os.Exit(verbs.Search(os.Args[1:], daemon.Here, searcher))
}

func openIndex(ctx context.Context, dir string) (find.Index, error) { return index.Open(ctx, dir) }

// Hookfind is what of hookctl needs the search engine, a browser's page or OpenTelemetry: hookctl find, page, otel and the like run in it. It is a
// program of its own so that neither a hook nor the daemon pays for what it links.
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
	open := func(ctx context.Context, dir string) (find.Index, error) { return index.Open(ctx, dir) }
	os.Exit(verbs.Search(os.Args[1:], daemon.Here, verbs.Searcher{Open: open, Serve: serve, Page: page.Serve, Trace: traces}))
}

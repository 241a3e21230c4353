// Hookfind is what of hookctl needs the search engine or a browser's page: hookctl find, page and the like run in it. It is a
// program of its own so that neither a hook nor the daemon pays for what it links.
package main

import (
	"context"
	"os"

	"hookline/hookctl/find"
	"hookline/hookctl/index"
	"hookline/hookctl/page"
	"hookline/hookctl/verbs"
)

func main() {
	open := func(ctx context.Context, dir string) (find.Index, error) { return index.Open(ctx, dir) }
	os.Exit(verbs.Search(os.Args[1:], verbs.Searcher{Open: open, Serve: serve, Page: page.Serve}))
}

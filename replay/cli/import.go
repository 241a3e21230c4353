package cli

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
)

// importOptions are the flags of import.
type importOptions struct {
	Partial bool `help:"of a file that is cut off or damaged, take what comes before that"`
}

// importedJSON is what import prints with --json.
type importedJSON struct {
	Files []api.Imported `json:"files" jsonschema_description:"the one that was taken"`
}

func (a *app) importCmd() *cobra.Command {
	var o importOptions
	return a.verb("import FILE", "Add the events of an export to the log",
		"Add the events of an export to the log, with their own ids, times and sessions. Events that the log\n"+
			"already has are left out, so importing twice changes nothing. The file is checked to its end\n"+
			"first: if it is cut off or damaged, nothing of it is taken.",
		"  replay import log.ndjson.zst\n  replay import log.ndjson.zst --json",
		cmdline.Exactly("an export"), func(ctx context.Context, args []string) error {
			file := args[0]
			path, err := filepath.Abs(file)
			if err == nil {
				_, err = os.Stat(path)
			}
			if err != nil {
				return problem.Faultf("%v", err).Advise("`replay export -o FILE` writes what can be imported")
			}
			if err := os.MkdirAll(filepath.Join(a.Home(), "store"), 0o700); err != nil { // a new home gets a store
				return err
			}

			done, err := long(ctx, a, api.Import, api.ImportRequest{File: path, Partial: o.Partial}, "")
			if err != nil {
				return err
			}
			if a.JSON {
				return a.PrintJSON(importedJSON{Files: []api.Imported{done.result}})
			}
			a.printImported(file, done.result)
			return nil
		}, &o)
}

func (a *app) printImported(file string, r api.Imported) {
	a.Printf("%s: %s\n", file, a.Paint.Good(cmdline.Plural(r.Added, "event")+" added"))
	a.Printf("events   %s in the file, written by %s\n", cmdline.Count(r.Events), r.Build)
	a.Printf("known    %s\n", cmdline.Count(r.Known))
	a.Printf("blobs    %s\n", cmdline.Count(r.Blobs))
	if r.NoBlob > 0 {
		a.Printf("missing  %s of large content that is in no file\n", cmdline.Plural(r.NoBlob, "piece"))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Unknown)) {
		a.Printf("unknown  %s of type %s, kept as they are\n", cmdline.Plural(r.Unknown[name], "event"), cmdline.Clean(name))
	}
	a.Printf("log      up to sequence %s\n", cmdline.Count(r.Seq))
	if r.Problem != "" {
		a.Say("the file is not whole: " + r.Problem)
	}
}

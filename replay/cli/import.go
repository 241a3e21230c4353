package cli

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
	"hookline/hookctl/safeopen"
	"hookline/replay/carry"
)

// importOptions are the flags of import.
type importOptions struct {
	Partial bool `help:"of a file that is cut off or damaged, take what comes before that"`
}

// importedJSON is what import prints with --json.
type importedJSON struct {
	Files []carry.Imported `json:"files" jsonschema_description:"that were taken, in their order"`
}

func (a *app) importCmd() *cobra.Command {
	var o importOptions
	return a.verb(&cobra.Command{
		Use:   "import FILE...",
		Short: "Add the events of exports to the log",
		Long: "Add the events of exports to the log, with their own ids, times and sessions. Events that the log\n" +
			"already has are left out, so importing twice changes nothing. Each file is checked to its end\n" +
			"first: if it is cut off or damaged, nothing of it is taken.",
		Example: "  replay import log.ndjson.zst\n  replay import old-machine/*.ndjson.zst --json",
		Args:    cmdline.AtLeast("an export"),
	}, func(ctx context.Context, args []string) error {
		return a.interrupted(ctx, a.importAll(ctx, args, o.Partial), "what was imported stays, and importing the file again takes the rest")
	}, &o)
}

// importAll takes the files in their order and stops at the first that cannot be taken.
func (a *app) importAll(ctx context.Context, files []string, partial bool) error {
	for _, file := range files {
		if _, err := os.Stat(file); err != nil {
			return problem.Faultf("%v", err).Advise("`replay export -o FILE` writes what can be imported")
		}
	}
	if err := os.MkdirAll(filepath.Join(a.Home(), "store"), 0o700); err != nil { // a new home gets a store
		return err
	}

	all := importedJSON{Files: []carry.Imported{}}
	var failed error
	for _, file := range files {
		r, err := a.importFile(ctx, file, partial)
		if err != nil {
			failed = err
			break
		}
		all.Files = append(all.Files, r)
		if !a.JSON {
			a.printImported(file, r)
		}
	}
	if a.JSON && (failed == nil || len(all.Files) > 0) { // the files before the one that failed are in the log
		return errors.Join(a.PrintJSON(all), failed)
	}
	return failed
}

func (a *app) importFile(ctx context.Context, file string, partial bool) (carry.Imported, error) {
	path, err := absolute(file)
	if err != nil {
		return carry.Imported{}, err
	}
	query := url.Values{"file": {path}}
	if partial {
		query.Set("partial", "1")
	}
	raw, err := a.longOf(ctx, eventsIn(path), "/v1/import", query, "checking", "importing")
	if err != nil {
		return carry.Imported{}, err
	}
	return decode[carry.Imported](raw)
}

// eventsIn returns the number of events that the file's header announces, for the progress bar; 0 when it cannot be read.
func eventsIn(path string) uint64 {
	f, err := safeopen.Open(safeopen.Foreign, path)
	if err != nil {
		return 0
	}
	defer f.Close()

	r, err := carry.OpenExport(f)
	if err != nil {
		return 0
	}
	defer r.Close()
	return r.Header().Events
}

func (a *app) printImported(file string, r carry.Imported) {
	a.Printf("%s: %s\n", file, a.Paint.Good(cmdline.Plural(int(r.Added), "event")+" added"))
	a.Printf("events   %s in the file, written by %s\n", cmdline.Count(r.Events), r.Build)
	a.Printf("known    %s\n", cmdline.Count(r.Known))
	a.Printf("blobs    %s\n", cmdline.Count(r.Blobs))
	if r.NoBlob > 0 {
		a.Printf("missing  %s of large content that is in no file\n", cmdline.Plural(int(r.NoBlob), "piece"))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Unknown)) {
		a.Printf("unknown  %s of type %s, kept as they are\n", cmdline.Plural(r.Unknown[name], "event"), cmdline.Clean(name))
	}
	a.Printf("log      up to sequence %s\n", cmdline.Count(r.Seq))
	if r.Problem != "" {
		a.Say("the file is not whole: " + r.Problem)
	}
}

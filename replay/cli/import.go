package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
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
	Partial bool `help:"of a file that is cut off or damaged, take what stands before that"`
}

func (a *app) importCmd() *cobra.Command {
	var o importOptions
	return a.verb(&cobra.Command{
		Use:   "import FILE...",
		Short: "Take the events of exports into the log",
		Long: "Take the events of exports into the log, with their own ids, times and sessions. What the log\n" +
			"has already is left out, so importing twice changes nothing. Each file is checked to its end\n" +
			"first: of one that is cut off or damaged nothing is taken. `-` is stdin.",
		Example: "  replay import log.ndjson.zst\n  replay import old-machine/*.ndjson.zst --json",
		Args:    cmdline.AtLeast("an export, or `-` for stdin"),
	}, func(ctx context.Context, args []string) error {
		return a.interrupted(ctx, a.importAll(ctx, args, o.Partial), "what was imported stays, and importing the file again takes the rest")
	}, &o)
}

// importedJSON is what import prints with --json: of each file that was taken what the daemon told, a
// [importer.Result].
type importedJSON struct {
	Files []json.RawMessage `json:"files"`
}

// JSONSchemaAlias says what the files are told as.
func (importedJSON) JSONSchemaAlias() any {
	return struct {
		Files []carry.Imported `json:"files" jsonschema_description:"that were taken, in their order"`
	}{}
}

// importAll takes the files in their order and stops at the first that cannot be taken.
func (a *app) importAll(ctx context.Context, files []string, partial bool) error {
	all := []json.RawMessage{}
	if err := a.readyFor(ctx, files, partial); err != nil {
		return err
	}
	for _, file := range files {
		raw, err := a.importFile(ctx, file, partial)
		if err != nil {
			if a.JSON && len(all) > 0 { // those before it are in the log
				err = errors.Join(a.PrintJSON(importedJSON{all}), err)
			}
			return err
		}
		all = append(all, raw)
		if a.JSON {
			continue
		}
		r, err := decode[carry.Imported](raw)
		if err != nil {
			return err
		}
		a.printImported(file, r)
	}
	if a.JSON {
		return a.PrintJSON(importedJSON{all})
	}
	return nil
}

// readyFor makes the store of a new home, once it is sure that there is something to put into it: what a file that is refused
// left behind would be in the way of a restore.
func (a *app) readyFor(ctx context.Context, files []string, partial bool) error {
	store := filepath.Join(a.Home(), "store")
	_, err := os.Stat(store)
	made := errors.Is(err, os.ErrNotExist)
	for _, file := range files {
		if file == "-" {
			continue
		}
		if _, err := os.Stat(file); err != nil {
			return problem.Faultf("%v", err).Advise("`replay export -o FILE` writes what can be imported")
		}
		path, err := absolute(file)
		if made && err == nil {
			err = carry.CheckImport(ctx, path, partial)
		}
		if err != nil {
			return err
		}
	}
	return os.MkdirAll(store, 0o700)
}

func (a *app) importFile(ctx context.Context, file string, partial bool) (json.RawMessage, error) {
	if file == "-" {
		kept, err := os.CreateTemp("", "hookline-import-*")
		if err != nil {
			return nil, err
		}
		defer os.Remove(kept.Name())
		_, err = cmdline.Await(ctx, func() (int64, error) { return io.Copy(kept, a.In) }) // an import reads twice
		if err = errors.Join(err, kept.Close()); err != nil {
			return nil, err
		}
		file = kept.Name()
	}
	path, err := absolute(file)
	if err != nil {
		return nil, err
	}
	query := url.Values{"file": {path}}
	if partial {
		query.Set("partial", "1")
	}
	return a.longOf(ctx, eventsIn(path), "/v1/import", query, "checking", "importing")
}

// eventsIn is what the file's header announces, for the progress bar; 0 when it cannot be told.
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

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"hookline/hookctl/cmdline"
	"hookline/hookctl/page"
	"hookline/hookctl/problem"
	"hookline/hookctl/wire"
	"hookline/replay/carry"
)

// exportOptions are the flags of export.
type exportOptions struct {
	File    string `flag:"output,o" help:"file to write; it must not exist"` // "" = stdout where that is no terminal, else a dated file; "-" = stdout
	HTML    string `help:"this session as a page: its id, any unique prefix of it, or last"`
	Session string `help:"only the events of this one: its id, any unique prefix of it, or last"`
	Since   string `help:"only from this point on"`
	Until   string `help:"only up to this point"`
}

func (a *app) exportCmd() *cobra.Command {
	var o exportOptions
	cmd := a.verb(&cobra.Command{
		Use:   "export",
		Short: "Write the events into a file",
		Long: "Write the events into a file, one a line with their ids, large contents included, as NDJSON\n" +
			"in zstd; a name that ends in .ndjson leaves the zstd out. Without -o it goes to stdout, on a\n" +
			"terminal into a dated file. The file is whole or it is not there, and nobody else can read it.\n\n" +
			"With --html it is one session as a page that opens without hookline: its timeline, the state at each\n" +
			"event and the events themselves with their digest, redacted once more.\n\n" + appendHelp,
		Example: "  replay export -o log.ndjson.zst\n  replay export --session c68c8a51 --since 2h | zstd -d | jq -c .type\n" +
			"  replay export --html c68c8a51 -o session.html",
	}, func(ctx context.Context, _ []string) error { return a.export(ctx, o) }, &o)
	for _, name := range []string{"session", "since", "until"} {
		cmd.MarkFlagsMutuallyExclusive("html", name)
	}
	return cmd
}

func (a *app) export(ctx context.Context, o exportOptions) error {
	id, err := a.session(ctx, cmp.Or(o.HTML, o.Session))
	if err != nil {
		return err
	}
	if o.HTML != "" {
		return a.exportPage(ctx, id, o.File)
	}
	query := url.Values{}
	for name, given := range map[string]string{"since": o.Since, "until": o.Until} {
		if given == "" {
			continue
		}
		p, err := a.Point(given)
		if err != nil {
			return err
		}
		query.Set(name, p)
	}
	if id != "" {
		query.Set("session", id)
	}
	if o.File == "" && a.showsOut {
		o.File = "hookline-export-" + a.Now().UTC().Format("20060102T150405Z") + ".ndjson.zst"
	}
	if o.File == "" || o.File == "-" {
		return a.exportToStdout(ctx, query)
	}
	m := a.Meter("exporting")
	out, err := carry.Save(o.File, a.exportLines(ctx, query, m), m.At)
	switch {
	case errors.Is(err, os.ErrExist):
		return problem.Faultf("%s exists", o.File).Advise("choose another name; nothing is overwritten")
	case err != nil:
		return err
	}
	if a.JSON {
		return a.PrintJSON(out)
	}
	a.Printf("%s: %s, %s, %s bytes\n", out.File, cmdline.Plural(int(out.Events), "event"), cmdline.Plural(int(out.Blobs), "blob"), cmdline.Count(out.Bytes))
	a.sayMissing(out)
	return nil
}

// pageJSON is what `export --html --json` prints.
type pageJSON struct {
	File  string `json:"file" jsonschema_description:"as it was named"`
	Bytes int64  `json:"bytes" jsonschema_description:"size of the file"`
	page.Exported
}

// exportPage writes a session as a page.
func (a *app) exportPage(ctx context.Context, session, file string) error {
	if file == "" || file == "-" {
		return problem.Faultf("--html needs -o FILE").Advise("for example -o session.html; it must not exist")
	}
	out := pageJSON{File: file}
	err := a.with(ctx, func(h backend) (err error) {
		out.Bytes, err = carry.Create(file, func(w io.Writer) (err error) {
			out.Exported, err = page.Export(ctx, w, page.ExportOptions{From: h, Session: session, Zone: a.Zone, Now: a.Now(), Build: wire.Build})
			return err
		})
		return err
	})
	switch {
	case errors.Is(err, os.ErrExist):
		return problem.Faultf("%s exists", file).Advise("choose another name; nothing is overwritten")
	case err != nil:
		return err
	case a.JSON:
		return a.PrintJSON(out)
	}
	a.Printf("%s: %s, %s bytes, SHA-256 of the events %s\n", out.File, cmdline.Plural(out.Events, "event"), cmdline.Count(out.Bytes), out.Digest)
	return nil
}

func (a *app) sayMissing(out carry.Saved) {
	if out.Missing > 0 {
		a.Say(cmdline.Plural(out.Missing, "large content") + " that events refer to could not be had; `replay repair` names them")
	}
}

func (a *app) exportToStdout(ctx context.Context, query url.Values) error {
	switch {
	case a.showsOut:
		return problem.Faultf("stdout is a terminal").Advise("name a file with -o, or pipe it")
	case a.JSON:
		return problem.Faultf("--json needs -o FILE: the events themselves go to stdout")
	}
	m := a.Meter("exporting")
	out, err := carry.Pack(a.Out, true, a.exportLines(ctx, query, m), m.At)
	if err == nil {
		a.sayMissing(out)
	}
	return err
}

// exportLines has the daemon send the lines.
func (a *app) exportLines(ctx context.Context, query url.Values, m *cmdline.Meter) carry.Lines {
	return func(line func([]byte) error) error {
		return a.with(ctx, func(h backend) error {
			defer m.End()
			return h.Stream(ctx, http.MethodGet, "/v1/export", query, line)
		})
	}
}

// absolute is a file's path as the daemon, which works elsewhere, needs it.
func absolute(file string) (string, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	return path, nil
}

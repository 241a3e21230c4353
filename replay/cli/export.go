package cli

import (
	"cmp"
	"context"
	"io"

	"github.com/spf13/cobra"

	"hookline/hookctl/api"
	"hookline/hookctl/client"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/page"
	"hookline/hookctl/problem"
	"hookline/hookctl/wire"
	"hookline/replay/carry"
)

// exportOptions are the flags of export.
type exportOptions struct {
	File    string `flag:"output,o" help:"file to write; it must not exist"` // "" or "-" = stdout
	HTML    string `help:"this session as a page: its id, any unique prefix of it, or last"`
	Session string `help:"only the events of this one: its id, any unique prefix of it, or last"`
	Since   string `help:"only from this point on"`
	Until   string `help:"only up to this point"`
}

func (a *app) exportCmd() *cobra.Command {
	var o exportOptions
	cmd := a.verb("export", "Write the events into a file",
		"Write the events into a file, one a line with their ids, large contents included, as NDJSON\n"+
			"in zstd; a name that ends in .ndjson leaves the zstd out. Without -o it goes to stdout, which\n"+
			"must not be a terminal. The file is whole or it is not there, and nobody else can read it.\n\n"+
			"With --html it is one session as a page that opens without hookline: its timeline, the state at each\n"+
			"event and the events themselves with their digest, redacted once more.\n\n"+appendHelp,
		"  replay export -o log.ndjson.zst\n  replay export --session c68c8a51 --since 2h | zstd -d | jq -c .type\n"+
			"  replay export --html c68c8a51 -o session.html",
		nil, func(ctx context.Context, _ []string) error {
			id, err := a.session(ctx, cmp.Or(o.HTML, o.Session))
			if err != nil {
				return err
			}
			toFile := o.File != "" && o.File != "-"
			switch {
			case o.HTML != "" && !toFile:
				return problem.Faultf("--html needs -o FILE").Advise("for example -o session.html; it must not exist")
			case a.JSON && !toFile:
				return problem.Faultf("--json needs -o FILE: the events themselves go to stdout")
			case a.showsOut && !toFile:
				return problem.Faultf("stdout is a terminal").Advise("name a file with -o, or pipe it")
			case o.HTML != "":
				return a.exportPage(ctx, id, o.File)
			}
			return a.exportLog(ctx, id, o, toFile)
		}, &o)
	for _, name := range []string{"session", "since", "until"} {
		cmd.MarkFlagsMutuallyExclusive("html", name)
	}
	return cmd
}

// exportLog writes the events to a file or to stdout.
func (a *app) exportLog(ctx context.Context, session string, o exportOptions, toFile bool) error {
	since, err := a.pointGiven(o.Since)
	if err != nil {
		return err
	}
	until, err := a.pointGiven(o.Until)
	if err != nil {
		return err
	}
	part := api.ExportRequest{Session: session, Since: since, Until: until}

	m := a.Meter("exporting")
	lines := func(line func([]byte) error) error {
		return a.with(ctx, func(c *client.Client) error {
			defer m.End()
			return api.Export.Lines(ctx, c, part, line)
		})
	}
	var out carry.Saved
	if toFile {
		out, err = carry.Save(o.File, lines, m.At)
	} else {
		out, err = carry.Pack(a.Out, true, lines, m.At)
	}
	if err != nil {
		return err
	}

	if out.Missing > 0 && !a.JSON {
		a.Say(cmdline.Plural(out.Missing, "large content") + " that events refer to could not be had; `replay repair` names them")
	}
	if !toFile {
		return nil
	}
	return a.Result(out, "%s: %s, %s, %s bytes\n", out.File, cmdline.Plural(out.Events, "event"), cmdline.Plural(out.Blobs, "blob"), cmdline.Count(out.Bytes))
}

// pageJSON is what `export --html --json` prints.
type pageJSON struct {
	File  string `json:"file" jsonschema_description:"as it was named"`
	Bytes int64  `json:"bytes" jsonschema_description:"size of the file"`
	page.Exported
}

// exportPage writes a session as a page.
func (a *app) exportPage(ctx context.Context, session, file string) error {
	out := pageJSON{File: file}
	err := a.with(ctx, func(c *client.Client) (err error) {
		out.Bytes, err = carry.Create(file, func(w io.Writer) (err error) {
			out.Exported, err = page.Export(ctx, w, page.ExportOptions{From: c, Session: session, Zone: a.Zone, Now: a.Now(), Build: wire.Build})
			return err
		})
		return err
	})
	if err != nil {
		return err
	}
	return a.Result(out, "%s: %s, %s bytes, SHA-256 of the events %s\n", out.File, cmdline.Plural(out.Events, "event"), cmdline.Count(out.Bytes), out.Digest)
}

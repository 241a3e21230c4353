package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/spf13/cobra"

	"hookline/hookctl/export"
)

// exportOptions are the flags of export.
type exportOptions struct {
	session, since, until string
	file                  string // "" = stdout where that is no terminal, else a dated file; "-" = stdout
}

// exported is what export prints with --json.
type exported struct {
	File    string `json:"file"`
	Events  uint64 `json:"events"`
	Blobs   uint64 `json:"blobs"`
	Missing int    `json:"missing_blobs"` // that events refer to and the log does not have
	Bytes   int64  `json:"bytes"`
}

func (a *app) exportCmd() *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write the events into a file",
		Long: "Write the events into a file, one a line with their ids, large contents included, as NDJSON\n" +
			"in zstd; a name that ends in .ndjson leaves the zstd out. Without -o it goes to stdout, on a\n" +
			"terminal into a dated file. The file is whole or it is not there, and nobody else can read it.\n\n" + pointHelp,
		Example: "  replay export -o log.ndjson.zst\n  replay export --session c68c8a51 --since 2h | zstd -d | jq -c .type",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.export(cmd.Context(), o) },
	}
	cmd.Flags().StringVarP(&o.file, "output", "o", "", "file to write; it must not exist")
	cmd.Flags().StringVar(&o.session, "session", "", "only this session's events, by id or alias")
	cmd.Flags().StringVar(&o.since, "since", "", "only from this point on")
	cmd.Flags().StringVar(&o.until, "until", "", "only up to this point")
	return cmd
}

func (a *app) export(ctx context.Context, o exportOptions) error {
	query := url.Values{}
	for name, given := range map[string]string{"since": o.since, "until": o.until} {
		if given == "" {
			continue
		}
		p, err := a.point(given)
		if err != nil {
			return err
		}
		query.Set(name, p)
	}
	if o.session != "" {
		query.Set("session", o.session)
	}
	if o.file == "" && a.showsOut {
		o.file = "hookline-export-" + a.now().UTC().Format("20060102T150405Z") + ".ndjson.zst"
	}
	if o.file == "" || o.file == "-" {
		return a.exportToStdout(ctx, query)
	}
	out, err := a.exportToFile(ctx, o.file, query)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(out)
	}
	a.printf("%s: %s, %s, %s bytes\n", oneLine(out.File), plural(int(out.Events), "event"), plural(int(out.Blobs), "blob"), count(uint64(out.Bytes)))
	a.sayMissing(out)
	return nil
}

func (a *app) sayMissing(out exported) {
	if out.Missing > 0 {
		a.say(plural(out.Missing, "large content") + " that events refer to could not be had; `replay repair` names them")
	}
}

func (a *app) exportToStdout(ctx context.Context, query url.Values) error {
	switch {
	case a.showsOut:
		return &fault{message: "stdout is a terminal", hint: "name a file with -o, or pipe it"}
	case a.json:
		return &fault{message: "--json needs -o FILE: the events themselves go to stdout"}
	}
	out, err := a.exportTo(ctx, a.out, true, query)
	if err == nil {
		a.sayMissing(out)
	}
	return err
}

// exportToFile writes a new file; on any trouble there is none.
func (a *app) exportToFile(ctx context.Context, file string, query url.Values) (exported, error) {
	f, err := newFile(file)
	if err != nil {
		return exported{}, err
	}
	out, err := a.exportTo(ctx, f, !strings.HasSuffix(file, ".ndjson"), query)
	if err == nil {
		out.Bytes, err = f.Seek(0, io.SeekCurrent)
	}
	out.File = file
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return out, errors.Join(err, os.Remove(file))
	}
	return out, nil
}

// newFile makes a file that nobody else can read, and replaces none.
func newFile(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil, &fault{message: name + " exists", hint: "choose another name; nothing is overwritten"}
	}
	return f, err
}

// exportTo writes the lines as the daemon gives them.
func (a *app) exportTo(ctx context.Context, w io.Writer, pack bool, query url.Values) (exported, error) {
	buffered := bufio.NewWriterSize(w, 256<<10)
	to, finish := io.Writer(buffered), func() error { return nil }
	if pack {
		z, err := zstd.NewWriter(buffered, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return exported{}, err
		}
		to, finish = z, z.Close
	}
	m := a.meter("exporting")
	c := exportCount{missing: map[string]bool{}, told: m.at}
	err := a.with(ctx, func(h house) error {
		defer m.end()
		return h.Stream(ctx, http.MethodGet, "/v1/export", query, func(line []byte) error {
			if err := c.line(line); err != nil {
				return err
			}
			_, err := to.Write(append(line, '\n'))
			return err
		})
	})
	if err == nil && !c.ended {
		err = errors.New("the daemon ended before the export did")
	}
	c.out.Missing = len(c.missing)
	return c.out, errors.Join(err, finish(), buffered.Flush())
}

// exportCount knows what went by.
type exportCount struct {
	out     exported
	missing map[string]bool // digests that were referred to and have not come; false once they came
	of      uint64
	ended   bool
	told    func(done, of uint64)
}

func (c *exportCount) line(line []byte) error {
	switch {
	case bytes.HasPrefix(line, []byte(`{"$blob":"`)):
		c.out.Blobs++
		return c.came(line)
	case bytes.HasPrefix(line, []byte(`{"end":true,`)):
		c.ended = true
		for digest, lacks := range c.missing {
			if !lacks {
				delete(c.missing, digest)
			}
		}
		return nil
	case bytes.HasPrefix(line, []byte(`{"hookline_export":`)):
		var h export.Header
		err := json.Unmarshal(line, &h)
		c.of = h.Events
		return err
	}
	c.out.Events++
	c.told(c.out.Events, c.of)
	for _, digest := range export.Refs(line) {
		if _, seen := c.missing[digest]; !seen {
			c.missing[digest] = true
		}
	}
	return nil
}

func (c *exportCount) came(line []byte) error {
	for _, digest := range export.Refs(line[:min(len(line), 100)]) {
		c.missing[digest] = false
		return nil
	}
	return fmt.Errorf("a blob without a digest: %.100s", line)
}

// absolute is a file's path as the daemon, which works elsewhere, needs it.
func absolute(file string) (string, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	return path, nil
}

package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"hookline/embedded"
	"hookline/hookctl/api"
	"hookline/hookctl/client"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
)

// bucketOptions are the flags of bucket.
type bucketOptions struct {
	Watch bool `help:"print what changes from now on, until Ctrl-C"`
}

// bucketJSON is what --json prints of the keys of a bucket.
type bucketJSON struct {
	Bucket string           `json:"bucket" jsonschema_description:"name of the bucket"`
	Cells  []api.BucketCell `json:"cells" jsonschema_description:"its values, without their contents, in the order of the keys"`
}

func (a *app) bucketCmd() *cobra.Command {
	var o bucketOptions
	c := a.verb("bucket [snapshot|latest|cache [KEY]]", "Show what the buckets hold",
		"Show the buckets and how far each projection is written to them; with a bucket its keys; with a key its value.\n"+
			"A key may be a part that no other key has, such as a session's short id in latest. --watch prints each write\n"+
			"and each key that goes as they come (the daemon writes every two seconds), and a --watch --json an object a line.\n"+
			"Nothing is changed. Without a daemon the store is opened: then the cache, which is in memory, is empty.",
		"  replay bucket\n  replay bucket snapshot\n  replay bucket latest c68c8a51 --json | jq .value\n  replay bucket --watch",
		cmdline.Between(0, "a bucket", "a key"), func(ctx context.Context, args []string) error {
			args = append(args, "", "")
			request := api.BucketRequest{Bucket: args[0], Key: args[1], Watch: o.Watch}
			switch {
			case o.Watch:
				return a.watchBuckets(ctx, request)
			case request.Bucket == "":
				return a.listBuckets(ctx)
			}
			return a.listCells(ctx, request)
		}, &o)
	c.ValidArgs = embedded.BucketNames
	return c
}

// listBuckets prints the buckets and the projections.
func (a *app) listBuckets(ctx context.Context) error {
	return a.with(ctx, func(c *client.Client) error {
		all, text, err := api.GetBuckets.CallJSON(ctx, c, api.None{})
		if err != nil {
			return err
		}
		if a.JSON {
			return a.PrintRaw(text)
		}

		t := a.Table("BUCKET", "KEYS", "BYTES", "REVISION", "WRITTEN")
		for _, b := range all.Buckets {
			t.Row(b.Name, cmdline.Count(b.Keys), cmdline.Count(b.Bytes), cmdline.Count(b.Revision), a.stamp(b.Changed))
		}
		t.Print()

		a.Printf("\n")
		p := a.Table("PROJECTION", "VERSION", "FOLDED UP TO", "BEHIND")
		for _, s := range all.Projections {
			p.Row(s.Name, fmt.Sprint(s.Version), cmdline.Count(s.Seq), cmdline.Count(s.Lag))
		}
		p.Print()
		a.Printf("\n%s\n", a.Paint.Faint("the log is at sequence "+cmdline.Count(all.Seq)))
		return nil
	})
}

// listCells prints the keys of a bucket, or the value of one.
func (a *app) listCells(ctx context.Context, request api.BucketRequest) error {
	return a.with(ctx, func(c *client.Client) error {
		cells := []api.BucketCell{}
		err := api.BucketCells.Each(ctx, c, request, func(cell api.BucketCell) error {
			cells = append(cells, cell)
			return nil
		})
		switch {
		case err != nil:
			return err
		case request.Key != "" && len(cells) == 1:
			return a.printValue(cells[0])
		case a.JSON:
			return a.PrintJSON(bucketJSON{Bucket: request.Bucket, Cells: cells})
		}
		a.printCellList(request.Bucket, cells)
		return nil
	})
}

// printCellList prints the keys of a bucket with their facts.
func (a *app) printCellList(bucket string, cells []api.BucketCell) {
	if len(cells) == 0 && bucket == "cache" {
		a.Printf("no keys: the cache is in the daemon's memory, and filled for live sessions\n")
		return
	}
	if len(cells) == 0 {
		a.Printf("no keys yet\n")
		return
	}

	t := a.Table("REVISION", "BYTES", "PROJECTION", "SEQ", "FOLDED UP TO", "WRITTEN", "KEY")
	t.Columns = 0
	for _, c := range cells {
		t.Row(cmdline.Count(c.Revision), cmdline.Count(c.Bytes), writer(c), sequence(c.Seq), sequence(c.Position), a.stamp(c.Time), c.Key)
	}
	t.Print()
}

// printValue prints a value with its facts.
func (a *app) printValue(c api.BucketCell) error {
	if a.JSON {
		return a.PrintJSON(c)
	}
	a.Printf("%s\n", a.Paint.Bold(cmdline.Clean(c.Bucket+"  "+c.Key)))
	a.Printf("revision    %s, written %s\n", cmdline.Count(c.Revision), a.stamp(c.Time))
	a.Printf("size        %s bytes\n", cmdline.Count(c.Bytes))
	a.Printf("projection  %s\n", writer(c))
	if c.Seq > 0 {
		a.Printf("sequence    %s\n", cmdline.Count(c.Seq))
	}
	if c.Projection != "" {
		a.Printf("folded      up to %s\n", cmdline.Count(c.Position))
	}
	if c.Value != nil {
		a.Verbatim(cmdline.IndentJSON(c.Value) + "\n")
		return nil
	}
	a.Verbatim(c.Text + "\n")
	return nil
}

// watchBuckets prints what changes. Without a daemon nothing would, and the store that is held open would keep one from starting.
func (a *app) watchBuckets(ctx context.Context, request api.BucketRequest) error {
	a.here = nil
	err := a.with(ctx, func(c *client.Client) error {
		return api.BucketCells.Each(ctx, c, request, func(cell api.BucketCell) error {
			if a.JSON {
				return a.PrintJSON(cell)
			}
			a.Printf("%s  %s\n", a.Paint.Faint(cmdline.Pad(cell.Bucket, 8)), cmdline.Clean(cell.Key)+"  "+written(cell))
			return nil
		})
	})
	if ctx.Err() != nil {
		return nil
	}
	if err == nil {
		return problem.Faultf("the daemon ended").Advise("`hookctl start` starts it again, and so does the next hook")
	}
	return err
}

// written says what became of a key.
func written(c api.BucketCell) string {
	if c.Deleted {
		return "deleted"
	}
	words := fmt.Sprintf("revision %s, %s bytes", cmdline.Count(c.Revision), cmdline.Count(c.Bytes))
	if c.Seq > 0 {
		words += ", sequence " + cmdline.Count(c.Seq)
	}
	return words
}

// writer names the projection of a value with its version.
func writer(c api.BucketCell) string {
	if c.Projection == "" {
		return "none of this build"
	}
	return fmt.Sprintf("%s v%d", c.Projection, c.Version)
}

// sequence is a sequence in a list; a dash where there is none.
func sequence(seq uint64) string {
	if seq == 0 {
		return "–"
	}
	return cmdline.Count(seq)
}

// stamp is a time to the second; a dash where there is none.
func (a *app) stamp(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return t.In(a.Zone).Format(time.DateTime)
}

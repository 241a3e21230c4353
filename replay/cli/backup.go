package cli

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
)

func (a *app) backupCmd() *cobra.Command {
	return a.verb("backup FILE", "Write the store into one file",
		"Write the store into one new file, while hooks go on being recorded: everything up to the moment\n"+
			"at which it begins is in it. The file holds what was recorded, so keep it as private as the\n"+
			"store; its mode is 0600. Nothing is overwritten. It cannot go to stdout.",
		"  replay backup ~/hookline-$(date +%F).backup",
		cmdline.Exactly("a file to write"), func(ctx context.Context, args []string) error {
			path, err := filepath.Abs(args[0]) // the process that has the store writes the file
			if err != nil {
				return err
			}
			done, err := long(ctx, a, api.Backup, api.BackupRequest{File: path}, "writing")
			if err != nil {
				return err
			}

			return done.show(a, func(r api.BackedUp) {
				a.Printf("%s\n", a.Paint.Good("backed up to "+args[0]))
				a.Printf("log      up to sequence %s: %s and %s behind\n", cmdline.Count(r.Seq), cmdline.Plural(r.Blocks, "sealed block"), cmdline.Plural(r.Events, "event"))
				a.Printf("blobs    %s\n", cmdline.Count(r.Blobs))
				if r.Frames > 0 {
					a.Printf("spool    %s waiting\n", cmdline.Plural(r.Frames, "frame"))
				}
				a.Printf("size     %s bytes\nsha256   %s\n", cmdline.Count(r.Bytes), r.SHA256)
			})
		})
}

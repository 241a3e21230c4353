package cli

import (
	"github.com/spf13/cobra"

	"hookline/hookctl/cmdline"
	"hookline/hookctl/wire"
)

func (a *app) versionCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  replay version --json",
		Args:    cmdline.Exactly(),
		RunE: func(*cobra.Command, []string) error {
			if a.JSON {
				return a.PrintVersion()
			}
			a.Printf("replay %s\n", wire.Build)
			return nil
		},
	}
}

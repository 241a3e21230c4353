package verbs

import (
	"runtime"

	"github.com/spf13/cobra"

	"hookline/hookctl/cmdline"
	"hookline/hookctl/wire"
)

func (a *app) versionCmd() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version",
		Example: "  hookctl version\n  hookctl version --json | jq -r .version",
		Args:    cmdline.Exactly(),
		RunE: func(*cobra.Command, []string) error {
			if a.JSON {
				return a.PrintVersion()
			}
			a.Printf("hookctl %s (protocol %d, %s, %s/%s)\n", wire.Build, wire.Protocol, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return nil
		},
	}
}

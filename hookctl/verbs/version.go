package verbs

import (
	"runtime"

	"github.com/spf13/cobra"

	"hookline/hookctl/wire"
)

func (a *app) versionCmd() *cobra.Command {
	return a.verb(needNothing, &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  hookctl version\n  hookctl version --json | jq -r .version",
	}, func([]string) error {
		if a.JSON {
			return a.PrintVersion()
		}
		a.Printf("hookctl %s (protocol %d, %s, %s/%s)\n", wire.Build, wire.Protocol, runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return nil
	})
}

package cli

import (
	"runtime"

	"github.com/spf13/cobra"

	"hookline/hookctl/wire"
)

// versionJSON is what `version --json` prints.
type versionJSON struct {
	Version  string `json:"version"`
	Protocol int    `json:"protocol"` // of the socket
	Go       string `json:"go"`
}

func (a *app) versionCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  replay version --json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if a.JSON {
				return a.PrintJSON(versionJSON{wire.Build, wire.Protocol, runtime.Version()})
			}
			a.Printf("replay %s\n", wire.Build)
			return nil
		},
	}
}

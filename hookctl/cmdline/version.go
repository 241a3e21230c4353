package cmdline

import (
	"context"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"hookline/hookctl/wire"
)

// VersionJSON is what version prints with --json.
type VersionJSON struct {
	Version  string `json:"version" jsonschema_description:"semantic; a build between releases has a dash, its commit's time and hash behind it"`
	Protocol int    `json:"protocol" jsonschema_description:"of the socket"`
	Go       string `json:"go" jsonschema_description:"version that it was built with"`
	OS       string `json:"os" jsonschema_description:"as Go names it: linux, darwin or windows"`
	Arch     string `json:"arch" jsonschema_description:"as Go names it: amd64 or arm64"`
}

// VersionCmd makes the verb version.
func (c *Console) VersionCmd() *cobra.Command {
	verb := c.Name + " version"
	return Verb(&cobra.Command{Use: "version", Short: "Print the version", Example: "  " + verb + "\n  " + verb + " --json | jq -r .version"}, nil,
		func(context.Context, []string) error {
			return c.Result(VersionJSON{wire.Build, wire.Protocol, runtime.Version(), runtime.GOOS, runtime.GOARCH}, "%s\n", c.versionWords())
		})
}

func (c *Console) versionWords() string {
	return fmt.Sprintf("%s %s (protocol %d, %s, %s/%s)", c.Name, wire.Build, wire.Protocol, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

package cmdline

import (
	"runtime"

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

// PrintVersion prints the version of this program for a script.
func (c *Console) PrintVersion() error {
	return c.PrintJSON(VersionJSON{wire.Build, wire.Protocol, runtime.Version(), runtime.GOOS, runtime.GOARCH})
}

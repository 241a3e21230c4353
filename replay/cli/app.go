package cli

import (
	"context"

	"hookline/hookctl/client"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/daemon"
	"hookline/hookctl/home"
)

// app is one run of a verb: its flags and every way to the outside. Its terminal is one for stdout and
// stderr alike: where one of them goes elsewhere there is neither colour nor progress.
type app struct {
	cmdline.Console
	showsOut bool // stdout is a terminal: no place for compressed bytes
	repairs  bool // the verb prints what the opening of the store found, and no warning is needed

	here    func(context.Context, home.Paths) (*client.Client, error) // opens the store where no daemon runs
	connect func(context.Context) (*client.Client, error)
}

// newApp is the app on the real world.
func newApp() *app {
	a := &app{Console: cmdline.New("replay"), here: daemon.Here}
	a.showsOut = a.Terminal
	a.Terminal = a.Terminal && a.Watched
	a.Asks = a.Asks && a.Terminal
	if !a.Terminal {
		a.Columns = 0
	}
	a.connect = a.dial
	return a
}

package cli

import (
	"context"

	"hookline/hookctl/cmdline"
	"hookline/hookctl/daemon"
)

// app is one run of a verb: its flags and every way to the outside. Its terminal is one for stdout and
// stderr alike: where one of them goes elsewhere there is neither colour nor progress.
type app struct {
	cmdline.Console
	showsOut bool // stdout is a terminal: no place for compressed bytes
	repairs  bool // the verb tells by itself what the opening of the store found

	connect     func(ctx context.Context) (backend, error)
	connectLook func(ctx context.Context) (backend, error) // for dry runs
}

// newApp is the app on the real world.
func newApp() *app {
	a := &app{Console: cmdline.New("replay")}
	a.showsOut = a.Terminal
	a.Terminal = a.Terminal && a.Watched
	a.Asks = a.Asks && a.Terminal
	if !a.Terminal {
		a.Columns = 0
	}
	a.connect = func(ctx context.Context) (backend, error) { return a.dial(ctx, daemon.Here) }
	a.connectLook = func(ctx context.Context) (backend, error) { return a.dial(ctx, daemon.HereUnmended) }
	return a
}

package daemon

import (
	"context"
	"errors"
	"os"
	"time"

	"hookline/embedded"
	"hookline/hookctl/client"
	"hookline/hookctl/home"
	"hookline/hookctl/problem"
	"hookline/replay/check"
)

// Connect is [client.Connect], and opens the store in this process where no daemon runs, until the client is closed.
func Connect(ctx context.Context, o client.Options) (*client.Client, error) {
	c, err := client.Connect(ctx, o)
	if !errors.Is(err, client.ErrNotRunning) {
		return c, err
	}
	d, err := openHere(ctx, o.Paths())
	if err != nil {
		return nil, err
	}
	return d.here(), nil
}

// openHere opens the store in this process, without a socket. The spool is not taken, and nothing is recorded but damage of the log.
func openHere(ctx context.Context, p home.Paths) (*Daemon, error) {
	if _, err := os.Stat(p.Store); errors.Is(err, os.ErrNotExist) && embedded.LogSeen(p.Lock) == 0 {
		return nil, problem.Missing("there is no store in %s", p.Home).Advise("`hookctl start` makes one, HOOKLINE_HOME names another")
	}
	d, err := Open(ctx, Options{Home: p.Home})
	if err != nil {
		return nil, err
	}
	d.paths = p
	d.started = time.Now() // what this opening has recorded was there before: verify judges it
	return d, nil
}

// here is a client in this process; closing it closes the store.
func (d *Daemon) here() *client.Client {
	l := client.Local{Handler: d.Handler(), Close: func() error { return d.Close(context.Background()) }}
	if f := d.ground.Report().Found; !f.Empty() {
		l.Found = check.Told(f)
	}
	return client.InProcess(l)
}

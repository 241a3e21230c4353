package daemon

import (
	"context"
	"errors"
	"os"
	"time"

	"hookline/embedded"
	"hookline/hookctl/api"
	"hookline/hookctl/client"
	"hookline/hookctl/home"
	"hookline/hookctl/problem"
	"hookline/hookctl/wire"
	"hookline/replay/check"
	"hookline/replay/mend"
)

// Here opens the store in this process, without a socket, until the client is closed: a value for [client.Options]. The
// spool is not taken, and nothing is recorded but damage of the log.
func Here(ctx context.Context, p home.Paths) (*client.Client, error) {
	if _, err := os.Stat(p.Store); errors.Is(err, os.ErrNotExist) && embedded.LogSeen(p.Lock) == 0 {
		return nil, problem.Missing("there is no store in %s", p.Home).Advise("`hookctl start` makes one, HOOKLINE_HOME names another")
	}
	d, err := Open(ctx, Options{Home: p.Home})
	if err != nil {
		return nil, err
	}
	d.paths = p
	d.started = time.Now() // what this opening has recorded was there before: verify judges it
	l := client.Local{Handler: d.Handler(), Close: func() error { return d.Close(context.Background()) }}
	if f := d.ground.Report().Found; !f.Empty() {
		l.Found = check.Told(f)
	}
	return client.InProcess(l), nil
}

// HereUnmended is [Here] for a dry run of a repair: the log's blocks are checked first, and where anything is wrong the
// store is not opened, since that would mend it. Then the client knows no other request than the repair, and answers it with what was found.
func HereUnmended(ctx context.Context, p home.Paths) (*client.Client, error) {
	if _, err := os.Stat(p.Store); err != nil {
		return Here(ctx, p)
	}
	rep, err := embedded.Look(embedded.Options{Dir: p.Store, Holder: "replay " + wire.Build})
	if err != nil {
		return nil, err
	}
	if rep.Found.Empty() {
		return Here(ctx, p)
	}

	s := api.NewServer()
	api.Repair.Serve(s, func(api.RepairRequest) (api.Work[api.Repaired], error) {
		return func(context.Context, func(uint64)) (api.Repaired, error) { return mend.Looked(rep), nil }, nil
	})
	return client.InProcess(client.Local{Handler: s, Close: func() error { return nil }}), nil
}

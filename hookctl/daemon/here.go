package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"hookline/embedded"
	"hookline/hookctl/api"
	"hookline/hookctl/client"
	"hookline/hookctl/home"
	"hookline/hookctl/problem"
	"hookline/hookctl/wire"
	"hookline/replay/carry"
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
	d.keeper.paths = p
	d.started = time.Now() // what this opening has recorded was there before: verify judges it
	l := client.Local{Handler: d.Handler(), Close: func() error { return d.Close(context.Background()) }}
	if f := d.server.Report().Found; !f.Empty() {
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

// Restore makes a home from a backup ([carry.Restore]): what stood after the sealed blocks is appended, and everything is
// verified.
func Restore(ctx context.Context, o carry.RestoreOptions) (carry.Restored, error) {
	return carry.Restore(ctx, o, func(ctx context.Context, u carry.Unpacked) (last uint64, verdict api.Verdict, err error) {
		d, err := Open(ctx, Options{Home: u.Home, unpacked: true})
		if err != nil {
			return 0, verdict, err
		}
		defer func() { err = errors.Join(err, d.Close(context.WithoutCancel(ctx))) }()

		if last, _ := d.stream.Last(); last != u.Manifest.Sealed {
			return last, verdict, fmt.Errorf("the backup's blocks end at sequence %d, its manifest says %d", last, u.Manifest.Sealed)
		}
		got, err := carry.Import(ctx, u.Tail, d.endpoints.work.importTarget(), carry.ImportOptions{Foreign: true}, nil)
		if err != nil {
			return 0, verdict, err
		}
		if got.Added != u.Manifest.Events {
			return 0, verdict, fmt.Errorf("%d of %d events were taken from the backup's tail", got.Added, u.Manifest.Events)
		}
		last, id := d.stream.Last()
		if want := u.Manifest.ID; want != "" && id != want {
			return last, verdict, fmt.Errorf("the restored log ends with event %s, the backup's with %s", id, want)
		}
		verdict, err = d.Verify(ctx, nil)
		return last, verdict, err
	})
}

// Renew begins a new log where nothing is left of the old one, after the sequences that it is known to have
// had, and records the loss. What is left of the old one is set aside. The caller has asked the user.
func Renew(ctx context.Context, dir string) error {
	d, err := Open(ctx, Options{Home: dir, Renew: true})
	if err != nil {
		return err
	}
	return errors.Join(d.Close(ctx), home.PathsOf(dir, os.Getenv).Started()) // a start that failed is waited for no more
}

package daemon

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/safeopen"
)

// listenAgain is the time between two attempts: the port may be another daemon's that is about to end.
const listenAgain = 5 * time.Second

// listen sends the events that are recorded to clients of NATS, until ctx ends.
func (d *Daemon) listen(ctx context.Context) {
	for ctx.Err() == nil {
		err := d.listenOnce(ctx)
		if ctx.Err() != nil {
			return
		}
		if was := d.listening.Load(); was == nil || was.Problem != err.Error() {
			d.log.Warn("listen", "address", d.opts.Listen, "err", err)
		}
		d.listening.Store(&api.Listening{Problem: err.Error()})
		pause(ctx, listenAgain)
	}
}

func (d *Daemon) listenOnce(ctx context.Context) error {
	path := filepath.Join(d.opts.Home, "listen.url")
	password, err := passwordIn(path)
	if err != nil {
		return err
	}
	feed, err := embedded.OpenFeed(d.opts.Listen, password)
	if err != nil {
		return err
	}
	defer feed.Close()
	to := url.URL{Scheme: "nats", User: url.UserPassword(embedded.FeedUser, password), Host: feed.Addr()}
	if err := safeopen.WriteFile(path, []byte(to.String()+"\n")); err != nil {
		return err
	}
	d.log.Info("listening for clients of NATS", "address", feed.Addr())
	d.listening.Store(&api.Listening{Address: feed.Addr(), Credentials: path})

	seq, _ := d.stream.Last()
	return d.watch(ctx, seq, func(r events.Record) error {
		if err := feed.Send(r); err != nil {
			d.log.Warn("give an event to clients of NATS", "event", r.ID, "err", err)
		}
		return nil
	}, nil)
}

// passwordIn returns the password of the URL in a file, so that clients know it beyond a restart; a new one where there is none.
func passwordIn(path string) (string, error) {
	data, err := safeopen.ReadFile(safeopen.Own, path, 4096)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if u, err := url.Parse(strings.TrimSpace(string(data))); err == nil {
		if password, ok := u.User.Password(); ok && len(password) >= 26 {
			return password, nil
		}
	}
	return rand.Text(), nil
}

// otelAgain is the time between two starts of the program that sends traces.
const otelAgain = 30 * time.Second

// traces keeps the program that sends traces running until ctx ends: hookfind, since what it links would cost every
// daemon. It ends by itself when the socket does.
func (d *Daemon) traces(ctx context.Context) {
	self, err := os.Executable()
	if err != nil {
		d.log.Warn("send traces", "err", err)
		return
	}
	program := filepath.Join(filepath.Dir(self), "hookfind"+filepath.Ext(self))
	for {
		ended := make(chan error, 1)
		cmd := exec.Command(program, "otel")
		cmd.Stderr = os.Stderr // the daemon's log
		if err := cmd.Start(); err != nil {
			ended <- err
		} else {
			go func() { ended <- cmd.Wait() }()
		}
		select {
		case <-ctx.Done():
			return
		case err := <-ended:
			d.log.Warn("the program that sends traces ended", "err", err)
		}
		if !pause(ctx, otelAgain) {
			return
		}
	}
}

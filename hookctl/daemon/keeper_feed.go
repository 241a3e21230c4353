package daemon

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/safeopen"
)

// feedAgain is the time between two attempts: the port may be another daemon's that is about to end.
const feedAgain = 5 * time.Second

// serveFeed sends the events that are recorded to clients of NATS, until ctx ends.
func (k *keeper) serveFeed(ctx context.Context) {
	for ctx.Err() == nil {
		err := k.feedOnce(ctx)
		if ctx.Err() != nil {
			return
		}
		if was := k.feed.Load(); was == nil || was.Problem != err.Error() {
			k.log.Warn("listen", "address", k.opts.Listen, "err", err)
		}
		k.feed.Store(&api.Listening{Problem: err.Error()})
		pause(ctx, feedAgain)
	}
}

func (k *keeper) feedOnce(ctx context.Context) error {
	path := filepath.Join(k.opts.Home, "listen.url")
	password, err := passwordIn(path)
	if err != nil {
		return err
	}
	feed, err := embedded.OpenFeed(k.opts.Listen, password)
	if err != nil {
		return err
	}
	defer feed.Close()
	to := url.URL{Scheme: "nats", User: url.UserPassword(embedded.FeedUser, password), Host: feed.Addr()}
	if err := safeopen.WriteFile(path, []byte(to.String()+"\n")); err != nil {
		return err
	}
	k.log.Info("listening for clients of NATS", "address", feed.Addr())
	k.feed.Store(&api.Listening{Address: feed.Addr(), Credentials: path})

	err = feed.OnSince(func(request []byte, send func([]byte) error) {
		answerSince(ctx, k.core, request, sinceAtOnce, send)
	})
	if err != nil {
		return err
	}

	seq, _ := k.stream.Last()
	return k.watch(ctx, seq, func(r events.Record) error {
		if err := feed.Send(r); err != nil {
			k.log.Warn("give an event to clients of NATS", "event", r.ID, "err", err)
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

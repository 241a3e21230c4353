package cli

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"hookline/embedded"
	"hookline/hookctl/api"
	"hookline/hookctl/client"
)

// A store whose owner has no socket yet belongs to a daemon that starts or stops, or to another
// replay. It is looked at again every lockPause, for lockWait: a start after a crash reads the log's
// newest blocks first, which takes seconds when the machine is busy.
const (
	lockWait  = 10 * time.Second
	lockPause = 50 * time.Millisecond
)

// dial returns a client of the daemon of this home, or of its store, which is opened in this process.
func (a *app) dial(ctx context.Context) (*client.Client, error) {
	for deadline := a.Now().Add(lockWait); ; {
		c, err := client.Connect(ctx, client.Options{Home: a.Home(), Here: a.here})
		if err == nil {
			if words := c.Found(); words != "" && !a.repairs {
				a.Say("warning: " + words)
			}
			return c, nil
		}
		if !errors.Is(err, embedded.ErrLocked) || !a.Now().Before(deadline) {
			return nil, err
		}
		if err := a.Pause(ctx, lockPause); err != nil {
			return nil, err
		}
	}
}

// with runs f with a connection and closes it.
func (a *app) with(ctx context.Context, f func(c *client.Client) error) error {
	c, err := a.connect(ctx)
	if err != nil {
		return err
	}
	return errors.Join(f(c), c.Close())
}

// outcome is the result of long work, read and as it came.
type outcome[T any] struct {
	result T
	text   json.RawMessage
}

// show prints the result: with --json as it came, else by words.
func (o outcome[T]) show(a *app, words func(T)) error {
	if a.JSON {
		return a.PrintRaw(o.text)
	}
	words(o.result)
	return nil
}

// long has an endpoint do its work. The progress bar has a word before it; without one there is no bar.
func long[Req, Result any](
	ctx context.Context, a *app, e api.Long[Req, Result], request Req, word string,
) (o outcome[Result], err error) {
	m := a.Meter(word)
	progress := m.At
	if word == "" {
		progress = func(uint64, uint64) {}
	}

	err = a.with(ctx, func(c *client.Client) error {
		defer m.End()
		o.result, o.text, err = e.RunJSON(ctx, c, request, progress)
		return err
	})
	return o, err
}

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"hookline/embedded"
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

// long runs a request that reports its progress line by line, and returns its result as it came. Without a word for the
// progress bar there is none.
func (a *app) long(ctx context.Context, path string, query url.Values, word string) (result json.RawMessage, err error) {
	m := a.Meter(word)
	at := m.At
	if word == "" {
		at = func(uint64, uint64) {}
	}
	err = a.with(ctx, func(c *client.Client) error {
		defer m.End()
		result, err = client.ReadLong(func(line func([]byte) error) error {
			return c.Stream(ctx, http.MethodPost, path, query, line)
		}, at)
		return err
	})
	return result, err
}

// show prints the result of long work: with --json as it came, else by words; nothing where the work had an error.
func show[T any](a *app, raw json.RawMessage, err error, words func(T)) (r T, _ error) {
	if err == nil {
		r, err = decode[T](raw)
	}
	switch {
	case err != nil:
	case a.JSON:
		err = a.PrintRaw(raw)
	default:
		words(r)
	}
	return r, err
}

func decode[T any](raw json.RawMessage) (r T, err error) {
	if err := json.Unmarshal(raw, &r); err != nil {
		return r, fmt.Errorf("read the answer: %w", err)
	}
	return r, nil
}

package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"hookline/embedded"
	"hookline/hookctl/client"
	"hookline/hookctl/home"
)

// backend is what answers: the running daemon, or the store opened in this process. Its errors are
// [problem.Error]s where the request was refused. Used by one goroutine.
type backend interface {
	Get(ctx context.Context, path string, query url.Values, out any) error
	// Stream calls line for every line of NDJSON; the slice is valid during the call.
	Stream(ctx context.Context, method, path string, query url.Values, line func([]byte) error) error
	Close() error
}

// A store whose owner has no socket yet belongs to a daemon that starts or stops, or to another
// replay. It is looked at again every lockPause, for lockWait: a start after a crash reads the log's
// newest blocks first, which takes seconds when the machine is busy.
const (
	lockWait  = 10 * time.Second
	lockPause = 50 * time.Millisecond
)

// dial finds the daemon of this home, or opens its store.
func (a *app) dial(ctx context.Context, here func(context.Context, home.Paths) (*client.Client, error)) (backend, error) {
	var told bool
	for deadline := a.Now().Add(lockWait); ; {
		c, err := client.Connect(ctx, client.Options{Home: a.Home(), Here: here})
		if err == nil {
			if words := c.Found(); words != "" && !a.repairs {
				a.Say("warning: " + words)
			}
			return c, nil
		}
		var locked *embedded.LockedError
		if !errors.As(err, &locked) || !a.Now().Before(deadline) {
			return nil, err
		}
		if a.Terminal && !told {
			told = true
			a.Say(fmt.Sprintf("waiting for process %d, which has the store", locked.PID))
		}
		if err := a.Pause(ctx, lockPause); err != nil {
			return nil, err
		}
	}
}

// with runs f with a connection and closes it.
func (a *app) with(ctx context.Context, f func(h backend) error) error {
	return with(ctx, a.connect, f)
}

func with(ctx context.Context, connect func(context.Context) (backend, error), f func(h backend) error) error {
	h, err := connect(ctx)
	if err != nil {
		return err
	}
	return errors.Join(f(h), h.Close())
}

// long runs a request that tells its progress line by line, and gives its result as it came.
func (a *app) long(ctx context.Context, path string, query url.Values, phases ...string) (json.RawMessage, error) {
	return a.longOf(ctx, 0, path, query, phases...)
}

// longOf is long for work whose amount is known here; 0 stands for the daemon's word, the log's length.
func (a *app) longOf(ctx context.Context, of uint64, path string, query url.Values, phases ...string) (json.RawMessage, error) {
	return a.longBy(ctx, a.connect, of, path, query, phases...)
}

func (a *app) longBy(ctx context.Context, connect func(context.Context) (backend, error), of uint64, path string, query url.Values, phases ...string) (json.RawMessage, error) {
	m := a.Meter(phases...)
	var result json.RawMessage
	err := with(ctx, connect, func(h backend) (err error) {
		defer m.End()
		result, err = client.ReadLong(func(line func([]byte) error) error {
			return h.Stream(ctx, http.MethodPost, path, query, line)
		}, func(done, all uint64) { m.At(done, cmp.Or(of, all)) })
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

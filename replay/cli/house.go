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
	"hookline/hookctl/daemon"
)

// house is what answers: the running daemon, or the store opened in this process. Its errors are
// [daemon.Problem]s where the request was refused. Used by one goroutine.
type house interface {
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
func (a *app) dial(ctx context.Context) (house, error) {
	var told bool
	for deadline := a.now().Add(lockWait); ; {
		c, err := daemon.Connect(ctx, daemon.ConnectOptions{Home: a.home(), Mode: daemon.InProcess})
		if err == nil {
			return c, nil
		}
		var locked *embedded.LockedError
		if !errors.As(err, &locked) || !a.now().Before(deadline) {
			return nil, err
		}
		if a.terminal && !told {
			told = true
			a.say(fmt.Sprintf("waiting for process %d, which has the store", locked.PID))
		}
		if err := a.pause(ctx, lockPause); err != nil {
			return nil, err
		}
	}
}

// with runs f with a connection and closes it.
func (a *app) with(ctx context.Context, f func(h house) error) error {
	h, err := a.connect(ctx)
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
	var result json.RawMessage
	m := a.meter(phases...)
	err := a.with(ctx, func(h house) error {
		defer m.end()
		return h.Stream(ctx, http.MethodPost, path, query, func(line []byte) error {
			var l struct {
				Progress, Of uint64
				Result       json.RawMessage
			}
			if len(line) == 0 {
				return nil
			}
			if err := json.Unmarshal(line, &l); err != nil {
				return fmt.Errorf("read the answer: %w", err)
			}
			if of > 0 {
				l.Of = of
			}
			if result = l.Result; result == nil {
				m.at(l.Progress, l.Of)
			}
			return nil
		})
	})
	if err == nil && result == nil {
		err = errors.New("the daemon ended before its answer did")
	}
	return result, err
}

// waitFor runs f, which reads stdin, and gives up on it when ctx ends: a read cannot be interrupted, and its
// goroutine ends with the process.
func waitFor[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type outcome struct {
		v   T
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		v, err := f()
		done <- outcome{v, err}
	}()
	select {
	case o := <-done:
		return o.v, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

package verbs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"hookline/embedded"
	"hookline/hookctl/client"
	"hookline/hookctl/daemon"
	"hookline/hookctl/problem"
	"hookline/hookctl/spawn"
	"hookline/projector/session"
)

// need is what a verb wants of the daemon.
type need int

const (
	needRunning need = iota // a running one, else errDown
	needStarted             // a running one, started if need be
	needStore               // a running one, else the store opened in this process: for reading
)

// errDown says that no daemon runs.
var errDown = errors.New("no daemon is running")

// house is what answers requests: the daemon, or the store opened in this process. Its errors are [problem.Error]s where a
// request was refused, errDown where no daemon listens (any more), and anything else where the connection broke.
type house interface {
	Get(ctx context.Context, path string, query url.Values, out any) error
	Post(ctx context.Context, path string, in, out any) error
	// Stream calls line for every line of NDJSON; empty lines are heartbeats.
	Stream(ctx context.Context, method, path string, query url.Values, line func([]byte) error) error
	Close()
}

// dial connects to the daemon of this home.
func (a *app) dial(ctx context.Context, n need) (house, error) {
	find, mode := client.Connect, client.Running
	switch n {
	case needStarted:
		mode = client.Start
	case needStore:
		find = daemon.Connect
	}
	c, err := find(ctx, client.Options{Home: a.Home(), Mode: mode})
	if err != nil {
		return nil, translate(err)
	}
	return connection{c}, nil
}

// connection gives the daemon's client the errors of this package.
type connection struct{ c *client.Client }

func (c connection) Get(ctx context.Context, path string, query url.Values, out any) error {
	return translate(c.c.Get(ctx, path, query, out))
}

func (c connection) Post(ctx context.Context, path string, in, out any) error {
	return translate(c.c.Post(ctx, path, in, out))
}

func (c connection) Stream(ctx context.Context, method, path string, query url.Values, line func([]byte) error) error {
	return translate(c.c.Stream(ctx, method, path, query, line))
}

// Close closes the connection, in process the store: what that wrote can be folded again from the
// log, so its errors change nothing for the reader.
func (c connection) Close() { _ = c.c.Close() }

// translate gives an error its advice and its exit code.
func translate(err error) error {
	if errors.Is(err, client.ErrNotRunning) {
		return fmt.Errorf("%w: %w", errDown, err)
	}
	p := daemon.Advised(err)
	if p == nil {
		return err
	}
	advised := *p
	advised.Cause = err
	if errors.Is(err, client.ErrEnded) {
		advised.Cause = errDown
	}
	return &advised
}

// reach is connect with patience. A store that is in use belongs to a daemon that is starting and
// answers soon, or to another command that reads it and ends soon; that command may also have made a
// start of the daemon fail, which is tried again after a second.
func (a *app) reach(ctx context.Context, n need) (house, error) {
	const most = 3 * time.Second
	for waited := time.Duration(0); ; waited += glance {
		h, err := a.connect(ctx, n)
		busy := errors.Is(err, embedded.ErrLocked) || errors.Is(err, spawn.ErrBackoff)
		if !busy || waited >= most {
			return h, err
		}
		if stopped := a.Pause(ctx, glance); stopped != nil {
			return nil, stopped
		}
	}
}

// with runs f with a connection and closes it.
func (a *app) with(ctx context.Context, n need, f func(h house) error) error {
	h, err := a.reach(ctx, n)
	if err != nil {
		if errors.Is(err, errDown) {
			return problem.FaultBy(err, "no daemon is running").Advise("`hookctl start` starts one")
		}
		return err
	}
	defer h.Close()
	return f(h)
}

// judged runs judge, nil for none, on what is there and, when that found nothing wrong, do on a daemon that is started
// if need be: a word that was mistyped starts nothing.
func (a *app) judged(ctx context.Context, judge, do func(h house) error) error {
	if judge != nil {
		if err := a.with(ctx, needStore, judge); err != nil {
			return err
		}
	}
	return a.with(ctx, needStarted, do)
}

// cell is one folded state.
type cell[S any] struct {
	Key   string `json:"key"`
	Seq   uint64 `json:"seq"`
	State S      `json:"state"`
}

// cells reads all cells of a projection whose keys begin with prefix.
func cells[S any](ctx context.Context, h house, projection, prefix string) ([]cell[S], error) {
	var all []cell[S]
	query := url.Values{}
	if prefix != "" {
		query.Set("prefix", prefix)
	}
	err := h.Stream(ctx, "GET", "/v1/cells/"+projection, query, func(line []byte) error {
		if len(line) == 0 {
			return nil
		}
		var c cell[S]
		if err := json.Unmarshal(line, &c); err != nil {
			return fmt.Errorf("read cell of %s: %w", projection, err)
		}
		all = append(all, c)
		return nil
	})
	return all, err
}

// sessions are those that were not deleted, the last active first.
func sessions(ctx context.Context, h house) ([]cell[session.State], error) {
	all, err := cells[session.State](ctx, h, session.Name, "")
	all = slices.DeleteFunc(all, func(c cell[session.State]) bool { return c.State.Status == session.Deleted })
	slices.SortStableFunc(all, func(x, y cell[session.State]) int { return y.State.LastActive.Compare(x.State.LastActive) })
	return all, err
}

// oneCell reads one cell.
func oneCell[S any](ctx context.Context, h house, projection, key string) (cell[S], error) {
	var c cell[S]
	err := h.Get(ctx, "/v1/cells/"+projection+"/"+key, nil, &c)
	return c, err
}

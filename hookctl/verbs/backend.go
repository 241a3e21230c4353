package verbs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/client"
	"hookline/hookctl/home"
	"hookline/hookctl/problem"
	"hookline/projector/gate"
	"hookline/projector/project"
	"hookline/projector/session"
)

// need is what a verb wants of the daemon.
type need int

const (
	needRunning  need = iota // a running one, else errDown
	needStarted              // a running one, started if need be
	needStore                // a running one, else the store opened in this process: for reading
	needRecords              // the same, or nothing where nothing was ever recorded
	needNothing              // the verb sees to it
	needHookfind             // the program hookfind, in which the verb sees to it
)

// errDown says that no daemon runs.
var errDown = errors.New("no daemon is running")

// backend is what answers requests: the daemon, or the store opened in this process. Its errors are [problem.Error]s where a
// request was refused, errDown where no daemon listens (any more), and anything else where the connection broke.
type backend interface {
	Get(ctx context.Context, path string, query url.Values, out any) error
	Post(ctx context.Context, path string, in, out any) error
	// Stream calls line for every line of NDJSON; empty lines are heartbeats.
	Stream(ctx context.Context, method, path string, query url.Values, line func([]byte) error) error
	Close()
}

// dial connects to the daemon of this home.
func (a *app) dial(ctx context.Context, n need) (backend, error) {
	o := client.Options{Home: a.Home()}
	switch n {
	case needStarted:
		o.Mode = client.Start
	case needStore:
		o.Here = a.here
	}
	c, err := client.Connect(ctx, o)
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
	p := client.Advised(err)
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
func (a *app) reach(n need) (backend, error) {
	const most = 3 * time.Second
	for waited := time.Duration(0); ; waited += glance {
		h, err := a.connect(a.ctx, n)
		busy := errors.Is(err, embedded.ErrLocked) || errors.Is(err, home.ErrBackoff)
		if !busy || waited >= most {
			return h, err
		}
		if stopped := a.Pause(a.ctx, glance); stopped != nil {
			return nil, stopped
		}
	}
}

// with runs f with a connection and closes it.
func (a *app) with(n need, f func() error) error {
	h, err := a.reach(n)
	if err != nil {
		if errors.Is(err, errDown) {
			return problem.FaultBy(err, "no daemon is running").Advise("`hookctl start` starts one")
		}
		return err
	}
	return a.using(h, f)
}

// using runs f with a connection and closes it.
func (a *app) using(h backend, f func() error) error {
	before := a.backend
	a.backend = h
	defer func() {
		h.Close()
		a.backend = before
	}()
	return f()
}

// running is with for a daemon that runs already: without one the error is errDown.
func (a *app) running(f func() error) error {
	h, err := a.connect(a.ctx, needRunning)
	if err != nil {
		return err
	}
	return a.using(h, f)
}

// under is the same run under another context.
func (a *app) under(ctx context.Context) *app {
	b := *a
	b.ctx = ctx
	return &b
}

func (a *app) get(path string, query url.Values, out any) error {
	return a.backend.Get(a.ctx, path, query, out)
}

func (a *app) post(path string, in, out any) error { return a.backend.Post(a.ctx, path, in, out) }

// stream gives the lines of an answer; heartbeats are left out.
func (a *app) stream(method, path string, query url.Values, take func(line []byte) error) error {
	return a.backend.Stream(a.ctx, method, path, query, func(line []byte) error {
		if len(line) == 0 {
			return nil
		}
		return take(line)
	})
}

// stand is the status of the daemon that answers.
func (a *app) stand() (st client.Status, err error) {
	err = a.get("/v1/status", nil, &st)
	return st, err
}

// judged runs judge, nil for none, on what is there and, when that found nothing wrong, do on a daemon that is started
// if need be: a word that was mistyped starts nothing.
func (a *app) judged(judge, do func() error) error {
	if judge != nil {
		if err := a.with(needStore, judge); err != nil {
			return err
		}
	}
	return a.with(needStarted, do)
}

// errEnough ends a stream that has given what was looked for; it is no error of it.
var errEnough = errors.New("enough")

// scan gives the events of a query one after the other, until take has an error.
func (a *app) scan(q url.Values, take func(events.Record) error) error {
	err := a.stream("GET", "/v1/events", q, func(line []byte) error {
		var r events.Record
		if err := json.Unmarshal(line, &r); err != nil {
			return fmt.Errorf("read event record: %w", err)
		}
		return take(r)
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// records gives the events of a query one after the other.
func (a *app) records(q url.Values, take func(events.Record)) error {
	return a.scan(q, func(r events.Record) error {
		take(r)
		return nil
	})
}

// cell is one folded state.
type cell[S any] struct {
	Key   string `json:"key"`
	Seq   uint64 `json:"seq"`
	State S      `json:"state"`
}

// cells reads the cells of a projection that a query means; without one all.
func cells[S any](a *app, projection string, query url.Values) ([]cell[S], error) {
	var all []cell[S]
	err := a.stream("GET", "/v1/cells/"+projection, query, func(line []byte) error {
		var c cell[S]
		if err := json.Unmarshal(line, &c); err != nil {
			return fmt.Errorf("read cell of %s: %w", projection, err)
		}
		all = append(all, c)
		return nil
	})
	return all, err
}

func allProjects(a *app) ([]cell[project.State], error) {
	return cells[project.State](a, project.Name, nil)
}

func allGates(a *app) ([]cell[gate.State], error) { return cells[gate.State](a, gate.Name, nil) }

// sessions are those that a query means, or all, without those that were deleted, the last active first.
func sessions(a *app, query url.Values) ([]cell[session.State], error) {
	all, err := cells[session.State](a, session.Name, query)
	all = slices.DeleteFunc(all, func(c cell[session.State]) bool { return c.State.Status == session.Deleted })
	slices.SortStableFunc(all, func(x, y cell[session.State]) int { return y.State.LastActive.Compare(x.State.LastActive) })
	return all, err
}

// shortList is how many sessions are read where nobody said how many: the most for which the daemon need not read all.
const shortList = 32

// newest are the live sessions and at least so many of those that were active last, of some projects or of all; where
// there are fewer, all.
func newest(a *app, n int, projects ...string) ([]cell[session.State], error) {
	return sessions(a, url.Values{"newest": {strconv.Itoa(n)}, "project": projects})
}

// oneCell reads one cell.
func oneCell[S any](a *app, projection, key string) (cell[S], error) {
	var c cell[S]
	err := a.get("/v1/cells/"+projection+"/"+key, nil, &c)
	return c, err
}

package env

import (
	"context"
	"errors"
	"net/http"
	"time"

	"hookline/embedded"
	"hookline/hookctl/api"
	"hookline/hookctl/client"
	"hookline/hookctl/home"
	"hookline/hookctl/problem"
)

// Need says what the first request of a verb connects to.
type Need int

// What a verb can need.
const (
	Running  Need = iota // a running daemon, else the error is client.ErrNotRunning
	Started              // a running one, started if need be
	Store                // a running one, else the store opened in this process: for reading
	Records              // the same, or nothing where nothing was ever recorded
	Hookfind             // as Store, in the program hookfind
)

// door is the connection of a verb.
type door struct {
	need Need
	to   *client.Client // nil until the first request
}

// close closes the connection, in process the store: what that wrote can be folded again from the log, so its errors
// change nothing for the reader.
func (d *door) close() {
	if d.to != nil {
		_ = d.to.Close()
		d.to = nil
	}
}

// Glance is the time between two looks whether a daemon has started or ended.
const Glance = 20 * time.Millisecond

// Dial connects to the daemon of this home.
func (e *Env) Dial(ctx context.Context, n Need) (*client.Client, error) {
	o := client.Options{Home: e.Home()}
	switch n {
	case Started:
		o.Start = true
	case Store, Records, Hookfind:
		o.Here = e.Here
	}
	return client.Connect(ctx, o)
}

// Answering returns what answers the requests of a verb. A store that is in use belongs to a daemon that is starting and
// answers soon, or to another command that reads it and ends soon; that command may also have made a start of the
// daemon fail, which is tried again after a second.
func (e *Env) Answering(ctx context.Context) (*client.Client, error) {
	if e.door.to != nil {
		return e.door.to, nil
	}
	const most = 3 * time.Second
	c, err := e.Connect(ctx, e.door.need)
	for waited := Glance; waited <= most && (errors.Is(err, embedded.ErrLocked) || errors.Is(err, home.ErrBackoff)); waited += Glance {
		if stopped := e.Pause(ctx, Glance); stopped != nil {
			return nil, stopped
		}
		c, err = e.Connect(ctx, e.door.need)
	}

	if e.door.need == Records && IsMissing(err) {
		c, err = client.InProcess(client.Local{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}), nil
	}
	if err != nil {
		return nil, err
	}
	e.door.to = c
	return c, nil
}

// With runs f with a connection of its own and closes it.
func (e *Env) With(ctx context.Context, n Need, f func() error) error {
	before := e.door
	e.door = &door{need: n}
	defer func() {
		e.door.close()
		e.door = before
	}()
	if _, err := e.Answering(ctx); err != nil {
		return err
	}
	return f()
}

// Ask closes the connection and has the next request connect to what is needed.
func (e *Env) Ask(n Need) {
	if e.door != nil {
		e.door.close()
	}
	e.door = &door{need: n}
}

// Release closes the connection; the next request makes another one.
func (e *Env) Release() { e.door.close() }

// Fork returns the environment for what goes on beside this run: its connections are its own.
func (e *Env) Fork() *Env {
	other := *e
	return &other
}

// Send implements [api.Caller] over the connection of the verb, which the first request makes.
func (e *Env) Send(r *http.Request) (*http.Response, error) {
	c, err := e.Answering(r.Context())
	if err != nil {
		return nil, err
	}
	return c.Send(r)
}

// Started returns a daemon, started if need be. What a verb read before may have come from the store: a word that was mistyped
// starts nothing.
func (e *Env) Started(ctx context.Context) (*client.Client, error) {
	if e.door.need != Started {
		e.Ask(Started)
	}
	return e.Answering(ctx)
}

// Changing returns the way to the daemon for a request that changes the log: it starts the daemon where none runs.
func (e *Env) Changing() api.Caller { return changing{e} }

type changing struct{ *Env }

// Send implements [api.Caller].
func (c changing) Send(r *http.Request) (*http.Response, error) {
	to, err := c.Started(r.Context())
	if err != nil {
		return nil, err
	}
	return to.Send(r)
}

// Status returns the status of the daemon that answers.
func (e *Env) Status(ctx context.Context) (api.Status, error) {
	return api.GetStatus.Call(ctx, e, api.None{})
}

// NotRunning reports whether an error is that there is no daemon.
func NotRunning(err error) bool { return errors.Is(err, client.ErrNotRunning) }

// IsMissing reports whether an error is the refusal of what is not there: a store, a project.
func IsMissing(err error) bool {
	return err != nil && problem.Of(err).Status == http.StatusNotFound
}

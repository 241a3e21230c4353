package verbs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/client"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/config"
	"hookline/hookctl/facts"
	"hookline/hookctl/home"
	"hookline/hookctl/problem"
	"hookline/projector/project"
	"hookline/projector/session"
	"hookline/replay/past"
)

// Env is what a run of a verb has: its flags and every way to the outside.
type Env struct {
	cmdline.Console
	Self string // this executable, links resolved

	Connect func(ctx context.Context, need need) (*client.Client, error)
	Here    Here
	Alive   func(pid int) bool
	Place   func(dir string) facts.Place
	World   *facts.World                                             // for questions about branches
	Managed string                                                   // folder of an administrator's settings of the client
	Look    func(name string) (string, error)                        // exec.LookPath
	Ground  func(path string) (name string, network bool, err error) // facts.NetworkFS
	Room    func(path string) (free, total int64, err error)         // embedded.FreeSpace

	door   *door // to what answers it
	Conf   config.Config
	Args   []string  // of the command line, as they came
	search *Searcher // nil in hookd
}

// Here opens the store of a home in this process, as of [client.Options].
type Here = func(ctx context.Context, p home.Paths) (*client.Client, error)

// newEnv is the environment of a run on the real world.
func newEnv(here Here) *Env {
	self, err := os.Executable()
	if err == nil {
		self = config.Resolved(self)
	}
	e := &Env{Console: cmdline.New("hookctl"), Self: self, Here: here, Alive: func(pid int) bool { return facts.Probe(pid).Alive },
		Place: facts.New().Place, World: facts.New(), Managed: managedDir(runtime.GOOS), Look: exec.LookPath, Ground: facts.NetworkFS, Room: embedded.FreeSpace}
	e.Connect = e.Dial
	return e
}

// need is what the first request of a verb connects to.
type need int

const (
	needRunning  need = iota // a running daemon, else the error is client.ErrNotRunning
	needStarted              // a running one, started if need be
	needStore                // a running one, else the store opened in this process: for reading
	needRecords              // the same, or nothing where nothing was ever recorded
	needHookfind             // needStore, in the program hookfind
)

// door is the connection of a verb.
type door struct {
	need need
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

// Dial connects to the daemon of this home.
func (e *Env) Dial(ctx context.Context, n need) (*client.Client, error) {
	o := client.Options{Home: e.Home()}
	switch n {
	case needStarted:
		o.Start = true
	case needStore, needRecords, needHookfind:
		o.Here = e.Here
	}
	return client.Connect(ctx, o)
}

// Answering is what answers the requests of a verb. A store that is in use belongs to a daemon that is starting and
// answers soon, or to another command that reads it and ends soon; that command may also have made a start of the
// daemon fail, which is tried again after a second.
func (e *Env) Answering(ctx context.Context) (*client.Client, error) {
	if e.door.to != nil {
		return e.door.to, nil
	}
	const most = 3 * time.Second
	c, err := e.Connect(ctx, e.door.need)
	for waited := glance; waited <= most && (errors.Is(err, embedded.ErrLocked) || errors.Is(err, home.ErrBackoff)); waited += glance {
		if stopped := e.Pause(ctx, glance); stopped != nil {
			return nil, stopped
		}
		c, err = e.Connect(ctx, e.door.need)
	}

	if e.door.need == needRecords && isMissing(err) {
		c, err = client.InProcess(client.Local{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}), nil
	}
	if err != nil {
		return nil, err
	}
	e.door.to = c
	return c, nil
}

// notRunning reports whether an error is that there is no daemon.
func notRunning(err error) bool { return errors.Is(err, client.ErrNotRunning) }

// isMissing reports whether an error is the refusal of what is not there: a store, a project.
func isMissing(err error) bool {
	return err != nil && problem.Of(err).Status == http.StatusNotFound
}

// With runs f with a connection of its own and closes it.
func (e *Env) With(ctx context.Context, n need, f func() error) error {
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

// Files says where the files of this home lie.
func (e *Env) Files() home.Paths { return home.PathsOf(e.Home(), e.Getenv) }

// Absolute is a path as it was typed here.
func (e *Env) Absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(e.Cwd, path)
}

// fork is the same run for what goes on beside it: its connections are its own.
func (e *Env) fork() *Env {
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

// Started is a daemon, started if need be. What a verb read before may have come from the store: a word that was mistyped
// starts nothing.
func (e *Env) Started(ctx context.Context) (*client.Client, error) {
	if e.door.need != needStarted {
		e.door.close()
		e.door.need = needStarted
	}
	return e.Answering(ctx)
}

// changing is the way to the daemon of a request that changes the log: it starts the daemon where none runs.
type changing struct{ *Env }

// Send implements [api.Caller].
func (c changing) Send(r *http.Request) (*http.Response, error) {
	to, err := c.Started(r.Context())
	if err != nil {
		return nil, err
	}
	return to.Send(r)
}

// Status is the status of the daemon that answers.
func (e *Env) Status(ctx context.Context) (api.Status, error) {
	return api.GetStatus.Call(ctx, e, api.None{})
}

// errEnough ends a stream that has given what was looked for; it is no error of it.
var errEnough = errors.New("enough")

// scan gives the events that are asked for one after the other, until take has an error.
func scan(ctx context.Context, e *Env, q api.EventsRequest, take func(events.Record) error) error {
	err := api.Events.Each(ctx, e, q, take)
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// records gives the events that are asked for one after the other.
func records(ctx context.Context, e *Env, q api.EventsRequest, take func(events.Record)) error {
	return scan(ctx, e, q, func(r events.Record) error {
		take(r)
		return nil
	})
}

// cell is one folded state.
type cell[S any] struct {
	Key   string
	Seq   uint64
	State S
}

// cellOf reads the state of a cell.
func cellOf[S any](projection string, from past.Cell) (cell[S], error) {
	c := cell[S]{Key: from.Key, Seq: from.Seq}
	if err := json.Unmarshal(from.State, &c.State); err != nil {
		return c, fmt.Errorf("read cell of %s: %w", projection, err)
	}
	return c, nil
}

// cells reads the cells that are asked for.
func cells[S any](ctx context.Context, e *Env, q api.CellsRequest) ([]cell[S], error) {
	var all []cell[S]
	err := api.Cells.Each(ctx, e, q, func(from past.Cell) error {
		c, err := cellOf[S](q.Projection, from)
		if err != nil {
			return err
		}
		all = append(all, c)
		return nil
	})
	return all, err
}

// states are the states of the cells that are asked for.
func states[S any](ctx context.Context, e *Env, q api.CellsRequest) ([]S, error) {
	list, err := cells[S](ctx, e, q)
	var all []S
	for _, c := range list {
		all = append(all, c.State)
	}
	return all, err
}

func allProjects(ctx context.Context, e *Env) ([]project.State, error) {
	return states[project.State](ctx, e, api.CellsRequest{Projection: project.Name})
}

// sessions are those that are asked for, or all, without those that were deleted, the last active first.
func sessions(ctx context.Context, e *Env, q api.CellsRequest) ([]session.State, error) {
	q.Projection = session.Name
	all, err := states[session.State](ctx, e, q)
	all = slices.DeleteFunc(all, func(s session.State) bool { return s.Status == session.Deleted })
	slices.SortStableFunc(all, func(x, y session.State) int { return y.LastActive.Compare(x.LastActive) })
	return all, err
}

// shortList is how many sessions are read where no number was given: the most for which the daemon need not read all.
const shortList = 32

// newest are the live sessions and at least so many of those that were active last, of some projects or of all; where
// there are fewer, all.
func newest(ctx context.Context, e *Env, n int, projects ...string) ([]session.State, error) {
	return sessions(ctx, e, api.CellsRequest{Newest: n, Projects: projects})
}

// cellNow is a cell as it is.
func cellNow[S any](ctx context.Context, e *Env, projection, key string) (cell[S], error) {
	from, err := api.Cell.Call(ctx, e, api.CellRequest{Projection: projection, Key: key})
	if err != nil {
		return cell[S]{}, err
	}
	return cellOf[S](projection, from)
}

// stateOf is the state of one cell.
func stateOf[S any](ctx context.Context, e *Env, projection, key string) (S, error) {
	c, err := cellNow[S](ctx, e, projection, key)
	return c.State, err
}

// cellAt is a cell as it was at a point of the log, the zero value where there was none.
func cellAt[S any](ctx context.Context, e *Env, projection, key string, point past.Point) (cell[S], error) {
	then, err := api.At.Call(ctx, e, past.Question{Point: point, Projection: projection, Key: key})
	if err != nil || len(then.Cells) == 0 {
		return cell[S]{}, err
	}
	return cellOf[S](projection, then.Cells[0].Cell)
}

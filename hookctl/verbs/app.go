package verbs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/client"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/config"
	"hookline/hookctl/facts"
	"hookline/hookctl/home"
	"hookline/hookctl/problem"
	"hookline/projector/project"
	"hookline/projector/session"
)

// app is one run of a verb: its flags and every way to the outside.
type app struct {
	cmdline.Console
	self string // this executable, links resolved

	connect func(ctx context.Context, need need) (*client.Client, error)
	here    Here
	alive   func(pid int) bool
	place   func(dir string) facts.Place
	world   *facts.World                                             // for questions about branches
	managed string                                                   // folder of an administrator's settings of the client
	look    func(name string) (string, error)                        // exec.LookPath
	ground  func(path string) (name string, network bool, err error) // facts.NetworkFS
	room    func(path string) (free, total int64, err error)         // embedded.FreeSpace

	ctx    context.Context // of the run; an interrupt ends it
	door   *door           // to what answers it
	conf   config.Config
	args   []string  // of the command line, as they came
	search *Searcher // nil in hookd
}

// Here opens the store of a home in this process, as of [client.Options].
type Here = func(ctx context.Context, p home.Paths) (*client.Client, error)

// newApp is the app on the real world.
func newApp(here Here) *app {
	self, err := os.Executable()
	if err == nil {
		self = config.Resolved(self)
	}
	a := &app{ctx: context.Background(), Console: cmdline.New("hookctl"), self: self, here: here, alive: func(pid int) bool { return facts.Probe(pid).Alive },
		place: facts.New().Place, world: facts.New(), managed: managedDir(runtime.GOOS), look: exec.LookPath, ground: facts.NetworkFS, room: embedded.FreeSpace}
	a.connect = a.dial
	return a
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

// dial connects to the daemon of this home.
func (a *app) dial(ctx context.Context, n need) (*client.Client, error) {
	o := client.Options{Home: a.Home()}
	switch n {
	case needStarted:
		o.Start = true
	case needStore, needRecords, needHookfind:
		o.Here = a.here
	}
	return client.Connect(ctx, o)
}

// answering is what answers the requests of a verb. A store that is in use belongs to a daemon that is starting and
// answers soon, or to another command that reads it and ends soon; that command may also have made a start of the
// daemon fail, which is tried again after a second.
func (a *app) answering() (*client.Client, error) {
	if a.door.to != nil {
		return a.door.to, nil
	}
	const most = 3 * time.Second
	c, err := a.connect(a.ctx, a.door.need)
	for waited := glance; waited <= most && (errors.Is(err, embedded.ErrLocked) || errors.Is(err, home.ErrBackoff)); waited += glance {
		if stopped := a.Pause(a.ctx, glance); stopped != nil {
			return nil, stopped
		}
		c, err = a.connect(a.ctx, a.door.need)
	}

	if a.door.need == needRecords && isMissing(err) {
		c, err = client.InProcess(client.Local{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}), nil
	}
	if err != nil {
		return nil, err
	}
	a.door.to = c
	return c, nil
}

// notRunning reports whether an error is that there is no daemon.
func notRunning(err error) bool { return errors.Is(err, client.ErrNotRunning) }

// isMissing reports whether an error is the refusal of what is not there: a store, a project.
func isMissing(err error) bool {
	return err != nil && problem.Of(err).Status == http.StatusNotFound
}

// with runs f with a connection of its own and closes it.
func (a *app) with(n need, f func() error) error {
	before := a.door
	a.door = &door{need: n}
	defer func() {
		a.door.close()
		a.door = before
	}()
	if _, err := a.answering(); err != nil {
		return err
	}
	return f()
}

// files says where the files of this home lie.
func (a *app) files() home.Paths { return home.PathsOf(a.Home(), a.Getenv) }

// absolute is a path as it was typed here.
func (a *app) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(a.Cwd, path)
}

// under is the same run under another context.
func (a *app) under(ctx context.Context) *app {
	b := *a
	b.ctx = ctx
	return &b
}

func (a *app) get(path string, query url.Values, out any) error {
	c, err := a.answering()
	if err != nil {
		return err
	}
	return c.Get(a.ctx, path, query, out)
}

func (a *app) post(path string, in, out any) error {
	c, err := a.answering()
	if err != nil {
		return err
	}
	return c.Post(a.ctx, path, in, out)
}

// stream gives the lines of an answer; heartbeats are left out.
func (a *app) stream(method, path string, query url.Values, take func(line []byte) error) error {
	c, err := a.answering()
	if err != nil {
		return err
	}
	return c.Stream(a.ctx, method, path, query, func(line []byte) error {
		if len(line) == 0 {
			return nil
		}
		return take(line)
	})
}

// started is a daemon, started if need be. What a verb read before may have come from the store: a word that was mistyped
// starts nothing.
func (a *app) started() (*client.Client, error) {
	if a.door.need != needStarted {
		a.door.close()
		a.door.need = needStarted
	}
	return a.answering()
}

// change posts what changes the log.
func (a *app) change(path string, in, out any) error {
	if _, err := a.started(); err != nil {
		return err
	}
	return a.post(path, in, out)
}

// stand is the status of the daemon that answers.
func (a *app) stand() (st client.Status, err error) {
	err = a.get("/v1/status", nil, &st)
	return st, err
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
	Projection string `json:"projection,omitempty"` // of a point in the past
	Key        string `json:"key"`
	Seq        uint64 `json:"seq"`
	State      S      `json:"state,omitempty"`
}

// past is what the cells were at a point of the log.
type past[S any] struct {
	Seq   uint64    `json:"seq"`
	Cells []cell[S] `json:"cells"`
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

// states are the states of the cells that a query means.
func states[S any](a *app, projection string, query url.Values) ([]S, error) {
	list, err := cells[S](a, projection, query)
	var all []S
	for _, c := range list {
		all = append(all, c.State)
	}
	return all, err
}

func allProjects(a *app) ([]project.State, error) {
	return states[project.State](a, project.Name, nil)
}

// sessions are those that a query means, or all, without those that were deleted, the last active first.
func sessions(a *app, query url.Values) ([]session.State, error) {
	all, err := states[session.State](a, session.Name, query)
	all = slices.DeleteFunc(all, func(s session.State) bool { return s.Status == session.Deleted })
	slices.SortStableFunc(all, func(x, y session.State) int { return y.LastActive.Compare(x.LastActive) })
	return all, err
}

// shortList is how many sessions are read where no number was given: the most for which the daemon need not read all.
const shortList = 32

// newest are the live sessions and at least so many of those that were active last, of some projects or of all; where
// there are fewer, all.
func newest(a *app, n int, projects ...string) ([]session.State, error) {
	return sessions(a, url.Values{"newest": {strconv.Itoa(n)}, "project": projects})
}

// stateOf is the state of one cell.
func stateOf[S any](a *app, projection, key string) (S, error) {
	var c cell[S]
	err := a.get("/v1/cells/"+projection+"/"+key, nil, &c)
	return c.State, err
}

// cellAt is a cell as it was at a point of the log, the zero value where there was none.
func cellAt[S any](a *app, projection, key, point string) (cell[S], error) {
	var then past[S]
	err := a.get("/v1/at", url.Values{"point": {point}, "projection": {projection}, "key": {key}}, &then)
	if len(then.Cells) == 0 {
		return cell[S]{}, err
	}
	return then.Cells[0], err
}

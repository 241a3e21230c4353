// Package client sends requests to the daemon: it finds or starts the one of a home. What answers in
// the caller's own process is spoken to in the same way (see [InProcess]).
package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	"hookline/embedded"
	"hookline/hookctl/api"
	"hookline/hookctl/home"
	"hookline/hookctl/problem"
	"hookline/hookctl/wire"
)

// ErrNotRunning says that no daemon serves the home, or that the one which did has ended before it answered.
var ErrNotRunning = errors.New("no daemon is running")

// Options say whose daemon is meant.
type Options struct {
	Home  string        // default: the environment's
	Start bool          // a daemon where none runs, and wait for it
	Wait  time.Duration // for a daemon that is starting; default 10 s

	// Here opens the store in this process where no daemon runs and none is started; nil: that is ErrNotRunning.
	Here func(ctx context.Context, p home.Paths) (*Client, error)

	// Answer is how long a daemon that accepts connections may take for the smallest answer; default 3 s.
	// A process that was stopped (Ctrl-Z, a debugger) accepts too, and would be waited for without an end.
	Answer time.Duration
}

// Client speaks to the daemon over its socket, or to the store in this process. Safe for concurrent use.
type Client struct {
	http  *http.Client
	home  string // mark of the home that is meant; "" where that is not known
	local Local  // the zero value over a socket
}

// Local is what answers in this process.
type Local struct {
	Handler http.Handler
	Found   string       // what the opening of the store found wrong with the log; "" when that is nothing
	Close   func() error // not nil
}

// InProcess is a client of what answers in this process, where no daemon runs.
func InProcess(l Local) *Client {
	return &Client{http: &http.Client{Transport: handlerTransport{l.Handler}}, local: l}
}

// paths are those of the home that is meant; a socket that the environment names is that of its own home.
func (o Options) paths() home.Paths {
	own, _ := wire.Home(os.Getenv)
	return home.Locate(func(name string) string {
		switch {
		case o.Home == "" || o.Home == own:
		case name == "HOOKLINE_HOME":
			return o.Home
		case name == "HOOKLINE_SOCKET":
			return ""
		}
		return os.Getenv(name)
	})
}

// Connect finds the daemon, or what is to answer in its place. Its errors and those of the requests have their advice.
func Connect(ctx context.Context, o Options) (*Client, error) {
	c, err := connect(ctx, o)
	return c, Advised(err)
}

func connect(ctx context.Context, o Options) (*Client, error) {
	p := o.paths()
	var refused *problem.Error
	if errors.As(p.Check(), &refused) { // others can write to it, or it is another user's
		return nil, refused
	}
	o.Wait = cmp.Or(o.Wait, 10*time.Second)
	o.Answer = cmp.Or(o.Answer, 3*time.Second)
	if p.Reach(time.Second) {
		c, err := answering(ctx, p, o.Answer)
		var mute *problem.Error
		if err == nil || ctx.Err() != nil || errors.As(err, &mute) && !errors.Is(err, ErrNotRunning) {
			return c, err
		} // else the connection broke: it has ended since
	}
	if o.Start {
		return startAndConnect(ctx, p, o)
	}
	if o.Here != nil {
		return o.Here(ctx, p)
	}
	return nil, ErrNotRunning
}

// answering is a client of a daemon that was seen to answer.
func answering(ctx context.Context, p home.Paths, within time.Duration) (*Client, error) {
	c := Over(p.Socket)
	c.home = wire.Mark(p.Home)
	soon, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	_, err := api.Alive.Call(soon, c, api.None{})
	var answered *problem.Error // an older build does not know the path, and lives
	if err == nil || errors.As(err, &answered) && answered.Status != 0 && answered.Status != http.StatusMisdirectedRequest {
		return c, nil
	}
	c.http.CloseIdleConnections()
	if ctx.Err() != nil || soon.Err() == nil {
		return nil, err
	}
	pid, _, _, _ := embedded.Holder(p.Lock)
	return nil, problem.Refusef(http.StatusGatewayTimeout, "the daemon (process %d) does not answer within %s", pid, within).Advise(fmt.Sprintf("it may be stopped (`kill -CONT %d` lets it go on) or very busy; hooks wait in the spool and count once", pid))
}

// Over is a client of the daemon at a socket, whether one listens there or not.
func Over(path string) *Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", path)
	}
	return &Client{http: &http.Client{Transport: &http.Transport{DialContext: dial, DisableCompression: true}}}
}

func startAndConnect(ctx context.Context, p home.Paths, o Options) (*Client, error) {
	err := p.StartDaemon(time.Now())
	if err != nil && !errors.Is(err, home.ErrStarting) {
		return nil, notStarted(p, err)
	}
	deadline := time.Now().Add(o.Wait)
	for time.Now().Before(deadline) {
		if p.Reach(time.Second) {
			return answering(ctx, p, o.Answer)
		}
		if reason := p.LastStart().Reason; reason != "" && err == nil {
			return nil, notStarted(p, errors.New(reason))
		}
		if home.LockOutlives && errors.Is(err, home.ErrStarting) { // or the lock was that of a daemon that was ending
			if err = p.StartDaemon(time.Now()); err != nil && !errors.Is(err, home.ErrStarting) {
				return nil, notStarted(p, err)
			}
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
	if busy := Busy(p); busy != nil {
		return nil, busy
	}
	return nil, problem.Refusef(http.StatusGatewayTimeout, "the daemon did not open %s within %s", p.Socket, o.Wait).Advise("its words are in " + p.Log)
}

// Busy says which process holds the store of a home and what it does; it is for when no daemon answers, and nil where
// nobody holds the store.
func Busy(p home.Paths) *problem.Error {
	pid, text, held, _ := embedded.Holder(p.Lock)
	if !held {
		return nil
	}
	if doing := embedded.Doing(text); doing != "" {
		return problem.Conflict("the daemon (process %d) is %s", pid, doing).Advise("it answers when that is done; hooks wait in the spool meanwhile and count once")
	}
	return problem.Conflict("the store is held by process %d (%s), which does not answer", pid, text).Advise("it may be starting, or another program may hold " + p.Lock + "; `hookctl doctor` looks closer")
}

// notStarted is the error of a start that failed, with the advice and the exit code where the log is the reason.
func notStarted(p home.Paths, err error) error {
	last := p.LastStart()
	if !last.Damaged || !strings.Contains(err.Error(), last.Reason) {
		return fmt.Errorf("start the daemon: %w", err)
	}
	hint := "`replay repair --dry-run` tells what is damaged, `replay repair --from EXPORT` restores the events of an export; hooks are kept in the spool meanwhile"
	return &problem.Error{Message: "start the daemon: " + err.Error(), Hint: hint, Exit: 2, Status: http.StatusInternalServerError}
}

// Found says what the opening of the store in this process found wrong with the log; "" when that is nothing.
func (c *Client) Found() string { return c.local.Found }

// Close ends the connection; in process it closes the store.
func (c *Client) Close() error {
	c.http.CloseIdleConnections()
	if c.local.Close == nil {
		return nil
	}
	return c.local.Close()
}

// Send implements [api.Caller].
func (c *Client) Send(r *http.Request) (*http.Response, error) {
	if c.home != "" {
		r.Header.Set("Hookline-Home", c.home)
	}
	resp, err := c.http.Do(r)
	if err != nil {
		if r.Context().Err() == nil && hasEnded(err) {
			return nil, problem.FaultBy(ErrNotRunning, "the daemon ended before it answered").
				Advise("try again: another command may have stopped or restarted it")
		}
		return nil, Advised(err)
	}
	if resp.StatusCode == http.StatusOK {
		return resp, nil
	}

	defer resp.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	refused := &problem.Error{Message: string(bytes.TrimSpace(text)), Exit: 1, Status: resp.StatusCode}
	_ = json.Unmarshal(text, refused) // plain text stays the message
	return nil, refused
}

// hasEnded reports whether no process listens any more, or a connection was cut before its answer.
func hasEnded(err error) bool {
	for _, kind := range []error{syscall.ENOENT, syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EPIPE, io.EOF, io.ErrUnexpectedEOF} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return strings.HasSuffix(err.Error(), "server closed idle connection") // net/http's, before the request was sent; it has no name
}

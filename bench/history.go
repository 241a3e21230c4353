package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/daemon"
	"hookline/hookctl/wire"
)

// historyEvents is how long the long log is at least.
const historyEvents = 100_000

// history is a home with a long log and no daemon.
type history struct {
	home   *home
	events uint64
	made   time.Time
}

// makeHistory makes the long log: the hooks of the session are taken by a daemon in process, what it
// recorded is appended again and again under other session ids, and a daemon folds all of it.
func (b *bench) makeHistory(ctx context.Context) (_ []figure, err error) {
	b.past, err = b.longLog(ctx, "history", historyEvents)
	return nil, err
}

func (b *bench) longLog(ctx context.Context, name string, least uint64) (*history, error) {
	begin := time.Now()
	h, err := b.newHome(name)
	if err != nil {
		return nil, err
	}
	if err := h.takeAll(ctx, b.hooks); err != nil {
		return nil, err
	}
	n, err := h.multiply(ctx, least)
	if err != nil {
		return nil, err
	}
	if err := h.takeAll(ctx, nil); err != nil {
		return nil, err
	}
	debug.FreeOSMemory() // so that collecting this does not fall into the measures that follow
	b.say("a log of %d events was made in %s", n, time.Since(begin).Round(time.Second))
	return &history{home: h, events: n, made: time.Now()}, nil
}

// takeAll has a daemon in process take hooks; with none it only brings the projections up to date.
func (h *home) takeAll(ctx context.Context, calls []call) error {
	d, err := daemon.Open(ctx, daemon.Options{Home: h.state})
	if err != nil {
		return err
	}
	for i, c := range calls {
		if _, err := d.Take(ctx, h.frame(c.event, c.body)); err != nil {
			return errors.Join(fmt.Errorf("hook %d (%s): %w", i+1, c.event, err), d.Close(ctx))
		}
	}
	return d.Close(ctx)
}

// multiply appends the log's own events under other session ids until there are at least n, and
// returns how many there are.
func (h *home) multiply(ctx context.Context, n uint64) (uint64, error) {
	ground, err := embedded.Open(ctx, embedded.Options{Dir: filepath.Join(h.state, "store")})
	if err != nil {
		return 0, err
	}
	last, err := multiply(ctx, ground.Stream(), n)
	return last, errors.Join(err, ground.Close(ctx))
}

func multiply(ctx context.Context, st *embedded.Stream, n uint64) (uint64, error) {
	var session []events.Envelope
	err := st.ReadRaw(ctx, 1, 0, func(_ uint64, _ time.Time, env events.Envelope) error {
		session = append(session, env)
		return nil
	})
	if err == nil && len(session) == 0 {
		err = errors.New("nothing was recorded")
	}
	if err != nil {
		return 0, err
	}
	copies := int((n - 1) / uint64(len(session)))
	var next atomic.Int64
	errs := make([]error, runtime.GOMAXPROCS(0)) // appending is mostly compressing
	var wg sync.WaitGroup
	for w := range errs {
		wg.Go(func() {
			for i := int(next.Add(1)); i <= copies && errs[w] == nil; i = int(next.Add(1)) {
				errs[w] = appendAll(ctx, st, resemble(session, time.Duration(i)*time.Hour))
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return 0, err
	}
	last, _ := st.Last()
	return last, st.Sync(ctx, last)
}

// appendAll appends events in batches.
func appendAll(ctx context.Context, st *embedded.Stream, envs []events.Envelope) error {
	for part := range slices.Chunk(envs, 500) {
		if _, err := st.Append(ctx, part...); err != nil {
			return err
		}
	}
	return nil
}

// resemble is the same session once more, some time ago: other session ids, other event ids, and the
// references between them kept.
func resemble(session []events.Envelope, ago time.Duration) []events.Envelope {
	sessions, ids := map[string]string{}, map[string]string{}
	out := make([]events.Envelope, len(session))
	for i, env := range session {
		env.Time = env.Time.Add(-ago)
		id := wire.NewID(env.Time.UnixMilli())
		ids[env.ID], env.ID = id, id
		if env.Session != "" && sessions[env.Session] == "" {
			sessions[env.Session] = newSession()
		}
		for from, to := range sessions {
			env.Data = bytes.ReplaceAll(env.Data, []byte(from), []byte(to))
		}
		env.Session, env.Correlation = sessions[env.Session], sessions[env.Correlation]
		if to, ok := ids[env.Causation]; ok {
			env.Causation = to
		}
		out[i] = env
	}
	return out
}

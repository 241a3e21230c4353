package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"sync/atomic"
	"time"

	"hookline/embedded"
	"hookline/hookctl/problem"
	"hookline/projector"
)

// Verification and rebuilding, as long requests that tell their progress line by line.

type progressLine struct {
	Progress uint64 `json:"progress"`
	Of       uint64 `json:"of"`
}

// long runs a request whose answer is NDJSON: progress lines, then {"result":…} or {"error":…}.
func (d *Daemon) long(w http.ResponseWriter, r *http.Request, run func(ctx context.Context, progress func(uint64)) (any, error)) error {
	w.Header().Set("Content-Type", "application/x-ndjson")
	out := json.NewEncoder(w)
	flush := http.NewResponseController(w)
	of, _ := d.stream.Last()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	var at atomic.Uint64 // a reader that stalls holds up this goroutine, not the work
	done := make(chan outcome, 1)
	go func() {
		result, err := run(ctx, at.Store)
		done <- outcome{result, err}
	}()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case o := <-done:
			return out.Encode(o.line())
		case <-tick.C:
			if out.Encode(progressLine{Progress: at.Load(), Of: of}) != nil || flush.Flush() != nil {
				cancel() // nobody listens any more
				<-done
				return nil
			}
		}
	}
}

// ErrUnfinished says that a long request's answer ended before its result: the daemon is gone.
var ErrUnfinished = errors.New("the daemon ended before its answer did")

// Result reads the answer of a long request, line by line as stream gives them, to its result, which it gives as it
// came; progress hears how far the work is. A refusal is stream's own error, as it is [Client.Stream]'s.
func Result(stream func(line func([]byte) error) error, progress func(done, of uint64)) (json.RawMessage, error) {
	var result json.RawMessage
	err := stream(func(line []byte) error {
		if len(line) == 0 { // a heartbeat
			return nil
		}
		var l struct {
			progressLine
			Result json.RawMessage `json:"result"`
		}
		if err := json.Unmarshal(line, &l); err != nil {
			return fmt.Errorf("read the answer: %w", err)
		}
		if l.Result != nil {
			result = l.Result
		} else {
			progress(l.Progress, l.Of)
		}
		return nil
	})
	if err == nil && result == nil {
		err = ErrUnfinished
	}
	return result, err
}

type outcome struct {
	result any
	err    error
}

func (o outcome) line() any {
	if o.err == nil {
		return map[string]any{"result": o.result}
	}
	p := &problem.Error{Message: o.err.Error(), Exit: 1}
	if errors.Is(o.err, embedded.ErrLogDamaged) {
		p.Exit = 2
	}
	errors.As(o.err, &p)
	return p
}

// Rebuilt is the outcome of `replay rebuild`.
type Rebuilt struct {
	Projection string           `json:"projection"` // "" = all
	DryRun     bool             `json:"dry_run"`
	Seq        uint64           `json:"seq"`
	Changed    []projector.Diff `json:"changed"` // what the old cells had otherwise
	TookMS     float64          `json:"took_ms"`
}

func (d *Daemon) handleRebuild(w http.ResponseWriter, r *http.Request) error {
	only, dry := r.URL.Query().Get("projection"), r.URL.Query().Get("dry_run") == "1"
	if only != "" {
		if err := knownTable(d.view, only); err != nil {
			return err
		}
	}
	return d.long(w, r, func(ctx context.Context, progress func(uint64)) (any, error) {
		begin := time.Now()
		if err := d.ground.Health(); errors.Is(err, embedded.ErrWriteStuck) {
			return nil, d.stuck(err)
		}
		d.heal(ctx)
		defer debug.SetGCPercent(debug.SetGCPercent(gcWhileFolding))
		err := d.view.WarmCache(ctx) // or every brief would count as missing
		if err != nil {
			return nil, d.stuck(err)
		}
		var pos projector.Position
		var diffs []projector.Diff
		if dry {
			pos, diffs, err = d.view.Verify(ctx, d.stream.ReadLent, progress)
		} else {
			pos, diffs, err = d.view.Renew(ctx, d.stream.ReadLent, only, progress)
		}
		out := Rebuilt{Projection: only, DryRun: dry, Seq: pos.Seq, Changed: []projector.Diff{}}
		for _, df := range diffs {
			if only == "" || df.Projection == only {
				out.Changed = append(out.Changed, df)
			}
		}
		out.TookMS = float64(time.Since(begin).Microseconds()) / 1000
		return out, d.stuck(err)
	})
}

package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/projector"
)

// Verification and rebuilding, as long requests that tell their progress line by line.

// Verification is the outcome of `replay verify`.
type Verification struct {
	Clean  bool             `json:"clean"`
	Events uint64           `json:"events"`  // position that was compared
	Read   uint64           `json:"records"` // records that were folded
	Holes  uint64           `json:"holes"`   // sequences that are not in the log
	Diffs  []projector.Diff `json:"diffs"`
	Damage []string         `json:"damage"`
	Exit   int              `json:"exit"` // 0 clean, 1 projections differ, 2 log damaged
	TookMS float64          `json:"took_ms"`
}

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

type outcome struct {
	result any
	err    error
}

func (o outcome) line() any {
	if o.err == nil {
		return map[string]any{"result": o.result}
	}
	p := &Problem{Message: o.err.Error(), Exit: 1}
	if errors.Is(o.err, embedded.ErrLogDamaged) {
		p.Exit = 2
	}
	errors.As(o.err, &p)
	return p
}

func (d *Daemon) handleVerify(w http.ResponseWriter, r *http.Request) error {
	return d.long(w, r, func(ctx context.Context, progress func(uint64)) (any, error) { return d.Verify(ctx, progress) })
}

// gcWhileFolding lets garbage pile up while the whole log goes by; the memory limit still bounds it.
const gcWhileFolding = 400

// Verify folds the whole log again and compares every cell of every bucket.
func (d *Daemon) Verify(ctx context.Context, progress func(uint64)) (Verification, error) {
	begin := time.Now()
	var v Verification
	refs := blobRefs{}
	source := func(ctx context.Context, from, to uint64, fn func(events.Record) error) error {
		return d.stream.Read(ctx, from, to, func(rec events.Record) error {
			v.Read++
			refs.collect(rec.Data)
			return fn(rec)
		})
	}
	d.heal(ctx)
	defer debug.SetGCPercent(debug.SetGCPercent(gcWhileFolding))
	if err := d.view.WarmCache(ctx); err != nil {
		return v, err
	}
	pos, diffs, err := d.view.Verify(ctx, source, progress)
	if err != nil {
		return v, err
	}
	v.Events, v.Diffs, v.Damage = pos.Seq, diffs, []string{}
	if v.Diffs == nil {
		v.Diffs = []projector.Diff{}
	}
	v.Holes = pos.Seq - v.Read
	if v.Holes > 0 {
		v.Damage = append(v.Damage, "the log has holes")
	}
	v.Damage = append(v.Damage, refs.check(d.ground.Blobs())...)
	if rep := d.ground.Report(); len(rep.Fixed.Lost)+len(rep.Fixed.SetAside) > 0 { // a torn end or a mended bit is no damage any more
		for _, dm := range rep.Damage {
			v.Damage = append(v.Damage, dm.Block+": "+dm.Why)
		}
	}
	switch {
	case len(v.Damage) > 0:
		v.Exit = 2
	case len(v.Diffs) > 0:
		v.Exit = 1
	}
	v.Clean, v.TookMS = v.Exit == 0, float64(time.Since(begin).Microseconds())/1000
	return v, nil
}

// blobRefs are the blobs that events name.
type blobRefs map[string]struct{}

var blobRef = []byte(`{"$blob":"`)

// collect finds the references in an event's data, where [hook.Cut] put them.
func (b blobRefs) collect(data []byte) {
	for {
		i := bytes.Index(data, blobRef)
		if i < 0 {
			return
		}
		data = data[i+len(blobRef):]
		if end := bytes.IndexByte(data, '"'); end > 0 {
			b[string(data[:end])] = struct{}{}
		}
	}
}

// check reads each blob and compares it with its digest; it names what cannot be had.
func (b blobRefs) check(blobs *embedded.Blobs) []string {
	var bad []string
	for _, digest := range slices.Sorted(maps.Keys(b)) {
		if _, err := blobs.Get(digest); err != nil {
			bad = append(bad, "blob "+digest+": "+err.Error())
		}
	}
	return bad
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
		if err := d.view.WarmCache(ctx); err != nil { // or every brief would count as missing
			return nil, err
		}
		pos, diffs, err := d.view.Verify(ctx, d.stream.Read, progress)
		if err == nil && !dry {
			pos, err = d.view.Rebuild(ctx, d.stream.Read, only, progress)
		}
		out := Rebuilt{Projection: only, DryRun: dry, Seq: pos.Seq, Changed: []projector.Diff{}}
		for _, df := range diffs {
			if only == "" || df.Projection == only {
				out.Changed = append(out.Changed, df)
			}
		}
		out.TookMS = float64(time.Since(begin).Microseconds()) / 1000
		return out, err
	})
}

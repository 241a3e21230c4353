package daemon

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"net/http"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/damage"
	"hookline/hookctl/problem"
	"hookline/projector"
)

// Verification is the outcome of `replay verify`.
type Verification struct {
	Clean    bool             `json:"clean"`
	Events   uint64           `json:"events"`   // position that was compared
	Read     uint64           `json:"records"`  // records that were folded
	Unknown  uint64           `json:"unknown"`  // of them, those of a type or version that this build does not know: kept, not wrong
	Holes    uint64           `json:"holes"`    // sequences that could not be read, known and new
	Known    []Hole           `json:"known"`    // holes that the log itself explains: no fault
	New      []Hole           `json:"new"`      // all others
	Compared []string         `json:"compared"` // projections whose cells are judged
	Unsure   []string         `json:"unsure"`   // projections that differ, perhaps because of events that are lost
	Diffs    []projector.Diff `json:"diffs"`
	Damage   []string         `json:"damage"` // every fault of the log, in words
	Exit     int              `json:"exit"`   // 0 clean, 1 projections differ, 2 log damaged
	TookMS   float64          `json:"took_ms"`
}

func (d *Daemon) handleVerify(w http.ResponseWriter, r *http.Request) error {
	return d.long(w, r, func(ctx context.Context, progress func(uint64)) (any, error) { return d.Verify(ctx, progress) })
}

// gcWhileFolding lets garbage pile up while the whole log goes by; the memory limit still bounds it.
const gcWhileFolding = 400

// Verify proves the log record by record, folds it again and compares every cell of every bucket. Damage
// does not end it: what is behind is read, and everything that is wrong is named.
func (d *Daemon) Verify(ctx context.Context, progress func(uint64)) (Verification, error) {
	begin := time.Now()
	if err := d.ground.Health(); errors.Is(err, embedded.ErrWriteStuck) {
		return Verification{}, d.stuck(err)
	}
	d.heal(ctx)
	defer debug.SetGCPercent(debug.SetGCPercent(gcWhileFolding))
	if err := d.view.WarmCache(ctx); err != nil {
		return Verification{}, d.stuck(err)
	}
	e := newEvidence()
	source := func(ctx context.Context, from, to uint64, fn func(events.Record) error) (err error) {
		e.found, err = d.stream.Examine(ctx, from, to, func(rec events.Record) error {
			e.take(rec)
			return fn(rec)
		})
		return err
	}
	pos, diffs, err := d.view.Verify(ctx, source, progress)
	if err != nil {
		return Verification{}, d.stuck(err)
	}
	v := Verification{Events: pos.Seq, Read: e.read, Unknown: e.unknown, Holes: pos.Seq - min(pos.Seq, e.read), Known: []Hole{}, New: []Hole{},
		Compared: []string{}, Unsure: []string{}, Diffs: diffs, Damage: []string{}}
	if err := d.judgeLog(ctx, &v, e); err != nil {
		return v, err
	}
	v.Damage = append(v.Damage, e.refs.check(d.ground.Blobs())...)
	d.judgeCells(&v)
	v.TookMS = float64(time.Since(begin).Microseconds()) / 1000
	return v, nil
}

// judgeLog says what the evidence means.
func (d *Daemon) judgeLog(ctx context.Context, v *Verification, e *evidence) error {
	again, err := e.doubled(ctx, d.stream)
	if err != nil {
		return err
	}
	rep := d.ground.Report()
	news := ""
	if !d.serving { // the store was opened for this command: what that found is news to whoever asked
		news = rep.Found.ID
	}
	e.judge(v, news, rep.Damage)
	v.Damage = append(append(v.Damage, e.faults...), again...)
	if d.serving || len(rep.Fixed.Lost)+len(rep.Fixed.SetAside) == 0 {
		return nil
	}
	for _, dm := range rep.Damage {
		if !slices.Contains(v.Damage, damage.Line(dm)) {
			v.Damage = append(v.Damage, damage.Line(dm))
		}
	}
	return nil
}

// judgeCells says which projections the differences are of, and gives the verdict.
func (d *Daemon) judgeCells(v *Verification) {
	if v.Diffs == nil {
		v.Diffs = []projector.Diff{}
	}
	for _, name := range d.view.Tables() {
		differs := slices.ContainsFunc(v.Diffs, func(df projector.Diff) bool { return df.Projection == name })
		if differs && len(v.New) > 0 {
			v.Unsure = append(v.Unsure, name)
		} else {
			v.Compared = append(v.Compared, name)
		}
	}
	switch {
	case len(v.Damage) > 0:
		v.Exit = 2
	case len(v.Diffs) > 0:
		v.Exit = 1
	}
	v.Clean = v.Exit == 0
}

// stuck gives an error of the store that only another opening takes away, as after a full disk, a form that
// says so, and ends the daemon: the next one opens the store anew. All other errors stay as they are.
func (d *Daemon) stuck(err error) error {
	if err == nil || !errors.Is(err, embedded.ErrWriteStuck) && !errors.Is(d.ground.Health(), embedded.ErrWriteStuck) {
		return err
	}
	d.stop("write_stuck")
	return problem.New(http.StatusServiceUnavailable, "the store cannot write since a write failed, as on a full disk: "+err.Error(), HintReopened)
}

// HintReopened is the hint of a request that failed because the store has to be opened anew: the daemon ends,
// and the same request may be tried again.
const HintReopened = "the daemon ends, so that the next one opens the store anew; try again when there is room on the disk"

// blobRefs are the blobs that events name.
type blobRefs map[string]struct{}

// A reference is {"$blob":"<digest>"; the rare part of it is looked for.
var (
	blobRef  = []byte(`$blob":"`)
	blobOpen = []byte(`{"`)
)

// collect finds the references in an event's data, where [hook.Cut] put them.
func (b blobRefs) collect(data []byte) {
	for {
		i := bytes.Index(data, blobRef)
		if i < 0 {
			return
		}
		opened := bytes.HasSuffix(data[:i], blobOpen)
		data = data[i+len(blobRef):]
		if end := bytes.IndexByte(data, '"'); opened && end > 0 {
			if _, known := b[string(data[:end])]; !known {
				b[string(data[:end])] = struct{}{}
			}
		}
	}
}

// check reads each blob and compares it with its digest, on all processors; it names what cannot be had.
func (b blobRefs) check(blobs *embedded.Blobs) []string {
	digests := slices.Sorted(maps.Keys(b))
	bad := make([]string, len(digests))
	todo := make(chan int)
	var workers sync.WaitGroup
	for range min(len(digests), runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := range todo {
				if _, err := blobs.Get(digests[i]); err != nil {
					bad[i] = "blob " + digests[i] + ": " + strings.TrimPrefix(err.Error(), digests[i]+": ")
				}
			}
		})
	}
	for i := range digests {
		todo <- i
	}
	close(todo)
	workers.Wait()
	return slices.DeleteFunc(bad, func(s string) bool { return s == "" })
}

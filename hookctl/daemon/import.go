package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"hookline/events"
	"hookline/hookctl/export"
	"hookline/hookctl/problem"
)

// Taking an export in: whole or not at all, each event once.

// Limits of one step of an import.
const (
	importBatch  = 1000    // events of one atomic append, the log's own limit
	importBytes  = 8 << 20 // of their data: hooks that come meanwhile wait for one step at most
	lookUpAtOnce = 50_000  // ids that one pass over the log's headers looks for
)

// Imported is the outcome of `replay import`.
type Imported struct {
	File    string         `json:"file"`
	Build   string         `json:"build"`  // that wrote the file
	Events  uint64         `json:"events"` // in the file, or in what could be read of it
	Added   uint64         `json:"added"`
	Known   uint64         `json:"known"`             // were in the log already
	Blobs   uint64         `json:"blobs"`             // in the file
	NoBlob  uint64         `json:"missing_blobs"`     // contents that added events refer to and that are nowhere
	Unknown map[string]int `json:"unknown"`           // added events of types that this build does not know
	Seq     uint64         `json:"seq"`               // the log's newest event now
	Problem string         `json:"problem,omitempty"` // with partial: what is wrong with the rest of the file
}

// handleImport takes in a file of this machine, by its absolute path: it is read twice, and a stream
// could only be read once.
func (d *Daemon) handleImport(w http.ResponseWriter, r *http.Request) error {
	path, partial := r.URL.Query().Get("file"), r.URL.Query().Get("partial") == "1"
	if !filepath.IsAbs(path) {
		return problem.New(http.StatusBadRequest, fmt.Sprintf("file: %q is no absolute path", path), "")
	}
	return d.long(w, r, func(ctx context.Context, progress func(uint64)) (any, error) {
		return d.Import(ctx, path, partial, progress)
	})
}

// errBusy refuses a second one of the verbs that carry whole logs about.
func errBusy() error {
	return problem.New(http.StatusConflict, "another import, backup or repair is running", "try again when it is done")
}

// Import takes the events of an export that the log does not have, in the file's order and with their own
// ids, times and sessions. The file is checked to its end first: of one that is cut off or damaged nothing
// is taken, with partial what stands before the trouble. Cancelling leaves what is in; a second import
// takes the rest. progress counts the file's events, once for the check and once for the taking.
func (d *Daemon) Import(ctx context.Context, path string, partial bool, progress func(uint64)) (Imported, error) {
	if !d.carrying.TryLock() {
		return Imported{}, errBusy()
	}
	defer d.carrying.Unlock()
	return d.importFile(ctx, path, importOptions{partial: partial}, progress)
}

type importOptions struct {
	partial bool
	skip    func(events.Record) bool // events to leave out, nil = none
	dry     bool                     // only count what would be added
	see     func(export.Item, bool)  // told of every item, and whether the log has it
}

func (d *Daemon) importFile(ctx context.Context, path string, o importOptions, progress func(uint64)) (Imported, error) {
	s, err := surveyed(ctx, path, o.partial, d.stream.FindIDs, progress)
	if err != nil {
		return s.Imported, err
	}
	if s.trouble != nil {
		s.Problem = s.trouble.Error()
	}
	if s.Known == s.Events && s.Blobs == 0 && o.see == nil {
		s.Seq, _ = d.stream.Last()
		return s.Imported, nil
	}
	s.Known = 0 // counted again as they go by
	in := importer{d: d, o: o, known: s.known, out: &s.Imported, seen: map[string]bool{}}
	err = readExport(path, func(r *export.Reader) error { return in.run(ctx, r, progress) })
	if !o.dry {
		err = errors.Join(err, d.refreshLive(ctx))
	}
	s.Seq, _ = d.stream.Last()
	return s.Imported, err
}

// fileProblem says what is wrong with a file that a person named.
func fileProblem(path string, err error) *problem.Error {
	var p *problem.Error
	if errors.As(err, &p) {
		return p
	}
	hint := ""
	switch {
	case errors.Is(err, export.ErrNotExport):
		hint = "`replay export` writes what can be imported"
	case errors.Is(err, export.ErrNewer):
		hint = "use the build that wrote it, or a newer one"
	case errors.Is(err, os.ErrNotExist), errors.Is(err, os.ErrPermission):
		return problem.New(http.StatusBadRequest, err.Error(), "")
	}
	return problem.New(http.StatusBadRequest, path+": "+err.Error(), hint)
}

func countOf(n uint64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

func readExport(path string, fn func(*export.Reader) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := export.Open(f)
	if err != nil {
		return err
	}
	defer r.Close()
	return fn(r)
}

// survey is what the first reading of a file tells.
type survey struct {
	Imported
	known   []bool // by the event's place in the file: the log has it
	trouble error  // the file is not whole
}

// CheckExport gives the error that [Daemon.Import] would give because of the file, before there is any store to take it.
func CheckExport(ctx context.Context, path string, partial bool) error {
	none := func(context.Context, uint64, map[string]struct{}) (map[string]uint64, error) { return nil, nil }
	_, err := surveyed(ctx, path, partial, none, nil)
	return err
}

// surveyed surveys a file and refuses one that is not whole, unless a part will do.
func surveyed(ctx context.Context, path string, partial bool, find finder, progress func(uint64)) (survey, error) {
	s, err := surveyOf(ctx, path, find, progress)
	switch {
	case err != nil:
		return s, fileProblem(path, err)
	case s.trouble != nil && !partial:
		p := fileProblem(path, s.trouble)
		p.Message += "; nothing was imported"
		p.Hint = "--partial takes the " + countOf(s.Events, "event") + " before that"
		return s, p
	}
	return s, nil
}

// finder gives the sequences of those ids that a log has, from a sequence on.
type finder func(ctx context.Context, from uint64, ids map[string]struct{}) (map[string]uint64, error)

// surveyOf reads the whole file and looks its ids up in the log.
func surveyOf(ctx context.Context, path string, find finder, progress func(uint64)) (survey, error) {
	s := survey{Imported: Imported{File: path, Unknown: map[string]int{}}}
	places := map[string]int{}
	lookUp := func() error {
		ids := make(map[string]struct{}, len(places))
		for id := range places {
			ids[id] = struct{}{}
		}
		found, err := find(ctx, 1, ids)
		for id := range found {
			s.known[places[id]] = true
		}
		s.Known += uint64(len(found))
		clear(places)
		return err
	}
	err := readExport(path, func(r *export.Reader) error {
		s.Build = r.Header().Build
		for {
			item, err := r.Next()
			if err == nil {
				err = ctx.Err()
			}
			s.Events, s.Blobs = r.Read()
			switch {
			case errors.Is(err, io.EOF):
				return nil
			case errors.Is(err, export.ErrTruncated), errors.Is(err, export.ErrDamaged):
				s.trouble = err
				return nil
			case err != nil:
				return err
			case item.Event == nil:
				continue
			}
			_, twice := places[item.Event.ID]
			s.known = append(s.known, twice)
			if twice {
				s.Known++
			} else {
				places[item.Event.ID] = len(s.known) - 1
			}
			told(progress, s.Events)
			if len(places) == lookUpAtOnce {
				if err := lookUp(); err != nil {
					return err
				}
			}
		}
	})
	return s, errors.Join(err, lookUp())
}

func told(progress func(uint64), n uint64) {
	if progress != nil {
		progress(n)
	}
}

// importer takes the events of a file that was surveyed.
type importer struct {
	d     *Daemon
	o     importOptions
	known []bool
	out   *Imported
	seen  map[string]bool // digests that were looked for

	batch []events.Envelope
	bytes int
}

// run takes everything up to where the survey came.
func (in *importer) run(ctx context.Context, r *export.Reader, progress func(uint64)) error {
	told(progress, 0)
	for place := 0; place < len(in.known); {
		item, err := r.Next()
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err // also a file that has changed since it was checked
		}
		if in.o.see != nil {
			in.o.see(item, item.Event != nil && in.known[place])
		}
		if item.Blob != nil {
			err = in.blob(*item.Blob)
		} else {
			err = in.event(ctx, *item.Event, in.known[place])
			place++
			told(progress, uint64(place))
		}
		if err != nil {
			return err
		}
	}
	return in.flush(ctx)
}

func (in *importer) blob(b export.Blob) error {
	in.seen[b.Digest] = true
	if in.o.dry {
		return nil
	}
	_, err := in.d.ground.Blobs().Put(b.Content)
	return err
}

func (in *importer) event(ctx context.Context, r events.Record, known bool) error {
	switch {
	case known:
		in.out.Known++
		return nil
	case in.o.skip != nil && in.o.skip(r):
		return nil
	}
	if data, report := in.d.redactor.JSON(r.Data); report.Count > 0 { // by rules that are newer than the file
		r.Data, r.Redacted = data, r.Redacted+report.Count
	}
	for _, digest := range export.Refs(r.Data) {
		if !in.seen[digest] && !in.d.ground.Blobs().Has(digest) {
			in.out.NoBlob++
		}
		in.seen[digest] = true
	}
	if u, ok := r.Event.(*events.Unknown); ok {
		in.out.Unknown[u.Name]++
	}
	in.batch, in.bytes = append(in.batch, r.Envelope), in.bytes+len(r.Data)
	if len(in.batch) < importBatch && in.bytes < importBytes {
		return nil
	}
	return in.flush(ctx)
}

func (in *importer) flush(ctx context.Context) error {
	batch := in.batch
	in.batch, in.bytes = nil, 0
	if in.o.dry || len(batch) == 0 {
		in.out.Added += uint64(len(batch))
		return nil
	}
	added, err := in.d.takeIn(ctx, batch)
	in.out.Added += uint64(added)
	in.out.Known += uint64(len(batch) - added)
	return err
}

// takeIn appends events that have their ids already, folds them and returns when they are on disk. Those
// that came into the log by another way since they were looked up are left out.
func (d *Daemon) takeIn(ctx context.Context, envs []events.Envelope) (int, error) {
	d.mu.Lock()
	seq, err := d.append(ctx, envs, nil)
	if errors.Is(err, errRaced) {
		if envs, err = d.without(ctx, envs); err == nil && len(envs) > 0 {
			seq, err = d.append(ctx, envs, nil)
		}
	}
	d.mu.Unlock()
	if err != nil || len(envs) == 0 {
		return 0, err
	}
	if err := d.stream.Sync(ctx, seq); err != nil {
		return 0, err
	}
	d.hub.wake(seq)
	return len(envs), nil
}

// without leaves out what the log has, and the second of two with one id.
func (d *Daemon) without(ctx context.Context, envs []events.Envelope) ([]events.Envelope, error) {
	ids := make(map[string]struct{}, len(envs))
	for _, e := range envs {
		ids[e.ID] = struct{}{}
	}
	found, err := d.stream.FindIDs(ctx, 1, ids)
	var left []events.Envelope
	for _, e := range envs {
		_, fresh := ids[e.ID]
		if _, known := found[e.ID]; fresh && !known {
			left = append(left, e)
		}
		delete(ids, e.ID)
	}
	return left, err
}

// refreshLive lists the live sessions anew, after events that no hook brought.
func (d *Daemon) refreshLive(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	now, err := loadLive(context.WithoutCancel(ctx), d.view)
	if err != nil {
		return err
	}
	d.live.mu.Lock()
	defer d.live.mu.Unlock()
	d.live.by = now.by
	return nil
}

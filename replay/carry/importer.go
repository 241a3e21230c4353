package carry

import (
	"context"
	"errors"
	"fmt"
	"io"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/problem"
	"hookline/hookctl/redact"
	"hookline/hookctl/safeopen"
)

// ImportBatch is how many events go into the log in one atomic append: the log's own limit.
const ImportBatch = 1000

// batchBytes bounds the events' data in one step: hooks that come meanwhile wait for one step at most.
const batchBytes = 8 << 20

// ImportLog is the log that takes events in.
type ImportLog interface {
	Last() (seq uint64, id string)
	// FindIDs returns the sequences of those ids that the log has, from a sequence on.
	FindIDs(ctx context.Context, from uint64, ids map[string]struct{}) (map[string]uint64, error)
}

// ImportBlobs are the large contents beside the log, by digest.
type ImportBlobs interface {
	Has(digest string) bool
	Put(content []byte) (digest string, err error)
}

// Into is where a file's events go.
type Into struct {
	Log    ImportLog
	Blobs  ImportBlobs
	Redact func(doc []byte) ([]byte, redact.Report)
	// Append puts events with their own ids into the log and returns when they are on disk: how many the log did not have.
	Append func(ctx context.Context, envs []events.Envelope) (int, error)
}

// ImportOptions of an import.
type ImportOptions struct {
	Partial bool                     // of a file that is not whole, what stands before the trouble
	Skip    func(events.Record) bool // events to leave out, nil = none
	Dry     bool                     // only count what would be added
	Foreign bool                     // the events are of another log: they are marked as imported
	See     func(Item, bool)         // called for every item, and whether the log has it; may be nil
}

// Import takes the events of an export that the log does not have, in the file's order and with their own ids, times and
// sessions. The file is checked to its end first: of one that is cut off or damaged nothing is taken, unless a part will
// do. Cancelling leaves what is in. progress, which may be nil, is called with the number of the file's events, once for the
// check and once for the taking.
func Import(ctx context.Context, path string, into Into, o ImportOptions, progress func(uint64)) (api.Imported, error) {
	if progress == nil {
		progress = func(uint64) {}
	}
	out := api.Imported{File: path, Unknown: map[string]int{}}
	ids, err := survey(ctx, path, &out, progress)
	part := out.Events > 0 && (errors.Is(err, ErrTruncated) || errors.Is(err, ErrDamaged))
	switch {
	case part && o.Partial:
		out.Problem = err.Error()
	case err != nil:
		return out, fileProblem(path, err, part, out.Events)
	}

	known, err := into.Log.FindIDs(ctx, 1, ids)
	if err != nil {
		return out, err
	}
	in := taking{into: into, o: o, known: known, out: &out, seen: map[string]bool{}}
	err = readExport(path, func(r *Reader) error { return in.run(ctx, r, progress) })
	out.Seq, _ = into.Log.Last()
	return out, err
}

// survey reads the whole file, counts in out what is in it, and returns the ids of its events. The error is [Reader]'s where
// the file is not whole.
func survey(ctx context.Context, path string, out *api.Imported, progress func(uint64)) (map[string]struct{}, error) {
	ids := map[string]struct{}{}
	err := readExport(path, func(r *Reader) error {
		out.Build = r.Header().Build
		for {
			item, err := r.Next()
			out.Events, out.Blobs = r.Read()
			switch {
			case errors.Is(err, io.EOF):
				return nil
			case err != nil:
				return err
			case ctx.Err() != nil:
				return ctx.Err()
			case item.Event != nil:
				ids[item.Event.ID] = struct{}{}
				progress(out.Events)
			}
		}
	})
	return ids, err
}

// readExport calls fn with the reader of a file.
func readExport(path string, fn func(*Reader) error) error {
	f, err := safeopen.Open(safeopen.Foreign, path)
	if err != nil {
		return err
	}
	defer f.Close()

	r, err := OpenExport(f)
	if err != nil {
		return err
	}
	defer r.Close()
	return fn(r)
}

// fileProblem returns an error about a file that a person named, of which a part with so many events could be read or nothing.
func fileProblem(path string, err error, part bool, events uint64) error {
	p := problem.Bad("%s: %v", path, err)
	switch {
	case part:
		p.Message += "; nothing was imported"
		p.Hint = fmt.Sprintf("--partial takes the %d events before that", events)
	case errors.Is(err, ErrNotExport):
		p.Hint = "`replay export` writes what can be imported"
	case errors.Is(err, ErrNewer):
		p.Hint = "use the build that wrote it, or a newer one"
	case errors.Is(err, context.Canceled):
		return err
	}
	return p
}

// taking takes the events of a file that was surveyed.
type taking struct {
	into  Into
	o     ImportOptions
	known map[string]uint64 // the ids that the log has, and those that were taken
	out   *api.Imported
	seen  map[string]bool // digests that were looked for

	batch []events.Envelope
	bytes int
}

// run takes as much as the survey has read.
func (in *taking) run(ctx context.Context, r *Reader, progress func(uint64)) error {
	progress(0)
	for range in.out.Events + in.out.Blobs {
		item, err := r.Next()
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err // also a file that has changed since it was checked
		}

		known := false
		if item.Event != nil {
			_, known = in.known[item.Event.ID]
		}
		if in.o.See != nil {
			in.o.See(item, known)
		}
		if item.Blob != nil {
			err = in.blob(*item.Blob)
		} else {
			err = in.event(ctx, *item.Event, known)
			done, _ := r.Read()
			progress(done)
		}
		if err != nil {
			return err
		}
	}
	return in.flush(ctx)
}

func (in *taking) blob(b Blob) error {
	in.seen[b.Digest] = true
	if in.o.Dry {
		return nil
	}
	_, err := in.into.Blobs.Put(b.Content)
	return err
}

func (in *taking) event(ctx context.Context, r events.Record, known bool) error {
	switch {
	case known:
		in.out.Known++
		return nil
	case in.o.Skip != nil && in.o.Skip(r):
		return nil
	}
	in.known[r.ID] = r.Seq
	if data, report := in.into.Redact(r.Data); report.Count > 0 { // by rules that are newer than the file
		r.Data, r.Redacted = data, r.Redacted+report.Count
	}
	for _, digest := range events.Refs(r.Data) {
		if !in.seen[digest] && !in.into.Blobs.Has(digest) {
			in.out.NoBlob++
		}
		in.seen[digest] = true
	}
	if u, ok := r.Event.(*events.Unknown); ok {
		in.out.Unknown[u.Name]++
	}
	r.Imported = r.Imported || in.o.Foreign
	in.batch, in.bytes = append(in.batch, r.Envelope), in.bytes+len(r.Data)
	if len(in.batch) < ImportBatch && in.bytes < batchBytes {
		return nil
	}
	return in.flush(ctx)
}

func (in *taking) flush(ctx context.Context) error {
	batch := in.batch
	in.batch, in.bytes = nil, 0
	if in.o.Dry || len(batch) == 0 {
		in.out.Added += uint64(len(batch))
		return nil
	}
	added, err := in.into.Append(ctx, batch)
	in.out.Added += uint64(added)
	in.out.Known += uint64(len(batch) - added)
	return err
}

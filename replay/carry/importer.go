package carry

import (
	"context"

	"hookline/events"
	"hookline/hookctl/redact"
)

// ImportBatch is how many events go into the log in one atomic append: the log's own limit.
const ImportBatch = 1000

// Limits of one step besides.
const (
	batchBytes   = 8 << 20 // of the events' data: hooks that come meanwhile wait for one step at most
	lookUpAtOnce = 50_000  // ids that one pass over the log's headers looks for
)

// Imported is the outcome of `replay import`.
type Imported struct {
	File    string         `json:"file" jsonschema_description:"that was read"`
	Build   string         `json:"build" jsonschema_description:"version that wrote the file"`
	Events  uint64         `json:"events" jsonschema_description:"in the file, or in what could be read of it"`
	Added   uint64         `json:"added" jsonschema_description:"events that were appended"`
	Known   uint64         `json:"known" jsonschema_description:"events that were in the log already"`
	Blobs   uint64         `json:"blobs" jsonschema_description:"large contents in the file"`
	NoBlob  uint64         `json:"missing_blobs" jsonschema_description:"contents that added events refer to and that are nowhere"`
	Unknown map[string]int `json:"unknown" jsonschema_description:"added events of types that this build does not know, by type"`
	Seq     uint64         `json:"seq" jsonschema_description:"the log's newest event now"`
	Problem string         `json:"problem,omitempty" jsonschema_description:"with --partial: what is wrong with the rest of the file"`
}

// ImportLog is the log that takes events in.
type ImportLog interface {
	Last() (seq uint64, id string)
	// FindIDs gives the sequences of those ids that the log has, from a sequence on.
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
	See     func(Item, bool)         // told of every item, and whether the log has it; nil = nobody
}

// Import takes the events of an export that the log does not have, in the file's order and with their own ids, times and
// sessions. The file is checked to its end first: of one that is cut off or damaged nothing is taken, unless a part will
// do. Cancelling leaves what is in. progress counts the file's events, once for the check and once for the taking; nil for
// nobody.
func Import(ctx context.Context, path string, into Into, o ImportOptions, progress func(uint64)) (Imported, error) {
	if progress == nil {
		progress = func(uint64) {}
	}
	s, err := surveyed(ctx, path, o.Partial, into.Log, progress)
	if err != nil {
		return s.Imported, err
	}
	if s.trouble != nil {
		s.Problem = s.trouble.Error()
	}
	if s.Known == s.Events && s.Blobs == 0 && o.See == nil {
		s.Seq, _ = into.Log.Last()
		return s.Imported, nil
	}
	s.Known = 0 // counted again as they go by
	in := taking{into: into, o: o, known: s.known, out: &s.Imported, seen: map[string]bool{}}
	err = readExport(path, func(r *Reader) error { return in.run(ctx, r, progress) })
	s.Seq, _ = into.Log.Last()
	return s.Imported, err
}

// taking takes the events of a file that was surveyed.
type taking struct {
	into  Into
	o     ImportOptions
	known []bool
	out   *Imported
	seen  map[string]bool // digests that were looked for

	batch []events.Envelope
	bytes int
}

// run takes everything up to where the survey came.
func (in *taking) run(ctx context.Context, r *Reader, progress func(uint64)) error {
	progress(0)
	for place := 0; place < len(in.known); {
		item, err := r.Next()
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err // also a file that has changed since it was checked
		}
		if in.o.See != nil {
			in.o.See(item, item.Event != nil && in.known[place])
		}
		if item.Blob != nil {
			err = in.blob(*item.Blob)
		} else {
			err = in.event(ctx, *item.Event, in.known[place])
			place++
			progress(uint64(place))
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

package carry

import (
	"bufio"
	"context"
	"errors"
	"io"
	"time"

	"hookline/events"
	"hookline/projector"
)

// ExportLog is a log as exports are written from it. Sync returns when everything up to a sequence is on disk.
type ExportLog interface {
	Sync(ctx context.Context, seq uint64) error
	ReadRaw(ctx context.Context, from, to uint64, fn func(events.Record) error) error
	Select(ctx context.Context, from, to uint64, want []projector.Selector, fn func(events.Record) error) error
}

// Origin is where an export comes from.
type Origin struct {
	Log     ExportLog
	Content func(digest string) (content []byte, ok bool, err error) // not ok: it is not to be had, and is left out
	Build   string
	Created time.Time
}

// Portion is the part of a log that goes into an export.
type Portion struct {
	First, Last uint64 // sequences, both included; a last one below the first is nothing
	Session     string // only this one's, "" = all
	Blobs       bool   // with the large contents
}

// Write writes the portion, and returns the number of its events. It goes over the log twice: the header says how many will
// come.
func (o Origin) Write(ctx context.Context, w io.Writer, p Portion) (uint64, error) {
	if err := o.Log.Sync(ctx, p.Last); err != nil { // nothing that a power cut could take back
		return 0, err
	}
	head := Header{Build: o.Build, Created: o.Created, From: From{First: p.First, Last: p.Last, Session: p.Session}}
	err := o.read(ctx, p, func(events.Record) error { head.Events++; return nil })
	if err != nil {
		return 0, err
	}
	buffered := bufio.NewWriterSize(w, 256<<10)
	out, err := NewWriter(buffered, head)
	if err != nil {
		return 0, err
	}
	done := map[string]bool{}
	err = o.read(ctx, p, func(r events.Record) error {
		if p.Blobs {
			if err := o.blobsFirst(out, r.Data, done); err != nil {
				return err
			}
		}
		return out.Event(r)
	})
	return head.Events, errors.Join(err, out.Close(), buffered.Flush())
}

// read calls fn with the portion's events as they are in the log; of one session no others are read.
func (o Origin) read(ctx context.Context, p Portion, fn func(events.Record) error) error {
	if p.Last < p.First || p.Last == 0 {
		return nil
	}
	if p.Session != "" {
		return o.Log.Select(ctx, p.First, p.Last, []projector.Selector{{Session: p.Session}}, fn)
	}
	return o.Log.ReadRaw(ctx, p.First, p.Last, fn)
}

// blobsFirst writes the contents that data refers to and that are not in the file yet.
func (o Origin) blobsFirst(out *Writer, data []byte, done map[string]bool) error {
	for _, digest := range events.Refs(data) {
		if done[digest] {
			continue
		}
		done[digest] = true
		content, ok, err := o.Content(digest)
		if err != nil {
			return err
		}
		if !ok {
			out.Lacks()
			continue
		}
		if err := o.blobsFirst(out, content, done); err != nil { // a blob of JSON has references of its own
			return err
		}
		if err := out.Blob(Blob{Digest: digest, Content: content}); err != nil {
			return err
		}
	}
	return nil
}

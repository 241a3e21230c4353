package daemon

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/export"
	"hookline/hookctl/wire"
)

// portion is the part of the log that goes into an export.
type portion struct {
	from, to     uint64 // sequences, both included; to below from is nothing
	session      string // only this one's, "" = all
	since, until *time.Time
	blobs        bool // with the large contents
}

// handleExport writes an export as plain lines; whoever asked compresses them.
func (d *Daemon) handleExport(w http.ResponseWriter, r *http.Request) error {
	p, err := d.portionOf(r)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	return d.export(r.Context(), w, p)
}

// portionOf reads the request. A time means the time of the append, as everywhere in a log.
func (d *Daemon) portionOf(r *http.Request) (portion, error) {
	q, ctx := r.URL.Query(), r.Context()
	p := portion{from: 1, blobs: true}
	var err error
	if p.session, err = d.resolveSession(ctx, q.Get("session")); err != nil {
		return p, err
	}
	if p.to, err = d.pointOf(ctx, q.Get("until")); err != nil {
		return p, err
	}
	if s := q.Get("since"); s != "" {
		if p.from, err = d.seqOf(ctx, s); err != nil {
			return p, err
		}
	}
	p.since, p.until = timeOf(q.Get("since")), timeOf(q.Get("until"))
	return p, nil
}

// timeOf is a point that is a time; nil for a sequence, a duration or none.
func timeOf(s string) *time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return nil
	}
	return &t
}

// export writes the portion. It goes over the log twice: the header says how many events will come.
func (d *Daemon) export(ctx context.Context, w io.Writer, p portion) error {
	if err := d.stream.Sync(ctx, p.to); err != nil { // nothing that a power cut could take back
		return err
	}
	head := export.Header{Build: wire.Build, Created: d.opts.Now().UTC().Truncate(time.Second),
		From: export.From{First: p.from, Last: p.to, Session: p.session, Since: p.since, Until: p.until}}
	err := d.raw(ctx, p, func(events.Record) error { head.Events++; return nil })
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(w, 256<<10)
	out, err := export.NewWriter(buffered, head)
	if err != nil {
		return err
	}
	done := map[string]bool{}
	err = d.raw(ctx, p, func(r events.Record) error {
		if p.blobs {
			if err := d.blobsFirst(out, r.Data, done); err != nil {
				return err
			}
		}
		return out.Event(r)
	})
	return errors.Join(err, out.Close(), buffered.Flush())
}

// raw reads the portion without decoding the events.
func (d *Daemon) raw(ctx context.Context, p portion, fn func(events.Record) error) error {
	if p.to < p.from || p.to == 0 {
		return nil
	}
	return d.stream.ReadRaw(ctx, p.from, p.to, func(seq uint64, appended time.Time, env events.Envelope) error {
		if p.session != "" && env.Session != p.session {
			return nil
		}
		return fn(events.Record{Seq: seq, Appended: appended, Envelope: env})
	})
}

// blobsFirst writes the contents that data refers to and that are not in the file yet. One that is lost or
// damaged is left out: the event must not be lost for it.
func (d *Daemon) blobsFirst(out *export.Writer, data []byte, done map[string]bool) error {
	for _, digest := range export.Refs(data) {
		if done[digest] {
			continue
		}
		done[digest] = true
		content, err := d.ground.Blobs().Get(digest)
		if errors.Is(err, embedded.ErrNoBlob) || errors.Is(err, embedded.ErrBlobDamaged) {
			d.log.Warn("export without a blob", "err", err)
			continue
		}
		if err != nil {
			return err
		}
		if err := d.blobsFirst(out, content, done); err != nil { // a blob of JSON has references of its own
			return err
		}
		if err := out.Blob(export.Blob{Digest: digest, Content: content}); err != nil {
			return err
		}
	}
	return nil
}

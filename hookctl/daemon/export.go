package daemon

import (
	"errors"
	"net/http"
	"time"

	"hookline/embedded"
	"hookline/hookctl/wire"
	"hookline/replay/carry"
)

// handleExport writes an export as plain lines; whoever asked compresses them.
func (d *Daemon) handleExport(w http.ResponseWriter, r *http.Request) error {
	p, err := d.portionOf(r)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	_, err = d.toExport().Write(r.Context(), w, p)
	return err
}

// portionOf reads the request. A time means the time of the append, as everywhere in a log.
func (d *Daemon) portionOf(r *http.Request) (carry.Portion, error) {
	q, ctx := r.URL.Query(), r.Context()
	p := carry.Portion{First: 1, Blobs: true}
	var err error
	if p.Session, err = d.resolveSession(ctx, q.Get("session")); err != nil {
		return p, err
	}
	if p.Last, err = d.pastView().Point(ctx, q.Get("until"), ""); err != nil {
		return p, err
	}
	if s := q.Get("since"); s != "" {
		if p.First, err = d.seqOf(ctx, s); err != nil {
			return p, err
		}
	}
	p.Since, p.Until = timeOf(q.Get("since")), timeOf(q.Get("until"))
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

// toExport is this log as exports are written from it.
func (d *Daemon) toExport() carry.Origin {
	return carry.Origin{Log: d.stream, Content: d.contentOf, Build: wire.Build, Created: d.opts.Now().UTC().Truncate(time.Second)}
}

// contentOf gives a large content; one that is lost or damaged is none, since its event must not be lost for it.
func (d *Daemon) contentOf(digest string) (content []byte, ok bool, err error) {
	content, err = d.ground.Blobs().Get(digest)
	if errors.Is(err, embedded.ErrNoBlob) || errors.Is(err, embedded.ErrBlobDamaged) {
		d.log.Warn("export without a blob", "err", err)
		return nil, false, nil
	}
	return content, err == nil, err
}

package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"hookline/embedded"
	"hookline/hookctl/api"
	"hookline/hookctl/wire"
	"hookline/replay/carry"
)

// export writes an export as plain lines; the caller compresses them. A time means the time of the append, as everywhere in
// a log.
func (ep *logEndpoints) export(ctx context.Context, r api.ExportRequest, out api.Lines[json.RawMessage]) error {
	p := carry.Portion{First: 1, Blobs: true}
	var err error
	if p.Session, err = ep.resolveSession(ctx, r.Session); err != nil {
		return err
	}
	if p.Last, err = ep.past().SeqOf(ctx, r.Until); err != nil {
		return err
	}
	if r.Since != "" {
		if p.First, err = ep.seqAppended(ctx, r.Since); err != nil {
			return err
		}
	}
	_, err = exportOrigin(ep.core).Write(ctx, out, p)
	return err
}

// exportOrigin returns the log as exports are written from it. A large content that is lost or damaged is none, since its event must
// not be lost for it.
func exportOrigin(c *core) carry.Origin {
	content := func(digest string) ([]byte, bool, error) {
		content, err := c.server.Blobs().Get(digest)
		if errors.Is(err, embedded.ErrNoBlob) || errors.Is(err, embedded.ErrBlobDamaged) {
			c.log.Warn("export without a blob", "err", err)
			return nil, false, nil
		}
		return content, err == nil, err
	}
	return carry.Origin{Log: c.stream, Content: content, Build: wire.Build, Created: c.opts.Now().UTC().Truncate(time.Second)}
}

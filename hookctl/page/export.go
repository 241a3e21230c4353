package page

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html/template"
	"io"
	"time"

	"hookline/events"
)

// Exported is what a file has.
type Exported struct {
	Session string `json:"session" jsonschema_description:"whole id"`
	Events  int    `json:"events" jsonschema_description:"in it"`
	Digest  string `json:"digest" jsonschema_description:"SHA-256 of the events inside, one JSON object a line"`
}

// ExportOptions say what goes into a file.
type ExportOptions struct {
	From    Source
	Session string // whole id
	Zone    *time.Location
	Now     time.Time
	Build   string // of the program, for the page's foot
}

// Export writes one session as a page that opens without the program: the timeline, the states, the bodies of the rows and
// the events themselves, packed, with their digest. Secrets are taken out of all of it once more.
func Export(ctx context.Context, w io.Writer, o ExportOptions) (out Exported, err error) {
	t, err := pages()
	if err != nil {
		return out, err
	}

	sum, raw := sha256.New(), newPack()
	lines := json.NewEncoder(io.MultiWriter(sum, raw))
	lines.SetEscapeHTML(false)
	s, err := newReader(o.From, o.Zone).story(ctx, o.Session, func(r events.Record) error { return lines.Encode(r) })
	if err != nil {
		return out, err
	}

	inside := newPack()
	if err := s.pack(ctx, t, inside); err != nil {
		return out, err
	}
	p := s.by.pageOf(s)
	p.Export, p.Policy = true, policy("'none'")
	p.Written, p.Build = o.Now.In(o.Zone).Format("2 January 2006, 15:04 MST"), o.Build
	p.Events, p.Digest = len(s.Moves), hex.EncodeToString(sum.Sum(nil))
	if p.Pack, err = inside.text(); err != nil {
		return out, err
	}
	if p.Raw, err = raw.text(); err != nil {
		return out, err
	}
	return Exported{Session: s.Session.ID, Events: p.Events, Digest: p.Digest}, t.ExecuteTemplate(w, "session", p)
}

// pack writes what the script asks the server for otherwise.
func (s *story) pack(ctx context.Context, t *template.Template, w io.Writer) error {
	bodies := make(map[string]string, len(s.rows))
	for id, n := range s.rows {
		if len(n.records) == 0 {
			continue
		}
		var b bytes.Buffer
		if err := t.ExecuteTemplate(&b, "body", s.bodyOf(ctx, n, mostExport, false)); err != nil {
			return err
		}
		bodies[id] = b.String()
	}
	return json.NewEncoder(w).Encode(map[string]any{"moves": s.Moves, "bodies": bodies})
}

// pack is a text on its way into a page: gzip, which every browser unpacks, in base64.
type pack struct {
	*gzip.Writer
	out *bytes.Buffer
}

func newPack() pack {
	var b bytes.Buffer
	return pack{Writer: gzip.NewWriter(&b), out: &b}
}

func (p pack) text() (template.HTML, error) {
	err := p.Close()
	return template.HTML(base64.StdEncoding.EncodeToString(p.out.Bytes())), err
}

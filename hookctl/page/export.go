package page

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"time"

	"hookline/events"
	"hookline/hookctl/api"
)

// Exported describes a file that [Export] has written.
type Exported struct {
	Session string `json:"session" jsonschema_description:"the whole id of the session"`
	Events  int    `json:"events" jsonschema_description:"the number of events in the file"`
	Digest  string `json:"digest" jsonschema_description:"the SHA-256 of the events in the file, one JSON object a line"`
}

// ExportOptions configure [Export].
type ExportOptions struct {
	From    api.Caller
	Session string         // whole id
	Zone    *time.Location // of the times on the page
	Now     time.Time
	Build   string // of the program, for the page's foot
}

// Export writes one session as a page that opens without the program: the timeline, the states, the bodies of the rows
// and the events themselves, packed, with their digest. All of it is redacted once more.
func Export(ctx context.Context, w io.Writer, o ExportOptions) (Exported, error) {
	templates, err := parseTemplates()
	if err != nil {
		return Exported{}, fmt.Errorf("parse the page's templates: %w", err)
	}

	sum := sha256.New()
	raw := newPacker()
	lines := json.NewEncoder(io.MultiWriter(sum, raw))
	lines.SetEscapeHTML(false)
	writeLine := func(r events.Record) error { return lines.Encode(r) }
	s, err := newReader(o.From, o.Zone).story(ctx, o.Session, writeLine)
	if err != nil {
		return Exported{}, err
	}

	forScript := newPacker()
	if err := s.packForScript(ctx, templates, forScript); err != nil {
		return Exported{}, fmt.Errorf("pack the rows of the page: %w", err)
	}

	p := newSessionPage(s)
	p.Export = true
	p.Policy = policy("'none'")
	p.Written = o.Now.In(o.Zone).Format("2 January 2006, 15:04 MST")
	p.Build = o.Build
	p.Events = len(s.Moves)
	p.Digest = hex.EncodeToString(sum.Sum(nil))
	p.Pack, err = forScript.finish()
	if err != nil {
		return Exported{}, err
	}
	p.Raw, err = raw.finish()
	if err != nil {
		return Exported{}, err
	}

	out := Exported{Session: s.Session.ID, Events: p.Events, Digest: p.Digest}
	return out, templates.ExecuteTemplate(w, "session", p)
}

// packForScript writes everything that the script otherwise asks the server for: the moves and the bodies of all rows.
func (s *story) packForScript(ctx context.Context, templates *template.Template, w io.Writer) error {
	bodies := make(map[string]string, len(s.rows))
	for id, n := range s.rows {
		if len(n.records) == 0 {
			continue
		}
		var text bytes.Buffer
		b := s.newBody(n, bodyOptions{maxText: maxTextExport})
		if err := templates.ExecuteTemplate(&text, "body", b); err != nil {
			return fmt.Errorf("write row %s: %w", id, err)
		}
		bodies[id] = text.String()
	}
	return json.NewEncoder(w).Encode(map[string]any{"moves": s.Moves, "bodies": bodies})
}

// packer packs data for a page: gzip, which every browser unpacks, in base64.
type packer struct {
	*gzip.Writer
	packed *bytes.Buffer
}

func newPacker() packer {
	var b bytes.Buffer
	return packer{Writer: gzip.NewWriter(&b), packed: &b}
}

// finish returns the packed data as text.
func (p packer) finish() (template.HTML, error) {
	err := p.Close()
	return template.HTML(base64.StdEncoding.EncodeToString(p.packed.Bytes())), err
}

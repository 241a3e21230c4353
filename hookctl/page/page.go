// Package page shows sessions in a browser: a list of them, and one as a timeline with a scrubber that shows the session's
// state at any of its events. The same templates make one file that opens without the program ([Export]).
//
// # How it is made
//
// The daemon gives the events of a session, each with what it changed of the state (GET /v1/walk). story.go groups them
// into turns and rows, body.go makes what a row shows when it is unfolded, tracks.go the pictures above the scrubber. The
// script (assets/page.js) adds the changes up: what it shows at an event is what `replay at` says at its sequence.
//
// # What it guards
//
// The program listens on a loopback address at a port of the system's choice, for the time of the command. Its link holds a
// token that is good for one use and becomes a cookie; requests without the cookie, for another host or from another
// origin are refused (guard.go). The pages load nothing from anywhere, run one script that is named by its hash, and
// everything from the log is text: html/template escapes it, and what would act on a screen is shown by its number.
package page

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"
	"time"

	"hookline/events"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/insight"
	"hookline/hookctl/redact"
	"hookline/projector/session"
)

// Source is the daemon as the page reads it.
type Source interface {
	Get(ctx context.Context, path string, query url.Values, out any) error
	Stream(ctx context.Context, method, path string, query url.Values, line func([]byte) error) error
}

// Bounds of a text in a row's body, in bytes. The event itself has all of it.
const (
	mostLive   = 64 << 10
	mostExport = 4 << 10
)

var (
	//go:embed assets/page.html
	markup string
	//go:embed assets/page.css
	style string
	//go:embed assets/page.js
	script string
)

// pages are the templates, parsed when the first page is asked for, so that other verbs start without them.
func pages() (*template.Template, error) { return template.New("page").Parse(markup) }

// policy allows the one script and the one style by their hashes, and nothing else. connect is what the script may ask.
func policy(connect string) string {
	return "default-src 'none'; script-src " + hashOf(script) + "; style-src " + hashOf(style) + "; img-src data:; connect-src " + connect +
		"; base-uri 'none'; form-action 'none'"
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// frame is what both pages have.
type frame struct {
	Title  string
	Policy string // in the page itself, where no server says it
	Style  template.CSS
	Script template.JS
}

func newFrame(title string) frame {
	return frame{Title: title, Style: template.CSS(style), Script: template.JS(script)}
}

// sessionPage is the page of one session.
type sessionPage struct {
	frame
	Story *story
	Path  string
	Root  string // paths below it are shown without it
	State string
	Tone  string
	Facts string

	Export  bool
	Written string
	Build   string
	Events  int
	Digest  string
	Pack    template.HTML // gzip in base64, which no character of ends an element
	Raw     template.HTML
}

// reader reads sessions and takes secrets out once more.
type reader struct {
	from Source
	zone *time.Location
	hide *redact.Redactor
}

func newReader(from Source, zone *time.Location) reader {
	return reader{from: from, zone: zone, hide: redact.New().Remembering(redact.NewMemory())}
}

// get asks the daemon for one value.
func (rd reader) get(ctx context.Context, path string, query url.Values, out any) error {
	var raw json.RawMessage
	if err := rd.from.Get(ctx, path, query, &raw); err != nil {
		return err
	}
	return rd.open(raw, out)
}

// open reads a value without the secrets in it.
func (rd reader) open(raw []byte, out any) error {
	clean, _ := rd.hide.JSON(raw)
	return json.Unmarshal(clean, out)
}

// story reads a session: its own cell, and its events with what each changed of the state. each is called with every event,
// and may be nil.
func (rd reader) story(ctx context.Context, id string, each func(events.Record) error) (*story, error) {
	var c struct{ State session.State }
	if err := rd.get(ctx, "/v1/cells/"+session.Name+"/"+id, nil, &c); err != nil {
		return nil, err
	}

	s := &story{Session: c.State, by: rd, zone: rd.zone, rows: map[string]*row{}, calls: map[string]*row{}, causes: map[string]*row{}, agents: map[string]*row{}}
	err := rd.from.Stream(ctx, "GET", "/v1/walk/"+s.Session.ID, nil, func(raw []byte) error {
		if len(raw) == 0 {
			return nil
		}
		var step Step
		if err := rd.open(raw, &step); err != nil {
			return fmt.Errorf("read a step of the session: %w", err)
		}

		s.take(step)
		if each == nil {
			return nil
		}
		return each(step.Record)
	})
	s.end()
	return s, err
}

// Count is how much the timeline has.
func (s *story) Count() string {
	return cmdline.Plural(len(s.Moves), "event") + ", " + cmdline.Plural(s.Rows, "row")
}

// pageOf makes what the template of a session needs.
func (rd reader) pageOf(s *story) sessionPage {
	st := s.Session
	title := cmp.Or(line(st.Title), "session "+events.Alias(line(st.ID)))
	state, tone := statusOf(st)
	facts := insight.Join(" · ", projectOf(st), onBranch(st.Branch), line(st.Model), "started "+st.Started.In(rd.zone).Format("2 January 2006, 15:04"), line(st.ID))
	return sessionPage{frame: newFrame(title), Story: s, Path: pathOf(st.ID), Root: rootOf(st), State: state, Tone: tone, Facts: facts}
}

func pathOf(id string) string { return "/session/" + url.PathEscape(id) }

// statusOf says how a session stands or ended, and in which tone.
func statusOf(s session.State) (words, tone string) {
	st := s.Standing()
	words = line(st.Words)
	switch {
	case st.Stuck:
		return "stuck: " + words, "bad"
	case st.Kind == session.Clean || st.Kind == session.Silent: // over, and nothing to do about it
		return words, "faint"
	case st.Kind == session.Working:
		return words, "good"
	}
	return words, "warn"
}

func rootOf(s session.State) string { return cmp.Or(s.Worktree, s.Cwd) }

func projectOf(s session.State) string {
	path := line(rootOf(s))
	return path[strings.LastIndex(path, "/")+1:]
}

func onBranch(name string) string {
	if name == "" {
		return ""
	}
	return "on " + line(name)
}

// grep are the sorted ids of the rows of which an event has the words, whatever their case.
func (s *story) grep(words string) []string {
	ids := []string{}
	low := bytes.ToLower([]byte(words))
	for id, n := range s.rows {
		if slices.ContainsFunc(n.records, func(r events.Record) bool { return bytes.Contains(bytes.ToLower(r.Data), low) }) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

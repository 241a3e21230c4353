// Package page shows sessions in a browser: a list of them, and one as a timeline with a scrubber that shows the
// session's state at any of its events. The same templates make one file that opens without the program ([Export]).
//
// # How it is made
//
// The daemon gives the events of a session, each with its changes of the state ([api.Walk]). story.go groups them
// into turns and rows, body.go makes the text of an unfolded row, tracks.go the graphs above the scrubber. The script
// (assets/page.js) adds the changes up: it shows the same state at an event as `replay at` at the event's sequence.
//
// # What it guards
//
// The program listens on a loopback address at a port of the system's choice, for the time of the command. Its link
// holds a token that can be used once and is exchanged for a cookie. Requests without the cookie, for another host or
// from another origin are refused (guard.go). The pages load nothing from elsewhere and run one script, which the
// policy allows by its hash. Everything from the log is text: html/template escapes it, and control characters are
// shown by their number.
package page

import (
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"net/url"
	"strings"
	"time"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/insight"
	"hookline/hookctl/redact"
	"hookline/projector/session"
	"hookline/replay/past"
)

// Bounds of a text in a row's body, in bytes. The event itself has all of it.
const (
	maxTextLive   = 64 << 10
	maxTextExport = 4 << 10
)

var (
	//go:embed assets/page.html
	markup string
	//go:embed assets/page.css
	style string
	//go:embed assets/page.js
	script string
)

// parseTemplates parses the templates of all pages. It is called when the first page is asked for, so that other verbs
// start without them.
func parseTemplates() (*template.Template, error) {
	return template.New("page").Parse(markup)
}

// policy returns a content security policy that allows the one script and the one style by their hashes, and nothing
// else. connect is the source that the script may send requests to.
func policy(connect string) string {
	return strings.Join([]string{
		"default-src 'none'",
		"script-src " + hashOf(script),
		"style-src " + hashOf(style),
		"img-src data:",
		"connect-src " + connect,
		"base-uri 'none'",
		"form-action 'none'",
	}, "; ")
}

// hashOf returns the SHA-256 of a text in the form of a content security policy.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// layout holds the values of the templates that every page has.
type layout struct {
	Title  string
	Policy string // for a page in a file, which no server sends headers with; else ""
	Style  template.CSS
	Script template.JS
}

func newLayout(title string) layout {
	return layout{Title: title, Style: template.CSS(style), Script: template.JS(script)}
}

// sessionPage holds the values of the template of one session.
type sessionPage struct {
	layout
	Story *story
	Path  string
	Root  string // folder of the session's work tree; paths below it are shown relative to it
	State string
	Tone  tone
	Facts string

	// Of a page in a file only.
	Export  bool
	Written string
	Build   string
	Events  int
	Digest  string
	Pack    template.HTML // base64, which has no character that could end an element
	Raw     template.HTML // base64 too
}

// reader reads sessions from the daemon and redacts their secrets once more.
type reader struct {
	daemon   api.Caller
	zone     *time.Location
	redactor *redact.Redactor
}

func newReader(daemon api.Caller, zone *time.Location) reader {
	redactor := redact.New().Remembering(redact.NewMemory())
	return reader{daemon: daemon, zone: zone, redactor: redactor}
}

// get asks the daemon and returns its answer without the secrets in it.
func get[Req, Ans any](ctx context.Context, rd reader, e api.Endpoint[Req, Ans], request Req) (answer Ans, err error) {
	text, err := getJSON(ctx, rd, e, request)
	if err != nil {
		return answer, err
	}
	err = json.Unmarshal(text, &answer)
	return answer, err
}

// getJSON asks the daemon and returns its answer as it came, but without the secrets in it.
func getJSON[Req, Ans any](ctx context.Context, rd reader, e api.Endpoint[Req, Ans], request Req) ([]byte, error) {
	_, text, err := e.CallJSON(ctx, rd.daemon, request)
	if err != nil {
		return nil, err
	}
	clean, _ := rd.redactor.JSON(text)
	return clean, nil
}

// decode decodes a value without the secrets in it.
func (rd reader) decode(raw []byte, out any) error {
	clean, _ := rd.redactor.JSON(raw)
	return json.Unmarshal(clean, out)
}

// sessionOf returns the state in a cell of a session.
func sessionOf(c past.Cell) (state session.State, err error) {
	err = json.Unmarshal(c.State, &state)
	return state, err
}

// story reads the timeline of a session. each is called with every event of it and may be nil.
func (rd reader) story(ctx context.Context, id string, each func(events.Record) error) (*story, error) {
	cell, err := get(ctx, rd, api.Cell, api.CellRequest{Projection: session.Name, Key: id})
	if err != nil {
		return nil, err
	}
	state, err := sessionOf(cell)
	if err != nil {
		return nil, fmt.Errorf("read the session: %w", err)
	}

	s := newStory(state, rd)
	err = api.Walk.Lines(ctx, rd.daemon, api.WalkRequest{Session: state.ID}, func(raw []byte) error {
		if len(raw) == 0 {
			return nil
		}

		var step Step
		if err := rd.decode(raw, &step); err != nil {
			return fmt.Errorf("read a step of the session: %w", err)
		}

		s.add(step)
		if each == nil {
			return nil
		}
		return each(step.Record)
	})
	s.finish()

	return s, err
}

// newSessionPage returns the values of the template for a session.
func newSessionPage(s *story) sessionPage {
	st := s.Session
	id := line(st.ID)
	state, tone := statusOf(st)
	started := "started " + st.Started.In(s.reader.zone).Format("2 January 2006, 15:04")

	return sessionPage{
		layout: newLayout(cmp.Or(line(st.Title), "session "+events.Alias(id))),
		Story:  s,
		Path:   pathOf(st.ID),
		Root:   rootOf(st),
		State:  state,
		Tone:   tone,
		Facts:  insight.Join(" · ", projectOf(st), onBranch(st.Branch), line(st.Model), started, id),
	}
}

func pathOf(id string) string { return "/session/" + url.PathEscape(id) }

// statusOf returns how a session stands or ended, in words, and the tone to show it in.
func statusOf(s session.State) (string, tone) {
	standing := s.Standing()
	words := line(standing.Words)
	if standing.Stuck {
		return "stuck: " + words, toneBad
	}

	switch standing.Kind {
	case session.Clean, session.Silent: // over, and nothing to do about it
		return words, toneFaint
	case session.Working:
		return words, toneGood
	}
	return words, toneWarn
}

func rootOf(s session.State) string { return cmp.Or(s.Worktree, s.Cwd) }

// projectOf returns the name of a session's folder.
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

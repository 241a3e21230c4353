package page

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"hookline/hookctl/api"
	"hookline/hookctl/insight"
	"hookline/hookctl/problem"
)

// Options configure [Serve].
type Options struct {
	From    api.Caller
	Session string         // id of the session that is opened at first, "" for the list
	Zone    *time.Location // of the times on the pages
	Now     func() time.Time

	// Find searches all sessions; nil if there is no search. It is not called twice at a time.
	Find func(ctx context.Context, words string) ([]Hit, error)
}

// Hit is an event that a search has found.
type Hit struct {
	Session, Title string // whole id of the session, and its title
	Seq            uint64
	Time           time.Time
	Kind, Text     string // type of the event, and the text around the words
}

// maxStories is the number of sessions whose timeline the server keeps.
const maxStories = 8

// server serves the pages for one run of the command.
type server struct {
	Options
	guard     *guard
	templates *template.Template

	findMu sync.Mutex // held during a search: each brings the index up to date

	storiesMu sync.Mutex
	stories   map[string]*story // by session; the newest of each
}

// Serve serves the pages on a loopback address until ctx ends. It calls ready once, with the link that opens them.
func Serve(ctx context.Context, o Options, ready func(link string)) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("open a port for the page: %w", err)
	}
	templates, err := parseTemplates()
	if err != nil {
		return fmt.Errorf("parse the page's templates: %w", err)
	}

	first := "/"
	if o.Session != "" {
		first = pathOf(o.Session)
	}
	s := &server{
		Options:   o,
		guard:     newGuard(listener.Addr().String(), first),
		templates: templates,
		stories:   map[string]*story{},
	}

	ctx, stop := context.WithCancel(ctx)
	defer stop()
	srv := &http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(listener) }()
	ready(s.guard.link())

	select {
	case <-ctx.Done():
	case err = <-ended:
	}
	stop()

	// The context that ends is the base of all requests, so they end by themselves; who does not read is cut off.
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if srv.Shutdown(grace) != nil {
		_ = srv.Close()
	}
	return err
}

// contentHTML is the content type of all answers that do not set another.
const contentHTML = "text/html; charset=utf-8"

// handler returns the handler of all paths, behind the guard.
func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern string, h func(http.ResponseWriter, *http.Request) error) {
		mux.HandleFunc("GET "+pattern, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", contentHTML)
			if err := h(w, r); err != nil {
				s.fail(w, r, err)
			}
		})
	}

	handle("/{$}", s.serveList)
	handle("/find", s.serveFind)
	handle("/live", s.serveLive)
	handle("/session/{id}", s.serveSession)
	handle("/session/{id}/moves", s.withStory(serveMoves))
	handle("/session/{id}/grep", s.withStory(serveGrep))
	handle("/session/{id}/body/{row}", s.withStory(s.serveBody))
	handle("/session/{id}/live", s.serveLive)
	handle("/event/{seq}", s.serveEvent)
	handle("/", func(http.ResponseWriter, *http.Request) error {
		return problem.Missing("there is no such page")
	})

	return s.guard.wrap(mux)
}

// fail sends a page with an error, unless the reader has left.
func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return
	}
	w.Header().Set("Content-Type", contentHTML)
	w.WriteHeader(cmp.Or(problem.Of(err).Status, http.StatusBadGateway))

	p := listPage{layout: newLayout("That did not work"), Trouble: describe(err)}
	_ = s.templates.ExecuteTemplate(w, "sessions", p) // the reader may have left
}

// describe returns an error with its hint.
func describe(err error) string {
	return clean(insight.Join("; ", err.Error(), problem.Of(err).Hint))
}

// readStory reads the timeline of a session from the log and keeps it for the requests of its page.
func (s *server) readStory(ctx context.Context, id string) (*story, error) {
	st, err := newReader(s.From, s.Zone).story(ctx, id, nil)
	if err != nil {
		return nil, err
	}

	s.storiesMu.Lock()
	defer s.storiesMu.Unlock()
	if len(s.stories) >= maxStories {
		clear(s.stories)
	}
	s.stories[st.Session.ID] = st

	return st, nil
}

// withStory returns a handler that answers from the timeline that the page was made of, so that the rows of the page
// are found. If the timeline is not kept any more, it is read again.
func (s *server) withStory(
	answer func(http.ResponseWriter, *http.Request, *story) error,
) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		id := r.PathValue("id")
		s.storiesMu.Lock()
		st := s.stories[id]
		s.storiesMu.Unlock()

		if st == nil {
			var err error
			st, err = s.readStory(r.Context(), id)
			if err != nil {
				return err
			}
		}
		return answer(w, r, st)
	}
}

// serveSession sends the page of one session.
func (s *server) serveSession(w http.ResponseWriter, r *http.Request) error {
	st, err := s.readStory(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return s.templates.ExecuteTemplate(w, "session", newSessionPage(st))
}

// serveMoves sends all steps of a session.
func serveMoves(w http.ResponseWriter, _ *http.Request, st *story) error {
	return writeJSON(w, st.Moves)
}

// serveGrep sends the ids of the rows that have some words.
func serveGrep(w http.ResponseWriter, r *http.Request, st *story) error {
	return writeJSON(w, st.grep(r.URL.Query().Get("q")))
}

func writeJSON(w http.ResponseWriter, v any) error {
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(v)
}

// serveBody sends the content of an unfolded row.
func (s *server) serveBody(w http.ResponseWriter, r *http.Request, st *story) error {
	n := st.rows[r.PathValue("row")]
	if n == nil {
		return problem.Missing("the session has no such row")
	}
	b := st.newBody(n, bodyOptions{maxText: maxTextLive, links: true})
	return s.templates.ExecuteTemplate(w, "body", b)
}

// serveEvent sends an event as the client sent it, redacted, as text.
func (s *server) serveEvent(w http.ResponseWriter, r *http.Request) error {
	request := api.EventRequest{ID: r.PathValue("seq")}
	text, err := getJSON(r.Context(), newReader(s.From, s.Zone), api.Event, request)
	if err != nil {
		return err
	}

	var pretty bytes.Buffer
	if err := json.Indent(&pretty, text, "", "  "); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, err = w.Write([]byte(clean(pretty.String())))

	return err
}

// serveLive sends server-sent events until the reader leaves: the sequence of each event of the log after the one in
// the query, "there" for one that the page has, and "lost" with the reason when the daemon does not answer.
func (s *server) serveLive(w http.ResponseWriter, r *http.Request) error {
	request := api.EventsRequest{Session: r.PathValue("id"), Last: 1, Follow: true}
	after, _ := strconv.ParseUint(r.URL.Query().Get("after"), 10, 64) // 0 if the page has no event

	w.Header().Set("Content-Type", "text/event-stream")
	send := func(message string) error {
		_, err := w.Write([]byte(message + "\n\n"))
		return errors.Join(err, http.NewResponseController(w).Flush())
	}
	if err := send(":"); err != nil {
		return err
	}

	err := api.Events.Lines(r.Context(), s.From, request, func(raw []byte) error {
		var record struct{ Seq uint64 } // 0 in a heartbeat; writing shows whether the reader has left
		_ = json.Unmarshal(raw, &record)
		if record.Seq > after {
			return send(fmt.Sprintf("data: %d", record.Seq))
		}
		return send("event: there\ndata:")
	})
	if r.Context().Err() != nil {
		return nil
	}
	if err == nil {
		err = errors.New("the daemon has ended; the next hook starts it, and so does `hookctl start`")
	}
	return send("event: lost\ndata: " + line(describe(err)))
}

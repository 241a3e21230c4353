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
	"net/url"
	"strconv"
	"sync"
	"time"

	"hookline/hookctl/insight"
	"hookline/hookctl/problem"
)

// Options say what a page shows and how long.
type Options struct {
	From    Source
	Session string         // opened at first, "" for the list
	Zone    *time.Location // of the times that are shown
	Now     func() time.Time

	Find func(ctx context.Context, words string) ([]Hit, error) // searches all sessions; nil = it cannot be had
}

// Hit is an event that was found.
type Hit struct {
	Session, Title string // the session's whole id, and its title
	Seq            uint64
	Time           time.Time
	Kind, Text     string // its type, and the text around what was found
}

// server is one run of the command.
type server struct {
	Options
	guard *guard
	pages *template.Template

	finding sync.Mutex // one search at a time: each brings the index up to date

	mu    sync.Mutex
	known map[string]*story // by session; the newest of each, at most 8
}

// Serve listens on a loopback address, gives the link to told, and ends with the context.
func Serve(ctx context.Context, o Options, told func(link string)) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("open a port for the page: %w", err)
	}
	t, err := pages()
	if err != nil {
		return err
	}
	first := "/"
	if o.Session != "" {
		first = pathOf(o.Session)
	}
	s := &server{Options: o, guard: newGuard(l.Addr().String(), first), pages: t, known: map[string]*story{}}

	ctx, stop := context.WithCancel(ctx)
	defer stop()
	srv := &http.Server{Handler: s.handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(l) }()
	told("http://" + s.guard.host + "/open?token=" + s.guard.token) // it opens the page once

	select {
	case <-ctx.Done():
	case err = <-ended:
	}
	stop()
	soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if srv.Shutdown(soon) != nil {
		_ = srv.Close() // a reader that does not let go; nothing is lost by it
	}
	return err
}

// html is the type of all answers that do not set another.
const html = "text/html; charset=utf-8"

// handler is all that can be asked for.
func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern string, h func(http.ResponseWriter, *http.Request) error) {
		mux.HandleFunc("GET "+pattern, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", html)
			if err := h(w, r); err != nil {
				s.fail(w, r, err)
			}
		})
	}
	handle("/{$}", s.list)
	handle("/find", s.find)
	handle("/live", s.live)
	handle("/session/{id}", s.one)
	handle("/session/{id}/moves", s.of(func(w http.ResponseWriter, _ *http.Request, st *story) error { return reply(w, st.Moves) }))
	handle("/session/{id}/grep", s.of(func(w http.ResponseWriter, r *http.Request, st *story) error {
		return reply(w, st.grep(r.URL.Query().Get("q")))
	}))
	handle("/session/{id}/body/{row}", s.of(s.body))
	handle("/session/{id}/live", s.live)
	handle("/event/{seq}", s.event)
	handle("/", func(http.ResponseWriter, *http.Request) error { return problem.Missing("there is no such page") })
	return s.guard.wrap(mux)
}

func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return
	}
	w.Header().Set("Content-Type", html)
	w.WriteHeader(cmp.Or(problem.Of(err).Status, http.StatusBadGateway))
	_ = s.pages.ExecuteTemplate(w, "sessions", listPage{frame: newFrame("That did not work"), Trouble: wordsOf(err)}) // who asked may be gone
}

// wordsOf are an error and what can be done about it.
func wordsOf(err error) string {
	return clean(insight.Join("; ", err.Error(), problem.Of(err).Hint))
}

// read is the timeline of a session as the log has it now.
func (s *server) read(ctx context.Context, id string) (*story, error) {
	st, err := newReader(s.From, s.Zone).story(ctx, id, nil)
	if err != nil {
		return nil, err
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.known) >= 8 {
		clear(s.known)
	}
	s.known[st.Session.ID] = st
	return st, nil
}

// of answers from the timeline that the page was made of, so that its rows are found again; it is read when there is none.
func (s *server) of(answer func(http.ResponseWriter, *http.Request, *story) error) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		s.mu.Lock()
		st := s.known[r.PathValue("id")]
		s.mu.Unlock()
		if st == nil {
			var err error
			if st, err = s.read(r.Context(), r.PathValue("id")); err != nil {
				return err
			}
		}
		return answer(w, r, st)
	}
}

// one sends a session's page.
func (s *server) one(w http.ResponseWriter, r *http.Request) error {
	st, err := s.read(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return s.pages.ExecuteTemplate(w, "session", st.by.pageOf(st))
}

func reply(w http.ResponseWriter, v any) error {
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(v)
}

func (s *server) body(w http.ResponseWriter, r *http.Request, st *story) error {
	n := st.rows[r.PathValue("row")]
	if n == nil {
		return problem.Missing("the session has no such row")
	}
	return s.pages.ExecuteTemplate(w, "body", st.bodyOf(r.Context(), n, mostLive, true))
}

// event shows an event as the client sent it, redacted, as text.
func (s *server) event(w http.ResponseWriter, r *http.Request) error {
	var raw json.RawMessage
	var pretty bytes.Buffer
	err := newReader(s.From, s.Zone).get(r.Context(), "/v1/events/"+r.PathValue("seq"), nil, &raw)
	if err == nil {
		err = json.Indent(&pretty, raw, "", "  ")
	}
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, err = w.Write([]byte(clean(pretty.String())))
	return err
}

// live sends the page what is new, as server-sent events, until the reader leaves: a message for each event after the
// sequence in the query, "there" for what the page has, "lost" with the reason when the daemon does not answer.
func (s *server) live(w http.ResponseWriter, r *http.Request) error {
	q := url.Values{"follow": {"1"}, "n": {"1"}}
	if id := r.PathValue("id"); id != "" {
		q.Set("session", id)
	}
	after, _ := strconv.ParseUint(r.URL.Query().Get("after"), 10, 64) // 0 where nothing is known
	w.Header().Set("Content-Type", "text/event-stream")
	tell := func(text string) error {
		_, err := w.Write([]byte(text + "\n\n"))
		return errors.Join(err, http.NewResponseController(w).Flush())
	}
	if err := tell(":"); err != nil {
		return err
	}

	err := s.From.Stream(r.Context(), http.MethodGet, "/v1/events", q, func(raw []byte) error {
		var rec struct{ Seq uint64 } // 0 in a heartbeat, from which a reader that left is known
		_ = json.Unmarshal(raw, &rec)
		if rec.Seq > after {
			return tell(fmt.Sprintf("data: %d", rec.Seq))
		}
		return tell("event: there\ndata:")
	})
	if r.Context().Err() != nil {
		return nil
	}
	if err == nil {
		err = errors.New("the daemon has ended; the next hook starts it, and so does `hookctl start`")
	}
	return tell("event: lost\ndata: " + line(wordsOf(err)))
}

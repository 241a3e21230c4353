package api

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"

	"hookline/hookctl/problem"
	"hookline/hookctl/wire"
)

// maxBody bounds the body of a request.
const maxBody = 16 << 20

// Server gives each request to the handler of its endpoint. Handlers are added before it serves.
type Server struct {
	mux    *http.ServeMux
	routes map[string][]route // by the pattern of the mux
	served []string           // as [Route.String] and patterns of [Server.HandleFunc]

	// Refuse answers with an error that a handler has; nil answers with [problem.Write].
	Refuse func(w http.ResponseWriter, r *http.Request, err error)

	// Advise adds what a person can do about an error that ends a [Long]; nil adds nothing.
	Advise func(err error) error

	// Total returns how far the work of a [Long] can come; nil means 0.
	Total func() uint64
}

// route is one of the endpoints of a pattern.
type route struct {
	fixed  url.Values
	handle func(w http.ResponseWriter, r *http.Request) error
}

// NewServer returns a server without handlers.
func NewServer() *Server {
	return &Server{mux: http.NewServeMux(), routes: map[string][]route{}}
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// HandleFunc adds what is no endpoint of this package. The pattern is that of [http.ServeMux].
func (s *Server) HandleFunc(pattern string, h http.HandlerFunc) {
	s.mux.HandleFunc(pattern, h)
	s.served = append(s.served, pattern)
}

// Missing lists the endpoints of [All] that have no handler.
func (s *Server) Missing() []string {
	var missing []string
	for _, e := range All {
		if !slices.Contains(s.served, e.String()) {
			missing = append(missing, e.String())
		}
	}
	return missing
}

// Undeclared lists what has a handler and is not in [All].
func (s *Server) Undeclared() []string {
	return slices.DeleteFunc(slices.Clone(s.served), func(served string) bool {
		return slices.ContainsFunc(All, func(e Route) bool { return e.String() == served })
	})
}

// Serve has h answer the endpoint's requests.
func (e Endpoint[Req, Ans]) Serve(s *Server, h func(context.Context, Req) (Ans, error)) {
	s.add(e, e.Method, e.Path, func(w http.ResponseWriter, r *http.Request) error {
		request, err := requestOf[Req](r, e.Path)
		if err != nil {
			return err
		}
		answer, err := h(r.Context(), request)
		if err != nil {
			return err
		}

		w.Header().Set("Content-Type", "application/json")
		if raw, is := any(answer).(json.RawMessage); is { // as it is: another spelling is another text
			_, err = w.Write(append(raw, '\n'))
			return err
		}
		return json.NewEncoder(w).Encode(answer)
	})
}

// Serve has h answer the endpoint's requests. An error before the first line refuses the request.
func (e Stream[Req, Line]) Serve(s *Server, h func(ctx context.Context, request Req, out Lines[Line]) error) {
	s.add(e, e.Method, e.Path, func(w http.ResponseWriter, r *http.Request) error {
		request, err := requestOf[Req](r, e.Path)
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", "application/x-ndjson")
		out := json.NewEncoder(w)
		out.SetEscapeHTML(false)
		return h(r.Context(), request, Lines[Line]{w: w, json: out})
	})
}

// Work does what a [Long] asks for. It calls progress with how far it is.
type Work[Result any] func(ctx context.Context, progress func(done uint64)) (Result, error)

// Serve has the work that plan returns answer the endpoint's requests. An error of plan refuses the request.
func (e Long[Req, Result]) Serve(s *Server, plan func(Req) (Work[Result], error)) {
	s.add(e, e.Method, e.Path, func(w http.ResponseWriter, r *http.Request) error {
		request, err := requestOf[Req](r, e.Path)
		if err != nil {
			return err
		}
		run, err := plan(request)
		if err != nil {
			return err
		}

		total := uint64(0)
		if s.Total != nil {
			total = s.Total()
		}
		return answerLong(w, r, total, s.Advise, run)
	})
}

// add registers an endpoint's handler.
func (s *Server) add(e Route, method, declared string, handle func(http.ResponseWriter, *http.Request) error) {
	path, fixed := splitPath(declared)
	pattern := method + " " + path
	if s.routes[pattern] == nil {
		s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { s.dispatch(pattern, w, r) })
	}
	s.routes[pattern] = append(s.routes[pattern], route{fixed: fixed, handle: handle})
	s.served = append(s.served, e.String())
}

// dispatch answers a request by the route whose fixed parameters it has.
func (s *Server) dispatch(pattern string, w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	chosen := -1
	for i, route := range s.routes[pattern] {
		if len(route.fixed) == 0 && chosen < 0 || len(route.fixed) > 0 && contains(query, route.fixed) {
			chosen = i
		}
	}
	if chosen < 0 {
		http.NotFound(w, r)
		return
	}

	w.Header().Set(headerBuild, wire.Build)
	err := s.routes[pattern][chosen].handle(w, r)
	if err == nil {
		return
	}
	if s.Refuse != nil {
		s.Refuse(w, r, err)
		return
	}
	problem.Write(w, err)
}

// contains reports whether a query has all of some parameters.
func contains(query, some url.Values) bool {
	for name := range some {
		if query.Get(name) != some.Get(name) {
			return false
		}
	}
	return true
}

// requestOf reads a request, strictly where it comes from this build.
func requestOf[Req any](r *http.Request, declared string) (request Req, err error) {
	_, fixed := splitPath(declared)
	body := func() ([]byte, error) { return io.ReadAll(http.MaxBytesReader(nil, r.Body, maxBody)) }
	strict := sameBuild(r.Header.Get(headerBuild))
	err = decode(&request, r.PathValue, r.URL.Query(), fixed, body, strict)
	return request, err
}

// Lines writes the answer of a [Stream]. It is used by one goroutine; an error says that the reader is gone.
type Lines[Line any] struct {
	w    http.ResponseWriter
	json *json.Encoder
}

// Send writes a line.
func (l Lines[Line]) Send(line Line) error { return l.json.Encode(line) }

// Write writes bytes that are lines already; it implements [io.Writer].
func (l Lines[Line]) Write(b []byte) (int, error) { return l.w.Write(b) }

// Flush sends what was written to the reader.
func (l Lines[Line]) Flush() error { return http.NewResponseController(l.w).Flush() }

// Heartbeat writes an empty line, from which the reader knows that the daemon is there.
func (l Lines[Line]) Heartbeat() error {
	_, err := l.w.Write([]byte("\n"))
	return err
}

package daemon

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strconv"
	"time"

	"hookline/embedded"
	"hookline/hookctl/client"
	"hookline/hookctl/past"
	"hookline/hookctl/problem"
	"hookline/hookctl/wire"
)

// ConnectPast is [Connect] for questions about the past alone: GET of /v1/at, /v1/diff, /v1/events/{sequence} and
// /v1/cells/{projection}/{key}. When no daemon runs they are answered from the log's files, without the second that
// opening the store takes after years of use; a store whose last exit was not in order is opened as ever.
func ConnectPast(ctx context.Context, o client.Options) (*client.Client, error) {
	p := o.Paths()
	if _, err := os.Stat(p.Store); err != nil || p.Reach(time.Second) {
		return Connect(ctx, o)
	}
	files, err := embedded.OpenFiles(embedded.Options{Dir: p.Store, Holder: "replay " + wire.Build})
	if err != nil { // in use, not clean, not writable: whatever it is, the whole house knows what to do or to say
		return Connect(ctx, o)
	}
	return client.InProcess(client.Local{Handler: pastFiles{files}.handler(), Close: files.Close}), nil
}

// pastFiles answers from the log's files.
type pastFiles struct{ files *embedded.Files }

func (p pastFiles) view() past.View {
	return past.View{Log: p.files, Last: p.files.Last(), Now: time.Now,
		Session: func(_ context.Context, given string) (string, error) { return pickSession(given, p.files.Sessions()) }}
}

func (p pastFiles) handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, h := range map[string]func(http.ResponseWriter, *http.Request) error{
		"GET /v1/at":                          func(w http.ResponseWriter, r *http.Request) error { return answerAt(w, r, p.view()) },
		"GET /v1/diff":                        func(w http.ResponseWriter, r *http.Request) error { return answerDiff(w, r, p.view()) },
		"GET /v1/events/{id}":                 p.handleEvent,
		"GET /v1/cells/{projection}/{key...}": p.handleCell,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := h(w, r); err != nil {
				problem.Write(w, err)
			}
		})
	}
	return mux
}

func (p pastFiles) handleEvent(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	missing := problem.New(http.StatusNotFound, "no event "+id+" is in the log", "`hookctl events list` shows the newest")
	seq, err := strconv.ParseUint(id, 10, 64)
	if err != nil {
		return missing
	}
	rec, err := p.files.Get(r.Context(), seq)
	if errors.Is(err, embedded.ErrNoRecord) {
		return missing
	}
	if err != nil {
		return err
	}
	return reply(w, rec)
}

// handleCell is the cell of now, as the daemon has it.
func (p pastFiles) handleCell(w http.ResponseWriter, r *http.Request) error {
	c, err := p.view().Cell(r.Context(), r.PathValue("projection"), r.PathValue("key"))
	if err != nil {
		return err
	}
	return reply(w, c)
}

package page

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"hookline/events"
	"hookline/events/wording"
	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/insight"
	"hookline/hookctl/problem"
	"hookline/projector/session"
	"hookline/replay/past"
)

// listPage holds the values of the template of all sessions, which also shows hits of a search and errors.
type listPage struct {
	layout
	Words   string // of the search; "" shows all sessions
	Groups  []group
	Trouble string // why nothing is shown
}

// group is a list of sessions with the same standing, or of hits.
type group struct {
	ID, Name string
	Cards    []card
}

// card is one session or one hit.
type card struct {
	Path, Title, State string
	Tone               tone
	Mark, Facts        string
}

// Indexes of the groups of sessions, in the order in which the page shows them.
const (
	groupWaiting = iota
	groupStuck
	groupWorking
	groupEnded
)

// groupOf returns the index of the group that a session belongs to.
func groupOf(st session.State) int {
	if st.Status != session.Live {
		return groupEnded
	}

	standing := st.Standing()
	if standing.Needs {
		return groupWaiting
	}
	if standing.Stuck {
		return groupStuck
	}
	return groupWorking
}

// serveList sends the page of all sessions.
func (s *server) serveList(w http.ResponseWriter, r *http.Request) error {
	all, err := newReader(s.From, s.Zone).sessions(r.Context())
	if err != nil {
		return err
	}

	groups := []group{
		groupWaiting: {ID: "waiting", Name: "waiting for you"},
		groupStuck:   {ID: "stuck", Name: "stuck"},
		groupWorking: {ID: "working", Name: "working"},
		groupEnded:   {ID: "ended", Name: "ended"},
	}
	for _, st := range all {
		g := &groups[groupOf(st)]
		g.Cards = append(g.Cards, s.cardOf(st))
	}
	groups = slices.DeleteFunc(groups, func(g group) bool { return len(g.Cards) == 0 })

	return s.templates.ExecuteTemplate(w, "sessions", listPage{layout: newLayout("Sessions"), Groups: groups})
}

func (s *server) cardOf(st session.State) card {
	state, tone := statusOf(st)
	return card{
		Path:  pathOf(st.ID),
		Title: line(st.Title),
		State: state,
		Tone:  tone,
		Mark:  marks[tone],
		Facts: s.factsOf(st),
	}
}

// serveFind sends the events of all sessions that have some words.
func (s *server) serveFind(w http.ResponseWriter, r *http.Request) error {
	if s.Find == nil {
		return problem.Missing("there is no search here")
	}
	words := r.URL.Query().Get("q")

	s.findMu.Lock()
	hits, err := s.Find(r.Context(), words)
	s.findMu.Unlock()
	if err != nil {
		return err
	}

	g := group{ID: "found", Name: "events"}
	redactor := newReader(s.From, s.Zone).redactor
	for _, h := range hits {
		text, _ := redactor.Text([]byte(h.Text))
		title := cmp.Or(line(h.Title), events.Alias(line(h.Session)))
		g.Cards = append(g.Cards, card{
			Path:  fmt.Sprintf("%s#e%d", pathOf(h.Session), h.Seq),
			Title: line(string(text)),
			State: line(h.Kind),
			Tone:  toneFaint,
			Mark:  marks[toneFaint],
			Facts: title + " · " + s.ago(h.Time),
		})
	}

	p := listPage{layout: newLayout("What was found"), Words: words, Groups: []group{g}}
	return s.templates.ExecuteTemplate(w, "sessions", p)
}

// sessions reads all sessions that were not deleted, the last active first.
func (rd reader) sessions(ctx context.Context) ([]session.State, error) {
	var all []session.State
	request := api.CellsRequest{Projection: session.Name}
	err := api.Cells.Lines(ctx, rd.daemon, request, func(raw []byte) error {
		var cell past.Cell
		if err := rd.decode(raw, &cell); err != nil {
			return fmt.Errorf("read a session: %w", err)
		}
		state, err := sessionOf(cell)
		if err != nil {
			return fmt.Errorf("read a session: %w", err)
		}

		if state.Status != session.Deleted {
			all = append(all, state)
		}
		return nil
	})
	slices.SortFunc(all, func(x, y session.State) int { return y.LastActive.Compare(x.LastActive) })

	return all, err
}

// factsOf returns the line below a session's title.
func (s *server) factsOf(st session.State) string {
	failures := ""
	if st.Failures > 0 {
		failures = cmdline.Plural(st.Failures, "failed call")
	}
	compactions := ""
	if st.Compacted > 0 {
		compactions = cmdline.Plural(st.Compacted, "compaction")
	}

	return insight.Join(" · ",
		projectOf(st),
		onBranch(st.Branch),
		s.ago(st.LastActive),
		cmdline.Plural(st.Prompts, "prompt"),
		failures,
		compactions,
		events.Alias(line(st.ID)),
	)
}

// ago returns a time as its age, or as a date after two days.
func (s *server) ago(t time.Time) string {
	age := s.Now().Sub(t).Truncate(time.Minute)
	if age <= 0 {
		return "just now"
	}
	if age < 48*time.Hour {
		return wording.Span(age) + " ago"
	}
	return t.In(s.Zone).Format("2 January 2006, 15:04")
}

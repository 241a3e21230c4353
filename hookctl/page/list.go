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
	"hookline/hookctl/cmdline"
	"hookline/hookctl/insight"
	"hookline/hookctl/problem"
	"hookline/projector/session"
)

// listPage is the page of all sessions.
type listPage struct {
	frame
	Words   string // that were searched for; "" shows all sessions
	Groups  []group
	Trouble string // why nothing is shown
}

// group are sessions that stand alike.
type group struct {
	ID, Name string
	Cards    []card
}

// card is one session of the list.
type card struct {
	Path, Title, State, Tone, Mark, Facts string
}

func (s *server) list(w http.ResponseWriter, r *http.Request) error {
	all, err := newReader(s.From, s.Zone).sessions(r.Context())
	if err != nil {
		return err
	}
	groups := []group{{ID: "waiting", Name: "waiting for you"}, {ID: "stuck", Name: "stuck"}, {ID: "working", Name: "working"}, {ID: "ended", Name: "ended"}}
	for _, st := range all {
		state, tone := statusOf(st)
		standing, at := st.Standing(), 2
		switch {
		case st.Status != session.Live:
			at = 3
		case standing.Needs:
			at = 0
		case standing.Stuck:
			at = 1
		}
		g := &groups[at]
		g.Cards = append(g.Cards, card{Path: pathOf(st.ID), Title: line(st.Title), State: state, Tone: tone, Mark: marks[tone], Facts: s.factsOf(st)})
	}
	groups = slices.DeleteFunc(groups, func(g group) bool { return len(g.Cards) == 0 })
	return s.pages.ExecuteTemplate(w, "sessions", listPage{frame: newFrame("Sessions"), Groups: groups})
}

// find lists the events with some words, of all sessions.
func (s *server) find(w http.ResponseWriter, r *http.Request) error {
	words := r.URL.Query().Get("q")
	if s.Find == nil {
		return problem.Missing("there is no search here")
	}
	s.finding.Lock()
	hits, err := s.Find(r.Context(), words)
	s.finding.Unlock()
	if err != nil {
		return err
	}
	g := group{ID: "found", Name: "events"}
	hide := newReader(s.From, s.Zone).hide
	for _, h := range hits {
		text, _ := hide.Text([]byte(h.Text))
		title := cmp.Or(line(h.Title), events.Alias(line(h.Session)))
		g.Cards = append(g.Cards, card{Path: fmt.Sprintf("%s#e%d", pathOf(h.Session), h.Seq), Title: line(string(text)), State: line(h.Kind), Tone: "faint", Mark: marks["faint"],
			Facts: title + " · " + s.ago(h.Time)})
	}
	return s.pages.ExecuteTemplate(w, "sessions", listPage{frame: newFrame("What was found"), Words: words, Groups: []group{g}})
}

// sessions are all that were not deleted, the last active first.
func (rd reader) sessions(ctx context.Context) ([]session.State, error) {
	var all []session.State
	err := rd.from.Stream(ctx, http.MethodGet, "/v1/cells/"+session.Name, nil, func(raw []byte) error {
		var c struct{ State session.State }
		if err := rd.open(raw, &c); err != nil {
			return fmt.Errorf("read a session: %w", err)
		}
		if c.State.Status != session.Deleted {
			all = append(all, c.State)
		}
		return nil
	})
	slices.SortFunc(all, func(x, y session.State) int { return y.LastActive.Compare(x.LastActive) })
	return all, err
}

func (s *server) factsOf(st session.State) string {
	failures, compactions := "", ""
	if st.Failures > 0 {
		failures = cmdline.Plural(st.Failures, "failed call")
	}
	if st.Compacted > 0 {
		compactions = cmdline.Plural(st.Compacted, "compaction")
	}
	return insight.Join(" · ", projectOf(st), onBranch(st.Branch), s.ago(st.LastActive), cmdline.Plural(st.Prompts, "prompt"), failures, compactions,
		events.Alias(line(st.ID)))
}

func (s *server) ago(t time.Time) string {
	d := s.Now().Sub(t).Truncate(time.Minute)
	switch {
	case d <= 0:
		return "just now"
	case d < 48*time.Hour:
		return wording.Span(d) + " ago"
	}
	return t.In(s.Zone).Format("2 January 2006, 15:04")
}

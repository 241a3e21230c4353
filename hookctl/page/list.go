package page

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"hookline/events"
	"hookline/projector/session"
)

// listPage is the page of all sessions.
type listPage struct {
	frame
	Groups []group
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

// The groups of the list, in their order.
const (
	waiting = iota
	working
	over
)

func (s *server) list(w http.ResponseWriter, r *http.Request) error {
	rd := newReader(s.From, s.Zone)
	all, err := rd.sessions(r.Context())
	if err != nil {
		return err
	}
	groups := []group{{ID: "waiting", Name: "waiting for you"}, {ID: "working", Name: "working"}, {ID: "over", Name: "ended"}}
	for _, st := range all {
		state, tone := statusOf(st)
		at, mark := over, "·"
		if st.Status == session.Live {
			if at, state, err = rd.standing(r.Context(), st); err != nil {
				return err
			}
			tone, mark = "good", "›"
		}
		if at == waiting {
			tone, mark = "warn", "!"
		}
		groups[at].Cards = append(groups[at].Cards, card{Path: pathOf(st.ID), Title: line(st.Title), State: state, Tone: tone, Mark: mark, Facts: s.factsOf(st)})
	}
	groups = slices.DeleteFunc(groups, func(g group) bool { return len(g.Cards) == 0 })
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return s.pages.ExecuteTemplate(w, "sessions", listPage{frame: newFrame("Sessions"), Groups: groups})
}

// sessions are all that were not deleted, the last active first.
func (rd reader) sessions(ctx context.Context) ([]session.State, error) {
	var all []session.State
	err := rd.from.Stream(ctx, http.MethodGet, "/v1/cells/"+session.Name, nil, func(raw []byte) error {
		var c struct{ State session.State }
		hidden, _ := rd.hide.JSON(raw)
		if err := json.Unmarshal(hidden, &c); err != nil {
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
	facts := nonEmpty(projectOf(st), onBranch(st.Branch), s.ago(st.LastActive), plural(st.Prompts, "prompt"))
	if st.Failures > 0 {
		facts = append(facts, plural(st.Failures, "failed call"))
	}
	if st.Compacted > 0 {
		facts = append(facts, plural(st.Compacted, "compaction"))
	}
	facts = append(facts, events.Alias(line(st.ID)))
	out := facts[0]
	for _, f := range facts[1:] {
		out += " · " + f
	}
	return out
}

func (s *server) ago(t time.Time) string {
	d := s.Now().Sub(t)
	if d < time.Minute {
		return "just now"
	}
	if d < time.Hour {
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	}
	if d < 48*time.Hour {
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return t.In(s.Zone).Format("2 January 2006, 15:04")
}

// newest is how many events of a live session are looked at for what it does.
const newest = 40

// standing tells what a live session does: it waits for the user, or works.
func (rd reader) standing(ctx context.Context, st session.State) (at int, words string, err error) {
	at, words = waiting, "no prompt yet"
	q := url.Values{"session": {st.ID}, "n": {fmt.Sprint(newest)}}
	err = rd.from.Stream(ctx, http.MethodGet, "/v1/events", q, func(raw []byte) error {
		var r events.Record
		if err := json.Unmarshal(raw, &r); err != nil {
			return fmt.Errorf("read an event: %w", err)
		}
		if r.AgentID != "" {
			if _, asks := r.Event.(*events.PermissionRequested); !asks {
				return nil
			}
		}
		switch e := r.Event.(type) {
		case *events.PermissionRequested:
			at, words = waiting, "wants permission: "+line(e.ToolName)
		case *events.TurnStopped:
			at, words = waiting, "its turn ended"
			if len(e.BackgroundTasks) > 0 {
				at, words = working, "works in the background"
			}
		case *events.TurnFailed:
			at, words = waiting, "API error: "+line(e.Error)
		case *events.ToolRequested:
			at, words = working, "runs "+line(e.ToolName)
		case *events.PromptSubmitted, *events.ToolSucceeded, *events.ToolFailed, *events.ToolBatchFinished:
			at, words = working, "works"
		case *events.CompactionStarted:
			at, words = working, "compacts its context"
		}
		return nil
	})
	return at, words, err
}

// Package top has `hookctl top`: sessions in the terminal.
package top

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/hook"
	"hookline/hookctl/insight"
	"hookline/hookctl/problem"
	"hookline/hookctl/top"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/hookctl/verbs/show"
	"hookline/projector/identity"
	"hookline/projector/session"
	"hookline/projector/working"
	"hookline/replay/past"
)

// Command returns the command that shows sessions in the terminal.
func Command(e *env.Env) *cobra.Command {
	return command.Plain(e, env.Store, command.Text{
		Use:   "top",
		Short: "Show sessions in the terminal: live, their events, and the state at each",
		Long: "Show the live sessions and those active last in the terminal: those that wait for you or are stuck first. Enter opens a session's events, where the\n" +
			"arrow keys go through them with the session's state at each below, and then one event; Esc goes back,\n" +
			"/ shows only lines with a text, ? shows all keys.",
		Example: "  hookctl top",
	}, verb)
}

func verb(ctx context.Context, e *env.Env, _ []string) error {
	if !e.Terminal || !e.Asks || e.JSON {
		return problem.Faultf("top needs a terminal").Advise("`hookctl session list --json` and `hookctl tail -f` print the same")
	}
	if _, err := e.Started(ctx); err != nil {
		return err
	}
	return top.Run(ctx, top.Options{From: source{e}, In: os.Stdin, Out: os.Stdout, Env: os.Environ(), Paint: e.Paint})
}

// source reads the screens of top from the daemon; it connects for each, so that they outlive a restart.
type source struct{ *env.Env }

func (t source) ask(ctx context.Context, f func(e *env.Env) error) error {
	e := t.Fork()
	return e.With(ctx, env.Running, func() error { return f(e) })
}

// urgency orders the sessions: what needs attention, what works, what waits for a prompt, what ended.
func urgency(s session.State) int {
	st := s.Standing()
	switch {
	case s.Status != session.Live:
		return 3
	case st.Kind == session.WaitsForPrompt:
		return 2
	case st.Kind == session.Working:
		return 1
	}
	return 0
}

// Sessions implements [top.Source].
func (t source) Sessions(ctx context.Context) (lines []top.Line, err error) {
	err = t.ask(ctx, func(e *env.Env) error {
		list, err := query.Newest(ctx, e, query.ShortList)
		if err != nil {
			return err
		}
		projects, _, err := query.Here(ctx, e)
		if err != nil {
			return err
		}
		slices.SortStableFunc(list, func(x, y session.State) int { return urgency(x) - urgency(y) })
		for _, s := range list {
			word := show.StandingWord(s.Standing())
			if s.Status != session.Live {
				word = "ended: " + word
			}
			text := fmt.Sprintf("%-8s  %s  %s  %s", show.Alias(s.ID), cmdline.Pad(word, 22), cmdline.Pad(show.Ago(e, s.LastActive), len("364 days ago")),
				show.Join(" · ", cmdline.OneLine(s.Title), query.ProjectName(projects, s.Project)))
			lines = append(lines, top.Line{Key: s.ID, Text: text, Tone: []string{"warn", "good", "", "faint"}[urgency(s)]})
		}
		return nil
	})
	return lines, err
}

// Events implements [top.Source].
func (t source) Events(ctx context.Context, id, after string) (head []string, lines []top.Line, err error) {
	from, _ := strconv.ParseUint(after, 10, 64) // our own key, or ""
	err = t.ask(ctx, func(e *env.Env) error {
		s, err := query.StateOf[session.State](ctx, e, session.Name, id)
		if err != nil {
			return err
		}
		head = []string{show.Join(" · ", cmdline.OneLine(s.Title), cmdline.OneLine(s.Standing().Words), cmdline.Plural(s.Prompts, "prompt"), cmdline.OneLine(s.Model))}

		return query.Records(ctx, e, api.EventsRequest{Session: id, Since: past.AtSeq(from + 1)}, func(r events.Record) {
			fact := show.Fact(r)
			if r.AgentID != "" {
				fact = "↳ " + fact
			}
			text := r.Time.In(e.Zone).Format(time.TimeOnly) + "  " + cmdline.Pad(cmdline.OneLine(r.Type), show.TypeColumn) + "  " + fact
			lines = append(lines, top.Line{Key: fmt.Sprint(r.Seq), Text: text, Tone: insight.Tone(r.Type)})
		})
	})
	return head, lines, err
}

// Event implements [top.Source].
func (t source) Event(ctx context.Context, seq string) (lines []top.Line, err error) {
	err = t.ask(ctx, func(e *env.Env) error {
		_, text, err := api.Event.CallJSON(ctx, e, api.EventRequest{ID: seq})
		for _, l := range strings.Split(cmdline.IndentJSON(text), "\n") {
			lines = append(lines, top.Line{Text: cmdline.Fit(l, 4096)})
		}
		return err
	})
	return lines, err
}

// stateAt is a projection's cell of a session at a sequence, the zero state where there was none.
func stateAt[S any](ctx context.Context, e *env.Env, projection, id, seq string) (S, error) {
	c, err := query.CellAt[S](ctx, e, projection, id, past.Point(seq))
	var refused *problem.Error
	if errors.As(err, &refused) {
		err = nil // it did not begin yet
	}
	return c.State, err
}

// State implements [top.Source]: how the session stood, and what it would have been told of its work.
func (t source) State(ctx context.Context, id, seq string) (lines []string, err error) {
	err = t.ask(ctx, func(e *env.Env) error {
		s, err := stateAt[session.State](ctx, e, session.Name, id, seq)
		if err != nil {
			return err
		}
		w, err := stateAt[working.State](ctx, e, working.Name, id, seq)
		if err != nil {
			return err
		}
		i, err := stateAt[identity.State](ctx, e, identity.Name, id, seq)
		if err != nil {
			return err
		}

		if s.ID != "" {
			lines = append(lines, cmdline.OneLine(s.Standing().Words))
		}
		if c := s.Context; c != nil && c.Window > 0 {
			lines = append(lines, fmt.Sprintf("context: %d %% of %s tokens, %s", c.Used*100/c.Window, cmdline.Count(c.Window), strings.ToLower(c.Phase)))
		}
		if i.Born {
			lines = append(lines, i.Brief())
		}
		for _, it := range hook.Known(w, w.Active) {
			lines = append(lines, cmdline.OneLine(strings.TrimPrefix(it.Text, "[PHASE: POST_COMPACT] ")))
		}
		return nil
	})
	return lines, err
}

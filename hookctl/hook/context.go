package hook

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hookline/events"
	"hookline/events/wording"
	"hookline/projector"
	"hookline/projector/session"
)

// How full the context window is: the phase of it (S2), and how much less is told in a fuller one.

// Use is a measurement of the context window.
type Use struct {
	Tokens int64  // in the context
	Window int64  // tokens that it has room for; 0: not told, see [WindowOf]
	Model  string // that answered
	Source string // transcript or statusline
	Said   string // the agent's last words, "" where they are not known; clean, on one line
}

// decideContext returns the change of phase that was measured with the hook, or that a compaction brings.
func decideContext(in Input, w World, r Reader) []events.Event {
	if in.Session == "" {
		return nil
	}
	switch in.Event.(type) {
	case *events.CompactionStarted:
		if c := sessionOf(r, in.Session).Context; c != nil && c.Phase != session.Verbose {
			return []events.Event{&events.ContextPhaseChanged{Phase: session.Verbose, From: c.Phase, Window: c.Window, Source: "compaction"}}
		}
	case *events.TurnStopped:
		if w.Use != nil {
			return PhaseChange(r, in.Session, *w.Use)
		}
	}
	return nil
}

// PhaseChange returns the event of a measurement that came into another phase, or that found a window of another size; none
// for a session that nobody knows.
func PhaseChange(r Reader, id string, u Use) []events.Event {
	s, known := projector.State[session.State](r.Reader, session.Name, id)
	if !known || s.Status == session.Deleted {
		return nil
	}

	window := u.WindowIn(s)
	out := &events.ContextPhaseChanged{Phase: session.PhaseOf(u.Tokens, window), Used: u.Tokens, Window: window, Model: u.Model, Source: u.Source}
	same := out.Phase == session.Verbose // a session begins with it
	if s.Context != nil {
		out.From = s.Context.Phase
		same = out.From == out.Phase && s.Context.Window == window
	}
	if same {
		return nil
	}
	return []events.Event{out}
}

// WindowIn returns the size of the window of a measurement: as it was told with it, or by an earlier status line, else by
// the model.
func (u Use) WindowIn(s session.State) int64 {
	switch {
	case u.Window > 0:
		return u.Window
	case s.Context != nil && s.Context.Stated:
		return s.Context.Window
	case strings.Contains(s.Model, "[1m]"):
		return largeWindow
	}
	return WindowOf(u.Model, u.Tokens)
}

// Sizes of the client's context windows, in tokens.
const (
	smallWindow = 200_000
	largeWindow = 1_000_000
)

// WindowOf returns the size of a model's window, as the client's own table has it: 1,000,000 from version 4.7 on, else
// 200,000, unless more is in it.
func WindowOf(model string, used int64) int64 {
	var version []int
	for _, word := range strings.Split(model, "-") {
		n, err := strconv.Atoi(word)
		if err == nil && len(word) <= 2 {
			version = append(version, n)
		}
	}
	version = append(version, 0, 0)
	newer := version[0] > 4 || version[0] == 4 && version[1] >= 7
	if newer || used > smallWindow {
		return largeWindow
	}
	return smallWindow
}

// tellContext tells the phase of the context with a prompt, once it is not the first one any more.
func tellContext(in Input, _ World, r Reader) []Item {
	_, prompted := in.Event.(*events.PromptSubmitted)
	c := sessionOf(r, in.Session).Context
	if !prompted || c == nil || c.Phase == session.Verbose {
		return nil
	}
	text := fmt.Sprintf("[PHASE: SESSION_RUNNING | %s] The context is at least %d %% full.", c.Phase, session.Percent(c.Used, c.Window))
	return []Item{{ID: itemPhase, Rank: RankGoal, Text: text, Same: c.Phase, Event: c.Event}}
}

// itemPhase is the item of the phase, which is told in every phase.
const itemPhase = "context.phase"

// fewer has what is told in a phase: tenths of the hook's budget, and characters of an item (DECISIONS S2).
var fewer = map[string]struct {
	tenths int
	chars  int
}{
	session.Condensed: {tenths: 5, chars: 500},
	session.Signals:   {tenths: 2, chars: 200},
	session.Critical:  {tenths: 0, chars: 100},
}

// inPhase leaves out and shortens what is told to the model in a fuller context. A start tells all: the context was cut
// just before, or is new.
func inPhase(in Input, s session.State, items []Item) []Item {
	if in.Starts() || in.Call.Verb != VerbHook || s.Context == nil {
		return items
	}
	less, full := fewer[s.Context.Phase]
	if !full {
		return items
	}

	var out, model []Item
	for _, it := range items {
		if !it.User && it.list == nil {
			it.Same = cmp.Or(it.Same, it.Text)
			it.Text = wording.Cut(it.Text, less.chars, "...")
			it.Shorter = slices.Clone(it.Shorter)
			for i := range it.Shorter {
				it.Shorter[i] = wording.Cut(it.Shorter[i], less.chars, "...")
			}
		}
		if it.User || it.ID == itemPhase {
			out = append(out, it)
		} else {
			model = append(model, it)
		}
	}

	b := budgetOf(in)
	smaller := budget{whole: b.whole * less.tenths / 10}
	for _, sh := range b.shares {
		smaller.shares = append(smaller.shares, share{sh.upTo, sh.tokens * less.tenths / 10})
	}
	for _, it := range fit(smaller, model, false).told() {
		it.Same = cmp.Or(it.Same, it.Text)
		it.Text, it.Shorter, it.list, it.form = wording.Cut(it.text(), less.chars, "..."), nil, nil, 0
		out = append(out, it)
	}
	return out
}

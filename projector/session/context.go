package session

import (
	"hookline/events"
	"hookline/events/wording"
)

// Context is how full a context window was, and the phase of that (S2, DECISIONS "phases").
type Context struct {
	Phase  string `json:"phase" jsonschema_description:"phase of the context window's use: VERBOSE, CONDENSED, SIGNALS or CRITICAL"`
	Used   int64  `json:"used" jsonschema_description:"number of tokens in the context window"`
	Window int64  `json:"window" jsonschema_description:"number of tokens that the context window has room for"`
	Stated bool   `json:"stated,omitempty" jsonschema_description:"the client's status line told the window's size, it was not taken from the model's name"`
	Source string `json:"source" jsonschema_description:"where the numbers come from: transcript, statusline or compaction"`
	Event  string `json:"event" jsonschema_description:"id of the event that told them"`
}

// Phases of the use of a context window, the emptiest first.
const (
	Verbose   = "VERBOSE"   // below 40 %
	Condensed = "CONDENSED" // below 70 %
	Signals   = "SIGNALS"   // below 85 %
	Critical  = "CRITICAL"
)

// PhaseOf returns the phase of so many tokens in a window; an unknown window is an empty one.
func PhaseOf(used, window int64) string {
	switch percent := Percent(used, window); {
	case percent < 40:
		return Verbose
	case percent < 70:
		return Condensed
	case percent < 85:
		return Signals
	}
	return Critical
}

// Percent returns how full a window is, rounded down.
func Percent(used, window int64) int64 {
	if window <= 0 {
		return 0
	}
	return used * 100 / window
}

// contextPhaseChanged takes in how full the context is. A window that the client once stated stays stated.
func (s *State) contextPhaseChanged(r events.Record, e *events.ContextPhaseChanged) {
	stated := e.Source == "statusline"
	if s.Context != nil && s.Context.Stated && s.Context.Window == e.Window {
		stated = true
	}

	s.Context = &Context{
		Phase:  wording.Clip(e.Phase, maxWord),
		Used:   e.Used,
		Window: e.Window,
		Stated: stated,
		Source: wording.Clip(e.Source, maxWord),
		Event:  r.ID,
	}
}

// compactionFinished counts. What was injected at the start before it is in the new context.
func (s *State) compactionFinished(_ events.Record, e *events.CompactionFinished) {
	s.Course.compacted(e)
	s.Compacted++
}

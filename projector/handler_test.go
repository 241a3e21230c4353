package projector_test

import (
	"testing"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
)

// tally counts what reached its handlers.
type tally struct {
	Prompts int `json:"prompts,omitempty"`
	Stops   int `json:"stops,omitempty"`
	All     int `json:"all,omitempty"`
}

func (s *tally) prompted(events.Record, *events.PromptSubmitted) { s.Prompts++ }

func (s *tally) stopped(events.Record, *events.TurnStopped) { s.Stops++ }

func (s *tally) any(events.Record) { s.All++ }

func recordOf(e events.Event) events.Record {
	return events.Record{Event: e, Envelope: events.Envelope{Type: e.Type(), Session: "s", Project: "p"}}
}

// A record reaches the fold exactly when there is a handler for it: what a projection needs follows from its handlers.
func TestHandlersAreTheList(t *testing.T) {
	table := projector.New(projector.Spec[tally]{
		Name:  "tally",
		Scope: projector.BySession,
		On: projector.Handlers(
			projector.On((*tally).prompted),
			projector.On((*tally).stopped).In(projector.ByProject),
		),
	})

	prompt, stop, other := recordOf(&events.PromptSubmitted{}), recordOf(&events.TurnStopped{}), recordOf(&events.ToolFailed{})
	expect.Equal(t, projector.Fold(table, tally{}, prompt), tally{Prompts: 1}, "after a prompt")
	expect.Equal(t, projector.Fold(table, tally{}, stop), tally{Stops: 1}, "after a stop")
	expect.Equal(t, projector.Fold(table, tally{}, other), tally{}, "after an event without a handler")

	cells := func(r events.Record) string {
		text := ""
		for _, key := range table.Keys(r) {
			text += key
		}
		return text
	}
	expect.Equal(t, cells(prompt), "s", "cells of a prompt")
	expect.Equal(t, cells(stop), "p", "cells of a stop, whose handler has a scope of its own")
	expect.Equal(t, cells(other), "", "cells of an event without a handler")

	needs := func(typ string) bool {
		for _, want := range table.Needs("s") {
			if want.Match("s", "s", typ) {
				return true
			}
		}
		return false
	}
	expect.Equal(t, needs(events.TypePromptSubmitted), true, "needs prompts")
	expect.Equal(t, needs(events.TypeTurnStopped), true, "needs stops")
	expect.Equal(t, needs(events.TypeRecordRetracted), true, "needs retractions")
	expect.Equal(t, needs(events.TypeToolFailed), false, "needs failures")
}

// A handler of every record is called for kinds that this build does not know, and before the handler of a kind.
func TestHandlerOfEveryRecord(t *testing.T) {
	table := projector.New(projector.Spec[tally]{
		Name:  "tally",
		Scope: projector.BySession,
		Skip:  func(r events.Record) bool { return r.Session == "skipped" },
		Before: func(s *tally, _ events.Record) bool {
			return s.All < 2
		},
		On: projector.Handlers(projector.OnAny((*tally).any), projector.On((*tally).prompted)),
	})

	unknown := recordOf(&events.Unknown{Name: "future.happened"})
	prompt := recordOf(&events.PromptSubmitted{})
	skipped := prompt
	skipped.Session = "skipped"
	expect.Equal(t, projector.Fold(table, tally{}, unknown), tally{All: 1}, "after an unknown event")
	expect.Equal(t, projector.Fold(table, tally{}, prompt), tally{All: 1, Prompts: 1}, "after a prompt")
	expect.Equal(t, projector.Fold(table, tally{}, skipped), tally{}, "after a record that is skipped")
	expect.Equal(t, projector.Fold(table, tally{All: 2}, prompt), tally{All: 2}, "after a record that Before refuses")
}

// A handler that could never be called is a mistake of the program, and its start says which.
func TestHandlersThatCannotBeCalled(t *testing.T) {
	refusal := func(spec projector.Spec[tally]) (text any) {
		defer func() { text = recover() }()
		projector.New(spec)
		return nil
	}

	twice := projector.Spec[tally]{
		Name:  "tally",
		Scope: projector.BySession,
		On:    projector.Handlers(projector.On((*tally).prompted), projector.On((*tally).prompted)),
	}
	expect.Equal(t, refusal(twice), any("projection tally has two handlers for prompt.submitted"), "two handlers")

	nowhere := projector.Spec[tally]{Name: "tally", On: projector.Handlers(projector.On((*tally).prompted))}
	expect.Equal(t, refusal(nowhere), any("projection tally has no scope for prompt.submitted"), "no scope")
}

// Package show has what verbs print alike: an event in a line, sessions, times, and lists of fields.
package show

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"hookline/events"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/insight"
	"hookline/hookctl/problem"
	"hookline/hookctl/verbs/env"
	"hookline/projector/session"
)

// TypeColumn is as wide as the longest type that comes often; a longer one shifts its own line.
const TypeColumn = 22

// projectColumn is how much of a project's name stands in a line.
const projectColumn = 14

// aliasLength is how much of a session id people see: the length of [events.Alias].
const aliasLength = 8

// Alias is the short form of a session id, fit for a terminal; an id that is short stays whole.
func Alias(session string) string {
	id := cmdline.OneLine(session)
	if len(id) <= aliasLength {
		return id
	}
	return events.Alias(id)
}

// Line returns an event in one line for people:
//
//	08:52:01.123  c68c8a51  tool.failed            Exit code 3 — Bash  exit 3
//
// local time, the session's alias, the type, the fact; cut to the terminal. A project's name, where one is given, stands
// behind the session.
func Line(e *env.Env, r events.Record, project string) string {
	clock := r.Time.In(e.Zone).Format("15:04:05.000")
	typ := cmdline.OneLine(r.Type)
	fact := Fact(r)
	if r.AgentID != "" {
		fact = Join("  ", "↳", fact)
	}
	if project != "" {
		project = cmdline.Pad(cmdline.FitMiddle(cmdline.OneLine(project), projectColumn), projectColumn) + "  "
	}
	left := len(clock) + 2 + aliasLength + 2 + cmdline.Width(project) + max(TypeColumn, cmdline.Width(typ)) + 2
	if e.Columns > 0 {
		fact = cmdline.Fit(fact, max(10, e.Columns-left))
	}
	tone := insight.Tone(r.Type)
	if tone == "bad" {
		fact = e.Paint.Bad(fact)
	}
	id := cmdline.Fit(Alias(r.Session), aliasLength)
	gap := strings.Repeat(" ", max(0, aliasLength-cmdline.Width(id)))
	line := e.Paint.Faint(clock) + "  " + e.Paint.Session(id) + gap + "  " + e.Paint.Faint(project) + e.Paint.Toned(tone, cmdline.Pad(typ, TypeColumn)) + "  " + fact
	return strings.TrimRight(line, " ")
}

// OrDash returns a text, a dash for none.
func OrDash(s string) string { return cmp.Or(s, "–") }

// Spaced is a word of a state as people write it.
func Spaced(word string) string { return strings.ReplaceAll(word, "_", " ") }

// Fact is the fact of an event, fit for a terminal.
func Fact(r events.Record) string { return cmdline.OneLine(insight.Fact(r)) }

// Join puts sep between the parts that are not empty.
func Join(sep string, parts ...string) string { return insight.Join(sep, parts...) }

// SortedKeys lists the keys of a map in order.
func SortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// Hint is the advice that an error has of its own, else another.
func Hint(err error, other string) string {
	return cmp.Or(problem.Of(err).Hint, other)
}

// StandingWord is how a session stands in a word or two, for a list.
func StandingWord(st session.Standing) string {
	word := Spaced(st.Kind)
	if st.Stuck {
		return "stuck: " + word
	}
	return word
}

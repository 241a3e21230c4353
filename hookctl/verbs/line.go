package verbs

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"hookline/events"
	"hookline/events/wording"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/insight"
)

// A pretty line is
//
//	08:52:01.123  c68c8a51  tool.failed            Exit code 3 — Bash  exit 3
//
// local time, the session's alias, the type, the fact; cut to the terminal.

// typeColumn is as wide as the longest type that comes often; a longer one shifts its own line.
const typeColumn = 22

// aliasLength is how much of a session id people see: the length of [events.Alias].
const aliasLength = 8

// alias is the short form of a session id, fit for a terminal; an id that is short stays whole.
func alias(session string) string {
	id := cmdline.OneLine(session)
	if len(id) <= aliasLength {
		return id
	}
	return events.Alias(id)
}

// prettyLine is one event for people.
func prettyLine(e *Env, r events.Record) string {
	clock := r.Time.In(e.Zone).Format("15:04:05.000")
	typ := cmdline.OneLine(r.Type)
	fact := factOf(r)
	if r.AgentID != "" {
		fact = join("  ", "↳", fact)
	}
	left := len(clock) + 2 + aliasLength + 2 + max(typeColumn, cmdline.Width(typ)) + 2
	if e.Columns > 0 {
		fact = cmdline.Fit(fact, max(10, e.Columns-left))
	}
	tone := insight.Tone(r.Type)
	if tone == "bad" {
		fact = e.Paint.Bad(fact)
	}
	id := cmdline.Fit(alias(r.Session), aliasLength)
	gap := strings.Repeat(" ", max(0, aliasLength-cmdline.Width(id)))
	line := e.Paint.Faint(clock) + "  " + e.Paint.Session(id) + gap + "  " + e.Paint.Toned(tone, cmdline.Pad(typ, typeColumn)) + "  " + fact
	return strings.TrimRight(line, " ")
}

// day is a heading between lines of different days, "" within one.
func day(e *Env, last, next time.Time) string {
	d := next.In(e.Zone).Format("Monday, 2 January 2006")
	if !last.IsZero() && last.In(e.Zone).Format("Monday, 2 January 2006") == d {
		return ""
	}
	return d
}

// ago is a time as people say it.
func ago(e *Env, t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	d := e.Now().Sub(t)
	switch {
	case d < 0:
		return "in " + span(t.Sub(e.Now())) // both differences end at 292 years
	case d < time.Second:
		return "just now"
	}
	return span(d) + " ago"
}

// span returns a duration in its one or two largest units: days from two on, else as [wording.Span].
func span(d time.Duration) string {
	if d < 48*time.Hour {
		return wording.Span(d)
	}
	return cmdline.Plural(int(d/(24*time.Hour)), "day")
}

func orDash(s string) string { return cmp.Or(s, "–") }

// spaced is a word of a state as people write it.
func spaced(word string) string { return strings.ReplaceAll(word, "_", " ") }

// factOf is the fact of an event, fit for a terminal.
func factOf(r events.Record) string { return cmdline.OneLine(insight.Fact(r)) }

// join puts sep between the parts that are not empty.
func join(sep string, parts ...string) string { return insight.Join(sep, parts...) }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// paged runs print. On a terminal, what is longer than the screen goes through $PAGER, without one through less; an empty
// $PAGER, or cat, means none.
func paged(ctx context.Context, e *Env, print func()) error {
	if !e.Terminal {
		print()
		return nil
	}
	var text bytes.Buffer
	out := e.Out
	e.Out = &text
	print()
	e.Out = out

	pager := []string{"less"}
	if own, set := os.LookupEnv("PAGER"); set {
		pager = strings.Fields(own)
	}
	_, rows, err := term.GetSize(int(os.Stdout.Fd()))
	short := err != nil || bytes.Count(text.Bytes(), []byte("\n")) < rows
	if !short && len(pager) > 0 && pager[0] != "cat" && e.Getenv("TERM") != "dumb" {
		cmd := exec.CommandContext(ctx, pager[0], pager[1:]...)
		cmd.Stdin = bytes.NewReader(text.Bytes())
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		cmd.Env = append([]string{"LESS=FRX"}, os.Environ()...) // the user's own LESS, after it, wins
		if _ = cmd.Run(); cmd.ProcessState != nil {             // else it is not there
			return nil
		}
	}
	_, err = out.Write(text.Bytes())
	return err
}

// linked returns a text that a terminal opens a file of this machine by; as it is without a path. All that a terminal could
// act upon is escaped in the link.
func linked(e *Env, path, text string) string {
	if !filepath.IsAbs(path) || !e.Rich() {
		return text
	}
	host, _ := os.Hostname() // without it the terminal asks about no other machine
	to := url.URL{Scheme: "file", Host: host, Path: filepath.ToSlash(path)}
	return cmdline.Link(to.String(), text)
}

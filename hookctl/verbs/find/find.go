// Package find has the verbs that search: `hookctl find` and `hookctl blame`. They run in the program hookfind.
package find

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/find"
	"hookline/hookctl/insight"
	"hookline/hookctl/problem"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/hookctl/verbs/show"
	"hookline/replay/past"
)

// Command returns the command that searches what was said and done.
func Command(e *env.Env) *cobra.Command {
	return command.Verb(e, env.Hookfind, command.Text{
		Use:   "find [WORDS…]",
		Short: "Search prompts, answers, commands, outputs, errors and paths",
		Long: "Search prompts, the agent's words, commands, outputs, errors and paths of all sessions. An event is found that has\n" +
			"all words; words in quotes stand side by side, and a * behind a word stands for its end. Hits in prompts, answers and\n" +
			"errors come first, then those in commands and paths, then those in outputs; newer ones before older ones.\n" +
			"Of long texts the beginning is searched, of outputs the end too.\n\n" +
			"With --error each hit is followed by what was run after it, when the error did not come back in its session.\n\n" +
			cmdline.PointForms,
		Example: "  hookctl find retry backoff\n" +
			"  hookctl find '\"exit code 1\"' --tool Bash --since 1w\n" +
			"  hookctl find --error 'no such module' --project hookline\n" +
			"  hookctl find 'Conf*' --file parser.go --json | jq -r .session",
	}, &Flags{Last: 20})
}

// Outputs has the types of what the verbs of this package print with --json.
var Outputs = cmdline.Outputs{
	"blame": []blameJSON{},
	"find":  []Hit{},
}

// Flags are the command line of find.
type Flags struct {
	File    string        `help:"only calls about a path with these words"`
	Command string        `help:"only commands with these words"`
	Error   string        `help:"only errors with these words, and what was run after them"`
	Session string        `help:"only this session: its id, any unique prefix of it, or last"`
	Project string        `help:"only this project: its id or name"`
	Since   string        `help:"from there on: a sequence, 08:00, 10m, 1d, today, …"`
	Until   string        `help:"up to there, in the same form"`
	Types   []string      `flag:"type" sep:"," help:"only these types: names or patterns as 'tool.*', comma-separated"`
	Tools   []string      `flag:"tool" sep:"," help:"only calls of these tools: names or patterns as 'mcp__*'"`
	Last    command.Count `flag:"n,n" help:"the best N, or all"`
}

// Run searches and prints the hits.
func (f *Flags) Run(ctx context.Context, e *env.Env, args []string) error {
	if f.Last == 0 {
		return nil
	}
	q, err := Query(ctx, e, args, *f)
	if err != nil {
		return err
	}
	hits, err := Hits(ctx, e, q)
	if err != nil {
		return err
	}
	if e.JSON {
		return cmdline.PrintEach(&e.Console, hits)
	}
	return show.Paged(ctx, e, func() { Print(e, hits) })
}

// mostHits bounds -n all.
const mostHits = 200

// Query judges what was typed and makes a query of it.
func Query(ctx context.Context, e *env.Env, words []string, f Flags) (find.Query, error) {
	q := find.Query{Words: wordsOf(words), File: f.File, Command: f.Command, Error: f.Error, Types: f.Types, Tools: f.Tools, Limit: int(f.Last)}
	if f.Last == command.All || int(f.Last) > mostHits {
		q.Limit = mostHits
	}
	if given := strings.Join(words, "") + f.File + f.Command + f.Error; given != "" && len(q.Terms()) == 0 {
		return q, problem.Faultf("there is no word to search for").Advise("words are letters and digits; `hookctl tail --grep` looks for any text")
	}
	if err := query.KnownTypes(f.Types); err != nil {
		return q, err
	}
	var err error
	if q.From, q.Since, err = query.Point(e, f.Since); err != nil {
		return q, err
	}
	if q.To, q.Until, err = query.Point(e, f.Until); err != nil {
		return q, err
	}
	if f.Session != "" {
		s, err := query.Session(ctx, e, f.Session)
		if err != nil {
			return q, err
		}
		q.Sessions = []string{s.ID}
	}
	if f.Project != "" {
		all, err := query.Projects(ctx, e)
		if err != nil {
			return q, err
		}
		p, err := query.Project(all, f.Project)
		if err != nil {
			return q, err
		}
		q.Projects = query.SameProject(all, p.ID)
	}
	return q, nil
}

// wordsOf parts what was typed at its blanks, but not within double quotes.
func wordsOf(args []string) []string {
	var out []string
	for i, part := range strings.Split(strings.Join(args, " "), `"`) {
		if i%2 == 1 {
			out = append(out, part)
			continue
		}
		out = append(out, strings.Fields(part)...)
	}
	return out
}

// Hit is a line of `find --json`.
type Hit struct {
	Seq     uint64       `json:"seq" jsonschema_description:"of the event"`
	ID      string       `json:"id" jsonschema_description:"of the event"`
	Time    time.Time    `json:"time" jsonschema_description:"of capture"`
	Type    string       `json:"type" jsonschema_description:"of the event"`
	Tool    string       `json:"tool,omitempty" jsonschema_description:"that was called"`
	Session string       `json:"session,omitempty" jsonschema_description:"whole id"`
	Title   string       `json:"title,omitempty" jsonschema_description:"of the session"`
	Project string       `json:"project,omitempty" jsonschema_description:"id"`
	Score   float64      `json:"score" jsonschema_description:"how good the hit is, to compare within one answer"`
	Snippet find.Snippet `json:"snippet" jsonschema_description:"the text with what was found"`
	After   *afterJSON   `json:"after,omitempty" jsonschema_description:"with --error: what came after the error in its session"`

	record     events.Record
	transcript string // file of the session; "" where it is not known
}

// afterJSON is what came after an error.
type afterJSON struct {
	Again uint64     `json:"again,omitempty" jsonschema_description:"sequence of the next event with the same error; absent when it did not come back"`
	Fixed uint64     `json:"fixed,omitempty" jsonschema_description:"sequence of the call that succeeded where one like it had failed"`
	Steps []stepJSON `json:"steps,omitempty" jsonschema_description:"calls in between, the last ones"`
}

// stepJSON is one call.
type stepJSON struct {
	Seq  uint64 `json:"seq" jsonschema_description:"of its outcome"`
	OK   bool   `json:"ok" jsonschema_description:"it succeeded"`
	What string `json:"what" jsonschema_description:"the tool and what it was called for"`
}

// Hits asks the index, brought up to date, and reads what it names from the log.
func Hits(ctx context.Context, e *env.Env, q find.Query) ([]Hit, error) {
	x, err := Index(ctx, e)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	terms := q.Terms()
	limit := q.Limit
	if slices.ContainsFunc(terms, func(t find.Term) bool { return len(t.Words) > 1 }) {
		q.Limit *= 3 // the index does not know which words stand side by side
	}
	found, err := x.Search(ctx, q)
	if err != nil {
		return nil, problem.Faultf("search: %w", err).Advise("if it comes again, remove " + indexDir(e) + ": it is made anew from the log")
	}

	var out []Hit
	err = EventsAt(ctx, e, found, func(m find.Match, r events.Record) {
		d, ok := find.DocOf(r)
		if len(out) == limit || !ok || !find.MatchAll(terms, d) {
			return
		}
		out = append(out, Hit{Seq: r.Seq, ID: r.ID, Time: r.Time, Type: r.Type, Tool: d.Tool, Session: r.Session, Project: r.Project,
			Score: m.Score, Snippet: find.SnippetOf(d, terms, snippetSize), record: r})
	})
	if err != nil || len(out) == 0 {
		return nil, err
	}

	var keys []string
	for _, hit := range out {
		keys = append(keys, hit.Session)
	}
	list, err := query.Sessions(ctx, e, api.CellsRequest{Keys: keys})
	if err != nil {
		return nil, err
	}
	for i := range out {
		for _, s := range list {
			if s.ID == out[i].Session {
				out[i].Title, out[i].transcript = s.Title, s.Transcript
			}
		}
	}
	if q.Error == "" {
		return out, nil
	}
	return out, aftermaths(ctx, e, out, q)
}

// Words finds the words that a person typed, at most so many hits; none where there is no word.
func Words(ctx context.Context, e *env.Env, words string, most int) ([]Hit, error) {
	q := find.Query{Words: wordsOf([]string{words}), Limit: most}
	if len(q.Terms()) == 0 {
		return nil, nil
	}
	return Hits(ctx, e, q)
}

// EventsAt reads the events of matches, in their order; those that damage took since are left out.
func EventsAt(ctx context.Context, e *env.Env, found []find.Match, each func(find.Match, events.Record)) error {
	for part := range slices.Chunk(found, 500) {
		var seqs []uint64
		for _, m := range part {
			seqs = append(seqs, m.Seq)
		}
		i := 0
		err := query.Records(ctx, e, api.EventsRequest{Seqs: seqs}, func(r events.Record) {
			for i < len(part) && part[i].Seq != r.Seq {
				i++
			}
			if i < len(part) {
				each(part[i], r)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// mostAfter bounds the sessions that are read for what came after an error.
const mostAfter = 10

func aftermaths(ctx context.Context, e *env.Env, hits []Hit, q find.Query) error {
	same := find.Query{Error: q.Error}.Terms()
	for i := range hits[:min(len(hits), mostAfter)] {
		after := find.NewAfter(hits[i].record, same)
		q := api.EventsRequest{Session: hits[i].Session, Since: past.AtSeq(hits[i].Seq + 1)}
		err := query.Scan(ctx, e, q, func(r events.Record) error {
			if after.Take(r) {
				return query.ErrEnough
			}
			return nil
		})
		if err != nil {
			return err
		}

		out := &afterJSON{Again: after.Again, Fixed: after.Fixed}
		for _, r := range after.Steps {
			out.Steps = append(out.Steps, stepJSON{Seq: r.Seq, OK: r.Type == events.TypeToolSucceeded, What: show.Fact(r)})
		}
		hits[i].After = out
	}
	return nil
}

// indexDir is the folder of the home's index.
func indexDir(e *env.Env) string { return filepath.Join(e.Home(), "find") }

// Index opens the home's index and brings it up to date from the log.
func Index(ctx context.Context, e *env.Env) (find.Index, error) {
	x, err := e.OpenIndex(ctx, indexDir(e))
	if err != nil {
		return nil, problem.Because(err).Advise("look at " + indexDir(e) + ": it must be a folder of yours; what lies in it is made anew from the log")
	}
	var last uint64
	m := e.Meter("reading the log")
	defer m.End()
	report := func(seq uint64) {
		if last == 0 {
			st, _ := e.Status(ctx) // the bar is a courtesy
			last = max(1, st.Seq)
		}
		m.At(seq, last)
	}
	if err := x.Update(ctx, func(ctx context.Context, from uint64, each func(events.Record) error) error {
		return query.Scan(ctx, e, api.EventsRequest{Since: past.AtSeq(from)}, each)
	}, report); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// Print prints hits, each with the text that was found.
func Print(e *env.Env, hits []Hit) {
	if len(hits) == 0 {
		e.Printf("nothing found\n")
		return
	}
	for i, hit := range hits {
		if i > 0 {
			e.Printf("\n")
		}
		kind := show.Join(" ", cmdline.OneLine(hit.Type), cmdline.OneLine(hit.Tool))
		who := show.Linked(e, hit.transcript, e.Paint.Session(show.Alias(hit.Session)))
		line := fmt.Sprintf("%s  %s  %s  %s", show.Stamp(e, hit.Time), who, e.Paint.Toned(insight.Tone(hit.Type), kind), e.Paint.Faint(fmt.Sprintf("event %d", hit.Seq)))
		room := 60
		if e.Columns > 0 {
			room = e.Columns - cmdline.Width(line) - len("  ")
		}
		if room >= len("title…") {
			line = show.Join("  ", line, cmdline.Fit(cmdline.OneLine(hit.Title), room))
		}
		e.Printf("%s\n", line)
		text, at := hit.Snippet.Text, 0
		marked := "" // with what was found set off
		for _, m := range hit.Snippet.Marks {
			if m.From >= at {
				marked += cmdline.Clean(text[at:m.From]) + e.Paint.Bold(cmdline.Clean(text[m.From:m.To]))
				at = m.To
			}
		}
		e.Printf("  %s %s%s\n", e.Paint.Faint(hit.Snippet.Kind+":"), marked, cmdline.Clean(text[at:]))
		if hit.After != nil {
			printAfter(e, hit.After)
		}
	}
}

// snippetSize is the length of a snippet, in bytes: about two lines of a terminal.
const snippetSize = 240

func printAfter(e *env.Env, after *afterJSON) {
	switch {
	case after.Again != 0:
		e.Printf("  %s\n", e.Paint.Faint(fmt.Sprintf("it came back: event %d", after.Again)))
		return
	case len(after.Steps) == 0:
		e.Printf("  %s\n", e.Paint.Faint("it did not come back; nothing was run after it"))
		return
	}
	e.Printf("  %s\n", e.Paint.Faint("it did not come back; run after it:"))
	for _, s := range after.Steps {
		sign := e.Paint.Bad("✗")
		if s.OK {
			sign = e.Paint.Good("✓")
		}
		room := snippetSize
		if e.Columns > 0 {
			room = max(20, e.Columns-len("    ✓ "))
		}
		e.Printf("    %s %s\n", sign, cmdline.Fit(cmdline.OneLine(s.What), room))
	}
}

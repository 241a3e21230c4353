package find

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/config"
	"hookline/hookctl/find"
	"hookline/hookctl/problem"
	"hookline/hookctl/safeopen"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/hookctl/verbs/show"
	"hookline/projector/session"
	"hookline/replay/past"
)

// BlameCommand returns the command that shows which calls wrote the lines of a file.
func BlameCommand(e *env.Env) *cobra.Command {
	return command.Plain(e, env.Hookfind, command.Text{
		Use:   "blame FILE[:LINE]",
		Short: "Show which session, prompt and call wrote the lines of a file",
		Long: "Show which session, prompt and call wrote the lines of a file, from the edits in the log. FILE:12 and FILE:12-20 tell\n" +
			"more of single lines. A line that no recorded edit wrote is said to have come from outside (a person, a command, a\n" +
			"formatter), with the recorded edits before and behind it, or to have been there before the first one; where a\n" +
			"record lacks the file around an edit, the line is found by the edit's own words, which is said too.",
		Example: "  hookctl blame parser.go\n" +
			"  hookctl blame parser.go:120-140\n" +
			"  hookctl blame parser.go --json | jq -r 'select(.how == \"edit\") | .session' | sort | uniq -c",
	}, blameVerb, cmdline.Exactly("a file, and perhaps a line: parser.go:12"))
}

// Bounds of blame.
const (
	mostBlamed = 4 << 20 // bytes of a file
	mostEdits  = 2000    // of it, the newest
)

// blameJSON is a line of `blame --json`.
type blameJSON struct {
	Line    int        `json:"line" jsonschema_description:"from 1"`
	Text    string     `json:"text" jsonschema_description:"the line"`
	How     string     `json:"how" jsonschema_description:"edit: a recorded call wrote it; words: by the words of a recorded edit; outside: changed between recorded calls; earlier: older than the first; unrecorded: no edit of the file is in the log"`
	Event   uint64     `json:"event,omitempty" jsonschema_description:"sequence of the call that wrote it"`
	Time    *time.Time `json:"time,omitempty" jsonschema_description:"of the call"`
	Session string     `json:"session,omitempty" jsonschema_description:"whole id"`
	Title   string     `json:"title,omitempty" jsonschema_description:"of the session"`
	Agent   string     `json:"agent,omitempty" jsonschema_description:"the subagent that wrote it"`
	Prompt  string     `json:"prompt,omitempty" jsonschema_description:"the prompt that led to it, its beginning"`
	After   uint64     `json:"after,omitempty" jsonschema_description:"outside: the recorded call before the change"`
	Before  uint64     `json:"before,omitempty" jsonschema_description:"outside, earlier: the recorded call behind the change"`
}

var lineRange = regexp.MustCompile(`^(.+):(\d{1,9})(?:-(\d{1,9}))?$`)

func blameVerb(ctx context.Context, e *env.Env, args []string) error {
	given := args[0]
	from, to, one := 1, math.MaxInt, false
	if m := lineRange.FindStringSubmatch(given); m != nil { // its numbers cannot fail
		given = m[1]
		from, _ = strconv.Atoi(m[2])
		to, _ = strconv.Atoi(cmp.Or(m[3], m[2]))
		one = from == to
	}
	if from < 1 || to < from {
		return problem.Faultf("%q names no line", strconv.Itoa(from)).Advise("lines are counted from 1: FILE:12 or FILE:12-20")
	}

	file := e.Absolute(given)
	content, err := safeopen.ReadFile(safeopen.Foreign, file, mostBlamed)
	if err != nil {
		hint := "files of up to 4 MiB are read"
		if errors.Is(err, fs.ErrNotExist) {
			hint = "`hookctl find --file NAME` tells what the log has of a file that is gone"
		}
		return problem.Because(err).Advise(hint)
	}
	if strings.ContainsRune(string(content), 0) {
		return problem.Faultf("%s is no text", file).Advise("lines of text are blamed")
	}
	b := find.NewBlame(string(content))
	if to < math.MaxInt && from > len(b.Lines) {
		return problem.Faultf("%s has %s", given, cmdline.Plural(len(b.Lines), "line")).Advise("without a line all are shown")
	}
	calls, err := editsOf(ctx, e, file)
	if err != nil {
		return err
	}
	for _, r := range calls {
		if !b.Open() {
			break
		}
		raw, err := api.HookJSON.Call(ctx, e, api.EventRequest{ID: fmt.Sprint(r.Seq)})
		if err != nil {
			raw = r.Data // a large content is gone: the words of the edit are left
		}
		if e, ok := find.EditOf(r.Seq, raw); ok {
			b.Take(e)
		}
	}
	lines, err := blamed(ctx, e, b, calls, from, min(to, len(b.Lines)))
	if err != nil {
		return err
	}
	if e.JSON {
		return cmdline.PrintEach(&e.Console, lines)
	}
	return show.Paged(ctx, e, func() {
		printBlame(e, lines)
		if one {
			describeBlame(e, lines[0])
		}
	})
}

// editsOf are the recorded edits of a file, the newest first: those of its path, and of the same file in another work
// tree of the project.
func editsOf(ctx context.Context, e *env.Env, file string) ([]events.Record, error) {
	x, err := Index(ctx, e)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	real := config.Resolved(file)
	var found []find.Match
	for _, name := range slices.Compact([]string{filepath.Base(file), filepath.Base(real)}) { // a link's calls name either
		more, err := x.Search(ctx, find.Query{File: name, Tools: find.EditTools, Types: []string{events.TypeToolSucceeded}, Limit: mostEdits, Every: true})
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	slices.SortFunc(found, func(x, y find.Match) int { return cmp.Compare(y.Seq, x.Seq) })
	found = slices.CompactFunc(found, func(x, y find.Match) bool { return x.Seq == y.Seq })

	place := e.Place(filepath.Dir(real))
	projects, err := query.Projects(ctx, e)
	if err != nil {
		return nil, err
	}
	here := query.ProjectAt(projects, place.Path())
	var calls []events.Record
	err = EventsAt(ctx, e, found, func(m find.Match, r events.Record) {
		path := filepath.FromSlash(events.MemberText(events.Member(r.Data, "tool_input"), "file_path"))
		within, ok := strings.CutPrefix(path, filepath.FromSlash(r.Worktree)+string(filepath.Separator))
		sibling := ok && r.Worktree != "" && place.Worktree != "" && filepath.Join(place.Worktree, within) == real && query.CountsFor(projects, m.Project) == here
		if path == file || path == real || sibling {
			calls = append(calls, r)
		}
	})
	return calls, err
}

// blamed are lines with the call that wrote each.
func blamed(ctx context.Context, e *env.Env, b *find.Blame, calls []events.Record, from, to int) ([]blameJSON, error) {
	known := map[uint64]blameJSON{} // by the call: what its lines have in common
	for _, r := range calls {
		known[r.Seq] = blameJSON{Time: &r.Time, Session: r.Session, Agent: r.AgentID}
	}

	var out []blameJSON
	for n, o := range b.Result()[from-1 : to] {
		l, recorded := known[o.Event]
		if recorded && l.Line == 0 {
			c, _ := query.StateOf[session.State](ctx, e, session.Name, l.Session) // one that is not there has no title
			l.Title = c.Title
			q := api.EventsRequest{Session: l.Session, Types: []string{events.TypePromptSubmitted}, Until: past.AtSeq(o.Event), Last: 1}
			err := query.Records(ctx, e, q, func(p events.Record) { // the newest before the call led to it
				if event, ok := p.Event.(*events.PromptSubmitted); ok {
					l.Prompt = cmdline.Fit(cmdline.OneLine(event.Headline()), 300)
				}
			})
			if err != nil {
				return nil, err
			}
		}

		l.Line, l.Text = from+n, b.Lines[from+n-1]
		l.How, l.Event, l.After, l.Before = o.How, o.Event, o.After, o.Before
		if len(calls) == 0 {
			l.How = "unrecorded"
		}
		if recorded {
			known[o.Event] = l
		}
		out = append(out, l)
	}
	return out, nil
}

func printBlame(e *env.Env, lines []blameJSON) {
	width := 1
	if n := len(lines); n > 0 {
		width = len(strconv.Itoa(lines[n-1].Line))
	}
	for _, l := range lines {
		who := e.Paint.Faint(cmdline.Pad(nobody[l.How], 34))
		if l.Session != "" {
			event := fmt.Sprint(l.Event)
			if l.How == find.ByWords {
				event = "≈" + event
			}
			who = e.Paint.Session(show.Alias(l.Session)) + "  " + l.Time.In(e.Zone).Format("2006-01-02 15:04") + "  " + cmdline.Pad(event, 6)
		}
		e.Printf("%s  %s  %s\n", who, e.Paint.Faint(fmt.Sprintf("%*d", width, l.Line)), strings.ReplaceAll(l.Text, "\t", "    "))
	}
}

// nobody is where a line comes from that no recorded edit wrote.
var nobody = map[string]string{find.Earlier: "before the first recorded edit", find.Outside: "by no recorded edit", "unrecorded": "no recorded edit of this file"}

// describeBlame prints all that is known of one line.
func describeBlame(e *env.Env, l blameJSON) {
	e.Printf("\n")
	show.Fields(e, "session", show.Join("  ", l.Session, l.Title))
	show.Fields(e, "prompt", l.Prompt)
	if l.Event != 0 {
		show.Fields(e, "call", fmt.Sprintf("event %d (`hookctl events show %d`)", l.Event, l.Event))
	}
	show.Fields(e, "subagent", l.Agent)
	switch l.How {
	case find.ByWords:
		show.Fields(e, "doubt", "the file around this edit was not recorded; the line is one of its words")
	case find.Outside:
		words := "a person, a command or a formatter changed it"
		if l.After != 0 {
			words += fmt.Sprintf(" behind event %d", l.After)
		}
		if l.Before != 0 {
			words += fmt.Sprintf(" and before event %d", l.Before)
		}
		show.Fields(e, "doubt", words)
	case find.Earlier:
		show.Fields(e, "doubt", fmt.Sprintf("it was there before event %d, the first recorded edit of the file", l.Before))
	}
}

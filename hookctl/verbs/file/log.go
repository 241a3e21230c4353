package file

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookline/events/versions"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/show"
)

func logCommand(e *env.Env) *cobra.Command {
	return command.Verb(e, env.Hookfind, command.Text{
		Use:   "log PATH",
		Short: "List the versions of a file that the log knows",
		Long: "List the versions of a file that the log knows, the newest first: by which call of which session, how many lines came and\n" +
			"went, and how much of the content is known. \"outside\" is a change that no recorded call made, found by the call that is\n" +
			"named. PATH need not be there any more, and may lie outside of the project.",
		Example: "  hookctl file log parser.go\n" +
			"  hookctl file log parser.go -n all --json | jq -r 'select(.how == \"outside\")'",
	}, &logVerb{Last: 20}, cmdline.Exactly("a file"))
}

type logVerb struct {
	Last command.Count `flag:"n,n" help:"the newest N, or all"`
}

// versionJSON is a line of `file log --json`.
type versionJSON struct {
	How      string     `json:"how" jsonschema_description:"found: a call found it so; written: a call of a tool left it so; outside: changed by no recorded call; deleted; restored: by file restore"`
	Event    uint64     `json:"event,omitempty" jsonschema_description:"sequence of the call that left or read it so; absent where a call found it so before it changed it"`
	ID       string     `json:"id,omitempty" jsonschema_description:"of that event"`
	After    uint64     `json:"after,omitempty" jsonschema_description:"outside: the newest event before, after which the file was as the version before"`
	Before   uint64     `json:"before,omitempty" jsonschema_description:"the call that found it so before it changed it; --at before:EVENT shows it"`
	Time     *time.Time `json:"time,omitempty" jsonschema_description:"when the call was captured"`
	Session  string     `json:"session,omitempty" jsonschema_description:"whole id"`
	Agent    string     `json:"agent,omitempty" jsonschema_description:"the subagent that made the call"`
	Tool     string     `json:"tool,omitempty" jsonschema_description:"of the call"`
	Known    string     `json:"known" jsonschema_description:"how much of the content is known: whole, parts, nothing, or absent for no file"`
	Bytes    *int       `json:"bytes,omitempty" jsonschema_description:"size of the content, where it is known as a whole"`
	Lines    int        `json:"lines,omitempty" jsonschema_description:"of the file, where that is known"`
	Added    *int       `json:"added,omitempty" jsonschema_description:"lines that the version before has not, where that is known"`
	Removed  *int       `json:"removed,omitempty" jsonschema_description:"lines that only the version before has, where that is known"`
	Ends     string     `json:"ends,omitempty" jsonschema_description:"of the lines on disk, where its size tells: as recorded, or crlf"`
	Redacted bool       `json:"redacted,omitempty" jsonschema_description:"secrets of the content are replaced by markers"`
	Doubts   []string   `json:"doubts,omitempty" jsonschema_description:"what is not certain, in words"`
}

// jsonOf returns a version as it is printed.
func jsonOf(v versions.Version) versionJSON {
	j := versionJSON{
		How:      string(v.How),
		Event:    v.Seq,
		ID:       v.Event,
		After:    v.After,
		Before:   v.Before,
		Session:  v.Session,
		Agent:    v.Agent,
		Tool:     v.Tool,
		Known:    string(v.Known),
		Lines:    v.Lines,
		Ends:     string(v.Ends),
		Redacted: v.Redacted,
		Doubts:   v.Doubts,
	}
	if v.Known == versions.Whole {
		size := len(v.OnDisk())
		j.Bytes = &size
	}
	if v.Counted {
		j.Added, j.Removed = &v.Added, &v.Removed
	}
	if v.Seq != 0 {
		j.Time = &v.Time
	}
	return j
}

// row is a version as the list shows it.
type row struct {
	versionJSON
	known string // in words
}

// Run lists the versions.
func (f *logVerb) Run(ctx context.Context, e *env.Env, args []string) error {
	return Log(ctx, e, args[0], f.Last)
}

// Log lists the newest versions of a file.
func Log(ctx context.Context, e *env.Env, path string, last command.Count) error {
	t := targetOf(e, path)
	var list []row
	var newest versions.Version
	left, err := walk(ctx, e, t, func(v versions.Version) {
		newest = v
		list = append(list, row{jsonOf(v), knownWords(v)})
	})
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return noVersion(t, moment{}, newest)
	}

	if left > 0 {
		e.Say("warning: " + leftOut(left))
	}
	slices.Reverse(list)
	if last != command.All {
		list = list[:min(len(list), int(last))]
	}
	if e.JSON {
		return cmdline.PrintEach(&e.Console, jsonRows(list))
	}
	return show.Paged(ctx, e, func() {
		e.Printf("%s\n", e.Paint.Faint(nowWords(t, newest)))
		printRows(e, list)
	})
}

// jsonRows returns the rows as they are printed with --json.
func jsonRows(list []row) []versionJSON {
	out := make([]versionJSON, len(list))
	for i, r := range list {
		out[i] = r.versionJSON
	}
	return out
}

// printRows prints the list for people; what is doubtful of a version stands on lines of its own.
func printRows(e *env.Env, list []row) {
	t := e.Table("EVENT", "WHEN", "SESSION", "CALL", "LINES", "KNOWN")
	for _, r := range list {
		event := fmt.Sprint(r.Event)
		when := ""
		if r.Event == 0 {
			event = fmt.Sprint("before ", r.Before)
		} else {
			when = show.Ago(e, *r.Time)
		}
		known := r.known
		if len(r.Doubts) > 0 {
			known += " (" + strings.Join(r.Doubts, "; ") + ")"
		}
		t.Row(event, show.OrDash(when), show.OrDash(show.Alias(r.Session)), callWords(r.versionJSON), countWords(r.versionJSON), known)
	}
	t.Prose = true
	t.Drop = []string{"SESSION", "WHEN"}
	t.Print()
}

// callWords says what made a version.
func callWords(v versionJSON) string {
	switch v.How {
	case string(versions.Outside):
		if v.After == 0 {
			return "changed outside"
		}
		return fmt.Sprint("changed outside after ", v.After)
	case string(versions.Found):
		return show.Join(" ", "found", v.Tool)
	case string(versions.Deleted):
		return show.Join(" ", "deleted", v.Tool)
	case string(versions.Restored):
		return "file restore"
	}
	return v.Tool
}

// countWords says how many lines came and went.
func countWords(v versionJSON) string {
	if v.Added == nil {
		return "?"
	}
	return fmt.Sprintf("+%d −%d", *v.Added, *v.Removed)
}

// knownWords says how much of a version's content is known.
func knownWords(v versions.Version) string {
	words := ""
	switch v.Known {
	case versions.Whole:
		words = cmdline.Plural(v.Lines, "line")
	case versions.Absent:
		return "no file"
	case versions.Nothing:
		return "nothing is known of it"
	case versions.Parts:
		words = "only parts: " + partWords(v)
	}
	if v.Redacted {
		words += ", secrets replaced"
	}
	if v.Ends == versions.CRLF {
		words += ", CRLF"
	}
	return words
}

// mostRanges bounds how many runs of lines are named.
const mostRanges = 4

// partWords names the lines that are known of a version.
func partWords(v versions.Version) string {
	var ranges []string
	texts := 0
	for _, p := range v.Pieces {
		if p.Line == 0 {
			texts++
			continue
		}
		ranges = append(ranges, lineRange(p, v.Lines))
	}
	if n := len(ranges) - mostRanges; n > 0 {
		ranges = append(ranges[:mostRanges], fmt.Sprintf("%d more", n))
	}

	words := ""
	if len(ranges) > 0 {
		words = "lines " + strings.Join(ranges, ", ")
		if v.Lines > 0 {
			words += fmt.Sprint(" of ", v.Lines)
		}
	}
	if texts > 0 {
		words = show.Join(" and ", words, cmdline.Plural(texts, "edited text"))
	}
	return words
}

// lineRange names the lines of a part of a file, which has so many; 0 where that is unknown.
func lineRange(p versions.Part, lines int) string {
	last := p.Line + strings.Count(p.Text, "\n")
	if lines > 0 { // behind the last end of a line is none
		last = min(last, lines)
	}
	if last == p.Line {
		return fmt.Sprint(p.Line)
	}
	return fmt.Sprintf("%d–%d", p.Line, last)
}

// nowWords says how the file on disk is to its newest version.
func nowWords(t target, newest versions.Version) string {
	content, there := onDisk(t)
	event := cmp.Or(newest.Seq, newest.Before)
	switch {
	case !there && newest.Known == versions.Absent:
		return "There is no such file on disk, as event " + fmt.Sprint(event) + " left it."
	case !there:
		return "There is no such file on disk now."
	case newest.Redacted:
		return "Whether the file on disk is as event " + fmt.Sprint(event) + " left it is not known: secrets were replaced."
	case sameAsNow(newest, content):
		return "The file on disk is as event " + fmt.Sprint(event) + " left it."
	case newest.Known == versions.Whole || newest.Known == versions.Absent:
		return "The file on disk was changed outside after event " + fmt.Sprint(event) + "."
	}
	return "Whether the file on disk is as event " + fmt.Sprint(event) + " left it is not known."
}

package verbs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
	"hookline/hookctl/transcript"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/show"
)

type importTranscriptsVerb struct {
	Dry bool `flag:"dry-run" help:"only count what there is"`
}

// clientFolder is where the client keeps its transcripts.
func clientFolder(e *env.Env) string {
	return filepath.Join(cmp.Or(e.Getenv("CLAUDE_CONFIG_DIR"), filepath.Join(e.UserHome(), ".claude")), "projects")
}

// mostPaths bounds the request, in bytes.
const mostPaths = 32 << 10

func (f *importTranscriptsVerb) Run(ctx context.Context, e *env.Env, args []string) error {
	if len(args) == 0 {
		args = []string{clientFolder(e)}
	}
	paths := make([]string, 0, len(args))
	for _, arg := range args {
		path := e.Absolute(arg)
		info, err := os.Stat(path)
		if arg == "" { // as of a variable that is not set: it would be the current folder
			err = errors.New("a path is empty")
		}
		if err == nil && !info.IsDir() && filepath.Ext(path) != ".jsonl" {
			err = fmt.Errorf("%s is no transcript", path)
		}
		if err != nil {
			return problem.Faultf("%v", err).Advise("a path is a transcript, or a folder with some, as ~/.claude/projects")
		}
		paths = append(paths, path)
	}
	r, text, err := awaitImport(ctx, e, paths, f.Dry)
	if err != nil {
		return err
	}
	return e.Verdict(text, len(r.Problems) == 0, func() { printTranscripts(e, r) })
}

// awaitImport gives what the daemon found, read and as it came; meanwhile it shows how far that is, in bytes of the files.
func awaitImport(ctx context.Context, e *env.Env, paths []string, dry bool) (r transcript.Imported, text json.RawMessage, err error) {
	list, err := json.Marshal(paths)
	if err != nil {
		return r, nil, fmt.Errorf("name the paths: %w", err)
	}
	if len(url.QueryEscape(string(list))) > mostPaths {
		return r, nil, problem.Faultf("%d paths are too many at once", len(paths)).Advise("name the folder that they are in")
	}
	if _, err := e.Started(ctx); err != nil {
		return r, nil, err
	}
	var size int64
	found, _ := transcript.Sessions(paths) // its problems are told by the daemon
	for _, s := range found {
		size += s.Size
	}
	m := e.Meter("importing")
	m.Bytes = true
	defer m.End()
	told := func(done, _ uint64) { m.At(done, uint64(size)) }
	return api.ImportTranscripts.RunJSON(ctx, e.Changing(), api.TranscriptsRequest{Paths: paths, DryRun: dry}, told)
}

func printTranscripts(e *env.Env, r transcript.Imported) {
	word := " added"
	if r.DryRun {
		word = " to add; nothing was changed"
	}
	e.Printf("%s\nfiles     %s, %s\nsessions  %s, %s of them new\nlines     %s: %s with what was said and done, %s of the client's own\n"+
		"hooks     %s: %s added, %s known, %s recorded live\n",
		e.Paint.Good(cmdline.Plural(r.Added, "hook")+word), cmdline.Count(r.Files), cmdline.Bytes(uint64(r.Bytes)),
		cmdline.Count(r.Sessions), cmdline.Count(r.New), cmdline.Count(r.Lines), cmdline.Count(r.Used), cmdline.Count(r.Other),
		cmdline.Count(r.Hooks), cmdline.Count(r.Added), cmdline.Count(r.Known), cmdline.Count(r.Live))
	some := func(n int, name, what string) {
		if n > 0 {
			e.Printf("%-9s %s %s\n", name, cmdline.Count(n), what)
		}
	}
	some(r.Copies, "copies", "of lines of other files, left out")
	some(r.Torn, "torn", "that cannot be read, left out")
	some(r.Deleted, "deleted", "of sessions that stay deleted")
	some(r.Redacted, "redacted", "secrets replaced")
	for _, name := range show.SortedKeys(r.Unknown) {
		some(r.Unknown[name], "unknown", "of type "+show.OrDash(name)+", left out")
	}
	e.Printf("log       up to sequence %s\n", cmdline.Count(r.Seq))
	for _, problem := range r.Problems {
		e.Say("could not be read: " + problem)
	}
}

// gapsJSON is what `doctor --gaps --json` prints.
type gapsJSON struct {
	Sessions int              `json:"sessions" jsonschema_description:"that the transcripts are of"`
	Live     int              `json:"live" jsonschema_description:"hooks of theirs that were recorded when they happened"`
	Missing  int              `json:"missing" jsonschema_description:"prompts and tool calls of sessions that were recorded, whose hooks were not"`
	Gaps     []transcript.Gap `json:"gaps" jsonschema_description:"those, the first 1,000"`
}

// causes are the causes of gaps in words.
var causes = map[string]string{
	transcript.CauseBefore:    "before the session's first recorded hook: the hooks were installed, or switched on, later",
	transcript.CauseAfter:     "after the session's last recorded hook: the hooks were removed, or switched off",
	transcript.CauseLost:      "the log notes that a hook of this session was lost",
	transcript.CauseNotHooked: "no hook of this name and tool was recorded in this session: it is not installed, as with the profile identity",
	transcript.CauseUnknown:   "unknown: the client did not call the hook, or it was ended from outside",
}

// arriving is how long a hook may be on its way: until then it is no gap.
const arriving = 10 * time.Second

// gaps compares the client's transcripts with the log. It exits 1 where a hook is missing between others.
func gaps(ctx context.Context, e *env.Env) error {
	dir := clientFolder(e)
	if _, err := os.Stat(dir); err != nil {
		return problem.Faultf("%v", err).Advise("CLAUDE_CONFIG_DIR names the client's folder, whose projects has the transcripts")
	}
	found, _, err := awaitImport(ctx, e, []string{dir}, true)
	if err != nil {
		return err
	}
	out := gapsJSON{Sessions: found.Sessions, Live: found.Live, Missing: found.Missing, Gaps: []transcript.Gap{}}
	for _, g := range found.Gaps {
		if e.Now().Sub(g.Time) < arriving {
			out.Missing--
			continue
		}
		out.Gaps = append(out.Gaps, g)
	}

	bad := slices.ContainsFunc(out.Gaps, func(g transcript.Gap) bool {
		return g.Cause == transcript.CauseLost || g.Cause == transcript.CauseUnknown
	})
	return e.Verdict(out, !bad, func() {
		if out.Missing == 0 {
			e.Printf(e.Paint.Good("no gaps: of %s in the transcripts of %s, all that could be recorded were")+"\n", cmdline.Plural(out.Live, "recorded hook"), cmdline.Plural(out.Sessions, "session"))
			return
		}
		e.Printf("%s\n", e.Paint.Warn(cmdline.Plural(out.Missing, "hook")+" never came; `hookctl import transcripts` takes them from the transcripts"))
		t := e.Table("SESSION", "TIME", "HOOK", "CAUSE")
		t.Prose = true
		for _, g := range out.Gaps {
			t.Row(show.Alias(g.Session), show.Stamp(e, g.Time), g.Hook, causes[g.Cause])
		}
		t.Print()
	})
}

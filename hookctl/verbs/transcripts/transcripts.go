// Package transcripts has `hookctl import transcripts`: past sessions are taken into the log.
package transcripts

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
	"hookline/hookctl/transcript"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/show"
)

// Command returns the command that takes past sessions into the log.
func Command(e *env.Env) *cobra.Command {
	return cmdline.Noun("import", "Take past sessions into the log", "  hookctl import transcripts",
		command.Verb(e, env.Store, command.Text{
			Use:   "transcripts [PATH…]",
			Short: "Take what the client's transcripts have and the log has not",
			Long: "Take what the client's transcripts have and the log has not: prompts, tool calls with their outcome, turns,\n" +
				"subagents and compactions become the events that their hooks would have made, with their own times. Without\n" +
				"a path it takes the client's own folder; a path is a file or a folder. What hooks recorded is left as it is,\n" +
				"importing twice changes nothing, and deleted sessions stay deleted. No transcript is changed. A file that\n" +
				"cannot be read is named: the exit code is 1 then.",
			Example: "  hookctl import transcripts\n" +
				"  hookctl import transcripts --dry-run ~/backup/projects",
		}, &verb{}))
}

// Outputs has the types of what the verbs of this package print with --json.
var Outputs = cmdline.Outputs{
	"import transcripts": transcript.Imported{},
}

type verb struct {
	Dry bool `flag:"dry-run" help:"only count what there is"`
}

// ClientFolder is where the client keeps its transcripts.
func ClientFolder(e *env.Env) string {
	return filepath.Join(cmp.Or(e.Getenv("CLAUDE_CONFIG_DIR"), filepath.Join(e.UserHome(), ".claude")), "projects")
}

// mostPaths bounds the request, in bytes.
const mostPaths = 32 << 10

func (f *verb) Run(ctx context.Context, e *env.Env, args []string) error {
	if len(args) == 0 {
		args = []string{ClientFolder(e)}
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
	r, text, err := Import(ctx, e, paths, f.Dry)
	if err != nil {
		return err
	}
	return e.Verdict(text, len(r.Problems) == 0, func() { printTranscripts(e, r) })
}

// Import gives what the daemon found, read and as it came; meanwhile it shows how far that is, in bytes of the files.
func Import(ctx context.Context, e *env.Env, paths []string, dry bool) (r transcript.Imported, text json.RawMessage, err error) {
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

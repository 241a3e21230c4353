package verbs

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"hookline/hookctl/client"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
	"hookline/hookctl/transcript"
)

func (a *app) importCmd() *cobra.Command {
	return cmdline.Noun("import", "Take past sessions into the log", "  hookctl import transcripts",
		a.verb(needStore, &cobra.Command{
			Use:   "transcripts [PATH…]",
			Short: "Take what the client's transcripts have and the log has not",
			Long: "Take what the client's transcripts have and the log has not: prompts, tool calls with their outcome, turns,\n" +
				"subagents and compactions become the events that their hooks would have made, with their own times. Without\n" +
				"a path it takes the client's own folder; a path is a file or a folder. What hooks recorded is left as it is,\n" +
				"importing twice changes nothing, and deleted sessions stay deleted. No transcript is changed. A file that\n" +
				"cannot be read is named: the exit code is 1 then.",
			Example: "  hookctl import transcripts\n  hookctl import transcripts --dry-run ~/backup/projects",
		}, &importTranscriptsVerb{}))
}

type importTranscriptsVerb struct {
	Dry bool `flag:"dry-run" help:"only count what there is"`
}

func (f *importTranscriptsVerb) run(a *app, args []string) error {
	return a.importTranscripts(args, f.Dry)
}

// clientFolder is where the client keeps its transcripts.
func (a *app) clientFolder() string { return filepath.Join(a.clientConfig(), "projects") }

// mostPaths bounds the request, in bytes.
const mostPaths = 32 << 10

func (a *app) importTranscripts(args []string, dry bool) error {
	if len(args) == 0 {
		args = []string{a.clientFolder()}
	}
	paths := make([]string, 0, len(args))
	for _, path := range args {
		if !filepath.IsAbs(path) {
			path = filepath.Join(a.Cwd, path)
		}
		info, err := os.Stat(path)
		if err == nil && !info.IsDir() && filepath.Ext(path) != ".jsonl" {
			err = fmt.Errorf("%s is no transcript", path)
		}
		if err != nil {
			return problem.Faultf("%v", err).Advise("a path is a transcript, or a folder with some, as ~/.claude/projects")
		}
		paths = append(paths, path)
	}
	raw, r, err := a.awaitImport(paths, dry)
	if err != nil {
		return err
	}
	return a.Verdict(raw, len(r.Problems) == 0, func() { a.printTranscripts(r) })
}

// awaitImport gives what the daemon found, as it came and read; meanwhile it shows how far that is, in bytes of the files.
func (a *app) awaitImport(paths []string, dry bool) (raw json.RawMessage, r transcript.Imported, err error) {
	list, err := json.Marshal(paths)
	if err != nil {
		return nil, r, fmt.Errorf("name the paths: %w", err)
	}
	query := url.Values{"paths": {string(list)}}
	if dry {
		query.Set("dry_run", "1")
	}
	if len(query.Encode()) > mostPaths {
		return nil, r, problem.Faultf("%d paths are too many at once", len(paths)).Advise("name the folder that they are in")
	}
	if _, err := a.started(); err != nil {
		return nil, r, err
	}
	var size int64
	found, _ := transcript.Sessions(paths) // its problems are told by the daemon
	for _, s := range found {
		size += s.Size
	}
	m := a.Meter("importing").InBytes()
	raw, err = client.ReadLong(func(line func([]byte) error) error {
		return a.stream(http.MethodPost, "/v1/do/import", query, line)
	}, func(done, _ uint64) { m.At(done, uint64(size)) })
	m.End()
	if err != nil {
		return nil, r, err
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, r, fmt.Errorf("read what was found: %w", err)
	}
	return raw, r, nil
}

func (a *app) printTranscripts(r transcript.Imported) {
	word := " added"
	if r.DryRun {
		word = " to add; nothing was changed"
	}
	a.Printf("%s\n", a.Paint.Good(cmdline.Plural(r.Added, "hook")+word))
	a.Printf("files     %s, %s\n", cmdline.Count(r.Files), cmdline.Bytes(uint64(r.Bytes)))
	a.Printf("sessions  %s, %s of them new\n", cmdline.Count(r.Sessions), cmdline.Count(r.New))
	a.Printf("lines     %s: %s with what was said and done, %s of the client's own\n",
		cmdline.Count(r.Lines), cmdline.Count(r.Used), cmdline.Count(r.Other))
	a.Printf("hooks     %s: %s added, %s known, %s recorded live\n", cmdline.Count(r.Hooks),
		cmdline.Count(r.Added), cmdline.Count(r.Known), cmdline.Count(r.Live))
	for _, line := range []struct {
		name, what string
		n          int
	}{
		{"copies", "of lines of other files, left out", r.Copies}, {"torn", "that cannot be read, left out", r.Torn},
		{"deleted", "of sessions that stay deleted", r.Deleted}, {"redacted", "secrets replaced", r.Redacted},
	} {
		if line.n > 0 {
			a.Printf("%-9s %s %s\n", line.name, cmdline.Count(line.n), line.what)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Unknown)) {
		a.Printf("unknown   %s of type %s, left out\n", cmdline.Count(r.Unknown[name]), orDash(name))
	}
	a.Printf("log       up to sequence %s\n", cmdline.Count(r.Seq))
	for _, problem := range r.Problems {
		a.Say("could not be read: " + problem)
	}
}

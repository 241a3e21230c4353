// Package file has the verbs of `hookctl file`: a file as the agent's tools saw and wrote it, at any point of the log. They
// run in the program hookfind, whose index knows the calls about a file.
package file

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/events/versions"
	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/config"
	"hookline/hookctl/find"
	"hookline/hookctl/problem"
	"hookline/hookctl/safeopen"
	"hookline/hookctl/verbs/env"
	findverb "hookline/hookctl/verbs/find"
)

// Command returns the noun with its verbs.
func Command(e *env.Env) *cobra.Command {
	c := cmdline.Noun("file", "Show a file as it was at any point of the log",
		"  hookctl file log parser.go\n"+
			"  hookctl file show parser.go --at 10m",
		logCommand(e),
		showCommand(e),
		restoreCommand(e),
	)
	c.Long = "A file's versions come from what the agent's tools read and wrote: Write, Edit, MultiEdit, NotebookEdit, Read, and the\n" +
		"patches of Codex. Changes by a person, a command or a formatter are noticed by the next call that finds another\n" +
		"content, and said; so is what is known in parts only. Nothing is guessed."
	return c
}

// Outputs has the types of what the verbs of this package print with --json.
var Outputs = cmdline.Outputs{
	"file log":     []versionJSON{},
	"file restore": restoredJSON{},
	"file show":    contentJSON{},
}

// Bounds of a history.
const (
	mostCalls   = 10_000   // about files of that name, the newest
	mostFound   = 4000     // of them by one question to the index
	mostOnDisk  = 64 << 20 // bytes of a file that is read
	callsAtOnce = 100      // that are read from the log in one request
)

// target is the file that is asked for.
type target struct {
	given string
	path  string   // absolute, as it was given
	real  string   // the same without links in its folders
	names []string // by which calls may mean it
}

// targetOf returns the file that was typed.
func targetOf(e *env.Env, given string) target {
	path := filepath.Clean(e.Absolute(given))
	if ofWindows.MatchString(given) {
		path = given // from a session that was imported, which this machine does not have
	}
	t := target{given: given, path: path}
	t.real = filepath.Join(realFolder(filepath.Dir(path)), filepath.Base(path))
	for _, name := range []string{path, t.real, config.Resolved(path)} {
		if !slices.Contains(t.names, name) {
			t.names = append(t.names, name)
		}
	}
	return t
}

// ofWindows matches an absolute path of Windows.
var ofWindows = regexp.MustCompile(`^[A-Za-z]:[\\/]`)

// realFolder returns the path of a folder without links; of one that is not there those of its nearest parent that is.
func realFolder(folder string) string {
	rest := ""
	for at := folder; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if at == filepath.Dir(at) {
			return folder
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// nameIn returns the last name of a path, whose folders may be parted as on Windows.
func nameIn(path string) string {
	if ofWindows.MatchString(path) {
		path = strings.ReplaceAll(path, `\`, "/")
	}
	return filepath.Base(path)
}

// walk gives the versions of the file, the oldest first. It returns the number of calls that were left out, the oldest.
func walk(ctx context.Context, e *env.Env, t target, each func(versions.Version)) (left int, err error) {
	found, err := callsAbout(ctx, e, t)
	if err != nil {
		return 0, err
	}
	left = max(0, len(found)-mostCalls)
	history := versions.New(t.names...)
	for part := range slices.Chunk(found[left:], callsAtOnce) {
		var records []events.Record
		err := findverb.EventsAt(ctx, e, part, func(_ find.Match, r events.Record) {
			if history.Concerns(r) {
				records = append(records, r)
			}
		})
		if err != nil {
			return left, err
		}
		for _, r := range records {
			for _, v := range history.Take(r, wholeData(ctx, e, r)) {
				each(v)
			}
		}
	}
	return left, nil
}

// wholeData returns the data of a record with its large contents, nil where one of them is gone.
func wholeData(ctx context.Context, e *env.Env, r events.Record) []byte {
	isWhole := !bytes.Contains(r.Data, []byte(`blob"`))
	if isWhole {
		return r.Data
	}
	whole, err := api.HookJSON.Call(ctx, e, api.EventRequest{ID: fmt.Sprint(r.Seq)})
	if err != nil {
		return nil
	}
	return whole
}

// callsAbout returns the events that may tell of the file, in the order of their capture.
func callsAbout(ctx context.Context, e *env.Env, t target) ([]find.Match, error) {
	x, err := findverb.Index(ctx, e)
	if err != nil {
		return nil, err
	}
	defer x.Close()

	var all []find.Match
	for _, q := range questions(t) {
		q.Limit = mostFound
		q.Every = true
		found, err := x.Search(ctx, q)
		if err != nil {
			return nil, problem.Faultf("search the calls about %s: %w", t.given, err).Advise("`hookctl doctor` looks at the index")
		}
		all = append(all, found...)
	}
	slices.SortFunc(all, func(a, b find.Match) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Seq, b.Seq))
	})
	return slices.CompactFunc(all, func(a, b find.Match) bool { return a.Seq == b.Seq }), nil
}

// mostFolders bounds the folders above a file whose removal is looked for; names further up are in many commands.
const mostFolders = 3

// questions returns what the index is asked about a file.
func questions(t target) []find.Query {
	succeeded := []string{events.TypeToolSucceeded}
	list := []find.Query{{Words: []string{"unlink"}, Types: []string{events.TypeFileChanged}}}
	restored := []string{events.TypeFileRestored}

	var asked []string
	for _, name := range t.names {
		base := nameIn(name)
		if slices.Contains(asked, base) {
			continue
		}
		asked = append(asked, base)
		list = append(list,
			find.Query{Words: []string{base}, Types: restored},
			find.Query{File: base, Types: succeeded, Tools: versions.Tools},
			find.Query{Command: base, Types: succeeded, Tools: versions.CommandTools})
	}

	folders := strings.Split(filepath.ToSlash(filepath.Dir(t.path)), "/")
	for _, folder := range folders[max(0, len(folders)-mostFolders):] {
		for _, word := range []string{"rm ", "mv "} {
			list = append(list, find.Query{Command: word + folder, Types: succeeded, Tools: []string{"Bash"}})
		}
	}
	return list
}

// onDisk returns the file's content as it is now; there is false where no regular file can be read.
func onDisk(t target) (content string, there bool) {
	info, err := os.Stat(t.path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostOnDisk {
		return "", false
	}
	data, err := safeopen.ReadFile(safeopen.Foreign, t.path, mostOnDisk)
	return string(data), err == nil
}

// sameAsNow reports whether a content on disk is a version's, whatever the ends of its lines.
func sameAsNow(v versions.Version, content string) bool {
	return v.Known == versions.Whole && plainEnds(v.Content) == plainEnds(content)
}

// plainEnds returns a text whose lines end with "\n".
func plainEnds(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

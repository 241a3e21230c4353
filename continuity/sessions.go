package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"hookline/events"
	"hookline/hookctl/transcript"
)

// session is one recorded session with what the model was told in it.
type session struct {
	id         string
	cwd        string // where it was launched, as recorded
	root       string // its work tree, where it is played
	repo       string // the repository of that, as recorded; of a folder without one the folder
	entrypoint string // how the client was started, as recorded
	origin     string // the session that it is a fork of
	files      []*file
	steps      []step

	back func(told string) string // with the paths as they were recorded
}

// file is one transcript: that of a session, or of a subagent of it.
type file struct {
	path  string   // as recorded
	below string   // the same below the folder of its project
	lines [][]byte // as recorded
	hooks []recorded
}

// recorded is a hook with its place.
type recorded struct {
	transcript.Hook
	session *session
	file    *file
	line    int       // that the hook stands for, from 1
	at      time.Time // when it is played: a file's hooks keep their order
}

// step is a hook as it is judged.
type step struct {
	event events.Event
	time  time.Time
	file  string          // the transcript
	line  int             // and its line
	told  string          // what the model was told with it
	asked string          // what it would have been told by a compaction after it; "": not asked
	paths map[string]path // those that were told, as they were on the disk at that moment
	gone  map[string]bool // files that calls worked on and that are not there for sure; at a start, and where it was asked
}

// project is the recorded sessions of one folder.
type project struct {
	name     string
	sessions []*session
}

// Paths of Windows in a line, as JSON has them.
var (
	onWindows   = regexp.MustCompile(`"cwd":"[A-Za-z]:(\\\\|/)`)
	windowsText = regexp.MustCompile(`"[A-Za-z]:\\\\(?:[^"\\]|\\\\){1,400}"`) // a path is all of the text
	windowsPath = regexp.MustCompile(`\b[A-Za-z]:((\\{2,4}|/)[^\\"/:*?<>|\s]+)+`)
	backslashes = regexp.MustCompile(`\\+`)
)

// posix returns a line of a machine with Windows with the paths that the shell there has: /c/Users for C:\Users. Relative
// paths with backslashes stay as they are.
func posix(line []byte) []byte {
	if !onWindows.Match(line) {
		return line
	}
	line = windowsText.ReplaceAllFunc(line, func(found []byte) []byte {
		return append([]byte(`"/`+strings.ToLower(string(found[1:2]))), bytes.ReplaceAll(found[3:], []byte(`\\`), []byte("/"))...)
	})
	return windowsPath.ReplaceAllFunc(line, func(found []byte) []byte {
		drive := "/" + strings.ToLower(string(found[:1]))
		return append([]byte(drive), backslashes.ReplaceAll(found[2:], []byte("/"))...)
	})
}

// projects groups sessions by the folder below the given paths that they lie in; together makes them one.
func projects(paths []string, list []transcript.Session, together bool) []project {
	by := map[string][]transcript.Session{}
	for _, s := range list {
		name := ""
		if !together {
			name = folderOf(paths, s.Main)
		}
		by[name] = append(by[name], s)
	}

	var all []project
	for name, sessions := range by {
		all = append(all, project{name: cmp.Or(name, filepath.Base(paths[0])), sessions: loaded(paths, sessions)})
	}
	slices.SortFunc(all, func(a, b project) int { return strings.Compare(a.name, b.name) })
	return all
}

// folderOf returns the first folder of a file below the one of the given paths that holds it, "" for none.
func folderOf(paths []string, name string) string {
	first, _, deeper := strings.Cut(belowAny(paths, name), string(filepath.Separator))
	if !deeper {
		return ""
	}
	return first
}

// belowAny returns a path below the one of the given ones that holds it.
func belowAny(paths []string, name string) string {
	for _, root := range paths {
		real, err := filepath.EvalSymlinks(root)
		if err != nil {
			continue
		}
		if rel, err := filepath.Rel(real, name); err == nil && filepath.IsLocal(rel) && rel != "." {
			return rel
		}
	}
	return filepath.Base(name)
}

// loaded reads sessions. A line that an earlier one of them has, too, counts there alone. What cannot be played or read
// is named and left out.
func loaded(paths []string, list []transcript.Session) []*session {
	var out []*session
	seen := map[string]bool{}
	for _, files := range list {
		if files.Main == "" {
			continue
		}
		s := &session{origin: transcript.Origin(files.Main)}
		for _, name := range append([]string{files.Main}, files.Agents...) {
			f, err := read(s, name, seen)
			if err != nil {
				fmt.Fprintln(os.Stderr, "continuity: warning:", err)
				continue
			}
			f.below = belowAny(paths, name)
			s.files = append(s.files, f)
		}
		if len(s.files) == 0 || len(s.files[0].hooks) == 0 {
			continue
		}

		first := s.files[0].hooks[0]
		s.id, s.cwd, s.entrypoint = first.Session, first.Cwd, first.Facts.Entrypoint
		out = append(out, s)
	}
	slices.SortStableFunc(out, func(a, b *session) int {
		return cmp.Or(a.files[0].hooks[0].at.Compare(b.files[0].hooks[0].at), strings.Compare(a.id, b.id))
	})
	return out
}

// read makes the hooks of a file, each with its place.
func read(of *session, name string, seen map[string]bool) (*file, error) {
	f := &file{path: name}
	r := transcript.NewReader(name)
	r.Batches = true
	r.Seen = seen
	var times []time.Time
	add := func(hooks []transcript.Hook) {
		for _, h := range hooks {
			if h.Agent == "sidechain" { // of an older client: nobody knows which subagent's
				continue
			}
			at := h.Time
			if n := len(f.hooks); n > 0 && f.hooks[n-1].at.After(at) {
				at = f.hooks[n-1].at
			}
			f.hooks = append(f.hooks, recorded{Hook: h, session: of, file: f, line: lineOf(times, h.Time), at: at})
		}
	}
	err := transcript.Read(name, func(text []byte) error {
		var line struct {
			Time time.Time `json:"timestamp"`
		}
		_ = json.Unmarshal(text, &line) // a line without a time stands for no hook
		text = bytes.Clone(posix(text))
		f.lines = append(f.lines, text)
		times = append(times, line.Time.UTC().Truncate(time.Millisecond))
		add(r.Hooks(text))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(f.lines) == 0 {
		return nil, errors.New(name + " is empty")
	}
	add(r.End())
	return f, nil
}

// lineOf returns the newest line of a time, from 1; the newest of all where none has it.
func lineOf(times []time.Time, at time.Time) int {
	for i, t := range slices.Backward(times) {
		if t.Equal(at) {
			return i + 1
		}
	}
	return len(times)
}

// readable returns how many lines of its own file a hook can read: the client writes a prompt, an outcome and a compaction
// when their hooks have answered, and a call or the words that end a turn before.
func (r recorded) readable() int {
	if strings.HasPrefix(r.Agent, "compact-") {
		return r.line - 2 // neither the boundary nor the summary
	}
	switch r.Name {
	case "PreToolUse", "PostToolBatch", "Stop", "SubagentStop":
		return r.line
	}
	return r.line - 1
}

// inOrder returns all hooks of sessions in the order of their times: those of several sessions at once interleave.
func inOrder(sessions []*session) []recorded {
	var queues [][]recorded
	total := 0
	for _, s := range sessions {
		for _, f := range s.files {
			queues = append(queues, f.hooks)
			total += len(f.hooks)
		}
	}

	all := make([]recorded, 0, total)
	for {
		next := -1
		for i, q := range queues {
			if len(q) > 0 && (next < 0 || q[0].at.Before(queues[next][0].at)) {
				next = i
			}
		}
		if next < 0 {
			return all
		}
		all = append(all, queues[next][0])
		queues[next] = queues[next][1:]
	}
}

package working

import (
	"path"
	"slices"
	"strings"
	"time"

	"hookline/events"
	"hookline/events/action"
	"hookline/events/copies"
	"hookline/events/wording"
)

// Files that the session read, edited and created.

// What a call does to a file.
const (
	reads = iota
	edits
	creates
)

// fileRestored takes in that the session wrote a file as it was before.
func (s *State) fileRestored(r events.Record, e *events.FileRestored) { s.touched(r, e.File, edits) }

// changes are what a call does that changes a file, by whether that is new.
var changes = map[bool]int{false: edits, true: creates}

// prose are the endings of files that no test or build is about.
var prose = strings.Fields(".md .markdown .txt .rst .adoc .log .csv")

// touched takes in that a file was read or changed; what passed before says nothing of changed code.
func (s *State) touched(r events.Record, file string, how int) {
	if file == "" || len(file) > maxPath || strings.ContainsAny(file, "\n\r\x00") {
		return
	}

	files, f := copies.Take(s.Files, func(f File) bool { return f.Path == file })
	switch how {
	case reads:
		f.Read++
	case edits:
		f.Edited++
	case creates:
		f.Created = true
	}
	f.Path, f.Event, f.Time, f.Known, f.Stamp = file, r.ID, r.Time, false, ""
	if r.Facts != nil {
		f.Stamp = wording.Short(r.Facts.Seen, maxLine)
	}
	if len(files) >= maxFiles { // a file that was only read goes first
		i := max(0, slices.IndexFunc(files, func(f File) bool { return !f.Changed() }))
		files = slices.Delete(files, i, i+1)
	}
	s.Files = append(files, f)

	if how != reads {
		s.changedFile(r, file)
		s.editedSince(file)
	}
	if how != reads && !slices.Contains(prose, strings.ToLower(path.Ext(file))) {
		s.Unproved = noteOf(r, file, maxPath)
		s.Evidence = nil
	}
}

// File is a file that the session's tools touched.
type File struct {
	Path    string    `json:"path" jsonschema_description:"as the tool named it"`
	Read    int       `json:"read,omitempty" jsonschema_description:"times"`
	Edited  int       `json:"edited,omitempty" jsonschema_description:"times, creation not counted"`
	Created bool      `json:"created,omitempty" jsonschema_description:"by this session"`
	Known   bool      `json:"known,omitempty" jsonschema_description:"the newest summary of a compaction names it"`
	Stamp   string    `json:"stamp,omitempty" jsonschema_description:"its size and time when it was seen last"`
	Event   string    `json:"event" jsonschema_description:"id of the newest event"`
	Time    time.Time `json:"time" jsonschema_description:"of the newest event"`
}

// Changed reports whether the session edited or created the file.
func (f File) Changed() bool { return f.Created || f.Edited > 0 }

// relocated follows the files of the session when a command moved or removed them. What the words do not say, as the
// names behind a pattern, is left to who tells of the files: it asks the disk.
func (s *State) relocated(cwd string, call events.Call) {
	folder := events.Folder(call.Input.Command.Text(), cwd)
	if folder == "" {
		return
	}
	for _, run := range call.Runs {
		words := run.Words
		if words[0] == "git" && len(words) > 1 && words[1] == "mv" {
			words = words[1:]
		}
		switch words[0] {
		case "mv":
			if len(words) > 2 {
				s.moved(folder, words[1:len(words)-1], words[len(words)-1])
			}
		case "rm":
			for _, name := range words[1:] {
				s.removed(events.InFolder(folder, name))
			}
		}
	}
}

// moved follows a move of files or folders to another name, or into a folder.
func (s *State) moved(folder string, from []string, to string) {
	target := events.InFolder(folder, to)
	for _, name := range from {
		source := events.InFolder(folder, name)
		intoFolder := len(from) > 1 || strings.HasSuffix(to, "/") || path.Ext(source) != "" && path.Ext(target) == ""
		place := target
		if intoFolder {
			place = path.Join(target, path.Base(source))
		}
		s.rename(source, place)
	}
}

// rename gives the files at a path, or below it, their new place. A file that stood there is theirs now.
func (s *State) rename(from, to string) {
	s.forgetFailures(from)
	isThere := func(f File) bool { return isAtOrBelow(s.absolute(f.Path), from) }
	if !slices.ContainsFunc(s.Files, isThere) {
		return
	}

	var files []File
	for _, f := range s.Files {
		if isThere(f) {
			f.Path = path.Join(to, strings.TrimPrefix(s.absolute(f.Path), from))
		}
		files, _ = copies.Take(files, func(other File) bool { return other.Path == f.Path })
		files = append(files, f)
	}
	s.Files = files
}

// removed forgets the files at a path, or below it.
func (s *State) removed(name string) {
	s.forgetFailures(name)
	isThere := func(f File) bool { return isAtOrBelow(s.absolute(f.Path), name) }
	if slices.ContainsFunc(s.Files, isThere) {
		s.Files, _ = copies.Take(s.Files, isThere)
	}
}

// forgetFailures forgets failed edits of the files at a path, or below it, and checks that are about that file alone: they are not
// there any more.
func (s *State) forgetFailures(name string) {
	isThere := func(f Failure) bool {
		if f.Kind == action.Edit {
			return isAtOrBelow(s.absolute(f.Target), name)
		}
		parts := f.parts()
		return len(parts) == 1 && parts[0].IsAbout(name)
	}
	if slices.ContainsFunc(s.Open, isThere) {
		s.Open, _ = copies.Take(s.Open, isThere)
	}
}

// isAtOrBelow reports whether a path is another one or lies below it.
func isAtOrBelow(file, place string) bool {
	return file == place || strings.HasPrefix(file, place+"/")
}

// absolute returns the path of a file that a tool may have named from the work tree.
func (s State) absolute(name string) string { return events.InFolder(s.Worktree, name) }

package transcript

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Session is one session's files.
type Session struct {
	ID     string // "" where only its lines have it
	Main   string // "" where only files of subagents are there
	Agents []string
	Size   int64 // of all of them, in bytes
	copied bool  // it begins with lines of another session
}

// Sessions are the transcripts at and below paths, by session: one that begins with lines of another comes after that.
// What cannot be looked into is given with its reason.
func Sessions(paths []string) (list []Session, problems []string) {
	by := map[string]int{} // place in list, by the path of the session's own file
	at := func(key string) *Session {
		i, ok := by[key]
		if !ok {
			i = len(list)
			by[key] = i
			list = append(list, Session{})
		}
		return &list[i]
	}
	seen := map[string]bool{}
	for _, root := range paths {
		found, trouble := below(root)
		problems = append(problems, trouble...)
		for _, path := range found {
			info, err := os.Stat(path)
			if err != nil || seen[path] {
				continue
			}
			seen[path] = true

			if agentOf(path) != "" {
				s := at(ownerOf(path))
				s.ID = cmp.Or(s.ID, sessionOf(path))
				s.Agents = append(s.Agents, path)
				s.Size += info.Size()
				continue
			}
			s, first := at(path), firstLine(path)
			s.ID, s.Main = sessionOf(path), path
			s.copied = first.Kind == "bg" || len(first.Forked) > 0 || Origin(path) != ""
			s.Size += info.Size()
		}
	}
	held := func(s Session) int64 { // of others: a copy of a copy has all that this has
		if s.copied {
			return s.Size
		}
		return -1
	}
	slices.SortStableFunc(list, func(a, b Session) int {
		return cmp.Or(cmp.Compare(held(a), held(b)), cmp.Compare(a.Main, b.Main))
	})
	return list, problems
}

// below are the transcripts at or below a path.
func below(root string) (found, problems []string) {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, []string{err.Error()}
	}
	err = filepath.WalkDir(real, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			problems = append(problems, err.Error())
			return nil
		case e.IsDir(), !strings.HasSuffix(path, suffix), !e.Type().IsRegular():
			return nil
		case path != real && strings.Contains(path, string(filepath.Separator)+subagents+string(filepath.Separator)) && agentOf(path) == "":
			return nil // what a workflow keeps of itself
		case strings.HasPrefix(agentOf(path), "acompact"), strings.HasPrefix(agentOf(path), "aprompt_suggestion"):
			return nil // agents that the client makes for itself
		}
		found = append(found, path)
		return nil
	})
	if err != nil {
		problems = append(problems, err.Error())
	}
	slices.Sort(found)
	return found, problems
}

// subagents is the folder of a session's subagents.
const subagents = "subagents"

// ownerOf is the path of the file of the session that a subagent's file belongs to: beside the folder that the file lies
// in, or, of an older client, beside the file itself.
func ownerOf(path string) string {
	if id := folderOf(path); id != "" {
		return id + suffix
	}
	return filepath.Join(filepath.Dir(path), firstLine(path).Session+suffix)
}

// folderOf is the folder of the session that a subagent's file lies below, "" for none.
func folderOf(path string) string {
	for dir := filepath.Dir(path); filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		if filepath.Base(dir) == subagents {
			return filepath.Dir(dir)
		}
	}
	return ""
}

// sessionOf is the id of the session that a file is of, as its name and place say; "" where they do not.
func sessionOf(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), suffix)
	if agentOf(path) != "" {
		name = filepath.Base(folderOf(path))
	}
	if len(name) == 36 && strings.Count(name, "-") == 4 {
		return name
	}
	return ""
}

// errEnough ends the reading of a file.
var errEnough = errors.New("enough")

// firstLine is the first line of a conversation in a file.
func firstLine(path string) (first Line) {
	_ = Read(path, func(text []byte) error { // one that cannot be read has none
		var line Line
		if json.Unmarshal(text, &line) == nil && line.UUID != "" && line.Session != "" {
			first = line
			return errEnough
		}
		return nil
	})
	return first
}

package working

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"hookline/events"
	"hookline/events/copies"
	"hookline/events/wording"
)

// Files that the session was pointed at since the newest prompt, and that it has not opened. Of the files in other outputs
// (listings, searches with many hits, diffs) too few are opened later to be worth a line.

// Bounds of what is looked at and kept.
const (
	maxSeen   = 12
	maxOutput = 16 << 10 // bytes of one output
	maxSight  = 160      // bytes of one path

	fewFiles   = 3 // files with errors that a check's output points at
	foundCalls = 8 // calls up to which a file that was found is opened, if ever
)

// made are folders and extensions of files that programs write, and that are not opened.
var made = strings.Fields("_build .build node_modules target dist build vendor .git __pycache__ .venv venv site-packages .pytest_cache .mypy_cache .next .nuxt .gradle .terraform Pods coverage " +
	".lock .log .o .so .a .pyc .png .jpg .svg .ico .pdf .zip .jsonl")

// Sight is a path that the session was pointed at.
type Sight struct {
	Path   string `json:"path" jsonschema_description:"path as it stood there, below the work tree"`
	Folder string `json:"folder,omitempty" jsonschema_description:"folder that the command or search ran in; absent for the work tree"`
	Until  int    `json:"until,omitempty" jsonschema_description:"number of the session's call up to which it is told; absent for no end"`
	Event  string `json:"event" jsonschema_description:"id of the newest event"`
}

// places are the paths that the sight may mean, the likeliest first: below the folder that the command ran in, and below
// the work tree.
func (x Sight) places(worktree string) []string {
	atRoot := events.InFolder(worktree, x.Path)
	if x.Folder == "" {
		return []string{atRoot}
	}
	return []string{events.InFolder(x.Folder, x.Path), atRoot}
}

// inJSON makes JSON the text of its strings, as far as paths in it are concerned.
var inJSON = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`)

// sawAnswer takes in the files that the answer of a tool points at: those of a plan or an issue, the one that a search found, and
// those with errors.
func (s *State) sawAnswer(r events.Record, e *events.ToolSucceeded, call events.Call) {
	text := func(name string) string {
		value := events.Member(e.ToolResponse, name)
		return inJSON.Replace(wording.Clip(string(value), maxOutput))
	}
	switch e.ToolName {
	case "ExitPlanMode":
		s.sawNamed(r, "", call.Input.Plan.Text())
	case "Grep", "Glob":
		s.sawFound(r, e.Cwd, text("filenames")+text("content"))
	case "Bash":
		folder := events.Folder(call.Input.Command.Text(), e.Cwd)
		switch {
		case readsIssue(call):
			s.sawNamed(r, folder, text("stdout"))
		case searches(call):
			s.sawFound(r, folder, text("stdout"))
		default:
			s.sawErrors(r, folder, call, text("stdout"))
		}
	}
}

// readsIssue reports whether a command shows one issue: what is to be done.
func readsIssue(call events.Call) bool {
	return slices.ContainsFunc(call.Runs, func(run events.Run) bool {
		line := strings.Join(run.Words[:min(3, len(run.Words))], " ")
		return strings.HasPrefix(line, "bd show") || strings.HasPrefix(line, "br show") || line == "gh issue view"
	})
}

// searches reports whether a command begins with a search in files.
func searches(call events.Call) bool {
	return len(call.Runs) > 0 && slices.Contains([]string{"grep", "rg", "ag"}, call.Runs[0].Words[0])
}

// sawNamed takes in the files that words for the session name.
func (s *State) sawNamed(r events.Record, folder, text string) {
	for _, m := range pathsIn(text) {
		s.saw(r, Sight{Path: m.name, Folder: folder})
	}
}

// sawFound takes in the file that a search found, if it is the only one.
func (s *State) sawFound(r events.Record, folder, text string) {
	if names := distinct(pathsIn(text)); len(names) == 1 {
		s.saw(r, Sight{Path: names[0], Folder: folder, Until: s.Calls + foundCalls})
	}
}

// sawErrors takes in the files of which the output of a check names lines, if they are few.
func (s *State) sawErrors(r events.Record, folder string, call events.Call, text string) {
	if call.Check() == "" {
		return
	}
	withLine, _ := copies.Take(pathsIn(text), func(m mention) bool { return !m.inLine })
	names := distinct(withLine)
	if len(names) > fewFiles {
		return
	}
	for _, name := range names {
		s.saw(r, Sight{Path: name, Folder: folder, Until: s.Calls + foundCalls})
	}
}

// distinct returns the names of files that are mentioned, each once.
func distinct(list []mention) []string {
	var names []string
	for _, m := range list {
		if !slices.Contains(names, m.name) {
			names = append(names, m.name)
		}
	}
	return names
}

// saw takes in a path that lies below the work tree and is of no program's own files. Its folder is the one that it is probably
// meant from.
func (s *State) saw(r events.Record, x Sight) {
	x.Path = wording.Below(s.Worktree, x.Path)
	names := append(strings.Split(x.Path, "/"), path.Ext(x.Path))
	isMade := func(name string) bool { return slices.Contains(made, name) }
	if names[0] == "" || slices.ContainsFunc(names, isMade) {
		return
	}

	x.Event = r.ID
	x.Folder = wording.Clip(x.Folder, maxPath)
	if x.Folder == s.Worktree {
		x.Folder = ""
	}
	seen, _ := copies.Take(s.Seen, func(before Sight) bool { return before.Path == x.Path })
	s.Seen = copies.Push(seen, x, maxSeen)
}

// Unopened are the sights that no tool of the session has touched and that are not too old, the newest first, each at the likeliest
// of its places.
func (s State) Unopened() []File {
	var list []File
	for _, x := range slices.Backward(s.Seen) {
		opened := func(f File) bool { return strings.HasSuffix("/"+f.Path, "/"+x.Path) }
		isOld := x.Until > 0 && x.Until < s.Calls
		if !isOld && !slices.ContainsFunc(s.Files, opened) {
			list = append(list, File{Path: x.places(s.Worktree)[0], Event: x.Event})
		}
	}
	return list
}

// Places are the paths at which the files and sights of the state may be, for who asks the disk about them.
func (s State) Places() []string {
	var list []string
	for _, f := range s.Files {
		list = append(list, s.absolute(f.Path))
	}
	for _, x := range s.Seen {
		list = append(list, x.places(s.Worktree)...)
	}
	return list
}

// Present is the state with those files and sights alone that are there, each sight with the folder where it is.
func (s State) Present(isThere func(file string) bool) State {
	s.Files, _ = copies.Take(s.Files, func(f File) bool { return !isThere(s.absolute(f.Path)) })

	var seen []Sight
	for _, x := range s.Seen {
		places := x.places(s.Worktree)
		if i := slices.IndexFunc(places, isThere); i >= 0 {
			if places[i] == events.InFolder(s.Worktree, x.Path) {
				x.Folder = ""
			}
			seen = append(seen, x)
		}
	}
	s.Seen = seen
	return s
}

// fileName matches a path below a folder with an extension, but no name in a package (session.State) and no line beside a match
// (file.go-12-).
var fileName = regexp.MustCompile(`^/?([^/]+/)+[^/]+\.([^A-Z0-9-][^/.-]{0,5}|[A-Z][^a-z/.-]{0,5})$`)

// mention is a word of a text that looks like a file below a folder.
type mention struct {
	name   string
	inLine bool // the text names a line of it
}

// lineBehind matches how a line of a file is named behind it: a.go:12, a.ts(12,5), "a.py", line 12.
var lineBehind = regexp.MustCompile(`^(:\d|\(\d|", line \d)`)

// pathsIn are the words of a text that look like a file below a folder. Of a diff they are without the letter of the side.
func pathsIn(text string) []mention {
	text = wording.Clip(text, maxOutput)
	sides := strings.Contains(text, "\n+++ b/")
	var out []mention
	for {
		before, after, found := strings.Cut(text, "/") // most words have none
		if !found {
			return out
		}
		start := len(strings.TrimRightFunc(before, inPath))
		end := len(after) - len(strings.TrimLeftFunc(after, inPath))
		word := text[start : len(before)+1+end]
		text = after[end:]
		if len(word) > maxSight || strings.Contains(word, "..") {
			continue
		}
		word = strings.TrimRight(strings.TrimPrefix(strings.TrimPrefix(word, "@"), "./"), ".")
		if side, rest, _ := strings.Cut(word, "/"); sides && (side == "a" || side == "b") {
			word = rest
		}
		if strings.Contains(path.Base(word), ".") && fileName.MatchString(word) { // most words have no extension
			out = append(out, mention{word, lineBehind.MatchString(text[:min(len(text), 12)])})
		}
	}
}

// inPath reports whether a character may be part of a path.
func inPath(r rune) bool { return !notInPath(r) }

// notInPath reports whether a character is no part of a path.
func notInPath(r rune) bool {
	if r <= ' ' || 'a' <= r && r <= 'z' { // most of a text
		return r <= ' '
	}
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-@+", r)
}

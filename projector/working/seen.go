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

// Files that stood in the output of a command or a search, and that the session has not opened.

// Bounds of what is looked at and kept.
const (
	maxSeen   = 80
	maxOutput = 16 << 10 // bytes of one output
	maxSight  = 160      // bytes of one path
)

// made are folders and extensions of files that programs write, and that are not opened.
var made = strings.Fields("_build .build node_modules target dist build vendor .git __pycache__ .venv venv site-packages .pytest_cache .mypy_cache .next .nuxt .gradle .terraform Pods coverage " +
	".lock .log .o .so .a .pyc .png .jpg .svg .ico .pdf .zip .jsonl")

// Sight is a path that stood in outputs.
type Sight struct {
	Path   string `json:"path" jsonschema_description:"path as it stood there, below the work tree"`
	Folder string `json:"folder,omitempty" jsonschema_description:"folder that the command or search ran in; absent for the work tree"`
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

// sawOutput takes in the paths in the answer to a command, a search or a subagent.
func (s *State) sawOutput(r events.Record, e *events.ToolSucceeded) {
	switch e.ToolName {
	case "Bash", "Grep", "Glob", "Agent", "Task":
		of := func(name string) []byte { return events.Member(e.ToolResponse, name) }
		text := slices.Concat(of("stdout"), of("filenames"), of("content"))
		folder := events.Folder(events.InputOf(e.ToolInput).Command.Text(), e.Cwd)
		s.saw(r, folder, inJSON.Replace(wording.Clip(string(text), maxOutput)))
	}
}

// saw takes in the paths of a text that lie below the work tree and are of no program's own files, the newest last. The
// folder is the one that relative paths are probably meant from.
func (s *State) saw(r events.Record, folder, text string) {
	if folder == s.Worktree {
		folder = ""
	}
	for _, p := range pathsIn(text) {
		p = wording.Below(s.Worktree, p)
		names := append(strings.Split(p, "/"), path.Ext(p))
		if names[0] == "" || slices.ContainsFunc(names, func(name string) bool { return slices.Contains(made, name) }) {
			continue
		}
		seen, _ := copies.Take(s.Seen, func(x Sight) bool { return x.Path == p })
		s.Seen = copies.Push(seen, Sight{Path: p, Folder: wording.Clip(folder, maxPath), Event: r.ID}, maxSeen)
	}
}

// Unopened are the sights that no tool of the session has touched, the newest first, each at the likeliest of its
// places. How often one stood there, words of the goal in its name, and files beside it that were edited told nothing
// more of those that are opened later.
func (s State) Unopened() []File {
	var list []File
	for _, x := range slices.Backward(s.Seen) {
		opened := func(f File) bool { return strings.HasSuffix("/"+f.Path, "/"+x.Path) }
		if !slices.ContainsFunc(s.Files, opened) {
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

// pathsIn are the words of a text that look like a file below a folder. Of a diff they are without the letter of the side.
func pathsIn(text string) []string {
	text = wording.Clip(text, maxOutput)
	sides := strings.Contains(text, "\n+++ b/")
	var out []string
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
			out = append(out, word)
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

package working

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"hookline/events"
)

// Files that stood in the output of a command or a search, and that the session has not opened.

// Bounds of what is looked at and kept.
const (
	maxSeen   = 80
	maxOutput = 16 << 10 // bytes of one output
	maxSight  = 160      // bytes of one path
)

// made are folders and extensions of files that programs write and nobody opens.
var made = strings.Fields("_build .build node_modules target dist build vendor .git __pycache__ .venv venv site-packages .pytest_cache .mypy_cache .next .nuxt .gradle .terraform Pods coverage " +
	".lock .log .o .so .a .pyc .png .jpg .svg .ico .pdf .zip .jsonl")

// Sight is a path that stood in outputs.
type Sight struct {
	Path  string `json:"path" jsonschema_description:"as it stood there"`
	Event string `json:"event" jsonschema_description:"id of the newest event"`
}

// outputPaths are the paths in the output of a command, a search or a subagent.
func outputPaths(e *events.ToolSucceeded) []string {
	switch e.ToolName {
	case "Bash":
		return pathsIn(events.MemberText(e.ToolResponse, "stdout"))
	case "Grep", "Glob", "Agent", "Task":
		var out struct {
			Filenames []string        `json:"filenames"`
			Content   json.RawMessage `json:"content"`
		}
		_ = json.Unmarshal(e.ToolResponse, &out) // of another form: none
		return append(pathsIn(strings.Join(out.Filenames, "\n")), pathsIn(said(out.Content))...)
	}
	return nil
}

// saw takes in the paths of a text, the newest last.
func (s State) saw(r events.Record, paths []string) State {
	root := strings.TrimSuffix(s.Worktree, "/")
	for _, p := range paths {
		if root != "" {
			p = strings.TrimPrefix(p, root+"/")
		}
		if !openable(p) {
			continue
		}
		seen, _ := without(s.Seen, Sight{}, func(x Sight) bool { return x.Path == p })
		s.Seen = events.Newest(append(seen, Sight{Path: p, Event: r.ID}), maxSeen)
	}
	return s
}

// openable tells a path below the work tree, of a file that is no program's own.
func openable(p string) bool {
	names := strings.Split(p, "/")
	isMade := func(name string) bool { return slices.Contains(made, name) }
	return names[0] != "" && !slices.ContainsFunc(append(names, path.Ext(p)), isMade)
}

// Unopened are the sights that no tool of the session has touched, the newest first. How often one stood there, words of
// the goal in its name, and files beside it that were edited told nothing more of those that are opened later.
func (s State) Unopened() []File {
	var paths []string
	for _, f := range s.Files {
		paths = append(paths, "/"+path.Join(Folder(s.Worktree, f.Path)))
	}
	for _, x := range s.Seen {
		paths = append(paths, x.Path)
	}

	var list []File
	for _, x := range slices.Backward(s.Seen) {
		longer := func(p string) bool { return strings.HasSuffix(p, "/"+x.Path) }
		if !slices.ContainsFunc(paths, longer) {
			list = append(list, File{Path: x.Path, Event: x.Event})
		}
	}
	return list
}

// pathsIn are the words of a text that look like a file below a folder: with a slash, and a name with an extension. Of a
// diff they are without the letter of the side.
func pathsIn(text string) []string {
	text = text[:min(len(text), maxOutput)]
	sides := strings.Contains(text, "\n+++ b/")
	var out []string
	begin := 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && (isPath(text[i]) || inBrackets(text, i)) {
			continue
		}
		word := strings.TrimRight(strings.TrimPrefix(strings.TrimPrefix(text[begin:i], "@"), "./"), ".")
		begin = i + 1
		if side, rest, _ := strings.Cut(word, "/"); sides && (side == "a" || side == "b") {
			word = rest
		}
		if len(word) > maxSight || strings.Contains(word, "//") || strings.Contains(word, "..") {
			continue
		}
		base := word[strings.LastIndexByte(word, '/')+1:]
		ext := strings.TrimPrefix(path.Ext(base), ".")
		isFile := len(base) < len(word) && len(ext) > 0 && len(ext) <= 6 && len(ext)+1 < len(base) && isExt(ext)
		if isFile {
			out = append(out, word)
		}
	}
	return out
}

// isExt tells an extension from a name in a package (session.State) and from the line beside a match (file.go-12-).
func isExt(ext string) bool {
	named := len(ext) > 1 && ext[0] >= 'A' && ext[0] <= 'Z' && ext != strings.ToUpper(ext)
	return !isDigit(ext[0]) && !named && !strings.Contains(ext, "-")
}

// inBrackets tells whether a bracket begins or ends the name of a folder ([locale], (admin)), as routes have them.
func inBrackets(text string, i int) bool {
	switch text[i] {
	case '[', '(':
		return i > 0 && text[i-1] == '/'
	case ']', ')':
		return i+1 < len(text) && text[i+1] == '/'
	}
	return false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isPath(c byte) bool {
	return c >= 0x80 || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c) || c == '/' || c == '.' || c == '_' || c == '-' || c == '@' || c == '+'
}

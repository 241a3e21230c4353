package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"hookline/events"
)

// seeds are the files that were there before the first session of a project: those that a call read, changed or listed
// before any call made them. A file that a command made and a call read counts as one of them.
type seeds struct {
	made  map[string]bool
	there map[string]bool // true for a folder
	order []string
	calls map[string]shellCall
}

func newSeeds() *seeds {
	return &seeds{made: map[string]bool{}, there: map[string]bool{}, calls: map[string]shellCall{}}
}

// saw takes in that a path was there.
func (s *seeds) saw(name string, folder bool) {
	if _, known := s.there[name]; known || name == "" || s.made[name] {
		return
	}
	for dir := filepath.Dir(name); dir != "/" && dir != "."; dir = filepath.Dir(dir) {
		if s.made[dir] {
			return
		}
	}
	s.there[name] = folder
	s.order = append(s.order, name)
}

// take looks at one event, of all sessions in the order of their times.
func (s *seeds) take(e events.Event, cwd string) {
	switch e := e.(type) {
	case *events.ToolRequested:
		if e.ToolName == "Bash" {
			s.calls[e.ToolUseID] = shellCall{command: events.InputOf(e.ToolInput).Command.Text(), cwd: cwd}
		}
	case *events.ToolSucceeded:
		if call, ok := s.calls[e.ToolUseID]; ok {
			delete(s.calls, e.ToolUseID)
			s.command(call, true, outputOf(e.ToolResponse))
			return
		}
		s.succeeded(e, cwd)
	case *events.ToolFailed:
		if call, ok := s.calls[e.ToolUseID]; ok {
			delete(s.calls, e.ToolUseID)
			s.command(call, false, "")
		}
	}
}

func (s *seeds) succeeded(e *events.ToolSucceeded, cwd string) {
	name := events.InputOf(e.ToolInput).File()
	switch e.ToolName {
	case "Read", "Edit", "MultiEdit", "NotebookEdit":
		s.saw(name, false)
	case "Write":
		var out struct {
			Type     string
			Original *string `json:"originalFile"`
		}
		_ = json.Unmarshal(e.ToolResponse, &out) // of another form: it was made
		if out.Type == "update" || out.Original != nil && *out.Original != "" {
			s.saw(name, false)
			return
		}
		s.made[name] = true
	case "Glob", "Grep":
		var out struct{ Filenames []string }
		_ = json.Unmarshal(e.ToolResponse, &out) // of another form: none
		for _, found := range out.Filenames {
			s.saw(resolve(cwd, found), false)
		}
	}
}

// maxListed bounds the paths of one output.
const maxListed = 2000

// command takes in what a command line made, and which paths it shows to be there.
func (s *seeds) command(call shellCall, ok bool, output string) {
	list := simples(call.command, call.cwd)
	for _, c := range list {
		if len(c.words) == 0 {
			continue
		}
		for _, to := range c.written {
			s.made[resolve(c.dir, to)] = true
		}
		args, flags := operands(c.words[1:])
		sure := ok && c.sure && c.known && c.dir != ""
		switch program := c.words[0]; {
		case program == "git" && len(args) > 2 && args[0] == "mv":
			s.moved(c, args[1:], sure)
		case program == "mv", program == "cp":
			s.moved(c, args, sure)
		case program == "touch", program == "mkdir", program == "tee":
			for _, a := range args {
				s.made[resolve(c.dir, a)] = true
			}
		case program == "rm" && !strings.Contains(flags, "f") && sure:
			for _, a := range args {
				s.saw(resolve(c.dir, a), strings.Contains(flags, "r"))
			}
		}
	}
	if len(list) == 1 && ok && list[0].known && list[0].dir != "" {
		s.shown(list[0], output)
	}
}

// moved takes in the paths of mv and cp: the last one is made, the others were there.
func (s *seeds) moved(c simple, args []string, sure bool) {
	if len(args) < 2 {
		return
	}
	last := args[len(args)-1]
	for _, from := range args[:len(args)-1] {
		if sure && !strings.ContainsAny(from, "*?[") {
			s.saw(resolve(c.dir, from), false)
		}
		s.made[resolve(c.dir, filepath.Join(last, filepath.Base(from)))] = true
	}
	if folder, known := s.there[resolve(c.dir, last)]; !known || !folder {
		s.made[resolve(c.dir, last)] = true
	}
}

// shown takes in the paths that a command on its own printed, or read.
func (s *seeds) shown(c simple, output string) {
	args, flags := operands(c.words[1:])
	lines := strings.Split(output, "\n")
	lines = lines[:min(len(lines), maxListed)]
	switch program := c.words[0]; {
	case program == "ls":
		s.listed(c, args, flags, lines)
	case program == "find" && !slices.Contains(c.words, "-exec"), program == "fd",
		program == "rg" && (strings.Contains(flags, "l") || strings.Contains(flags, "--files")),
		program == "git" && len(args) > 0 && args[0] == "ls-files":
		for _, line := range lines {
			s.sawListed(resolve(c.dir, line))
		}
	case program == "grep" && strings.Contains(flags, "l"):
		for _, line := range lines {
			s.sawListed(resolve(c.dir, line))
		}
	case program == "cat", program == "head", program == "tail", program == "wc":
		for _, a := range args {
			if strings.ContainsAny(a, "./") && !strings.ContainsAny(a, "*?[") {
				s.saw(resolve(c.dir, a), false)
			}
		}
	}
}

// sawListed takes in a line that names a file alone. One that has no dot in its name may be a folder.
func (s *seeds) sawListed(name string) {
	if name != "" && !strings.ContainsAny(name, ":*") {
		s.saw(name, !strings.Contains(filepath.Base(name), "."))
	}
}

// listed takes in what ls printed of one folder.
func (s *seeds) listed(c simple, args []string, flags string, lines []string) {
	if len(args) > 1 || strings.Contains(flags, "R") {
		return
	}
	dir := c.dir
	if len(args) == 1 {
		if strings.ContainsAny(args[0], "*?[") {
			return
		}
		dir = resolve(c.dir, args[0])
	}
	long := strings.Contains(flags, "l")
	for _, line := range lines {
		folder := false
		if long {
			fields := strings.Fields(line)
			if len(fields) < 9 {
				continue
			}
			folder = strings.HasPrefix(fields[0], "d")
			line = strings.Join(fields[8:], " ")
			line, _, _ = strings.Cut(line, " -> ")
		}
		line = strings.TrimSpace(line)
		if line == "" || line == "." || line == ".." {
			continue
		}
		if len(args) == 1 && (line == args[0] || filepath.IsAbs(line)) { // the name of a file was given
			s.saw(resolve(c.dir, line), false)
			continue
		}
		folder = folder || strings.HasSuffix(line, "/") || !long && !strings.Contains(line, ".")
		s.saw(filepath.Join(dir, line), folder)
	}
}

// plant puts the seeds on a disk. What is below another one makes that a folder.
func (s *seeds) plant(d *disk) {
	folders := map[string]bool{}
	for _, name := range s.order {
		for dir := filepath.Dir(name); dir != "/" && dir != "." && !folders[dir]; dir = filepath.Dir(dir) {
			folders[dir] = true
		}
	}
	for _, name := range s.order {
		d.add(name, s.there[name] || folders[name])
	}
}

// outputOf returns what a call of Bash printed.
func outputOf(response json.RawMessage) string {
	var out struct{ Stdout, Stderr string }
	if json.Unmarshal(response, &out) == nil {
		return strings.TrimRight(out.Stdout+"\n"+out.Stderr, "\n")
	}
	var text string
	if json.Unmarshal(response, &text) == nil {
		return text
	}
	var parts []struct{ Text string }
	_ = json.Unmarshal(response, &parts) // of another form: nothing
	for _, p := range parts {
		text += p.Text
	}
	return text
}

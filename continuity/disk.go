package main

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hookline/events"
)

// disk plays what the calls of sessions did to files, below one folder. Of what a command does besides it knows nothing:
// a path of which that matters is doubtful until a call shows it again.
type disk struct {
	stage   string
	known   map[string]bool // every file that was there once
	written map[string]bool // of them, by a call of a tool, or by a command
	doubt   map[string]bool // a command may have changed or removed it
	calls   map[string]shellCall
	unsure  int // commands whose effect is not known
}

// shellCall is a command that runs.
type shellCall struct {
	command string
	cwd     string
}

// path is what a path was at a moment.
type path int

const (
	absent path = iota
	present
	doubtful
)

func newDisk(stage string) *disk {
	return &disk{stage: stage, known: map[string]bool{}, written: map[string]bool{}, doubt: map[string]bool{}, calls: map[string]shellCall{}}
}

// look says what is known of a path.
func (d *disk) look(name string) path {
	if d.doubt[name] {
		return doubtful
	}
	if _, err := os.Lstat(name); err != nil {
		return absent
	}
	return present
}

// holds reports whether a path is of the disk that is played.
func (d *disk) holds(name string) bool {
	rel, err := filepath.Rel(d.stage, name)
	return name != "" && err == nil && filepath.IsLocal(rel) && rel != "."
}

// write makes a file as a call left it.
func (d *disk) write(name, content string) {
	if !d.holds(name) {
		return
	}
	if os.MkdirAll(filepath.Dir(name), 0o700) == nil {
		_ = os.WriteFile(name, []byte(content), 0o600) // one that cannot be written is told as gone: seen in the table
	}
	d.known[name], d.written[name] = true, true
	delete(d.doubt, name)
}

// add makes sure that something is there, with any content.
func (d *disk) add(name string, folder bool) {
	if !d.holds(name) {
		return
	}
	delete(d.doubt, name)
	d.known[name] = true
	if _, err := os.Lstat(name); err == nil {
		return
	}
	if folder {
		_ = os.MkdirAll(name, 0o700) // see write
		return
	}
	if os.MkdirAll(filepath.Dir(name), 0o700) == nil {
		_ = os.WriteFile(name, []byte("as it was\n"), 0o600) // see write
	}
}

func (d *disk) remove(name string) {
	if !d.holds(name) {
		return
	}
	_ = os.RemoveAll(name) // see write
	for other := range d.doubt {
		if other == name || strings.HasPrefix(other, name+"/") {
			delete(d.doubt, other)
		}
	}
}

// take plays an event.
func (d *disk) take(e events.Event, cwd string) {
	switch e := e.(type) {
	case *events.ToolRequested:
		if e.ToolName == "Bash" {
			d.calls[e.ToolUseID] = shellCall{command: events.InputOf(e.ToolInput).Command.Text(), cwd: cwd}
		}
	case *events.ToolSucceeded:
		if call, ok := d.calls[e.ToolUseID]; ok {
			delete(d.calls, e.ToolUseID)
			d.command(call, true)
			return
		}
		d.succeeded(e)
	case *events.ToolFailed:
		call, ok := d.calls[e.ToolUseID]
		delete(d.calls, e.ToolUseID)
		switch {
		case ok && !notRun.MatchString(e.Error):
			d.command(call, false)
		case e.ToolName == "Read" && strings.Contains(e.Error, "does not exist"):
			d.remove(events.InputOf(e.ToolInput).File()) // whoever removed it
		}
	}
}

// succeeded plays a call of a tool that works on a file.
func (d *disk) succeeded(e *events.ToolSucceeded) {
	in := events.InputOf(e.ToolInput)
	name := in.File()
	if !filepath.IsAbs(name) {
		return
	}
	switch e.ToolName {
	case "Read":
		d.add(name, false)
	case "Write":
		d.write(name, in.Content.Text())
	case "Edit", "MultiEdit":
		d.write(name, edited(cmp.Or(events.MemberText(e.ToolResponse, "originalFile"), contentOf(name)), e))
	case "NotebookEdit":
		d.write(name, cmp.Or(events.MemberText(e.ToolResponse, "updated_file"), contentOf(name)+"edited "+e.ToolUseID+"\n"))
	}
}

// contentOf returns what a file holds, "" for none.
func contentOf(name string) string {
	content, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	return string(content)
}

// replacement is one of an edit.
type replacement struct {
	Old string `json:"old_string"`
	New string `json:"new_string"`
	All bool   `json:"replace_all"`
}

// edited returns a file's content after an edit. Where the text that it replaces is not known the content is another one
// all the same.
func edited(content string, e *events.ToolSucceeded) string {
	var in struct {
		replacement
		Edits []replacement
	}
	_ = json.Unmarshal(e.ToolInput, &in) // of another form: nothing to replace
	list := in.Edits
	if len(list) == 0 {
		list = []replacement{in.replacement}
	}
	before := content
	for _, r := range list {
		n := 1
		if r.All {
			n = -1
		}
		if r.Old != "" {
			content = strings.Replace(content, r.Old, r.New, n)
		}
	}
	if content == before {
		content += "edited " + e.ToolUseID + "\n"
	}
	return content
}

// command plays a command line. What is not sure to have run, or works on what is not known, makes paths doubtful.
func (d *disk) command(call shellCall, ok bool) {
	for _, c := range simples(call.command, call.cwd) {
		ran := c.first || ok && c.sure
		for _, to := range c.written {
			if name := resolve(c.dir, to); ran && name != "" {
				d.write(name, contentOf(name)+"written by a command\n")
			}
		}
		if len(c.words) > 1 {
			d.run(c, ran)
		}
	}
}

// run plays one command.
func (d *disk) run(c simple, ran bool) {
	args, flags := operands(c.words[1:])
	paths := d.expand(c, args)
	sure := ran && c.known
	switch c.words[0] {
	case "rm", "rmdir", "unlink":
		d.delete(paths, strings.ContainsAny(flags, "rR") || c.words[0] == "rmdir", sure)
	case "mv":
		d.move(paths, sure)
	case "cp":
		d.copy(paths, sure)
	case "touch":
		for _, name := range paths {
			d.add(name, false)
		}
	case "tee":
		for _, name := range paths {
			d.write(name, contentOf(name)+"written by a command\n")
		}
	case "mkdir":
		for _, name := range paths {
			d.add(name, true)
		}
	case "sed", "perl":
		inPlace := slices.ContainsFunc(c.words, func(w string) bool { return strings.HasPrefix(w, "-i") || w == "-pi" })
		for _, name := range paths {
			if _, err := os.Stat(name); inPlace && ran && err == nil {
				d.write(name, contentOf(name)+"changed by a command\n")
			}
		}
	case "find":
		if slices.Contains(c.words, "-delete") || slices.Contains(c.words, "-exec") && slices.Contains(c.words, "rm") {
			d.unsureBelow(paths)
		}
	case "git":
		d.git(c, ran)
	}
}

// operands returns the words that are no options, and the letters of those that are.
func operands(words []string) (args []string, flags string) {
	for i, w := range words {
		if w == "--" {
			return append(args, words[i+1:]...), flags
		}
		if strings.HasPrefix(w, "-") && w != "-" {
			flags += w
			continue
		}
		args = append(args, w)
	}
	return args, flags
}

// expand returns the paths that words name: a pattern stands for the files that are there.
func (d *disk) expand(c simple, words []string) []string {
	var paths []string
	for _, w := range words {
		name := resolve(c.dir, w)
		if name == "" {
			continue
		}
		if strings.ContainsAny(w, "*?[") {
			found, _ := filepath.Glob(name) // a bad pattern finds none
			if len(found) > 0 {
				paths = append(paths, found...)
				continue
			}
		}
		paths = append(paths, name)
	}
	return paths
}

func (d *disk) delete(paths []string, folders, sure bool) {
	if !sure {
		d.unsureBelow(paths)
		return
	}
	for _, name := range paths {
		if info, err := os.Lstat(name); err == nil && (folders || !info.IsDir()) {
			d.remove(name)
		}
	}
}

// move plays mv: into the last path where that is a folder, else to its name.
func (d *disk) move(paths []string, sure bool) {
	if !sure || len(paths) < 2 {
		d.unsureBelow(paths)
		return
	}
	to := paths[len(paths)-1]
	info, err := os.Stat(to)
	into := err == nil && info.IsDir()
	for _, from := range paths[:len(paths)-1] {
		target := to
		if into {
			target = filepath.Join(to, filepath.Base(from))
		}
		if _, err := os.Lstat(from); err != nil || !d.holds(from) || !d.holds(target) {
			continue
		}
		if os.MkdirAll(filepath.Dir(target), 0o700) == nil && os.Rename(from, target) == nil {
			d.known[target], d.written[target] = true, true
			delete(d.doubt, target)
			delete(d.doubt, from)
		}
	}
}

func (d *disk) copy(paths []string, sure bool) {
	if !sure || len(paths) < 2 {
		d.unsure++
		return
	}
	to := paths[len(paths)-1]
	for _, from := range paths[:len(paths)-1] {
		target := to
		if info, err := os.Stat(to); err == nil && info.IsDir() {
			target = filepath.Join(to, filepath.Base(from))
		}
		info, err := os.Stat(from)
		switch {
		case err != nil:
		case info.IsDir():
			if d.holds(target) {
				_ = os.CopyFS(target, os.DirFS(from)) // one that is there is left as it was
			}
		default:
			d.write(target, contentOf(from))
		}
	}
}

// unsureBelow makes paths doubtful, and what is below them.
func (d *disk) unsureBelow(paths []string) {
	d.unsure++
	for _, name := range paths {
		if !d.holds(name) {
			continue
		}
		_ = filepath.WalkDir(name, func(below string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				d.doubt[below] = true
			}
			return nil
		})
		d.doubt[name] = true
	}
}

// changing are git's operations after which files are other ones, which the transcript does not say.
var changing = strings.Fields("checkout switch restore stash reset clean")

// git plays git mv and git rm. Operations that bring other contents or other files make doubtful what the sessions wrote.
func (d *disk) git(c simple, ran bool) {
	words := c.words[1:]
	if len(words) > 2 && words[0] == "-C" {
		c.dir = resolve(c.dir, words[1])
		words = words[2:]
	}
	if len(words) == 0 {
		return
	}
	args, flags := operands(words[1:])
	paths := d.expand(c, args)
	sure := ran && c.known
	switch verb := words[0]; {
	case verb == "mv":
		d.move(paths, sure)
	case verb == "rm" && !strings.Contains(flags, "--cached"):
		d.delete(paths, strings.Contains(flags, "r"), sure)
	case verb == "worktree" && len(args) > 1 && args[0] == "remove":
		d.delete(d.expand(c, args[1:2]), true, sure)
	case verb == "checkout" && slices.Contains(words, "--"), verb == "restore":
		d.unsureBelow(paths)
	case slices.Contains(changing, verb) && changes(verb, words):
		d.unsure++
		for name := range d.written {
			d.doubt[name] = true
		}
	}
}

// changes reports whether such an operation changes files: a new branch and a soft reset do not.
func changes(verb string, words []string) bool {
	has := func(list ...string) bool {
		return slices.ContainsFunc(list, func(w string) bool { return slices.Contains(words, w) })
	}
	switch verb {
	case "checkout", "switch":
		return !has("-b", "-B", "-c", "-C", "--create")
	case "reset":
		return has("--hard", "--merge", "--keep")
	case "stash":
		return !has("list", "show", "drop", "clear")
	}
	return true
}

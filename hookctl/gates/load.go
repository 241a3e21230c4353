package gates

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"

	"hookline/hookctl/safeopen"
	"hookline/hookctl/yaml"
)

// ReadFile reads a file of a repository or of the user; one that is no regular file, a link to nothing, or larger than
// any configuration, is an error.
func ReadFile(name string) ([]byte, error) {
	data, err := safeopen.ReadFile(safeopen.Foreign, name, yaml.MaxFile)
	if errors.Is(err, fs.ErrNotExist) {
		if _, dangling := os.Lstat(name); dangling == nil {
			return nil, errors.New("is a link to nothing")
		}
	}
	return data, err
}

// Options say where the files are.
type Options struct {
	Home string // the user's home; "" = there is no global file
	Root string // top of the work tree, whatever folder the client works in
	Main string // top of the main work tree where Root is a linked one; what Root lacks is taken from there

	// Read returns a file's content, [fs.ErrNotExist] when there is none; nil stands for [ReadFile].
	Read func(name string) ([]byte, error)
}

// ProjectFile is the file of the repository with this top.
func ProjectFile(root string) string { return filepath.Join(root, ".claude", "requirements.yaml") }

// layers are the three files in the order of rising weight, each with where it is looked for, the first that exists
// counts. The user's home is no project: what lies in its .claude is the user's own.
func (o Options) layers() (global, project, local []string) {
	if o.Home != "" {
		global = []string{ProjectFile(o.Home)}
	}
	for _, root := range []string{o.Root, o.Main} {
		if root != "" && !sameFolder(root, o.Home) {
			project = append(project, ProjectFile(root))
			local = append(local, filepath.Join(root, ".claude", "requirements.local.yaml"))
		}
	}
	return global, project, local
}

// Watched returns the files that the rules depend on, the user's own first, and the folders of message files: a file that
// comes or goes changes its folder.
func (o Options) Watched() []string {
	global, project, local := o.layers()
	return slices.Concat(global, project, local, o.messageDirs())
}

func sameFolder(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// messageDirs returns the folders of message files in the order of falling weight.
func (o Options) messageDirs() []string {
	var dirs []string
	if o.Root != "" {
		dirs = append(dirs, filepath.Join(o.Root, ".claude", "messages.local"), filepath.Join(o.Root, ".claude", "messages"))
	}
	if o.Home != "" {
		dirs = append(dirs, filepath.Join(o.Home, ".claude", "messages"))
	}
	return dirs
}

// Load reads and merges the three files, and the message files of what they define. It always returns usable rules.
func Load(o Options) Rules {
	if o.Read == nil {
		o.Read = ReadFile
	}
	l := &loader{read: o.Read, out: map[string]bool{}}
	global, project, local := o.layers()
	base, _ := l.file(global, document(), "")
	own, file := l.file(project, document(), "")
	broken := own == nil && slices.ContainsFunc(l.problems, func(p Problem) bool { return p.File == file && !p.Warning })
	if !own.truthOf("inherit", true) {
		base = nil
	}
	over, _ := l.file(local, document(), "")

	r := l.rules(merge(merge(base, own), over))
	if file != "" {
		l.messageFiles(o.messageDirs(), &r)
	}
	r.Problems, r.Notes = l.problems, l.notes
	r.Unreadable = broken
	r.home, r.root, r.ProjectFile = o.Home, o.Root, file
	return r
}

// file returns what a schema allows of the first file that exists, and where that is; nil when there is nothing in it. A
// file that cannot be read is found, too: the project then has rules, of which only the other layers are known.
// requirement is the one that the file is about.
func (l *loader) file(paths []string, s *jsonschema.Schema, requirement string) (layer *node, found string) {
	path, data, err := "", []byte(nil), error(fs.ErrNotExist)
	for _, path = range paths {
		if data, err = l.read(path); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ""
	case err != nil:
		var at *fs.PathError
		if errors.As(err, &at) {
			err = at.Err
		}
		l.invalid(place{file: path}, "", err.Error(), "the file is left out; make it readable or remove it")
		return nil, path
	}

	root, err := parse(path, 0, data)
	if err != nil {
		root = l.salvage(path, data, err, requirement)
	}
	switch {
	case root == nil || root.kind == "NoneType":
		return nil, path
	case root.kind != "dict":
		l.invalid(root.at, requirement, "the file must be a mapping, got "+root.kind, "write its keys, each with a colon")
		return nil, path
	}
	layer = l.check(s, root, "", requirement)
	if len(layer.keys) == 0 {
		return nil, path
	}
	return layer, path
}

// maxParts bounds in how many parts a broken file is read; a real one with 100 requirements has some 120.
const maxParts = 500

// salvage reads a file that is no YAML in parts, so that one stray quote does not open every gate: each line that stands
// no deeper than the entries of `requirements`, with the deeper ones after it, below the top-level key that it belongs to.
// A part that is no YAML by itself is left out and named; when every part is fine alone, so is the file's own error.
func (l *loader) salvage(path string, data []byte, cause error, requirement string) *node {
	lines := strings.Split(string(data), "\n")
	depth, inside := 0, false
	for _, line := range lines {
		if inside && !blank(line) {
			depth = indent(line)
			break
		}
		inside = inside || strings.HasPrefix(line, "requirements:")
	}

	parts := 0
	for _, line := range lines {
		if !blank(line) && indent(line) <= depth {
			parts++
		}
	}
	if parts > maxParts {
		l.fault(requirement, cause)
		return nil
	}

	var root *node
	good, parent := true, ""
	for first, last := 0, 0; first < len(lines); first = last {
		last = first + 1
		for last < len(lines) && (blank(lines[last]) || indent(lines[last]) > depth) {
			last++
		}
		head, text, skipped, name := lines[first], "", first, requirement
		key, _, isKey := strings.Cut(head, ":")
		switch {
		case indent(head) > 0 && first > 0:
			text, skipped, name = parent+"\n", first-1, strings.TrimSpace(key)
		case isKey:
			parent = key + ":"
		}

		n, err := parse(path, skipped, []byte(text+strings.Join(lines[first:last], "\n")+"\n"))
		if err == nil && n != nil && n.kind != "dict" && n.kind != "NoneType" {
			err = &fault{n.at, "no `key: value`"}
		}
		if err != nil {
			good = false
			l.fault(name, err)
			continue
		}
		root = merge(root, n)
	}
	if good {
		l.fault(requirement, cause)
	}
	return root
}

// indent returns how many blanks a line begins with.
func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// blank reports whether a line has nothing, or a remark alone.
func blank(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || line[0] == '#'
}

// fault records a part of a file that is no YAML.
func (l *loader) fault(requirement string, err error) {
	var f *fault
	errors.As(err, &f) // parse has no other errors
	l.invalid(f.at, requirement, f.message, "this part is left out until it is valid YAML")
}

// rules decodes the merged layers.
func (l *loader) rules(root *node) Rules {
	r := Rules{Enabled: root.truthOf("enabled", true), ByName: map[string]Requirement{}, Hooks: hooksOf(root.get("hooks"))}
	if list := root.get("requirements"); list != nil {
		for _, name := range list.keys {
			if q, ok := l.requirement(name, list.fields[name], list.keyAt[name]); ok {
				r.ByName[name] = q
				r.Order = append(r.Order, name)
			}
		}
	}
	return r
}

// messageFiles lays the texts of message files on the enabled requirements: <requirement>.yaml in .claude/messages.local,
// else in .claude/messages of the project, else of the user's home. The first that is found counts whole, and before the
// texts of the configuration.
func (l *loader) messageFiles(dirs []string, r *Rules) {
	for _, q := range r.InOrder() {
		if strings.ContainsAny(q.Name, `/\`) {
			continue // no file of a folder
		}
		var paths []string
		for _, dir := range dirs {
			paths = append(paths, filepath.Join(dir, q.Name+".yaml"))
		}
		n, _ := l.file(paths, document().Definitions["message_file"], q.Name)
		q.Message = n.textOf("blocking_message", q.Message)
		q.ShortMessage = n.textOf("short_message", q.ShortMessage)
		r.ByName[q.Name] = q
	}
}

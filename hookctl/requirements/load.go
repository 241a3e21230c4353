package requirements

import (
	"errors"
	"io/fs"
	"path/filepath"

	"hookline/hookctl/safeopen"
	"hookline/hookctl/yaml"
)

// FS is what is asked of the disk. Calls may run at once.
type FS interface {
	// ReadFile returns a file's content; fs.ErrNotExist when there is none.
	ReadFile(name string) ([]byte, error)
	// Resolve follows symbolic links as far as the path exists, and returns the path itself when it cannot.
	Resolve(name string) string
}

// Disk is the FS of the machine.
type Disk struct{}

// ReadFile reads a file of a repository or of the user; one that is no regular file, or larger than any configuration,
// is an error.
func (Disk) ReadFile(name string) ([]byte, error) {
	return safeopen.ReadFile(safeopen.Foreign, name, yaml.MaxFile)
}

// Resolve follows the links of the longest part of the path that exists, so that a file that is only about to be
// written is judged by the folder it will lie in.
func (Disk) Resolve(name string) string {
	rest := ""
	for dir := filepath.Clean(name); ; {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return name
		}
		rest, dir = filepath.Join(filepath.Base(dir), rest), up
	}
}

// Options say where the files are.
type Options struct {
	Home string // the user's home; "" = there is no global file
	Root string // the git toplevel, whatever folder the client works in
	FS   FS     // nil = Disk
}

// Paths are the three files in the order of rising weight; "" where there can be none.
func (o Options) Paths() (global, project, local string) {
	if o.Home != "" {
		global = filepath.Join(o.Home, ".claude", "requirements.yaml")
	}
	if o.Root != "" {
		project = filepath.Join(o.Root, ".claude", "requirements.yaml")
		local = filepath.Join(o.Root, ".claude", "requirements.local.yaml")
	}
	return global, project, local
}

// Load reads and merges the three files, and the message files of what they define. It always returns usable rules.
func Load(o Options) Rules {
	if o.FS == nil {
		o.FS = Disk{}
	}
	l := &loader{fs: o.FS}
	global, project, local := o.Paths()
	base, _ := l.file(global)
	own, exists := l.file(project)
	if own != nil && !l.inherits(own) {
		base = nil
	}
	over, _ := l.file(local)
	r := l.rules(merge(merge(base, own), over))
	if exists {
		l.messageFiles(o, &r)
		r.Problems, r.Notes = l.problems, l.notes
	}
	r.home, r.root, r.fs = o.Home, o.Root, o.FS
	if exists {
		r.ProjectFile = project
	}
	return r
}

// file is one layer, cleaned of what is malformed; nil when there is nothing in it. exists is also true for a file
// that cannot be read: the project then has rules, of which only the other layers are known.
func (l *loader) file(path string) (layer *node, exists bool) {
	if path == "" {
		return nil, false
	}
	data, err := l.fs.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false
	case err != nil:
		l.unreadable(path, err)
		return nil, true
	}
	return l.layer(path, data), true
}

// unreadable is the problem of a file that is there.
func (l *loader) unreadable(path string, err error) {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	l.add(Problem{File: path, Message: err.Error(), Hint: "the file is left out; make it readable or remove it"})
}

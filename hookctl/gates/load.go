package gates

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

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

// ReadFile reads a file of a repository or of the user; one that is no regular file, a link to nothing, or larger than
// any configuration, is an error.
func (Disk) ReadFile(name string) ([]byte, error) {
	data, err := safeopen.ReadFile(safeopen.Foreign, name, yaml.MaxFile)
	if errors.Is(err, fs.ErrNotExist) {
		if _, dangling := os.Lstat(name); dangling == nil {
			return nil, errors.New("is a link to nothing")
		}
	}
	return data, err
}

// Resolve follows the links of the longest part of the path that exists, so that a file that is only about to be
// written is judged by the folder it will lie in.
func (Disk) Resolve(name string) string {
	rest, links := "", 40
	for dir := filepath.Clean(name); ; {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		if to, err := os.Readlink(dir); err == nil && links > 0 { // a link to nothing: what is written there lies where it leads
			if !filepath.IsAbs(to) {
				to = filepath.Join(filepath.Dir(dir), to)
			}
			dir, links = filepath.Clean(to), links-1
			continue
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
	Root string // top of the work tree, whatever folder the client works in
	Main string // top of the main work tree where Root is a linked one; what Root lacks is taken from there
	FS   FS     // nil = Disk
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

// Watched are the files that the rules depend on, the user's own first.
func (o Options) Watched() []string {
	global, project, local := o.layers()
	return slices.Concat(global, project, local)
}

func sameFolder(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// Load reads and merges the three files, and the message files of what they define. It always returns usable rules.
func Load(o Options) Rules {
	if o.FS == nil {
		o.FS = Disk{}
	}
	l := &loader{fs: o.FS}
	global, project, local := o.layers()
	base, _ := l.file(global)
	own, file := l.file(project)
	broken := own == nil && slices.ContainsFunc(l.problems, func(p Problem) bool { return p.File == file && !p.Warning })
	if own != nil && !truthy(own.get("inherit")) {
		base = nil
	}
	over, _ := l.file(local)
	r := l.rules(merge(merge(base, own), over))
	if file != "" {
		l.messageFiles(o, &r)
		r.Problems, r.Notes = l.problems, l.notes
	}
	r.Unreadable = broken
	r.home, r.root, r.fs, r.ProjectFile = o.Home, o.Root, o.FS, file
	return r
}

// file is one layer, cleaned of what is malformed, and where it was found; nil when there is nothing in it. A file that
// cannot be read is found, too: the project then has rules, of which only the other layers are known.
func (l *loader) file(paths []string) (layer *node, found string) {
	for _, path := range paths {
		data, err := l.fs.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			l.unreadable(path, err)
			return nil, path
		}
		return l.layer(path, data), path
	}
	return nil, ""
}

// unreadable is the problem of a file that is there.
func (l *loader) unreadable(path string, err error) {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	l.add(Problem{File: path, Message: err.Error(), Hint: "the file is left out; make it readable or remove it"})
}

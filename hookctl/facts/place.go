package facts

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"
	"strings"
)

// Place is where a hook ran, as git sees it. All paths are absolute with symbolic links resolved.
type Place struct {
	Dir       string // the directory itself
	Worktree  string // top of the work tree; empty without git
	CommonDir string // git's common directory, which all work trees of a repository share; empty without git
	Git       bool   // whether Dir is in a repository
	Branch    string // short name, e.g. "feature/x"; empty when HEAD is detached
	Name      string // of the project, for people: "hookline"
}

// Path returns what the project is known by: the common directory, without git the directory itself.
func (p Place) Path() string {
	if p.Git {
		return p.CommonDir
	}
	return p.Dir
}

// Main returns the top of the main work tree where Worktree is a linked one, else "".
func (p Place) Main() string {
	top, name := filepath.Split(p.CommonDir)
	if top = filepath.Clean(top); name != ".git" || top == p.Worktree {
		return ""
	}
	return top
}

// Place returns where dir is: repository, work tree, branch. dir is absolute; a relative path means nothing here, since the
// caller's working directory is not the hook's.
//
// A directory that is gone or cannot be read has the answer it had before; if it never had one, only
// Dir is set. Its nearest existing parent is not asked: that may be another project. GIT_DIR and its
// like are not honoured (they belong to the process that started this one), nor does the search stop at
// the border of a file system. Where refs are kept in a reftable only git can read HEAD: it is asked
// once for every state of the tables, for at most 50 ms, and while it fails the branch known before stays.
func (w *World) Place(dir string) Place {
	if !filepath.IsAbs(dir) {
		return Place{Dir: dir}
	}
	place, err := w.discover(dir)
	if err == nil {
		w.places.Put(dir, place)
		return place
	}
	if known, ok := w.places.Get(dir); ok {
		return known
	}
	return Place{Dir: dir}
}

// discover finds the place of dir.
func (w *World) discover(dir string) (Place, error) {
	info, err := stat(dir)
	if err == nil && (info == nil || !info.IsDir()) {
		err = errors.New("no directory")
	}
	if err != nil {
		return Place{}, err
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return Place{}, err
	}
	repo, err := w.around(real)
	if err != nil || repo == nil {
		return Place{Dir: real, Name: filepath.Base(real)}, err
	}

	common, err := filepath.EvalSymlinks(repo.common)
	if err == nil && repo.head == reftableHead {
		repo.head, err = w.reftableHead(repo.gitDir)
	}
	branch, ok := strings.CutPrefix(repo.head, "refs/heads/")
	if !ok { // a ref that is no branch counts as detached
		branch = ""
	}
	return Place{Dir: real, Worktree: repo.worktree, CommonDir: common, Git: true, Branch: branch, Name: nameOf(common)}, err
}

// ProjectID returns the id of the project at a path ([Place.Path]): the first 12 hex digits of the
// SHA-256 of the path, cleaned and with symbolic links resolved. Where the path is gone it is taken
// as it stands. Spellings that differ in case are different paths, also on file systems that do not
// tell them apart. The id is the first one a project gets; it keeps it when its folder moves.
func ProjectID(commonDirOrDir string) string {
	path := filepath.Clean(commonDirOrDir)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:6])
}

// nameOf returns what people call the project at a common directory: the folder that holds ".git" (or
// ".bare"), or the name of a bare repository or a submodule without ".git".
func nameOf(commonDir string) string {
	base := filepath.Base(commonDir)
	if strings.HasPrefix(base, ".") {
		return filepath.Base(filepath.Dir(commonDir))
	}
	return strings.TrimSuffix(base, ".git")
}

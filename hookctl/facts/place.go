package facts

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"
	"time"
)

// Place is where a hook ran, as git sees it. All paths are absolute with symbolic links resolved.
type Place struct {
	Dir       string // the directory itself
	Worktree  string // top of the work tree; empty without git and inside a bare repository
	CommonDir string // git's common directory, which all work trees of a repository share; empty without git
	Git       bool   // whether Dir is in a repository
	Branch    string // short name, e.g. "feature/x"; empty when HEAD is detached
	Name      string // of the project, for people: "hookline"
	Head      string // what HEAD says: the full name of the branch's ref, or the commit when detached
}

// Path is what the project is known by: the common directory, without git the directory itself.
func (p Place) Path() string {
	if p.Git {
		return p.CommonDir
	}
	return p.Dir
}

// Main is the top of the main work tree where Worktree is a linked one, else "".
func (p Place) Main() string {
	top, name := filepath.Split(p.CommonDir)
	if top = filepath.Clean(top); name != ".git" || p.Worktree == "" || top == p.Worktree {
		return ""
	}
	return top
}

// answer is a Place with everything it depends on.
type answer struct {
	place  Place
	marks  []mark
	tables string    // reftable: the list of tables that Branch was read from
	again  time.Time // ask again then, although nothing changed; zero: never
}

// fresh tells whether the answer still holds.
func (a *answer) fresh(now func() time.Time) (bool, error) {
	if !a.again.IsZero() && now().After(a.again) {
		return false, nil
	}
	return unchanged(a.marks)
}

// Place tells where dir is: repository, work tree, branch. dir is absolute; a relative path means
// nothing here, since the caller's working directory is not the hook's.
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
	known, _ := w.places.get(dir)
	if known != nil {
		ok, err := known.fresh(w.now)
		if ok || err != nil {
			return known.place
		}
	}
	next, err := w.discover(dir, known)
	switch {
	case err == nil:
		w.places.put(dir, next)
		return next.place
	case known != nil:
		return known.place
	default:
		return Place{Dir: dir}
	}
}

// ProjectID is the id of the project at a path ([Place.Path]): the first 12 hex digits of the
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

// nameOf is what people call the project at a common directory: the folder that holds ".git" (or
// ".bare"), or the name of a bare repository or a submodule without ".git".
func nameOf(commonDir string) string {
	base := filepath.Base(commonDir)
	if strings.HasPrefix(base, ".") {
		return filepath.Base(filepath.Dir(commonDir))
	}
	return strings.TrimSuffix(base, ".git")
}

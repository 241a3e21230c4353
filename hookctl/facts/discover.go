package facts

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// maxPointer bounds the small files that name another path or ref (.git, commondir, HEAD): a path
// has at most 4096 bytes.
const maxPointer = 8 << 10

// repository is what a search upwards found.
type repository struct {
	gitDir   string // holds HEAD: of the work tree
	worktree string // empty for a bare repository
	head     string // what HEAD says
}

// search walks up from a directory as git does and keeps a mark of everything that the result
// depends on.
type search struct {
	marks []mark
}

// see looks at a path and keeps the mark.
func (s *search) see(path string, link bool) (os.FileInfo, error) {
	m, err := look(path, link)
	if err == nil {
		s.marks = append(s.marks, m)
	}
	return m.info, err
}

// discover answers for dir from scratch. last is the answer of before, or nil.
func (w *World) discover(dir string, last *answer) (*answer, error) {
	var s search
	info, err := s.see(dir, false)
	if err != nil {
		return nil, err
	}
	if info == nil || !info.IsDir() {
		return nil, errors.New("no directory")
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	repo, err := s.up(real)
	if err != nil {
		return nil, err
	}
	a := &answer{place: Place{Dir: real, Name: filepath.Base(real)}}
	if repo != nil {
		if err := w.describe(a, *repo, &s, last); err != nil {
			return nil, err
		}
	}
	a.marks = s.marks
	return a, nil
}

// describe fills in what the repository says.
func (w *World) describe(a *answer, repo repository, s *search, last *answer) error {
	common, err := commonDir(repo.gitDir)
	if err != nil {
		return err
	}
	if common, err = filepath.EvalSymlinks(common); err != nil {
		return err
	}
	p := &a.place
	p.Git, p.CommonDir, p.Worktree, p.Name = true, common, repo.worktree, nameOf(common)
	p.Head = repo.head
	if repo.head == reftableHead {
		return w.askReftable(a, repo.gitDir, s, last)
	}
	p.Branch = branchOf(p.Head)
	return nil
}

// up finds the repository around dir; nil without one.
func (s *search) up(dir string) (*repository, error) {
	for {
		repo, stop, err := s.at(dir)
		if repo != nil || stop || err != nil {
			return repo, err
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil, nil
		}
		dir = parent
	}
}

// at looks for a repository at one level: .git first, then the level itself as a bare one. stop says
// that the search ends here: a .git file that leads nowhere hides the levels above, as it does for git.
func (s *search) at(dir string) (repo *repository, stop bool, err error) {
	dot := filepath.Join(dir, ".git")
	info, err := s.see(dot, false)
	if err != nil {
		return nil, false, err
	}
	switch {
	case info == nil:
	case info.IsDir():
		if head, err := s.head(dot); head != "" || err != nil {
			return &repository{gitDir: dot, worktree: dir, head: head}, false, err
		}
	default:
		gitDir, err := readPointer(dot, "gitdir:")
		if err != nil {
			return nil, true, nil
		}
		head, err := s.head(gitDir)
		if head == "" || err != nil {
			return nil, true, err
		}
		return &repository{gitDir: gitDir, worktree: dir, head: head}, false, nil
	}
	head, err := s.head(dir)
	if head == "" || err != nil {
		return nil, false, err
	}
	return &repository{gitDir: dir, head: head}, false, nil
}

// head reads HEAD of what may be a git directory: empty when it is none by git's own measure, a
// valid HEAD beside objects and refs.
func (s *search) head(gitDir string) (string, error) {
	path := filepath.Join(gitDir, "HEAD")
	info, err := s.see(path, true)
	if info == nil || err != nil {
		return "", err
	}
	head, err := readHead(path, info)
	if err != nil {
		return "", nil
	}
	common, err := commonDir(gitDir)
	if err != nil {
		return "", nil
	}
	for _, part := range [...]string{"objects", "refs"} {
		m, err := look(filepath.Join(common, part), false)
		if err != nil || m.info == nil {
			s.marks = append(s.marks, m) // it may be in the making: `git init` writes HEAD before objects
			return "", err
		}
	}
	return head, nil
}

// commonDir follows the commondir file of a linked work tree's git directory.
func commonDir(gitDir string) (string, error) {
	common, err := readPointer(filepath.Join(gitDir, "commondir"), "")
	if err != nil && absent(err) {
		return gitDir, nil
	}
	return common, err
}

// readPointer reads a file that holds a path, relative to the file's own directory.
func readPointer(file, prefix string) (string, error) {
	b, err := readSmall(file, maxPointer)
	if err != nil {
		return "", err
	}
	path, ok := strings.CutPrefix(strings.TrimRight(string(b), "\r\n"), prefix)
	path = strings.TrimLeft(path, " ")
	if !ok || path == "" {
		return "", errors.New("no " + prefix + " in " + file)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	return filepath.Clean(path), nil
}

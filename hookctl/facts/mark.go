package facts

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"hookline/hookctl/safeopen"
)

// settle is how old a file's modification time must be before equal stat data proves equal content:
// the coarsest clock of a file system in use is FAT's, with 2 s. git's index has the same problem
// ("racy git") and the same answer.
const settle = 2 * time.Second

// mark is how a path looked when an answer was read from it.
type mark struct {
	path    string
	link    bool        // look at a symbolic link itself
	info    os.FileInfo // nil: there was nothing
	settled bool        // equal stat data will prove equal content
}

// look takes the mark of a path. An error means that the path could not be looked at, which is not
// the same as its absence.
func look(path string, link bool) (mark, error) {
	m := mark{path: path, link: link}
	info, err := m.stat()
	if err != nil {
		if absent(err) {
			return m, nil
		}
		return m, err
	}
	m.info = info
	m.settled = info.IsDir() || time.Since(info.ModTime()) > settle
	return m, nil
}

func (m mark) stat() (os.FileInfo, error) {
	if m.link {
		return os.Lstat(m.path)
	}
	return os.Stat(m.path)
}

// same tells whether the path still looks as it did. Of a directory only the identity counts, since
// its times change with every file in it.
func (m mark) same() (bool, error) {
	if m.info != nil && !m.settled {
		return false, nil
	}
	now, err := m.stat()
	switch {
	case err != nil && absent(err):
		return m.info == nil, nil
	case err != nil:
		return false, err
	case m.info == nil || !os.SameFile(m.info, now) || now.IsDir() != m.info.IsDir():
		return false, nil
	}
	return now.IsDir() || now.Size() == m.info.Size() && now.ModTime().Equal(m.info.ModTime()), nil
}

// unchanged tells whether all paths still look as they did.
func unchanged(marks []mark) (bool, error) {
	for _, m := range marks {
		if same, err := m.same(); !same || err != nil {
			return false, err
		}
	}
	return true, nil
}

// absent tells that nothing is at a path; a file where a directory should be counts.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// readSmall reads a file of a repository of at most limit bytes; a longer one is an error, since no file read here
// has a reason to be longer.
func readSmall(path string, limit int64) ([]byte, error) {
	return safeopen.ReadFile(safeopen.Foreign, path, limit)
}

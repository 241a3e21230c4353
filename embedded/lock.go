package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
)

// lock is the store's flock. The kernel gives it up when the process dies, so it is never stale;
// the file stays, with the last holder's words, and is never removed (removing it would let two
// processes lock two files of one name).
type lock struct {
	path string
	file *flock.Flock
}

// takeLock locks the file at path or fails with a [*LockedError].
func takeLock(path, holder string) (*lock, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, classify(err)
	}
	f := flock.New(path, flock.SetPermissions(0o600), flock.SetFlag(os.O_CREATE|os.O_RDWR))
	ok, err := f.TryLock()
	if err != nil {
		return nil, classify(fmt.Errorf("lock %s: %w", path, err))
	}
	if !ok {
		pid, text := readHolder(path)
		return nil, &LockedError{Path: path, PID: pid, Holder: text}
	}
	line, _, _ := strings.Cut(holder, "\n")
	text := strconv.Itoa(os.Getpid()) + "\n" + line + "\n"
	// In place: a rename would put another file under the name that others lock.
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return nil, errors.Join(classify(err), f.Close())
	}
	return &lock{path: path, file: f}, nil
}

func (l *lock) release() error {
	if l == nil {
		return nil
	}
	return l.file.Close()
}

func readHolder(path string) (pid int, text string) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, ""
	}
	first, rest, _ := strings.Cut(string(b), "\n")
	pid, _ = strconv.Atoi(first)
	return pid, strings.TrimSpace(rest)
}

// Holder tells who holds the lock at path, or whose it was last: held is false when nobody has it
// now. A path without a file is held by nobody.
func Holder(path string) (pid int, text string, held bool, err error) {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return 0, "", false, nil
	}
	f := flock.New(path, flock.SetFlag(os.O_RDWR))
	free, err := f.TryRLock()
	if err != nil {
		return 0, "", false, classify(err)
	}
	if free {
		err = f.Close()
	}
	pid, text = readHolder(path)
	return pid, text, !free, err
}

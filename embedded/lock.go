package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/gofrs/flock"
)

// lock is the store's flock. The kernel gives it up when the process dies, so it is never stale;
// the file stays, with the last holder's words, and is never removed (removing it would let two
// processes lock two files of one name). Its third line says how far the log had come: it lies beside the store, so it is
// there when the whole store was removed.
type lock struct {
	path   string
	file   *flock.Flock
	holder string

	mu    sync.Mutex
	seq   uint64
	doing string // that the holder says of itself beside its name
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
		pid, text, _ := readLock(path)
		return nil, &LockedError{Path: path, PID: pid, Holder: text}
	}
	line, _, _ := strings.Cut(holder, "\n")
	l := &lock{path: path, file: f, holder: line, seq: LogSeen(path)}
	if err := l.write(); err != nil {
		return nil, errors.Join(classify(err), f.Close())
	}
	return l, nil
}

// write replaces the file's content in place: a rename would put another file under the name that others lock. It is cut
// to its length last, so that a reader meanwhile, and the next process after a kill or a full disk, finds the old lines
// or the new ones.
func (l *lock) write() error {
	text := strconv.Itoa(os.Getpid()) + "\n" + l.holder
	if l.doing != "" {
		text += doingSign + l.doing
	}
	text += "\n"
	if l.seq > 0 {
		text += logLine + strconv.FormatUint(l.seq, 10) + "\n"
	}

	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte(text), 0)
	if err == nil {
		err = f.Truncate(int64(len(text)))
	}
	return errors.Join(err, f.Close())
}

// note writes down that the log is on disk up to a sequence.
func (l *lock) note(seq uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if seq <= l.seq {
		return nil
	}
	l.seq = seq
	return l.write()
}

// doingSign stands between the holder's name and what it does.
const doingSign = " is "

// say writes down what the holder does, for those who wait for it; "" when that is done.
func (l *lock) say(doing string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.doing = doing
	return l.write()
}

// Doing returns what the holder's text says that it does, as "reading the log (5 of 9)"; "" where it says nothing.
func Doing(text string) string {
	_, doing, _ := strings.Cut(text, doingSign)
	return doing
}

// logLine begins the third line.
const logLine = "log "

// LogSeen returns how far the log of the store with this lock is known to have come; 0 where nothing is known of one.
func LogSeen(path string) uint64 {
	_, _, seq := readLock(path)
	return seq
}

func (l *lock) release() error { return l.file.Close() }

// readLock reads the lock file: its holder's process, what that says of itself, and how far the log had come.
func readLock(path string) (pid int, text string, seq uint64) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, "", 0
	}
	lines := append(strings.Split(string(b), "\n"), "", "")
	pid, _ = strconv.Atoi(lines[0])
	seq, _ = strconv.ParseUint(strings.TrimPrefix(lines[2], logLine), 10, 64)
	return pid, strings.TrimSpace(lines[1]), seq
}

// Holder returns who holds the lock at path, or whose it was last: held is false when nobody has it
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
	pid, text, _ = readLock(path)
	return pid, text, !free, err
}

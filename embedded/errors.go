package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
)

// What can go wrong at Open.
var (
	// ErrLocked: another process holds the store. The error is a [*LockedError].
	ErrLocked = errors.New("the store is in use")
	// ErrLogDamaged: the log cannot be opened or read without losing more of it. The error is a
	// [*DamageError].
	ErrLogDamaged = errors.New("the log is damaged")
	// ErrLogGone: nothing is left of a log that there was, and a new one is not begun unasked; see
	// Options.Renew. It is an ErrLogDamaged too.
	ErrLogGone = errors.New("the log is gone")
	// ErrReadOnly: the store lies on a file system that cannot be written.
	ErrReadOnly = errors.New("the store is not writable")
	// ErrDenied: this user may not read or write one of the store's files. That says nothing of what is in it.
	ErrDenied = errors.New("no permission for the store")
	// ErrMisplaced: a file lies where one of the store's folders belongs. That says nothing of the log.
	ErrMisplaced = errors.New("a file lies where a folder belongs")
)

// What can go wrong while running.
var (
	// ErrNoSpace: the disk or the store's allowance is full; nothing acknowledged is lost.
	ErrNoSpace = errors.New("no space left for the store")
	// ErrWriteStuck: a write failed and the server will refuse all others until the store is
	// closed and opened again; see [Server.Health].
	ErrWriteStuck = errors.New("the store cannot write any more")
	// ErrNoRecord: there is no event at that sequence.
	ErrNoRecord = errors.New("no such record")
	// ErrBadEnvelope: an envelope without id or type, or with control characters in them.
	ErrBadEnvelope = errors.New("not a valid envelope")
	// ErrTooLarge: an event above 8 MiB after compression.
	ErrTooLarge = errors.New("too large for the log")
	// ErrDuplicate: a decision holds ids of which some, not all, are in the log already. Nothing of
	// it was appended. The error is a [*DuplicateError].
	ErrDuplicate = errors.New("partly in the log already")
	// ErrClosed: the store was closed.
	ErrClosed = errors.New("the store is closed")
)

// LockedError says who holds the store.
type LockedError struct {
	Path   string // the lock file
	PID    int    // 0 when it could not be read
	Holder string // the holder's own words
}

// Error implements error.
func (e *LockedError) Error() string {
	return fmt.Sprintf("%v by process %d (%s)", ErrLocked, e.PID, e.Holder)
}

// Unwrap makes it an [ErrLocked].
func (e *LockedError) Unwrap() error { return ErrLocked }

// DamageError says what is wrong with the log, and where.
type DamageError struct {
	What     string
	FirstSeq uint64 // 0 when unknown
	LastSeq  uint64
	Gone     bool  // nothing is left of it: also an [ErrLogGone]
	Err      error // the cause, may be nil
}

// Error implements error.
func (e *DamageError) Error() string {
	msg := fmt.Sprintf("%v: %s", ErrLogDamaged, e.What)
	if e.FirstSeq > 0 {
		msg += fmt.Sprintf(" (sequences %d to %d)", e.FirstSeq, e.LastSeq)
	}
	if e.Err != nil {
		msg += ": " + e.Err.Error()
	}
	return msg
}

// Unwrap makes it an [ErrLogDamaged] and whatever caused it.
func (e *DamageError) Unwrap() []error {
	if e.Gone {
		return []error{ErrLogDamaged, ErrLogGone, e.Err}
	}
	return []error{ErrLogDamaged, e.Err}
}

// DuplicateError names the ids of a refused decision that are in the log, with their sequences.
type DuplicateError struct{ Found map[string]uint64 }

// Error implements error.
func (e *DuplicateError) Error() string {
	return fmt.Sprintf("%v: %d ids", ErrDuplicate, len(e.Found))
}

// Unwrap makes it an [ErrDuplicate].
func (e *DuplicateError) Unwrap() error { return ErrDuplicate }

// classify puts the sentinel in front of an error whose cause can be told, once.
func classify(err error) error {
	switch {
	case err == nil, errors.Is(err, ErrReadOnly), errors.Is(err, ErrDenied), errors.Is(err, ErrMisplaced), errors.Is(err, ErrNoSpace):
		return err
	case errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w: %w", ErrReadOnly, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: %w", ErrDenied, err)
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%w: %w", ErrMisplaced, err)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT),
		strings.Contains(err.Error(), "no space left"):
		return fmt.Errorf("%w: %w", ErrNoSpace, err)
	}
	return err
}

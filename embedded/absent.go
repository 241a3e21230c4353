package embedded

import (
	"sync"

	"hookline/projector"
)

// maxAbsent bounds the keys that are remembered as absent; beyond it all are asked for once more.
const maxAbsent = 4096

// noCell is the error about a cell that is not there. Nearly every hook gets two and drops them, so its words
// are put together only for who reads them.
type noCell struct{ bucket, key string }

// Error names the cell.
func (e *noCell) Error() string {
	return "cell " + e.key + " of " + e.bucket + ": " + e.Unwrap().Error()
}

// Unwrap is [projector.ErrNoCell].
func (e *noCell) Unwrap() error { return projector.ErrNoCell }

// absent remembers keys that a bucket was asked for and does not have: most hooks look for a cell that
// was never written, and the question costs as much as half an append. The zero value is ready. It
// relies on this process being the only writer of the buckets, which the lock makes sure of.
type absent struct {
	mu      sync.Mutex
	keys    map[string]struct{}
	writing int    // writes under way
	writes  uint64 // writes begun: a key that was not there before one may be there after it
}

// knows tells whether a key is known to be absent. since is to be given to note.
func (a *absent) knows(subject string) (known bool, since uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, known = a.keys[subject]
	if a.writing > 0 {
		return known, 0
	}
	return known, a.writes + 1
}

// note remembers a key that was not there, unless something was written since just before it was asked for.
func (a *absent) note(subject string, since uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if since != a.writes+1 {
		return
	}
	if a.keys == nil || len(a.keys) >= maxAbsent {
		a.keys = map[string]struct{}{}
	}
	a.keys[subject] = struct{}{}
}

// saving begins a write; the function it gives ends it. The keys that are written are to be forgotten
// between the two.
func (a *absent) saving() (saved func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.writing++
	a.writes++
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.writing--
	}
}

// forget is called for a key before it is written.
func (a *absent) forget(subject string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.keys, subject)
}

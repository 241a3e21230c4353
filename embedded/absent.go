package embedded

import (
	"sync"

	"github.com/nats-io/nats.go"
)

// maxAbsent bounds the keys that are remembered as absent; beyond it all are asked for once more.
const maxAbsent = 4096

// absent remembers keys that a bucket was asked for and does not have: most hooks look for a cell that
// was never written, and the question costs as much as half an append. The zero value is ready. It
// relies on this process being the only writer of the buckets, which the lock makes sure of.
type absent struct {
	mu      sync.Mutex
	keys    map[string]struct{}
	writing int    // writes under way
	writes  uint64 // writes begun: a key that was not there before one may be there after it
}

// knows returns whether a key is known to be absent. since is to be given to note.
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

// saving begins a write of messages; the function that it returns ends it.
func (a *absent) saving(msgs []*nats.Msg) (saved func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.writing++
	a.writes++
	for _, m := range msgs {
		delete(a.keys, m.Subject)
	}
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.writing--
	}
}

package recorder

import (
	"crypto/sha256"
	"time"

	"hookline/events"
)

// windowSize is the number of events that the window holds: minutes of the busiest session, about 1.5 MB.
const windowSize = 8192

// secondWithin is the longest time between two hooks without a tool call id that are taken for one, sent by two installs.
const secondWithin = 5 * time.Second

// digest identifies a content; it is not kept in the log but computed from the data there.
type digest [16]byte

// digestOf takes the digest of an event's data as it is (or will be) in the log.
func digestOf(data []byte) digest {
	sum := sha256.Sum256(data)
	return digest(sum[:16])
}

// taken is one taken frame.
type taken struct {
	ID     string
	Seq    uint64
	Digest digest
	Time   time.Time // of capture
	At     time.Time // of the append
	key    naturalKey

	// Install is who delivered it; "" when the entry was read back from the log, which does not say.
	Install string
}

// naturalKey names the hook itself, whichever install delivered it.
type naturalKey struct {
	session, hook, call string
	digest              digest // only without a tool call id
}

// window remembers which frames were taken, so that a frame counts once however often it is delivered: the newest events.
// A frame that is older than the window is looked up in the log by its id. It is not safe for concurrent use; the zero
// value is not usable, see [newWindow].
type window struct {
	size    int
	ring    []taken
	next    int
	byID    map[string]int
	natural map[naturalKey]int
}

// newWindow makes a window of the given size.
func newWindow(size int) *window {
	return &window{size: size, ring: make([]taken, 0, size), byID: map[string]int{}, natural: map[naturalKey]int{}}
}

// Verdict says what to do with a frame.
type Verdict int

// Verdicts.
const (
	Fresh     Verdict = iota // take it
	Again                    // the same frame once more: answer as before, count nothing
	Conflict                 // the same id with other content: refuse and record
	SecondHit                // another install sent the same hook: count nothing, answer with the gates' verdict alone
)

// Judge compares a frame's event, delivered by an install, with what the window has seen. For all
// verdicts but Fresh it gives the entry that counted.
func (w *window) Judge(env *events.Envelope, digest digest, install string) (Verdict, taken) {
	if i, ok := w.byID[env.ID]; ok {
		if w.ring[i].Digest == digest {
			return Again, w.ring[i]
		}
		return Conflict, w.ring[i]
	}
	key := keyOf(env, digest)
	i, seen := w.natural[key]
	if !seen {
		return Fresh, taken{}
	}

	e := w.ring[i]
	sameInstall := install != "" && e.Install == install
	if key.call != "" {
		if sameInstall && e.Digest != digest {
			return Fresh, taken{} // one install, one call, other content: the client asked again
		}
		return SecondHit, e
	}
	// The same thing may really have happened twice: one install sends a hook once. Whose the first was is not known
	// after a restart, and a hook counted twice is better than one lost.
	unknown := install != "" && e.Install == ""
	if sameInstall || unknown || env.Time.Sub(e.Time).Abs() > secondWithin {
		return Fresh, taken{}
	}
	return SecondHit, e
}

// Add remembers an event that is in the log at seq since the time at, delivered by an install.
func (w *window) Add(env *events.Envelope, seq uint64, at time.Time, digest digest, install string) {
	e := taken{ID: env.ID, Seq: seq, Digest: digest, Time: env.Time, At: at, Install: install, key: keyOf(env, digest)}
	i := w.next
	if len(w.ring) < w.size {
		w.ring = append(w.ring, e)
	} else {
		old := w.ring[i]
		if w.byID[old.ID] == i {
			delete(w.byID, old.ID)
		}
		if w.natural[old.key] == i {
			delete(w.natural, old.key)
		}
		w.ring[i] = e
	}
	w.next = (i + 1) % w.size
	w.byID[e.ID] = i
	if e.key != (naturalKey{}) {
		w.natural[e.key] = i
	}
}

// Oldest returns the sequence and the append time of the oldest entry; 0 for an empty window.
func (w *window) Oldest() (uint64, time.Time) {
	if len(w.ring) == 0 {
		return 0, time.Time{}
	}
	e := w.ring[w.next%len(w.ring)]
	return e.Seq, e.At
}

// keyOf returns the natural key of a hook's event: session, hook and tool call, else session, hook
// and content (which holds the prompt id). Derived events and refused input have none.
func keyOf(env *events.Envelope, digest digest) naturalKey {
	if env.Hook == "" || env.Session == "" {
		return naturalKey{}
	}
	k := naturalKey{session: env.Session, hook: env.Hook, call: env.ToolUseID}
	if k.call == "" {
		k.digest = digest
	}
	return k
}

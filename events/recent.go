package events

import (
	"hash/maphash"
	"sync"
	"unicode/utf8"
)

// Bounds of the memory for strings that were read lately.
const (
	recentStrings = 512
	recentLength  = 128 // bytes of the longest
)

// recent remembers strings that were read lately. Most short strings of an event stood in the events before it as well
// (ids of the session and the prompt, folders, names of tools and hooks), and what is found here costs no memory.
type recent [recentStrings]string

var (
	recents  = sync.Pool{New: func() any { return new(recent) }}
	hashSeed = maphash.MakeSeed()
)

// text is b as a string; false where b is not UTF-8.
func (r *recent) text(b []byte) (string, bool) {
	if len(b) > recentLength {
		return string(b), utf8.Valid(b)
	}
	slot := &r[maphash.Bytes(hashSeed, b)%recentStrings]
	if *slot != string(b) {
		if !utf8.Valid(b) {
			return "", false
		}
		*slot = string(b)
	}
	return *slot, true
}

package redact

import (
	"bytes"
	"hash/maphash"
	"slices"
	"sync"
)

// Limits of what is remembered. A value that recurs is only looked for when it is long and looks random, or had a
// token's format: words, paths, identifiers and numbers recur for other reasons.
const (
	maxRemembered = 1000 // values
	minRemembered = 10   // bytes of a value
	maxValue      = 512  // bytes of a value
	headLength    = 8    // bytes of a value that it is looked up by
)

// Memory holds the secrets that were found in one session, as keyed hashes, so that they are also replaced where
// they stand without a name. At most 1,000 are held; further ones are not. It is safe for concurrent use.
type Memory struct {
	mu    sync.Mutex
	seed  maphash.Seed
	held  map[uint64][]heldValue // by the hash of the first 8 bytes
	count int
	bloom [1024]uint64 // of those hashes, asked first
}

// heldValue is a secret that was found.
type heldValue struct {
	length int
	hash   uint64
	kind   string // what the marker says
}

// NewMemory returns an empty memory with a key of its own.
func NewMemory() *Memory {
	return &Memory{seed: maphash.MakeSeed(), held: map[uint64][]heldValue{}}
}

// Remembering returns a redactor that also replaces what m holds, and adds to m what it finds.
func (r *Redactor) Remembering(m *Memory) *Redactor {
	next := *r
	next.memory = m
	return &next
}

// recurring returns spans with the places where their values, and those of the redactor's memory, stand bare.
func (r *Redactor) recurring(b []byte, spans []span) []span {
	m := r.memory
	if m == nil {
		if len(spans) == 0 {
			return nil
		}
		m = NewMemory()
	}

	m.mu.Lock()
	defer m.mu.Unlock()

	for _, s := range spans {
		if s.isRemembered(b) {
			m.add(b[s.start:s.end], s.kind)
		}
	}
	if m.count == 0 {
		return spans
	}
	return m.find(b, spans)
}

// isRemembered reports whether the value of s is replaced wherever it recurs: it is no word, path, identifier or number.
// Of a token's format it is enough that it has both letters and digits.
func (s span) isRemembered(b []byte) bool {
	v := b[s.start:s.end]
	if len(v) < minRemembered || len(v) > maxValue {
		return false
	}
	if s.needsQuotes || s.continues || bytes.ContainsAny(v, `\" `) {
		return false
	}

	last := v[len(v)-1]
	hasBorders := isTokenByte(v[0]) && (isTokenByte(last) || last == '=')
	l := look(v)
	if !hasBorders || isPath(v, l) || isDotted(v) {
		return false
	}
	if s.hasFormat && l.digit > 0 && l.letters() > 1 {
		return true
	}
	return isRandom(v) && !endsInSecretWord(v)
}

// add holds one more secret.
func (m *Memory) add(v []byte, kind string) {
	if m.count == maxRemembered {
		return
	}
	head := maphash.Bytes(m.seed, v[:headLength])
	next := heldValue{length: len(v), hash: maphash.Bytes(m.seed, v), kind: kind}
	isHeld := slices.ContainsFunc(m.held[head], func(h heldValue) bool { return h.hash == next.hash })
	if isHeld {
		return
	}

	m.held[head] = append(m.held[head], next)
	m.count++
	word, bit := m.bloomBit(head)
	m.bloom[word] |= bit
}

// bloomBit returns the place of a hash in the bloom filter.
func (m *Memory) bloomBit(head uint64) (word, bit uint64) {
	return head >> 6 % uint64(len(m.bloom)), 1 << (head & 63)
}

// find returns spans with the places of held values added. Only a place where a word begins is looked at.
func (m *Memory) find(b []byte, spans []span) []span {
	var all []span
	next := 0
	for at := 0; at+minRemembered <= len(b); at++ {
		limit := len(b)
		if next < len(spans) {
			limit = spans[next].start
		}
		if at >= limit {
			all = append(all, spans[next])
			at = max(at, spans[next].end) - 1
			next++
			continue
		}

		if !isTokenByte(b[at]) || !beginsWord(b, at) || isEscapeLetter(b, at) {
			continue
		}
		if end, kind := m.valueAt(b[:limit], at); end > 0 {
			all = append(all, span{start: at, end: end, kind: kind, rule: "recurring", vague: true})
			at = end - 1
		}
	}
	return append(all, spans[next:]...)
}

// valueAt returns the end and the kind of the held value that begins at b[at]; 0 if none does.
func (m *Memory) valueAt(b []byte, at int) (end int, kind string) {
	if at+minRemembered > len(b) {
		return 0, ""
	}
	head := maphash.Bytes(m.seed, b[at:at+headLength])
	word, bit := m.bloomBit(head)
	if m.bloom[word]&bit == 0 {
		return 0, ""
	}

	for _, h := range m.held[head] {
		to := at + h.length
		if to > len(b) {
			continue
		}
		isWhole := to == len(b) || !isAlnum(b[to])
		if isWhole && maphash.Bytes(m.seed, b[at:to]) == h.hash {
			end, kind = to, h.kind
		}
	}
	return end, kind
}

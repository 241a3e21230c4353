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
	maxRemembered = 1000
	minRemembered = 10
	maxValue      = 512
	headLength    = 8
)

// Memory holds the secrets that were found in one session, as keyed hashes, so that they are also replaced where
// they stand without a name. At most 1,000 are held; further ones are not. It is safe for concurrent use.
type Memory struct {
	mu    sync.Mutex
	seed  maphash.Seed
	held  map[uint64][]value // by the hash of the first 8 bytes
	count int
	bloom [1024]uint64 // of those hashes, asked first
}

// value is a secret that was found.
type value struct {
	length int
	hash   uint64
	kind   string // what the marker says
}

// NewMemory returns an empty memory with a key of its own.
func NewMemory() *Memory {
	return &Memory{seed: maphash.MakeSeed(), held: map[uint64][]value{}}
}

// Remembering gives a redactor that also replaces what m holds, and adds to m what it finds.
func (r *Redactor) Remembering(m *Memory) *Redactor {
	next := *r
	next.memory = m
	return &next
}

// recurring adds the places where the values of spans, and those of the redactor's memory, stand bare.
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
		if s.remembered(b) {
			m.add(b[s.start:s.end], s.kind)
		}
	}
	if m.count == 0 {
		return spans
	}
	return m.find(b, spans)
}

// remembered reports whether the value of s is replaced wherever it recurs: it is no word, path, identifier or number. Of a
// token's format it is enough that it has both letters and digits.
func (s span) remembered(b []byte) bool {
	v := b[s.start:s.end]
	if len(v) < minRemembered || len(v) > maxValue || s.bare || s.part || bytes.ContainsAny(v, `\" `) {
		return false
	}
	l, last := look(v), v[len(v)-1]
	bordered := isToken(v[0]) && (isToken(last) || last == '=')
	if !bordered || isPath(v, l) || isDotted(v) {
		return false
	}
	return s.token && l.digit > 0 && l.letters() > 1 || isRandom(v) && !endsInSecretWord(v)
}

// add holds one more secret.
func (m *Memory) add(v []byte, kind string) {
	head := maphash.Bytes(m.seed, v[:headLength])
	next := value{len(v), maphash.Bytes(m.seed, v), kind}
	if m.count == maxRemembered || slices.ContainsFunc(m.held[head], func(h value) bool { return h.hash == next.hash }) {
		return
	}
	m.held[head] = append(m.held[head], next)
	m.count++
	m.bloom[head>>6%uint64(len(m.bloom))] |= 1 << (head & 63)
}

// find returns spans with the places of remembered values added. Only a place where a word begins is looked at.
func (m *Memory) find(b []byte, spans []span) []span {
	var all []span
	next := 0
	for at := 0; at+minRemembered <= len(b); at++ {
		if next < len(spans) && at >= spans[next].start {
			all = append(all, spans[next])
			at = max(at, spans[next].end) - 1
			next++
			continue
		}
		if !isToken(b[at]) || !isFresh(b, at) || isEscapeLetter(b, at) {
			continue
		}
		limit := len(b)
		if next < len(spans) {
			limit = spans[next].start
		}
		if end, kind := m.at(b[:limit], at); end > 0 {
			all = append(all, span{start: at, end: end, kind: kind, rule: "recurring", byName: true})
			at = end - 1
		}
	}
	return append(all, spans[next:]...)
}

// at returns the end and the kind of the remembered value that begins at b[at]; 0 if none does.
func (m *Memory) at(b []byte, at int) (end int, kind string) {
	if at+minRemembered > len(b) {
		return 0, ""
	}
	head := maphash.Bytes(m.seed, b[at:at+headLength])
	if m.bloom[head>>6%uint64(len(m.bloom))]&(1<<(head&63)) == 0 {
		return 0, ""
	}
	for _, h := range m.held[head] {
		to := at + h.length
		if to <= len(b) && (to == len(b) || !isAlnum(b[to])) && maphash.Bytes(m.seed, b[at:to]) == h.hash {
			end, kind = to, h.kind
		}
	}
	return end, kind
}

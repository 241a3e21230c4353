package redact

// classBits is the width of a row of the table: up to 64 byte classes.
const classBits = 6

// automaton is an Aho-Corasick machine over ASCII-folded bytes, as one flat table: a step is one load. Bytes
// that occur in no keyword share class 0, so a row is 64 entries instead of 256 and the whole table stays in
// the second-level cache (about 0.2 MB for a thousand states; a row of 256 int64 would take ten times as much).
type automaton struct {
	class [256]uint8
	next  []uint16   // next[state<<classBits|class]
	first uint16     // states from here on end a keyword
	out   [][]uint16 // out[state-first]: the keywords ending there, longest first
	size  []int      // keyword lengths
}

// newAutomaton builds the machine for lower-case keywords. It reports false if they need more classes or
// states than the table can hold.
func newAutomaton(words []string) (*automaton, bool) {
	a := &automaton{size: make([]int, len(words))}
	total, classes := 1, 1
	for i, w := range words {
		a.size[i] = len(w)
		total += len(w)
		for j := range len(w) {
			if c := w[j]; a.class[c] == 0 {
				a.class[c] = uint8(classes)
				if 'a' <= c && c <= 'z' {
					a.class[c-'a'+'A'] = uint8(classes)
				}
				classes++
			}
		}
	}
	if classes > 1<<classBits || total > 1<<16-1 {
		return nil, false
	}
	next, ends := a.trie(words, total)
	order, ends := link(next, ends)
	a.renumber(next, ends, order)
	return a, true
}

// trie lays the keywords out as a tree; 0 is both the root and "no edge", for no edge leads to the root.
func (a *automaton) trie(words []string, total int) ([]uint16, [][]uint16) {
	next := make([]uint16, 1<<classBits, total<<classBits)
	ends := make([][]uint16, 1, total)
	for i, w := range words {
		s := 0
		for j := range len(w) {
			at := s<<classBits | int(a.class[w[j]])
			if next[at] == 0 {
				next[at] = uint16(len(ends))
				next = next[:len(next)+1<<classBits]
				ends = append(ends, nil)
			}
			s = int(next[at])
		}
		ends[s] = append(ends[s], uint16(i))
	}
	return next, ends
}

// link fills the missing edges, breadth first: a state without an edge for a class does what the state of its
// longest proper suffix does, which is shallower and so already complete. It returns the states in that order.
func link(next []uint16, ends [][]uint16) ([]uint16, [][]uint16) {
	fail := make([]uint16, len(ends))
	queue := make([]uint16, 1, len(ends))
	for i := 0; i < len(queue); i++ {
		s := int(queue[i])
		row, suffix := next[s<<classBits:(s+1)<<classBits], int(fail[s])<<classBits
		for c, t := range row {
			switch {
			case t != 0:
				if s != 0 {
					fail[t] = next[suffix|c]
				}
				ends[t] = append(ends[t], ends[fail[t]]...)
				queue = append(queue, t)
			case s != 0:
				row[c] = next[suffix|c]
			}
		}
	}
	return queue, ends
}

// renumber moves the states that end a keyword to the end, so that the scan loop asks one comparison.
func (a *automaton) renumber(next []uint16, ends [][]uint16, order []uint16) {
	to := make([]uint16, len(ends))
	for _, s := range order {
		if ends[s] == nil {
			to[s] = a.first
			a.first++
		}
	}
	n := a.first
	for _, s := range order {
		if ends[s] != nil {
			to[s] = n
			n++
			a.out = append(a.out, ends[s])
		}
	}
	a.next = make([]uint16, len(next))
	for s, t := range to {
		row := a.next[int(t)<<classBits:]
		for c, u := range next[s<<classBits : (s+1)<<classBits] {
			row[c] = to[u]
		}
	}
}

// walk calls hit for every keyword occurrence with its number and the offsets of its first byte and of the
// byte behind it, by rising end; it stops when hit returns false.
func (a *automaton) walk(b []byte, hit func(word uint16, start, end int) bool) {
	var s uint16
	for at := 0; ; {
		if at, s = a.advance(b, at, s); s < a.first {
			return
		}
		for _, w := range a.out[s-a.first] {
			if !hit(w, at-a.size[w], at) {
				return
			}
		}
	}
}

// advance steps to the next state that ends a keyword, or to the end. It calls nothing, so that all it needs
// stays in registers: a step costs little more than the latency of its load.
func (a *automaton) advance(b []byte, at int, s uint16) (int, uint16) {
	next, class, first := a.next, &a.class, a.first
	for i, c := range b[at:] {
		s = next[int(s)<<classBits|int(class[c])]
		if s >= first {
			return at + i + 1, s
		}
	}
	return len(b), 0
}

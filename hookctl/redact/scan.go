package redact

// classBits is the width of a row of the table: up to 64 byte classes.
const classBits = 6

// automaton is an Aho-Corasick machine over ASCII-folded bytes, as one flat table: a step is one load. Bytes
// that occur in no keyword share class 0, so a row is 64 entries instead of 256 and the whole table stays in
// the second-level cache (about 0.2 MB for a thousand states; a row of 256 int64 would take ten times as much).
type automaton struct {
	class [256]uint8
	next  []uint16   // next[state<<classBits|class]
	out   [][]uint16 // by state: the keywords ending there, longest first
	ends  []bool     // by state: whether there are some
	size  []int      // keyword lengths
}

// newAutomaton builds the machine for lower-case keywords, which have at most 63 different bytes and 65,535 in all.
func newAutomaton(words []string) *automaton {
	a := &automaton{size: make([]int, len(words)), next: make([]uint16, 1<<classBits), out: make([][]uint16, 1)}
	classes := uint8(0)
	for i, w := range words {
		a.size[i] = len(w)
		s := 0
		for j := range len(w) {
			c := w[j]
			if a.class[c] == 0 {
				classes++
				a.class[c] = classes
				if isLetter(c) {
					a.class[c&^0x20] = classes
				}
			}
			// The keywords are a tree; 0 is both the root and "no edge", for no edge leads to the root.
			at := s<<classBits | int(a.class[c])
			if a.next[at] == 0 {
				a.next[at] = uint16(len(a.out))
				a.next = append(a.next, make([]uint16, 1<<classBits)...)
				a.out = append(a.out, nil)
			}
			s = int(a.next[at])
		}
		a.out[s] = append(a.out[s], uint16(i))
	}
	a.link()
	return a
}

// link fills the missing edges, breadth first: a state without an edge for a class does what the state of its
// longest proper suffix does, which is shallower and so already complete.
func (a *automaton) link() {
	suffixes := make([]uint16, len(a.out))
	a.ends = make([]bool, len(a.out))
	queue := []uint16{0}
	for i := 0; i < len(queue); i++ {
		s := int(queue[i])
		a.ends[s] = len(a.out[s]) > 0
		row, suffix := a.next[s<<classBits:(s+1)<<classBits], int(suffixes[s])<<classBits
		for c, t := range row {
			switch {
			case t != 0:
				if s != 0 {
					suffixes[t] = a.next[suffix|c]
				}
				a.out[t] = append(a.out[t], a.out[suffixes[t]]...)
				queue = append(queue, t)
			case s != 0:
				row[c] = a.next[suffix|c]
			}
		}
	}
}

// walk calls hit for every keyword occurrence with its number and the offsets of its first byte and of the
// byte after it, by rising end; it stops when hit returns false.
func (a *automaton) walk(b []byte, hit func(word uint16, start, end int) bool) {
	var s uint16
	for at := 0; at < len(b); {
		at, s = a.advance(b, at, s)
		for _, w := range a.out[s] {
			if !hit(w, at-a.size[w], at) {
				return
			}
		}
	}
}

// advance steps to the next state that ends a keyword, or to the end. It calls nothing, so that all it needs
// stays in registers: a step costs little more than the latency of its load.
func (a *automaton) advance(b []byte, at int, s uint16) (int, uint16) {
	next, class, ends := a.next, &a.class, a.ends
	for i, c := range b[at:] {
		s = next[int(s)<<classBits|int(class[c])]
		if ends[s] {
			return at + i + 1, s
		}
	}
	return len(b), 0
}

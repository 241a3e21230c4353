package redact

// classBits is the width of a row of the table: up to 64 byte classes.
const classBits = 6

// automaton is an Aho-Corasick machine over ASCII-folded bytes, as one flat table: a step is one load. Bytes
// that occur in no keyword share class 0, so a row is 64 entries instead of 256 and the whole table stays in
// the second-level cache (about 0.2 MB for a thousand states; a row of 256 int64 would take ten times as much).
type automaton struct {
	class   [256]uint8
	classes uint8      // how many there are beside class 0
	next    []uint16   // next[state<<classBits|class]
	out     [][]uint16 // by state: the keywords ending there, longest first
	ends    []bool     // by state: whether there are some
	size    []int      // by keyword: its length
}

// newAutomaton builds the machine for lower-case keywords, which have at most 63 different bytes and 65,535 in all.
func newAutomaton(words []string) *automaton {
	a := &automaton{
		size: make([]int, len(words)),
		next: make([]uint16, 1<<classBits),
		out:  make([][]uint16, 1),
	}
	for i, word := range words {
		a.size[i] = len(word)
		state := a.insert(word)
		a.out[state] = append(a.out[state], uint16(i))
	}
	a.link()
	return a
}

// insert adds the states of a keyword and returns its last one.
func (a *automaton) insert(word string) int {
	state := 0
	for i := range len(word) {
		// The keywords are a tree; 0 is both the root and "no edge", for no edge leads to the root.
		edge := state<<classBits | int(a.classOf(word[i]))
		if a.next[edge] == 0 {
			a.next[edge] = uint16(len(a.out))
			a.next = append(a.next, make([]uint16, 1<<classBits)...)
			a.out = append(a.out, nil)
		}
		state = int(a.next[edge])
	}
	return state
}

// classOf returns the class of a keyword's byte, a new one where it has none.
func (a *automaton) classOf(c byte) uint8 {
	if a.class[c] == 0 {
		a.classes++
		a.class[c] = a.classes
		if isLetter(c) {
			a.class[c&^0x20] = a.classes
		}
	}
	return a.class[c]
}

// link fills the missing edges, breadth first: a state without an edge for a class does what the state of its
// longest proper suffix does, which is shallower and so already complete.
func (a *automaton) link() {
	suffixes := make([]uint16, len(a.out))
	a.ends = make([]bool, len(a.out))
	queue := []uint16{0}
	for i := 0; i < len(queue); i++ {
		state := int(queue[i])
		a.ends[state] = len(a.out[state]) > 0

		row := a.next[state<<classBits : (state+1)<<classBits]
		suffix := int(suffixes[state]) << classBits
		for class, target := range row {
			if target == 0 {
				if state != 0 {
					row[class] = a.next[suffix|class]
				}
				continue
			}
			if state != 0 {
				suffixes[target] = a.next[suffix|class]
			}
			a.out[target] = append(a.out[target], a.out[suffixes[target]]...)
			queue = append(queue, target)
		}
	}
}

// walk calls hit for every keyword occurrence with its number and the offsets of its first byte and of the
// byte after it, by rising end; it stops when hit returns false.
func (a *automaton) walk(b []byte, hit func(word uint16, start, end int) bool) {
	var state uint16
	for at := 0; at < len(b); {
		at, state = a.advance(b, at, state)
		for _, word := range a.out[state] {
			if !hit(word, at-a.size[word], at) {
				return
			}
		}
	}
}

// advance steps to the next state that ends a keyword, or to the end. It calls nothing, so that all it needs
// stays in registers: a step costs little more than the latency of its load.
func (a *automaton) advance(b []byte, at int, state uint16) (int, uint16) {
	next, class, ends := a.next, &a.class, a.ends
	for i, c := range b[at:] {
		state = next[int(state)<<classBits|int(class[c])]
		if ends[state] {
			return at + i + 1, state
		}
	}
	return len(b), 0
}

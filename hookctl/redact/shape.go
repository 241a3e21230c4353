package redact

import "regexp/syntax"

// shape is a token's pattern compiled for one purpose: matching at a known place, in one pass, without going
// back. Package regexp costs 50 to 100 ns a byte here, a shape about 1 ns, and parsing the pattern is all the
// compiling there is (some microseconds, so a one-shot process pays little for the few rules it meets).
//
// The language is the part of Go's regexp syntax that needs no backtracking to be useful: literals, byte
// classes, repetition of a single class, groups, alternation. A repetition takes all it can and gives nothing
// back, and the first alternative that fits is taken. Group 1, if there is one, is the secret.
type shape []step

type step struct {
	set      *[256]bool
	min, max int // how often set; max < 0: without limit
	choice   []shape
	mark     int // 1 opens the group, 2 closes it
}

// match is where a shape matched.
type match struct{ start, end, groupStart, groupEnd int }

// secret is the range to be replaced: the group, or without one the whole match.
func (m match) secret() (start, end int) {
	if m.groupEnd > 0 {
		return m.groupStart, m.groupEnd
	}
	return m.start, m.end
}

// newShape compiles a pattern; it reports false for one outside the language.
func newShape(pattern string) (shape, bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, false
	}
	return shape(nil).with(re)
}

// with returns s followed by what re matches.
func (s shape) with(re *syntax.Regexp) (shape, bool) {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return s, true
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			s = append(s, step{set: letterSet(r, re.Flags&syntax.FoldCase != 0), min: 1, max: 1})
		}
		return s, true
	case syntax.OpCharClass:
		return append(s, step{set: classSet(re.Rune), min: 1, max: 1}), true
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			next, ok := s.with(sub)
			if !ok {
				return nil, false
			}
			s = next
		}
		return s, true
	case syntax.OpCapture:
		s, ok := append(s, step{mark: 1}).with(re.Sub[0])
		return append(s, step{mark: 2}), ok
	case syntax.OpAlternate:
		return s.withChoice(re.Sub)
	}
	return s.withRepeat(re)
}

func (s shape) withChoice(subs []*syntax.Regexp) (shape, bool) {
	var st step
	for _, sub := range subs {
		c, ok := shape(nil).with(sub)
		if !ok {
			return nil, false
		}
		st.choice = append(st.choice, c)
	}
	return append(s, st), true
}

func (s shape) withRepeat(re *syntax.Regexp) (shape, bool) {
	var lo, hi int
	switch re.Op {
	case syntax.OpStar:
		lo, hi = 0, -1
	case syntax.OpPlus:
		lo, hi = 1, -1
	case syntax.OpQuest:
		lo, hi = 0, 1
	case syntax.OpRepeat:
		lo, hi = re.Min, re.Max
	default:
		return nil, false
	}
	sub, ok := shape(nil).with(re.Sub[0])
	if !ok {
		return nil, false
	}
	if len(sub) == 1 && sub[0].set != nil && sub[0].min == 1 && sub[0].max == 1 {
		return append(s, step{set: sub[0].set, min: lo, max: hi}), true
	}
	if re.Op == syntax.OpQuest {
		return append(s, step{choice: []shape{sub, {}}}), true
	}
	return nil, false
}

func letterSet(r rune, fold bool) *[256]bool {
	var set [256]bool
	set[byte(r)] = true
	if fold && isLetter(byte(r)) {
		set[byte(r)|0x20], set[byte(r)&^0x20] = true, true
	}
	return &set
}

func classSet(ranges []rune) *[256]bool {
	var set [256]bool
	for i := 0; i+1 < len(ranges); i += 2 {
		for r := ranges[i]; r <= min(ranges[i+1], 127); r++ {
			set[r] = true
		}
	}
	return &set
}

// match matches s at b[at:]. Without a match, reached is how far it looked.
func (s shape) match(b []byte, at int) (m match, reached int, ok bool) {
	m = match{start: at}
	m.end, ok = s.run(b, at, &m)
	return m, m.end, ok
}

func (s shape) run(b []byte, at int, m *match) (int, bool) {
	for i := range s {
		st := &s[i]
		switch {
		case st.mark == 1:
			m.groupStart = at
		case st.mark == 2:
			m.groupEnd = at
		case st.choice != nil:
			end, ok := choose(st.choice, b, at, m)
			if !ok {
				return end, false
			}
			at = end
		default:
			from := at
			for at < len(b) && st.set[b[at]] && (st.max < 0 || at-from < st.max) {
				at++
			}
			if at-from < st.min {
				return at, false
			}
		}
	}
	return at, true
}

func choose(choice []shape, b []byte, at int, m *match) (int, bool) {
	reached := at
	for _, c := range choice {
		end, ok := c.run(b, at, m)
		if ok {
			return end, true
		}
		reached = max(reached, end)
	}
	return reached, false
}

// back matches a shape of one repeated class that ends at b[:end] and returns where it starts.
func (s shape) back(b []byte, end int) (int, bool) {
	at := end
	for at > 0 && s[0].set[b[at-1]] && (s[0].max < 0 || end-at < s[0].max) {
		at--
	}
	return at, end-at >= s[0].min
}

// starts adds the bytes a match can begin with and reports whether it can be empty.
func (s shape) starts(first *[256]bool) bool {
	for _, st := range s {
		empty := st.mark != 0 || st.choice == nil && st.min == 0
		if st.set != nil {
			for c, in := range st.set {
				first[c] = first[c] || in
			}
		}
		for _, c := range st.choice {
			empty = c.starts(first) || empty
		}
		if !empty {
			return false
		}
	}
	return true
}

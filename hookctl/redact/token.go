package redact

import "bytes"

// window bounds what a pattern is shown around its keyword. A longer token is followed to its end by its bytes.
const (
	window       = 4096
	windowBefore = 128
)

// findAt applies a rule's pattern where a token begins with the keyword. Patterns of this form begin with \A.
func findAt(p *pass, m *matcher, start, _ int) {
	if start < p.tokenEnd || start < p.dead[m.index] || isAlnum(p.b[start]) && !isFresh(p.b, start) {
		return
	}
	got, ok := p.match(m, start, start+window)
	switch {
	case ok && m.accepts(p, got):
		p.tokenEnd = max(p.tokenEnd, got.end)
		p.token(m, got)
	case ok:
		p.dead[m.index] = got.end // a long run that was refused once is not walked again from each keyword inside it
	default:
		end := runEnd(p.b[:min(start+window, len(p.b))], start, isWord)
		if end-start > 256 {
			p.dead[m.index] = end
		}
	}
}

// findNear looks for a token that has no form of its own: among the words in the rule's window after the
// keyword. It neither hides tokens with a form of their own nor outranks them.
func findNear(p *pass, m *matcher, _, end int) {
	at, limit := max(end, p.dead[m.index]), min(end+m.near, len(p.b))
	for at < limit {
		if !isWord(p.b[at]) || at > 0 && isWord(p.b[at-1]) && !isFresh(p.b, at) || isEscapeLetter(p.b, at) {
			at++
			continue
		}
		to := runEnd(p.b, at, isWord)
		if to-at >= minNear {
			got, ok := p.match(m, at, at+window)
			if ok && m.accepts(p, got) && (got.end == len(p.b) || !joins(p.b[got.end])) {
				p.token(m, got)
			}
		}
		at = to
	}
	p.dead[m.index] = max(p.dead[m.index], at)
}

// minNear is the least length of a word that findNear shows to a pattern.
const minNear = 12

// findAround looks for tokens whose keyword does not stand at their start. A window begins where a token
// around the keyword can begin, also before the end of the last window, and a keyword that stands well inside of that has been
// seen: each byte is looked at three times at most.
func findAround(p *pass, m *matcher, start, end int) {
	if start+windowBefore <= p.dead[m.index] {
		return
	}
	from, to := max(start-windowBefore, 0), min(end+2*windowBefore, len(p.b))
	for from < to {
		got, ok := p.match(m, from, to)
		switch {
		case !ok:
			from = to
		case isEscapeLetter(p.b, got.start) || !isFresh(p.b, got.start):
			from = got.start + 1
		default:
			if m.accepts(p, got) {
				p.token(m, got)
			}
			from = max(got.end, from+1)
		}
	}
	p.dead[m.index] = max(p.dead[m.index], to)
}

// isToken reports whether c is one of the bytes that most tokens are made of.
func isToken(c byte) bool { return isAlnum(c) || joins(c) }

// isWord reports whether c can be part of a token that has no form of its own.
func isWord(c byte) bool { return isToken(c) || c == '.' }

// joins reports whether c makes longer words of words.
func joins(c byte) bool { return c == '-' || c == '_' || c == '/' || c == '+' }

// match is the range of a secret.
type match struct{ start, end int }

// token notes a secret that a rule's pattern found.
func (p *pass) token(m *matcher, got match) {
	p.add(span{start: got.start, end: got.end, kind: m.kind, rule: m.id, order: m.index, byName: m.near > 0, token: true})
}

// match applies the rule's pattern to a range of the text.
func (p *pass) match(m *matcher, from, to int) (match, bool) {
	m.compile()
	to = min(to, len(p.b))
	at := m.re.FindSubmatchIndex(p.b[from:to])
	if at == nil {
		return match{}, false
	}
	group := 0
	for i := 2; i < len(at) && group == 0; i += 2 {
		if at[i] >= 0 && at[i] < at[i+1] {
			group = i
		}
	}
	got := match{from + at[group], from + at[group+1]}
	if m.open || got.end == to {
		got.end = runEnd(p.b, got.end, isToken)
	}
	return got, true
}

// accepts applies what a pattern cannot say.
func (m *matcher) accepts(p *pass, got match) bool {
	if got.end < len(p.b) && isAlnum(p.b[got.end]) {
		return false
	}
	v := p.b[got.start:got.end]
	l := look(v)
	switch {
	case m.cased && (l.upper == 0 || l.lower == 0 || l.digit == 0):
		return false
	case m.entropy > 0 && entropy(v) < m.entropy:
		return false
	case m.allowed != nil && m.allowed.Match(v):
		return false
	}
	return !isNumber(v) && !hasPrefix(v, "[REDACTED:")
}

// isNumber reports whether v could be a JSON number, which a marker without quotes must not replace.
func isNumber(v []byte) bool { return len(bytes.Trim(v, "0123456789eE.+-")) == 0 }

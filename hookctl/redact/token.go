package redact

// findToken asks a rule's pattern at its keyword.
func findToken(p *pass, m *matcher, start, _ int) {
	if start < p.tokenEnd || start < p.dead[m.index] {
		return
	}
	m.compile()
	if m.before != nil {
		from, ok := m.before.back(p.b, start)
		if !ok || !isFresh(p.b, from) {
			return
		}
		if got, _, ok := m.shape.match(p.b, start); ok && m.accepts(p, match{start: from, end: got.end}) {
			p.addToken(m, from, got.end)
		}
		return
	}
	if !isAlnum(p.b[start]) || isFresh(p.b, start) {
		p.tryToken(m, start)
	}
}

// tryToken matches at a place where a token may begin.
func (p *pass) tryToken(m *matcher, at int) {
	got, reached, ok := m.shape.match(p.b, at)
	if ok && m.accepts(p, got) {
		s, e := got.secret()
		p.addToken(m, s, e)
		return
	}
	// A long run that failed once is not walked again from each keyword inside it.
	if reached-at > 64 {
		p.dead[m.index] = reached
	}
}

// findNear looks for a token that is known only by its company: in the rule's window behind the keyword.
func findNear(p *pass, m *matcher, start, end int) {
	m.compile()
	at, limit := max(end, p.dead[m.index]), min(end+m.near, len(p.b))
	for at < limit {
		if !m.first[p.b[at]] || !isFresh(p.b, at) || isEscapeLetter(p.b, at) || at > 0 && joins(p.b[at-1]) {
			at++
			continue
		}
		got, reached, ok := m.shape.match(p.b, at)
		if ok && m.accepts(p, got) && !(got.end < len(p.b) && joins(p.b[got.end])) {
			// Known by company only, so it neither hides tokens with a form of their own nor outranks them.
			p.add(span{start: at, end: got.end, kind: m.kind, rule: m.id, byName: true})
		}
		at = max(reached, at+1)
	}
	p.dead[m.index] = max(p.dead[m.index], at)
}

// joins reports whether c makes longer words of words: what is a part of such a word is no token.
func joins(c byte) bool { return c == '-' || c == '_' || c == '/' || c == '+' }

// accepts applies what a pattern cannot say.
func (m *matcher) accepts(p *pass, got match) bool {
	if got.end < len(p.b) && isAlnum(p.b[got.end]) && !m.open {
		return false
	}
	s, e := got.secret()
	v := p.b[s:e]
	if m.unless != "" && hasPrefixFold(v, m.unless) {
		return false
	}
	l := look(v)
	if m.mixed && (l.digit == 0 || l.letters() == 0) {
		return false
	}
	if m.cased && (l.upper == 0 || l.lower == 0) && !(m.flat && l.joint <= 1) {
		return false
	}
	if m.entropy > 0 && entropy(v) < m.entropy {
		return false
	}
	return !isMasked(v) && !isNumber(v)
}

// isMasked reports whether a token was already made unreadable, or is a form to be filled in: sk-ant-xxxx….
func isMasked(v []byte) bool {
	x, run := byte(0), 0
	for _, c := range v[:min(len(v), 64)] {
		if c != x {
			x, run = c, 0
		}
		if run++; run >= 6 && (c|0x20 == 'x' || c == '*' || c == '.') {
			return true
		}
	}
	return false
}

// isNumber reports whether v could be a JSON number, which a marker without quotes must not replace.
func isNumber(v []byte) bool {
	for _, c := range v {
		if !isDigit(c) && c|0x20 != 'e' && c != '.' && c != '-' && c != '+' {
			return false
		}
	}
	return true
}

func (p *pass) addToken(m *matcher, start, end int) {
	p.tokenEnd = max(p.tokenEnd, end)
	p.add(span{start: start, end: end, kind: m.kind, rule: m.id})
}

package redact

import "bytes"

// window bounds what a pattern is shown around its keyword, in bytes. A longer token is followed to its end by its bytes.
const (
	window       = 4096
	windowBefore = 128
)

// minNear is the least length of a word that findNear shows to a pattern.
const minNear = 12

// findAt applies a rule's pattern where a token begins with the keyword. Patterns of this form begin with \A.
func findAt(p *pass, r *rule, start, _ int) {
	if start < p.tokenEnd || start < p.deadEnd[r.index] {
		return
	}
	if isAlnum(p.b[start]) && !beginsWord(p.b, start) {
		return
	}

	got, ok := p.match(r, start, start+window)
	if !ok {
		end := runEnd(p.b[:min(start+window, len(p.b))], start, isWordByte)
		if end-start > 256 {
			p.deadEnd[r.index] = end
		}
		return
	}
	if !r.accepts(p, got) {
		p.deadEnd[r.index] = got.end // a long run that was refused once is not walked again from each keyword inside it
		return
	}
	p.tokenEnd = max(p.tokenEnd, got.end)
	p.addToken(r, got)
}

// findNear looks for a token that has no form of its own: among the words in the rule's window after the
// keyword. It neither hides tokens with a form of their own nor outranks them.
func findNear(p *pass, r *rule, _, end int) {
	at := max(end, p.deadEnd[r.index])
	limit := min(end+r.near, len(p.b))
	for at < limit {
		if !p.beginsNearWord(at) {
			at++
			continue
		}

		wordEnd := runEnd(p.b, at, isWordByte)
		if wordEnd-at >= minNear {
			got, ok := p.match(r, at, at+window)
			if ok && r.accepts(p, got) && !p.isJoined(got.end) {
				p.addToken(r, got)
			}
		}
		at = wordEnd
	}
	p.deadEnd[r.index] = max(p.deadEnd[r.index], at)
}

// beginsNearWord reports whether a word begins at b[at] that findNear looks at.
func (p *pass) beginsNearWord(at int) bool {
	if !isWordByte(p.b[at]) {
		return false
	}
	isInside := at > 0 && isWordByte(p.b[at-1]) && !beginsWord(p.b, at)
	return !isInside && !isEscapeLetter(p.b, at)
}

// isJoined reports whether what stands at b[at] makes a longer word of the word before it.
func (p *pass) isJoined(at int) bool { return at < len(p.b) && isJointByte(p.b[at]) }

// findAround looks for tokens whose keyword does not stand at their start. A window begins where a token
// around the keyword can begin, also before the end of the last window, and a keyword that stands well inside of that
// has been seen: each byte is looked at three times at most.
func findAround(p *pass, r *rule, start, end int) {
	if start+windowBefore <= p.deadEnd[r.index] {
		return
	}

	from := max(start-windowBefore, 0)
	to := min(end+2*windowBefore, len(p.b))
	for from < to {
		got, ok := p.match(r, from, to)
		if !ok {
			break
		}
		if isEscapeLetter(p.b, got.start) || !beginsWord(p.b, got.start) {
			from = got.start + 1
			continue
		}
		if r.accepts(p, got) {
			p.addToken(r, got)
		}
		from = max(got.end, from+1)
	}
	p.deadEnd[r.index] = max(p.deadEnd[r.index], to)
}

// isTokenByte reports whether c is one of the bytes that most tokens are made of.
func isTokenByte(c byte) bool { return isAlnum(c) || isJointByte(c) }

// isWordByte reports whether c can be part of a token that has no form of its own.
func isWordByte(c byte) bool { return isTokenByte(c) || c == '.' }

// isJointByte reports whether c makes longer words of words.
func isJointByte(c byte) bool { return c == '-' || c == '_' || c == '/' || c == '+' }

// match is the range of a secret.
type match struct{ start, end int }

// addToken notes a secret that a rule's pattern found.
func (p *pass) addToken(r *rule, got match) {
	p.add(span{
		start:     got.start,
		end:       got.end,
		kind:      r.kind,
		rule:      r.id,
		order:     r.index,
		vague:     r.near > 0,
		hasFormat: true,
	})
}

// match applies the rule's pattern to a range of the text.
func (p *pass) match(r *rule, from, to int) (match, bool) {
	r.compile()
	to = min(to, len(p.b))
	at := r.re.FindSubmatchIndex(p.b[from:to])
	if at == nil {
		return match{}, false
	}

	secret := 0 // index into at: the whole match, or the first group that matched something
	for group := 2; group < len(at); group += 2 {
		if at[group] >= 0 && at[group] < at[group+1] {
			secret = group
			break
		}
	}
	got := match{start: from + at[secret], end: from + at[secret+1]}
	if r.open || got.end == to {
		got.end = runEnd(p.b, got.end, isTokenByte)
	}
	return got, true
}

// accepts applies what a pattern cannot say.
func (r *rule) accepts(p *pass, got match) bool {
	if got.end < len(p.b) && isAlnum(p.b[got.end]) {
		return false
	}

	v := p.b[got.start:got.end]
	if r.cased && !hasEveryCase(v) {
		return false
	}
	if r.entropy > 0 && entropy(v) < r.entropy {
		return false
	}
	if r.allowed != nil && r.allowed.Match(v) {
		return false
	}
	return !isNumber(v) && !hasPrefix(v, "[REDACTED:")
}

// hasEveryCase reports whether v has capitals, small letters and digits.
func hasEveryCase(v []byte) bool {
	l := look(v)
	return l.upper > 0 && l.lower > 0 && l.digit > 0
}

// isNumber reports whether v could be a JSON number, which a marker without quotes must not replace.
func isNumber(v []byte) bool { return len(bytes.Trim(v, "0123456789eE.+-")) == 0 }

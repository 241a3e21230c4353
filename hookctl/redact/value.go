package redact

import "bytes"

// takeAssigned takes the value of a, if it is one.
func (p *pass) takeAssigned(r *rule, a assignment) {
	if a.value >= len(p.b) {
		return
	}

	q := p.openingQuote(a.value)
	if a.form != nameKey && p.endsString(q) {
		return
	}
	if a.style == styleXML {
		p.takeElement(r, a)
		return
	}
	if q.found() {
		p.takeQuoted(r, a, q.end, closing(p.b, q, p.encoding))
		return
	}
	if a.hasColon() && p.takeYAMLBlock(r, a) {
		return
	}
	if a.form == nameKey {
		p.takeNumber(r, a)
		return
	}
	p.takeUnquoted(r, a)
}

// maxStringPrefix bounds what stands before a quote in Python, C# and Rust: rb"…", $@"…".
const maxStringPrefix = 2

// openingQuote reads the quote that a value at b[at] begins with, also behind the prefix of a string and three of them.
func (p *pass) openingQuote(at int) quoteMark {
	q := quoteAt(p.b, at)
	for n := 1; !q.found() && n <= maxStringPrefix && at+n < len(p.b); n++ {
		if !oneOf(lower(p.b[at+n-1]), "bruf@$") {
			break
		}
		q = quoteAt(p.b, at+n)
	}

	isTriple := q.found() && q.end+1 < len(p.b) && p.b[q.end] == q.char && p.b[q.end+1] == q.char
	if isTriple {
		q.end += 2 // Python's and Java's three quotes
	}
	return q
}

// endsString reports whether q is the end of the JSON string that a name stands in, as one without an escape is.
func (p *pass) endsString(q quoteMark) bool {
	return p.encoding == jsonText && q.char == '"' && q.depth%2 == 0
}

// maxElement bounds the text of an XML element, in bytes.
const maxElement = 1024

// takeElement takes the text of an XML element.
func (p *pass) takeElement(r *rule, a assignment) {
	from := a.value
	size := bytes.IndexByte(p.b[from:min(from+maxElement, len(p.b))], '<')
	if size <= 0 {
		return
	}
	to := from + size
	isClosed := to+1 < len(p.b) && p.b[to+1] == '/'
	if !isClosed {
		return
	}

	closingTag, _, _ := bytes.Cut(p.b[to:min(to+2*maxName, len(p.b))], []byte(">"))
	if opensTag(p.b, a.name) && !bytes.Contains(closingTag, p.b[a.name:a.nameEnd]) {
		return // <password> of a usage text, and some other element's end
	}

	from = skipSpace(p.b, from)
	for to > from && (isSpace(p.b[to-1]) || p.b[to-1] == '\\' || isEscapeLetter(p.b, to-1)) {
		to--
	}
	v := p.b[from:max(from, to)]
	if bytes.IndexByte(v, ' ') >= 0 && a.kind != kindPassword {
		return
	}
	if a.holder == holderElement && !isMixed(v, minShort) {
		return
	}
	if !isPlaceholder(v) && a.fitsQuoted(v) {
		p.addNamed(r, a, from, to)
	}
}

// takeYAMLBlock takes the first word of a block scalar (password: |). It reports whether there was one.
func (p *pass) takeYAMLBlock(r *rule, a assignment) bool {
	b, at := p.b, a.value
	if at+2 >= len(b) || !oneOf(b[at], "|>") {
		return false
	}

	signEnd := runEnd(b, at+1, func(c byte) bool { return oneOf(c, "-+") || isDigit(c) })
	from := skipSpace(b, signEnd)
	if afterPrefix := skipLinePrefix(b, from); isBlank(b[afterPrefix-1]) {
		from = afterPrefix
	}
	if from == signEnd || from == len(b) || !isBlank(b[from-1]) {
		return false
	}

	end := p.wordEnd(endsAtBlank, from)
	v := b[from:end]
	if isPlaceholder(v) || !a.fits(v) {
		return false
	}
	p.addNamed(r, a, from, end)
	return true
}

// takeNumber takes a JSON number: a PIN or a numeric password; short ones are counts.
func (p *pass) takeNumber(r *rule, a assignment) {
	end := runEnd(p.b, a.value, isDigit)
	minLength := 16
	if a.kind == kindPassword {
		minLength = 6
	}
	if end-a.value < minLength || end == len(p.b) {
		return
	}
	if isSpace(p.b[end]) || oneOf(p.b[end], ",}") {
		p.addNamed(r, a, a.value, end)
		p.spans[len(p.spans)-1].needsQuotes = true
	}
}

// closing finds the end of the value behind the quote q: the quote at the same depth of escaping (or a lesser one: the
// string around it ends). Without one it ends with the line.
//
// A line break of the text the quote belongs to is as deeply escaped as the quote; single quotes do not show
// their depth, so in JSON the first depth is taken.
func closing(b []byte, q quoteMark, encoding encoding) int {
	breakDepth := q.depth
	if q.char != '"' && encoding == jsonText && q.depth == 0 {
		breakDepth = 1
	}

	backslashes := 0 // right before b[i]
	for i := q.end; i < len(b); i++ {
		c := b[i]
		if c == '\\' {
			backslashes++
			continue
		}
		if c == q.char {
			if q.closedBehind(backslashes) {
				return i - min(backslashes, q.depth)
			}
			backslashes = 0
			continue
		}

		if c == '"' && backslashes < q.depth {
			return i - backslashes
		}
		isEscapedBreak := c == 'n' && backslashes == breakDepth && breakDepth > 0
		if c == '\n' || isEscapedBreak {
			return i - backslashes
		}
		backslashes = 0
	}
	return len(b) - backslashes
}

// closedBehind reports whether the same quote behind so many backslashes closes q.
func (q quoteMark) closedBehind(backslashes int) bool {
	if q.char != '"' || backslashes < q.depth {
		return true
	}
	return (backslashes-q.depth)%(2*(q.depth+1)) == 0
}

// takeQuoted takes a value in quotes.
func (p *pass) takeQuoted(r *rule, a assignment, from, to int) {
	v := p.b[from:max(from, to)]
	if n := a.readScheme(v); n > 0 {
		from += n
		v = v[n:]
		if hasPrefix(v, "[") {
			return // Bearer [the token]
		}
	}

	if isPlaceholder(v) || !a.fitsQuoted(v) || p.isBetweenStrings(a, v, to) {
		return
	}
	if a.isCallArgument() && (!isMixed(v, minShort) || isNumber(v)) {
		return
	}
	p.addNamed(r, a, from, to)
}

// isCallArgument reports whether the value is an argument that has to look random. A call is about the secret that it is
// named after where its only argument does, as in setPassword("…") and .token("…"); f("password", "word") is about none.
func (a *assignment) isCallArgument() bool {
	switch a.holder {
	case holderOnlyArgument:
		return true
	case holderSecondArgument:
		return !a.upper
	}
	return false
}

// isBetweenStrings reports whether the quote before v ended a string ("Password: ", err) rather than began one.
func (p *pass) isBetweenStrings(a assignment, v []byte, to int) bool {
	if a.form != nameBare || !oneOf(v[0], ",;)]}+. ") {
		return false
	}
	isUnclosed := to == len(p.b) || p.b[to] == '\n' || isEscapeLetter(p.b, to+backslashRun(p.b, to))
	return isUnclosed || bytes.IndexByte(v[:min(len(v), maxJudged)], ' ') >= 0
}

// takeUnquoted takes a value without quotes.
func (p *pass) takeUnquoted(r *rule, a assignment) {
	at := a.value
	at += a.readScheme(p.b[at:])
	if isPlaceholder(p.b[at:min(at+64, len(p.b))]) {
		return
	}

	end := p.wordEnd(a.wordEnding(), at)
	v := p.b[at:end]
	if a.fits(v) && !p.isExpression(a, at, end) {
		p.addNamed(r, a, at, end)
		return
	}
	if len(v) > 128 {
		p.valueEnd = at + 64 // names inside so long a word are judged at every 64th byte only, or it costs too much
	}
}

// addNamed notes the value of a name.
func (p *pass) addNamed(r *rule, a assignment, start, end int) {
	if start >= end {
		return
	}
	p.valueEnd = max(p.valueEnd, end)
	p.add(span{start: start, end: end, kind: a.kind, rule: r.id, vague: true})
}

// wordEnding is what ends an unquoted value. In .env files and shells it is a blank; elsewhere separators end it, some
// when something else follows them, since a password may hold them.
type wordEnding uint8

const (
	endsAtSeparator wordEnding = iota
	endsAtBlank                // NAME=value
	endsAtURLPart              // ?name=value&
	endsAtShellSign            // --name value
	wordEndings                // their number
)

// separators end a word, for each wordEnding.
var separators = [wordEndings]string{
	endsAtSeparator: "<>[(;&",
	endsAtURLPart:   "<>[(;&#",
	endsAtShellSign: "<>[(;&|",
}

// closers end a word where no letter or digit follows them, for each wordEnding.
var closers = [wordEndings]string{
	endsAtSeparator: ",}])",
	endsAtURLPart:   ",}])",
	endsAtShellSign: ",}])",
}

// wordEnding returns what ends the value of a where it has no quotes.
func (a *assignment) wordEnding() wordEnding {
	if a.inURL {
		return endsAtURLPart
	}
	if a.isVariable() {
		return endsAtBlank
	}
	if a.style == styleFlag {
		return endsAtShellSign
	}
	return endsAtSeparator
}

// wordEnd finds where the unquoted value at b[at] ends. That depends on the place only, so a long run with many names in
// it is walked once.
func (p *pass) wordEnd(ending wordEnding, at int) int {
	last := &p.lastWord[ending]
	if at >= last.from && at < last.to {
		return last.to
	}

	separators, closers := separators[ending], closers[ending]
	end := at
	for ; end < len(p.b); end++ {
		c := p.b[end]
		if isSpace(c) || isQuote(c) || c == 0x1b {
			break
		}
		if c == '\\' && endsWord(p.b, end) {
			break
		}
		if oneOf(c, separators) {
			break
		}
		isLast := end+1 == len(p.b) || !isAlnum(p.b[end+1])
		if isLast && oneOf(c, closers) {
			break
		}
	}
	last.from, last.to = at, end
	return end
}

// endsWord reports whether the backslashes at b[at] lead to an escaped blank, quote or ESC.
func endsWord(b []byte, at int) bool {
	at += backslashRun(b, at)
	if at == len(b) || isQuote(b[at]) {
		return true
	}
	return oneOf(b[at], "nrt") || hasPrefix(b[at:], "u001b")
}

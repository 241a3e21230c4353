package redact

import "bytes"

// assigned takes the value of a, if it is one.
func (p *pass) assigned(m *matcher, a assignment) {
	at := a.value
	if at >= len(p.b) {
		return
	}
	depth, quote, after := quoteAt(p.b, at)
	for i := at; quote == 0 && i < min(at+3, len(p.b)); i++ {
		if i > at && !oneOf(lower(p.b[i-1]), "bruf@$") {
			break
		}
		depth, quote, after = quoteAt(p.b, i) // after the prefix of a string of Python, C# or Rust
	}
	if quote != 0 && after+1 < len(p.b) && p.b[after] == quote && p.b[after+1] == quote {
		after += 2 // Python's and Java's three quotes
	}
	if !a.outer && p.ends(depth, quote) {
		return
	}
	switch {
	case a.style == styleXML:
		p.element(m, a, at)
	case quote == 0 && a.style == styleColon && p.yamlBlock(m, a, at):
	case a.outer && quote == 0:
		p.number(m, a, at)
	case quote != 0:
		p.quoted(m, a, after, closing(p.b, after, depth, quote, p.json))
	default:
		p.unquoted(m, a, at)
	}
}

// ends reports whether a quote is the end of the JSON string that a name stands in, as one without an escape is.
func (p *pass) ends(depth int, quote byte) bool { return p.json && quote == '"' && depth%2 == 0 }

// element takes the text of an XML element.
func (p *pass) element(m *matcher, a assignment, at int) {
	size := bytes.IndexByte(p.b[at:min(at+maxElement, len(p.b))], '<')
	if size <= 0 || at+size+1 == len(p.b) || p.b[at+size+1] != '/' {
		return // no closing tag
	}
	end, _, _ := bytes.Cut(p.b[at+size:min(at+size+2*maxName, len(p.b))], []byte(">"))
	if opensTag(p.b, a.name) && !bytes.Contains(end, p.b[a.name:a.nameEnd]) {
		return // <password> of a usage text, and some other element's end
	}
	from, to := skipSpace(p.b, at), at+size
	for to > from && (isSpace(p.b[to-1]) || p.b[to-1] == '\\' || isEscapeLetter(p.b, to-1)) {
		to--
	}
	word := p.b[from:max(from, to)]
	if bytes.IndexByte(word, ' ') >= 0 && a.kind != "password" {
		return
	}
	if !isPlaceholder(word) && a.fits(word, true) && (!a.setter || isMixed(word, 8)) {
		p.addNamed(m, a, from, to)
	}
}

// maxElement bounds an XML element's text.
const maxElement = 1024

// yamlBlock takes the first word of a block scalar (password: |).
func (p *pass) yamlBlock(m *matcher, a assignment, at int) bool {
	b := p.b
	if at+2 >= len(b) || !oneOf(b[at], "|>") {
		return false
	}
	for at++; at < len(b) && (oneOf(b[at], "-+") || isDigit(b[at])); at++ {
	}
	from := skipSpace(b, at)
	if lead := skipLead(b, from); isBlank(b[lead-1]) {
		from = lead
	}
	if from == at || from == len(b) || !isBlank(b[from-1]) {
		return false
	}
	end := p.wordEnd(assignment{naming: naming{upper: true}}, from)
	if isPlaceholder(b[from:end]) || !a.fits(b[from:end], false) {
		return false
	}
	p.addNamed(m, a, from, end)
	return true
}

// number takes a JSON number: a PIN or a numeric password; short ones are counts.
func (p *pass) number(m *matcher, a assignment, at int) {
	end := runEnd(p.b, at, isDigit)
	least := 6
	if a.kind != "password" {
		least = 16
	}
	if end-at >= least && end < len(p.b) && (isSpace(p.b[end]) || oneOf(p.b[end], ",}")) {
		p.addNamed(m, a, at, end)
		p.spans[len(p.spans)-1].bare = true
	}
}

// closing finds the end of a quoted value: the quote at the same depth of escaping (or a lesser one: the string
// around it ends). Without one it ends with the line.
//
// A line break of the text the quote belongs to is as deeply escaped as the quote; single quotes do not show
// their depth, so in JSON the first depth is taken.
func closing(b []byte, at, depth int, quote byte, json bool) int {
	run, line := 0, depth
	if quote != '"' && json && depth == 0 {
		line = 1
	}
	for i := at; i < len(b); i++ {
		switch c := b[i]; {
		case c == '\\':
			run++
			continue
		case c == quote:
			if run < depth || quote == '"' && (run-depth)%(2*(depth+1)) == 0 || quote != '"' {
				return i - min(run, depth)
			}
		case c == '"' && run < depth:
			return i - run
		case c == '\n', c == 'n' && run == line && line > 0:
			return i - run
		}
		run = 0
	}
	return len(b) - run
}

func (p *pass) quoted(m *matcher, a assignment, from, to int) {
	v := p.b[from:max(from, to)]
	if n := a.scheme(v); n > 0 {
		from += n
		v = v[n:]
		if len(v) > 0 && v[0] == '[' {
			return // Bearer [the token]
		}
	}
	// A call is about the secret that it is named after where its only argument looks random, as in setPassword("…") and
	// .token("…"), and f("password", "word") is about none.
	call := a.setter || a.call && !a.upper
	if isPlaceholder(v) || !a.fits(v, true) || p.isClosed(a, v, to) || call && (!isMixed(v, 8) || isNumber(v)) {
		return
	}
	p.addNamed(m, a, from, to)
}

// isClosed reports whether the quote before v ended a string ("Password: ", err) rather than began one.
func (p *pass) isClosed(a assignment, v []byte, to int) bool {
	if a.named || a.outer || !oneOf(v[0], ",;)]}+. ") {
		return false
	}
	unclosed := to == len(p.b) || p.b[to] == '\n' || isEscapeLetter(p.b, to+backslashRun(p.b, to))
	return unclosed || bytes.IndexByte(v[:min(len(v), 256)], ' ') >= 0
}

func (p *pass) unquoted(m *matcher, a assignment, at int) {
	at += a.scheme(p.b[at:])
	if isPlaceholder(p.b[at:min(at+64, len(p.b))]) {
		return
	}
	end := p.wordEnd(a, at)
	v := p.b[at:end]
	if a.fits(v, false) && !p.isExpression(a, at, end) {
		p.addNamed(m, a, at, end)
	} else if len(v) > 128 {
		p.valueEnd = at + 64 // names inside so long a word are judged at every 64th byte only, or it costs too much
	}
}

func (p *pass) addNamed(m *matcher, a assignment, start, end int) {
	if start >= end {
		return
	}
	p.valueEnd = max(p.valueEnd, end)
	p.add(span{start: start, end: end, kind: a.kind, rule: m.id, byName: true})
}

// wordEnd finds where an unquoted value ends. In .env files and shells it is a blank; elsewhere separators end
// it, some when something else follows them, since a password may hold them.
func (p *pass) wordEnd(a assignment, at int) int {
	mode, signs, closers := 0, "<>[(;&", ",}])"
	switch {
	case a.upper && a.style == styleEquals && !a.spaced && !a.query:
		mode, signs, closers = 1, "", ""
	case a.query:
		mode, signs = 2, signs+"#"
	case a.style == styleFlag:
		mode, signs = 3, signs+"|"
	}
	// The end depends on the place only, so a long run with many names in it is walked once.
	w := &p.words[mode]
	if at >= w.from && at < w.to {
		return w.to
	}
	end := at
	for ; end < len(p.b); end++ {
		c := p.b[end]
		blank := isSpace(c) || isQuote(c) || c == 0x1b
		escaped := c == '\\' && endsWord(p.b, end)
		last := end+1 == len(p.b) || !isAlnum(p.b[end+1])
		sign := oneOf(c, signs) || last && oneOf(c, closers)
		if blank || escaped || sign {
			break
		}
	}
	w.from, w.to = at, end
	return end
}

// endsWord reports whether the backslashes at b[at] lead to an escaped blank, quote or ESC.
func endsWord(b []byte, at int) bool {
	at += backslashRun(b, at)
	return at == len(b) || isQuote(b[at]) || oneOf(b[at], "nrt") || hasPrefix(b[at:], "u001b")
}

func backslashRun(b []byte, at int) int {
	n := 0
	for at+n < len(b) && b[at+n] == '\\' {
		n++
	}
	return n
}

package redact

import "bytes"

// style is how a value is joined to its name; it decides where an unquoted value ends and how far it is trusted.
type style uint8

const (
	styleEquals style = iota // name=value, name = value
	styleColon               // name: value
	styleFlag                // --name value
	styleXML                 // <name>value</name>
)

// assignment is a name and the place of its value.
type assignment struct {
	naming
	style  style
	test   bool // the sign compares: ==, !=
	spaced bool // blanks around the sign, as in source code and INI files
	query  bool // a URL's query parameter
	named  bool // the name stands in quotes of its own
	outer  bool // the name is a key of the JSON document itself, so a value may stand outside a string
	header bool // the sign is a colon or the name a JSON key: Cookie and Authorization look so
	value  int
}

// findAssignment looks at what stands around a word such as token, and takes the value assigned to it.
func findAssignment(p *pass, m *matcher, start, end int) {
	if start < p.valueEnd || end <= p.nameEnd || start < p.blockEnd {
		return
	}
	for end < len(p.b) && isNameByte(p.b[end]) && end-start < maxName {
		end++
	}
	p.nameEnd = end
	if end == len(p.b) {
		return
	}
	a := assignment{}
	if !p.sign(&a, end, start) {
		return
	}
	from := nameStart(p.b, start)
	a.naming = classify(p.b[from:end])
	if a.grade == gradeNone {
		return
	}
	a.query = from > 0 && (p.b[from-1] == '?' || p.b[from-1] == '&')
	if kind := a.kind; kind == "cookie" || kind == "set-cookie" {
		p.cookies(m, a)
		return
	}
	p.assigned(m, a)
}

func isNameByte(c byte) bool { return isAlnum(c) || c == '_' || c == '-' }

// nameStart walks back from a word to where its name begins.
func nameStart(b []byte, at int) int {
	from := at
	for from > 0 && at-from < maxName && (isNameByte(b[from-1]) || b[from-1] == '.') && !isEscapeLetter(b, from-1) {
		from--
	}
	for from < at && !isAlnum(b[from]) {
		from++
	}
	return from
}

// sign reads what joins the name that ends at to its value: quotes, brackets, blanks, the sign itself. It
// reports false if nothing is assigned.
func (p *pass) sign(a *assignment, at, word int) bool {
	b := p.b
	depth, quote, after := quoteAt(b, at)
	if quote != 0 {
		at, a.named = after, true
		if p.json && depth == 0 && quote == '"' {
			a.outer = true
		}
		if at < len(b) && b[at] == ']' {
			at++
		}
	}
	i := skipBlanks(b, at, a.outer)
	if i == len(b) {
		return false
	}
	a.spaced = i > at
	width := signWidth(b, i, a)
	if width == 0 {
		return p.noSign(a, at, i, word, quote != 0)
	}
	if a.style == styleXML && (quote != 0 || !opensTag(b, word)) {
		return false
	}
	i += width
	a.header = a.style == styleColon
	a.value = skipBlanks(b, i, a.outer)
	if a.style == styleColon {
		a.spaced = a.value > i
		a.value = p.typed(a, a.value)
	}
	return true
}

// signWidth is the length of the sign at b[i], 0 if there is none.
func signWidth(b []byte, i int, a *assignment) int {
	n := i
	for n < len(b) && n < i+2 && (b[n] == '+' || b[n] == '?' || b[n] == '|' || b[n] == '!') {
		n++
	}
	switch {
	case n == len(b):
		return 0
	case b[n] == '=':
		a.style = styleEquals
		for n < len(b) && n < i+4 && (b[n] == '=' || b[n] == '>') {
			n++
		}
		a.test = n-i > 1 && b[n-1] == '=' && (b[i] == '=' || b[i] == '!')
		return n - i
	case b[n] == ':' && n+1 < len(b) && b[n+1] == '=':
		a.style = styleEquals
		return n + 2 - i
	case b[n] == ':' && !(n+1 < len(b) && b[n+1] == ':'):
		a.style = styleColon
		return n + 1 - i
	case b[n] == '>' && n == i:
		a.style = styleXML
		return 1
	}
	return 0
}

// noSign handles names whose value follows without a sign: a flag, a netrc line, name/value pairs, a declared type.
func (p *pass) noSign(a *assignment, at, i, word int, quoted bool) bool {
	b := p.b
	if quoted || b[at] == ',' || b[at] == '\\' || b[at] == '\n' || b[at] == '\r' {
		if v := pairedValue(b, at, nameStart(b, word)); v > 0 {
			a.value, a.outer, a.style, a.spaced = v, false, styleColon, true
			return true
		}
		return false
	}
	if i == at {
		return false
	}
	from := nameStart(b, word)
	switch {
	case from >= 1 && b[from-1] == '-' && !(from >= 2 && isAlnum(b[from-2])):
		a.style, a.value = styleFlag, i
		return true
	case hasPrefixFold(b[word:], "password ") && netrcLine(b, from):
		a.style, a.value = styleFlag, i
		return true
	}
	if hasPrefixFold(b[i:], "string") {
		j := skipBlanks(b, i+len("string"), false)
		if j < len(b) && b[j] == '=' {
			a.value, a.spaced = skipBlanks(b, j+1, false), true
			return true
		}
	}
	return false
}

// typed skips a type between a name and its value: apiKey: string = "…".
func (p *pass) typed(a *assignment, at int) int {
	for _, word := range []string{"string", "str"} {
		if !hasPrefixFold(p.b[at:], word) {
			continue
		}
		j := skipBlanks(p.b, at+len(word), false)
		if j+1 < len(p.b) && p.b[j] == '=' && p.b[j+1] != '>' {
			a.style, a.spaced = styleEquals, true
			return skipBlanks(p.b, j+1, false)
		}
	}
	return at
}

// pairedValue finds the value in {"name": "API_TOKEN", "value": "…"} and its YAML form; 0 if there is none.
func pairedValue(b []byte, at, name int) int {
	key := false
	for i := name; i > max(0, name-14) && !key; i-- {
		key = hasPrefixFold(b[i-1:name], "name") || hasPrefixFold(b[i-1:name], "key")
	}
	if !key {
		return 0
	}
	i, limit := at, min(at+40, len(b))
	for i < limit && (isSpace(b[i]) || b[i] == ',' || b[i] == '"' || b[i] == '\\' || isEscapeLetter(b, i)) {
		i++
	}
	if !hasPrefixFold(b[i:], "value") {
		return 0
	}
	if _, quote, after := quoteAt(b, i+5); quote != 0 {
		i = after - 5
	}
	i = skipBlanks(b, i+5, false)
	if i < len(b) && (b[i] == ':' || b[i] == '=') {
		return skipBlanks(b, i+1, false)
	}
	return 0
}

// netrcLine reports whether "login NAME" stands shortly before a password, as in .netrc.
func netrcLine(b []byte, at int) bool {
	return bytes.Contains(b[max(0, at-80):at], []byte("login "))
}

// opensTag reports whether the name around at stands behind < or a namespace.
func opensTag(b []byte, at int) bool {
	from := nameStart(b, at)
	return from > 0 && (b[from-1] == '<' || b[from-1] == ':')
}

// skipBlanks skips blanks, and line breaks too where JSON allows them.
func skipBlanks(b []byte, at int, lines bool) int {
	for at < len(b) && (isBlank(b[at]) || lines && isSpace(b[at])) {
		at++
	}
	return at
}

// quoteAt reads a quote with the backslashes before it, the depth of its escaping; quote is 0 if there is none.
func quoteAt(b []byte, at int) (depth int, quote byte, after int) {
	i := at
	for i < len(b) && b[i] == '\\' {
		i++
	}
	if i == len(b) || !isQuote(b[i]) {
		return 0, 0, at
	}
	return i - at, b[i], i + 1
}

package redact

import "bytes"

// style is how a value is joined to its name; it decides where an unquoted value ends and how far it is trusted.
type style uint8

const (
	styleEquals  style = iota // name=value, name = value
	styleColon                // name: value
	styleFlag                 // --name value
	styleXML                  // <name>value</name>
	styleDefault              // name || "value", name - 'value': in quotes only
	styleLoose                // name value, name is "value"
)

// assignment is a name and the place of its value.
type assignment struct {
	naming
	style   style
	test    bool // the sign compares: ==, !=
	spaced  bool // blanks around the sign, as in source code and INI files
	query   bool // a URL's query parameter
	named   bool // the name stands in quotes of its own
	outer   bool // the name is a key of the JSON document itself, so a value may stand outside a string
	call    bool // the sign is the comma of a call: define('X', '…')
	setter  bool // the sign is the bracket of a call: setPassword('…')
	random  bool // only a value that looks random, and no digest, is taken
	said    bool // "is" stands between, or the name begins its line
	header  bool // the sign is a colon or the name a JSON key: Cookie and Authorization look so
	name    int
	nameEnd int
	value   int
}

// findAssignment looks at what stands around a word such as token, and takes the value assigned to it.
func findAssignment(p *pass, m *matcher, start, end int) {
	if start < p.valueEnd || end <= p.nameEnd || start < p.blockEnd {
		return
	}
	name := end
	for name > start && !isNameByte(p.b[name-1]) {
		name-- // the word is a name with its sign, as in pass=
	}
	a, ok := p.assignment(start, name)
	p.nameEnd = max(a.nameEnd, end)
	switch {
	case bytes.HasSuffix(p.b[:a.name], []byte("[REDACTED:")):
		return // a marker is no name
	case !ok:
		p.glued(m, end)
		return
	case a.style == styleLoose:
		p.glued(m, end)
		p.loose(m, a)
		return
	}
	a.naming = classify(p.b[a.name:a.nameEnd])
	if a.header && string(p.b[a.name:a.nameEnd]) == "PASS" {
		return // the verdict of a test, not a name
	}
	if a.lone && a.kind == "api-key" && a.style == styleEquals {
		a.grade, a.random = gradeWeak, !a.query // ?key=, KEY=
	}
	switch {
	case a.grade == gradeNone:
	case a.kind == "cookie" || a.kind == "set-cookie":
		p.cookies(m, a)
	default:
		p.assigned(m, a)
	}
}

// findValue asks a rule whose keyword stands in a name, as in ADOBE_CLIENT_ID, about the value assigned to it.
func findValue(p *pass, m *matcher, start, end int) {
	if start < p.blockEnd {
		return
	}
	a, ok := p.assignment(start, end)
	for i := 0; !ok && i < 2 && a.nameEnd+1 < len(p.b) && (isBlank(p.b[a.nameEnd]) || p.b[a.nameEnd] == '.') && isAlnum(p.b[a.nameEnd+1]); i++ {
		a, ok = p.assignment(start, a.nameEnd+1) // a name of up to three words
	}
	if !ok {
		return
	}
	at := skipSpace(p.b, a.value)
	if _, quote, after := quoteAt(p.b, at); quote != 0 {
		at = skipSpace(p.b, after)
	}
	if at == len(p.b) || p.json && !a.outer && p.b[at] == '"' {
		return
	}
	if got, ok := p.match(m, at, at+window); ok && m.accepts(p, got) {
		p.add(span{start: got.start, end: got.end, kind: m.kind, rule: m.id, order: m.index, token: true})
	}
}

// assignment reads the name around a word and the sign behind it. Rules that share a name share the reading.
func (p *pass) assignment(start, end int) (assignment, bool) {
	for end < len(p.b) && isNameByte(p.b[end]) && end-start < maxName {
		end++
	}
	if p.read.nameEnd == end && p.read.name <= start && p.read.name < end {
		return p.read, p.assigns
	}
	a := assignment{name: nameStart(p.b, start), nameEnd: end}
	a.query = a.name > 0 && (p.b[a.name-1] == '?' || p.b[a.name-1] == '&')
	ok := end < len(p.b) && p.sign(&a, end)
	p.read, p.assigns = a, ok
	return a, ok
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
func (p *pass) sign(a *assignment, at int) bool {
	b := p.b
	depth, quote, after := quoteAt(b, at)
	if quote != 0 {
		at, a.named = after, true
		a.outer = p.json && depth == 0 && quote == '"'
	}
	listed := false
	if at < len(b) && b[at] == ']' {
		at++
		listed = !a.named && a.name > 0 && b[a.name-1] == '['
	}
	array := arrayEnd(b, at)
	at = skipColour(b, max(at, array))
	i := skipBlanks(b, at, a.outer)
	if i == len(b) {
		return false
	}
	a.spaced = i > at && !listed // PHP's print_r: [password] => value
	width := signWidth(b, i, a)
	if width == 0 {
		return p.noSign(a, at, i)
	}
	if a.style == styleXML && !opensTag(b, a.name) && !namesElement(b, a) {
		return false
	}
	i += width
	a.header = a.style == styleColon
	a.value = skipBlanks(b, i, a.outer)
	if a.style == styleColon {
		a.spaced = a.value > i
		a.value = p.typed(a, a.value)
	}
	a.value = skipColour(b, a.value)
	if a.style == styleDefault || array > 0 {
		a.style = styleEquals
		_, quote, _ := quoteAt(b, a.value)
		return quote != 0 && (array == 0 || !a.test)
	}
	return true
}

// arrayEnd is the place behind [] or [25] at b[at], as C declares an array of characters; 0 if there is none.
func arrayEnd(b []byte, at int) int {
	if at == len(b) || b[at] != '[' {
		return 0
	}
	for at++; at < len(b) && isDigit(b[at]); at++ {
	}
	if at == len(b) || b[at] != ']' {
		return 0
	}
	return at + 1
}

// signWidth is the length of the sign at b[i], 0 if there is none: = := ::= :::= .= += ?= ||= == => : > || - <- ( %3D %3A
func signWidth(b []byte, i int, a *assignment) int {
	n := i
	for n < len(b) && n < i+3 && bytes.IndexByte([]byte("+?|!.:"), b[n]) >= 0 {
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
	case b[i] == ':' && b[i+1] != ':':
		a.style = styleColon
		return 1
	case b[i] == '>':
		a.style = styleXML
		return 1
	case n == i+2 && b[i] == '|' && b[i+1] == '|':
		a.style = styleDefault
		return 2
	case b[i] == '-' && a.spaced && i+1 < len(b) && isBlank(b[i+1]):
		a.style = styleDefault
		return 1
	case b[i] == '(' && !a.spaced && !a.named:
		a.style, a.setter = styleDefault, true
		return 1
	case hasPrefix(b[i:], "<-"):
		a.style = styleDefault
		return 2
	case hasPrefixFold(b[i:], "%3d"), hasPrefixFold(b[i:], "%3a"):
		a.style, a.query = styleEquals, true
		return 3
	}
	return 0
}

// noSign handles names whose value follows without a sign: a flag, a definition, a netrc line, name/value pairs,
// the second argument of a call, a declared type.
func (p *pass) noSign(a *assignment, at, i int) bool {
	b := p.b
	if v := pairedElement(b, at); v > 0 {
		a.value, a.style = v, styleXML
		return true
	}
	if n := backslashRun(b, i); n > 0 && !a.named && i+n+1 < len(b) && b[i+n] == 't' {
		return p.loosely(a, skipBlanks(b, i+n+1, false))
	}
	if a.named || b[at] == ',' || b[at] == '\\' || b[at] == '\n' || b[at] == '\r' {
		return p.pair(a, at, i)
	}
	if i == at {
		return false
	}
	from := a.name
	switch {
	case from >= 1 && b[from-1] == '-' && !(from >= 2 && isAlnum(b[from-2])), defines(b[:from]),
		hasPrefixFold(b[from:], "password ") && netrcLine(b, from):
		a.style, a.value = styleFlag, i
		return true
	}
	if hasPrefixFold(b[i:], "as ") {
		i = skipBlanks(b, i+len("as "), false)
	}
	if hasPrefixFold(b[i:], "string") {
		j := skipBlanks(b, i+len("string"), false)
		if j < len(b) && b[j] == '=' {
			a.value, a.spaced = skipBlanks(b, j+1, false), true
			return true
		}
	}
	return p.loosely(a, i)
}

// pair handles {"name": "X", "value": "…"} and define("X", "…").
func (p *pass) pair(a *assignment, at, i int) bool {
	if v := pairedValue(p.b, at, a.name); v > 0 {
		a.value, a.outer, a.style, a.spaced = v, false, styleColon, true
		return true
	}
	if v := defaultOf(p.b, i); v > 0 && a.named {
		a.value, a.outer, a.style, a.spaced = v, false, styleEquals, true
		return true
	}
	if !a.named || i >= len(p.b) || p.b[i] != ',' {
		return false
	}
	open := a.name - 1
	for open > 0 && (isQuote(p.b[open]) || isBlank(p.b[open]) || p.b[open] == '\\') {
		open--
	}
	if open < 1 || p.b[open] != '(' {
		return false
	}
	a.value, a.outer, a.style, a.call = skipBlanks(p.b, i+1, false), false, styleEquals, true
	_, quote, _ := quoteAt(p.b, a.value)
	return quote != 0
}

// defaultOf finds the value in Terraform's variable "db_password" { default = "…" }; 0 if there is none.
func defaultOf(b []byte, at int) int {
	if at >= len(b) || b[at] != '{' {
		return 0
	}
	body, after, ok := bytes.Cut(b[at:min(at+200, len(b))], []byte("default"))
	if !ok || bytes.IndexByte(body, '}') >= 0 {
		return 0
	}
	i := skipBlanks(b, at+len(body)+len("default"), false)
	if len(after) == 0 || i >= len(b) || b[i] != '=' {
		return 0
	}
	return skipBlanks(b, i+1, false)
}

// definers are the words before a name and its value that stand apart by blanks only: #define, Dockerfile's ENV.
var definers = []string{"define", "env", "arg", "setenv", "setx", "param", "defaults"}

// defines reports whether before ends in one of the definers and a blank.
func defines(before []byte) bool {
	end := len(before)
	for end > 0 && isBlank(before[end-1]) {
		end--
	}
	from := end
	for from > 0 && end-from < 9 && isLetter(before[from-1]) && !isEscapeLetter(before, from-1) {
		from--
	}
	if end == len(before) || end-from < 3 || end-from > 8 {
		return false
	}
	for _, d := range definers {
		if end-from == len(d) && hasPrefixFold(before[from:], d) {
			return true
		}
	}
	return false
}

// pairedElement finds the value in <key>X</key> <string>…</string> and <name>X</name><value>…; 0 if there is none.
func pairedElement(b []byte, at int) int {
	if !bytes.HasPrefix(b[at:], []byte("</")) {
		return 0
	}
	end := bytes.IndexByte(b[at:min(at+24, len(b))], '>')
	if end < 0 {
		return 0
	}
	at = skipSpace(b, at+end+1)
	for _, tag := range []string{"<string>", "<value>", "<data>"} {
		if hasPrefixFold(b[at:], tag) {
			return at + len(tag)
		}
	}
	return 0
}

// maxType bounds a type between a name and its value.
const maxType = 32

// typed skips a type between a name and its value: apiKey: string = "…", token: &'static str = "…".
func (p *pass) typed(a *assignment, at int) int {
	j := at
	for j < len(p.b) && j < at+maxType && (isNameByte(p.b[j]) || isBlank(p.b[j]) || j > at && bytes.IndexByte([]byte("&'<>[]?|."), p.b[j]) >= 0 || p.b[j] == '&') {
		j++
	}
	if j == at || j+1 >= len(p.b) || p.b[j] != '=' || p.b[j+1] == '>' || p.b[j+1] == '=' {
		return at
	}
	value := skipBlanks(p.b, j+1, false)
	apart := isBlank(p.b[j-1]) || hasPrefixFold(p.b[at:j], "str") // or it is a text in base64
	if _, quote, _ := quoteAt(p.b, value); quote == 0 || !apart {
		return at
	}
	a.style, a.spaced = styleEquals, true
	return value
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
	i, limit := at, min(at+maxPrefix+40, len(b))
	for i < limit && (isSpace(b[i]) || b[i] == ',' || b[i] == '"' || b[i] == '\\' || isEscapeLetter(b, i)) {
		i++
		if b[i-1] == '\n' || isEscapeLetter(b, i-1) {
			i = skipLead(b, i)
		}
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

// namesElement reports whether the name is what an element is called by an attribute: <entry key="X">…</entry>.
// Its content may be a text for people, so only what looks random is taken.
func namesElement(b []byte, a *assignment) bool {
	from := a.name
	for from > 0 && (isQuote(b[from-1]) || b[from-1] == '\\' || b[from-1] == '=') {
		from--
	}
	a.setter = a.named && (hasSuffixFold(b[:from], " name") || hasSuffixFold(b[:from], " key"))
	return a.setter
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

// skipSpace skips blanks and line breaks, also escaped ones.
func skipSpace(b []byte, at int) int {
	for at < len(b) {
		n := backslashRun(b, at)
		switch {
		case isSpace(b[at]):
			at++
		case n > 0 && isEscapeLetter(b, at+n):
			at += n + 1
		default:
			return at
		}
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

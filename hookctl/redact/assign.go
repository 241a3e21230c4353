package redact

import (
	"bytes"
	"slices"
)

// style is how a value is joined to its name; it decides where an unquoted value ends and how far it is trusted.
type style uint8

const (
	styleEquals  style = iota // name=value, name = value
	styleColon                // name: value
	styleFlag                 // --name value
	styleXML                  // <name>value</name>
	styleDefault              // name || "value", name - 'value', name != "value": in quotes only
	styleLoose                // name value, name is "value"
)

// assignment is a name and the place of its value.
type assignment struct {
	naming
	style   style
	spaced  bool // blanks around the sign, as in source code and INI files
	query   bool // a URL's query parameter
	named   bool // the name stands in quotes of its own
	outer   bool // the name is a key of the JSON document itself, so a value may stand outside a string
	call    bool // the sign is the comma of a call: define('X', '…')
	setter  bool // the sign is the bracket of a call: setPassword('…')
	random  bool // only a value that looks random, and no digest, is taken
	said    bool // "is" stands between, or the name begins its line
	header  bool // the sign is a colon or the name a JSON key: Cookie and Authorization look so
	assigns bool // the name has a sign and a value
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
	a := p.assignment(start, name)
	p.nameEnd = max(a.nameEnd, end)
	switch {
	case bytes.HasSuffix(p.b[:a.name], []byte("[REDACTED:")):
		return // a marker is no name
	case !a.assigns:
		return
	case a.style == styleLoose:
		p.loose(m, a)
		return
	}
	a.naming = classify(p.b[a.name:a.nameEnd])
	if a.lone && a.kind == "api-key" && (a.style == styleEquals || a.style == styleDefault) {
		a.grade, a.random = gradeWeak, !a.query // ?key=, KEY=
	}
	if a.lone && a.kind == "api-key" && a.style == styleColon { // API key: …
		two := classify(p.b[p.wordBefore(a.name):a.nameEnd])
		if two.grade > gradeWeak {
			a.naming, a.random = two, true
		}
	}
	switch {
	case a.grade == gradeNone:
	case a.header && string(p.b[a.name:a.nameEnd]) == "PASS": // the verdict of a test, not a name
	case a.kind == "cookie":
		p.cookies(m, a)
	default:
		p.assigned(m, a)
	}
}

// findValue applies a rule whose keyword stands in a name, as in ADOBE_CLIENT_ID, to the value assigned to it.
func findValue(p *pass, m *matcher, start, end int) {
	if start < p.blockEnd {
		return
	}
	a := p.assignment(start, end)
	if !a.assigns {
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
		p.token(m, got)
	}
}

// assignment reads the name around a word and the sign after it. Rules that share a name share the reading.
func (p *pass) assignment(start, end int) assignment {
	for end < len(p.b) && isNameByte(p.b[end]) && end-start < maxName {
		end++
	}
	if p.read.nameEnd == end && p.read.name <= start && p.read.name < end {
		return p.read
	}
	a := assignment{name: nameStart(p.b, start), nameEnd: end}
	a.query = a.name > 0 && oneOf(p.b[a.name-1], "?&")
	a.assigns = end < len(p.b) && p.sign(&a, end)
	p.read = a
	return a
}

func isNameByte(c byte) bool { return isAlnum(c) || c == '_' || c == '-' }

// isPartByte reports whether c can be part of a name with the names of what it belongs to.
func isPartByte(c byte) bool { return isNameByte(c) || c == '.' }

// nameStart walks back from a word to where its name begins.
func nameStart(b []byte, at int) int {
	from := at
	for from > 0 && at-from < maxName && isPartByte(b[from-1]) && !isEscapeLetter(b, from-1) {
		from--
	}
	for from < at && !isAlnum(b[from]) {
		from++
	}
	return from
}

// sign reads what joins the name that ends at to its value: quotes, brackets, blanks, a type, the sign itself. It
// reports false if nothing is assigned.
func (p *pass) sign(a *assignment, at int) bool {
	b := p.b
	depth, quote, after := quoteAt(b, at)
	if quote != 0 {
		at, a.named = after, true
		a.outer = p.json && depth == 0 && quote == '"'
	}
	for _, word := range defaults {
		if a.named && hasPrefix(b[at:], ") "+word+" ") { // getenv("X") ?? "…"
			a.value, a.style, a.outer = at+len(word)+3, styleDefault, false
			return a.quoted(b)
		}
	}
	listed := at < len(b) && b[at] == ']'
	if listed {
		at++
	}
	blank := isBlank
	if a.outer {
		blank = isSpace // line breaks too, as JSON allows them
	}
	at = skipColour(b, at)
	i := runEnd(b, at, blank)
	if i == len(b) {
		return false
	}
	a.spaced = i > at && !listed // PHP's print_r: [password] => value
	width := signAt(b, i, a)
	if v := typed(b, i); v > 0 && (width == 0 || a.style == styleColon) {
		a.value, a.style, a.spaced = v, styleEquals, true
		return true
	}
	if width == 0 {
		return p.noSign(a, at, i)
	}
	if a.style == styleXML && !opensTag(b, a.name) {
		// The name is what an element is called by an attribute: <entry key="X">…</entry>. Its content may be a text for
		// people, so only what looks random is taken.
		attribute := bytes.TrimRight(b[:a.name], "\"'`\\=")
		a.setter = a.named && (hasSuffixFold(attribute, " name") || hasSuffixFold(attribute, " key"))
		if !a.setter {
			return false
		}
	}
	a.header = a.style == styleColon
	a.value = runEnd(b, i+width, blank)
	if a.style == styleColon {
		a.spaced = a.value > i+width
	}
	a.value = skipColour(b, a.value)
	return a.style != styleDefault || a.quoted(b)
}

// maxType bounds a type between a name and its value.
const maxType = 32

// typed finds the text after a type: apiKey: string = "…", token: &'static str = "…", char pass[] = "…",
// apiToken As String = "…"; 0 if there is none.
func typed(b []byte, at int) int {
	i := at
	for i < len(b) && i < at+maxType && (isNameByte(b[i]) || isBlank(b[i]) || oneOf(b[i], "&'<>[]?|.:")) {
		i++
	}
	if i == at || i+1 >= len(b) || b[i] != '=' || b[i+1] == '>' || b[i+1] == '=' {
		return 0
	}
	value := skipBlanks(b, i+1)
	apart := isBlank(b[i-1]) || hasSuffixFold(b[at:i], "str") // or it is a text in base64, or another name
	if _, quote, _ := quoteAt(b, value); quote == 0 || !apart {
		return 0
	}
	return value
}

// defaults join a setting and what is taken where there is none.
var defaults = []string{"||", "??", "?:", "or"}

// signs join a name to its value. Of those that begin alike the longest comes first.
var signs = []struct {
	text  string
	style style
}{
	{":::=", styleEquals}, {"::=", styleEquals}, {":=", styleEquals}, {"||=", styleEquals}, {"+=", styleEquals}, {".=", styleEquals}, {"?=", styleEquals},
	{"!=", styleDefault}, {"===", styleEquals}, {"==", styleEquals}, {"=>", styleEquals}, {"=", styleEquals},
	{"||", styleDefault}, {"??", styleDefault}, {"?:", styleDefault}, {"<-", styleDefault}, {"- ", styleDefault}, {"(", styleDefault},
	{"%3d", styleEquals}, {"%3a", styleEquals}, {":-", styleEquals}, {"::", styleColon}, {":", styleColon}, {">", styleXML},
}

// signAt is the length of the sign at b[i], 0 if there is none.
func signAt(b []byte, i int, a *assignment) int {
	if isAlnum(b[i]) {
		return 0 // most names are words of a text
	}
	for _, sign := range signs {
		if !hasPrefixFold(b[i:], sign.text) {
			continue
		}
		switch sign.text {
		case "::":
			return 0
		case "- ":
			if !a.spaced {
				return 0
			}
		case "(":
			if a.spaced || a.named {
				return 0
			}
			a.setter = true
		case ":-": // a default of the shell and of compose
			if a.name == 0 || b[a.name-1] != '{' {
				continue
			}
			a.query = true
		case "%3d", "%3a":
			a.query = true
		}
		a.style = sign.style
		return len(sign.text)
	}
	return 0
}

// noSign handles names whose value follows without a sign: name/value pairs, the second argument of a call, a flag, a
// definition. The name ends at at, and i is after the blanks that follow it.
func (p *pass) noSign(a *assignment, at, i int) bool {
	b, before := p.b, p.b[:a.name]
	if v := pairedElement(b, at); v > 0 {
		a.value, a.style = v, styleXML
		return true
	}
	if v := pairedValue(b, at); v > 0 {
		a.value, a.style, a.spaced = v, styleColon, true
		return true
	}
	if a.named { // define("X", "…")
		call := b[i] == ',' && bytes.HasSuffix(bytes.TrimRight(before, "\"'` \t\\"), []byte("("))
		a.value, a.outer, a.style, a.call = skipBlanks(b, i+1), false, styleDefault, true
		return call && a.quoted(b)
	}
	if n := backslashRun(b, i); n > 0 && i+n+1 < len(b) && b[i+n] == 't' {
		return p.loosely(a, skipBlanks(b, i+n+1))
	}
	if i == at {
		return false
	}
	option := len(before) > 0 && before[len(before)-1] == '-' && (len(before) == 1 || !isAlnum(before[len(before)-2]))
	words := bytes.TrimRight(before, " \t")
	defined := len(words) < len(before) && slices.ContainsFunc(definers, func(d string) bool { return hasSuffixFold(words, d) })
	if option || defined {
		a.style, a.value = styleFlag, i
		return true
	}
	return p.loosely(a, i)
}

// quoted reports whether the value begins with a quote.
func (a *assignment) quoted(b []byte) bool {
	_, quote, _ := quoteAt(b, a.value)
	return quote != 0
}

// definers end the words before a name and its value that stand apart by blanks only: #define, Dockerfile's ENV.
var definers = []string{"define", "env", "arg", "setx", "param", "defaults"}

// pairedElement finds the value in <key>X</key> <string>…</string> and <name>X</name><value>…; 0 if there is none.
func pairedElement(b []byte, at int) int {
	if !hasPrefix(b[at:], "</") {
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

// pairedValue finds the value in {"name": "API_TOKEN", "value": "…"} and its YAML form; 0 if there is none.
func pairedValue(b []byte, at int) int {
	i, limit := at, min(at+maxPrefix+40, len(b))
	for i < limit && (isSpace(b[i]) || oneOf(b[i], `,"\`) || isEscapeLetter(b, i)) {
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
	i = skipBlanks(b, i+5)
	if i < len(b) && oneOf(b[i], ":=") {
		return skipBlanks(b, i+1)
	}
	return 0
}

// opensTag reports whether the name around at stands after < or a namespace.
func opensTag(b []byte, at int) bool {
	from := nameStart(b, at)
	return from > 0 && oneOf(b[from-1], "<:")
}

// skipBlanks skips blanks, but no line breaks.
func skipBlanks(b []byte, at int) int { return runEnd(b, at, isBlank) }

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
	i := at + backslashRun(b, at)
	if i == len(b) || !isQuote(b[i]) {
		return 0, 0, at
	}
	return i - at, b[i], i + 1
}

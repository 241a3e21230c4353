package redact

import "bytes"

// Kinds of secrets that rules of this package ask for. Most kinds are only in the rules' data.
const (
	kindPassword      = "password"
	kindToken         = "token"
	kindSecret        = "secret"
	kindAPIKey        = "api-key"
	kindAWSSecretKey  = "aws-secret-key"
	kindAuthorization = "authorization"
	kindCookie        = "cookie"
)

// style is how a value is joined to its name; it decides where an unquoted value ends and how far it is trusted.
type style uint8

const (
	styleNone    style = iota // no value follows
	styleEquals               // name=value, name = value
	styleColon                // name: value
	stylePair                 // name: NAME, value: VALUE
	styleFlag                 // --name value
	styleXML                  // <name>value</name>
	styleDefault              // name || "value", name - 'value', name != "value": in quotes only
	styleLoose                // name value
	styleStated               // name is "value", or the name begins its line
)

// nameForm is how a name is written.
type nameForm uint8

const (
	nameBare   nameForm = iota
	nameQuoted          // in quotes of its own
	nameKey             // a key of the JSON document itself, so a value may stand outside a string
)

// holder is what holds a value that may as well be about something else than its name.
type holder uint8

const (
	holderNone           holder = iota
	holderSecondArgument        // define('NAME', 'value')
	holderOnlyArgument          // setName('value')
	holderElement               // <entry key="NAME">value</entry>: it may be a text for people
)

// assignment is a name and the place of its value.
type assignment struct {
	naming
	style   style
	form    nameForm
	holder  holder
	spaced  bool // blanks stand around the sign, as in source code and INI files
	inURL   bool // the value ends like a URL's query parameter
	random  bool // only a value that looks random, and no digest, is taken
	name    int
	nameEnd int
	value   int
}

// isVariable reports whether the assignment is written like that of a shell's variable: NAME=value.
func (a *assignment) isVariable() bool { return a.upper && !a.spaced && a.style == styleEquals }

// hasColon reports whether the value stands behind a colon, as in YAML.
func (a *assignment) hasColon() bool { return a.style == styleColon || a.style == stylePair }

// isQuoted reports whether the value begins with a quote.
func (a *assignment) isQuoted(b []byte) bool { return quoteAt(b, a.value).found() }

// findAssignment looks at what stands around a word such as token, and takes the value assigned to it.
func findAssignment(p *pass, r *rule, start, end int) {
	if start < p.valueEnd || end <= p.nameEnd || start < p.blockEnd {
		return
	}

	nameEnd := end
	for nameEnd > start && !isNameByte(p.b[nameEnd-1]) {
		nameEnd-- // the keyword is a name with its sign, as in pass=
	}
	a := p.assignmentAt(start, nameEnd)
	p.nameEnd = max(a.nameEnd, end)

	isMarker := bytes.HasSuffix(p.b[:a.name], []byte("[REDACTED:"))
	if isMarker || a.style == styleNone {
		return
	}
	if a.style == styleLoose || a.style == styleStated {
		p.takeLoose(r, a)
		return
	}

	a.naming = classify(p.b[a.name:a.nameEnd])
	if a.lone && a.kind == kindAPIKey {
		p.nameLoneKey(&a)
	}
	if a.grade == gradeNone {
		return
	}

	isVerdict := a.style == styleColon && string(p.b[a.name:a.nameEnd]) == "PASS" // of a test
	if isVerdict {
		return
	}
	if a.kind == kindCookie {
		p.takeCookies(r, a)
		return
	}
	p.takeAssigned(r, a)
}

// nameLoneKey decides what a name says that is the word key alone: ?key=, KEY=, API key: ….
func (p *pass) nameLoneKey(a *assignment) {
	switch a.style {
	case styleEquals, styleDefault:
		a.grade = gradeWeak
		a.random = !a.inURL
	case styleColon, stylePair:
		two := classify(p.b[p.wordBefore(a.name):a.nameEnd])
		if two.grade > gradeWeak {
			a.naming = two
			a.random = true
		}
	}
}

// findValue applies a rule whose keyword stands in a name, as in ADOBE_CLIENT_ID, to the value assigned to it.
func findValue(p *pass, r *rule, start, end int) {
	if start < p.blockEnd {
		return
	}
	a := p.assignmentAt(start, end)
	if a.style == styleNone {
		return
	}

	at := skipSpace(p.b, a.value)
	if q := quoteAt(p.b, at); q.found() {
		at = skipSpace(p.b, q.end)
	}
	if at == len(p.b) {
		return
	}
	stringEnds := p.encoding == jsonText && a.form != nameKey && p.b[at] == '"'
	if stringEnds {
		return
	}

	if got, ok := p.match(r, at, at+window); ok && r.accepts(p, got) {
		p.addToken(r, got)
	}
}

// assignmentAt reads the name around a word and the sign after it. Rules that share a name share the reading.
func (p *pass) assignmentAt(start, end int) assignment {
	for end < len(p.b) && isNameByte(p.b[end]) && end-start < maxName {
		end++
	}
	last := &p.lastAssignment
	if last.nameEnd == end && last.name <= start && last.name < end {
		return *last
	}

	a := assignment{name: nameStart(p.b, start), nameEnd: end}
	a.inURL = a.name > 0 && oneOf(p.b[a.name-1], "?&")
	if end == len(p.b) || !p.readSign(&a) {
		a.style = styleNone
	}
	*last = a
	return a
}

// isNameByte reports whether c can be part of a name.
func isNameByte(c byte) bool { return isAlnum(c) || c == '_' || c == '-' }

// isPathByte reports whether c can be part of a name with the names of what it belongs to.
func isPathByte(c byte) bool { return isNameByte(c) || c == '.' }

// nameStart walks back from a word to where its name begins.
func nameStart(b []byte, at int) int {
	from := at
	for from > 0 && at-from < maxName && isPathByte(b[from-1]) && !isEscapeLetter(b, from-1) {
		from--
	}
	for from < at && !isAlnum(b[from]) {
		from++
	}
	return from
}

package redact

import (
	"bytes"
	"slices"
)

// sign joins a name to its value.
type sign struct {
	text   string // in lower case
	style  style
	inURL  bool
	holder holder
}

// signs are looked for in this order. Of those that begin alike the longest comes first.
var signs = []sign{
	{text: ":::=", style: styleEquals},
	{text: "::=", style: styleEquals},
	{text: ":=", style: styleEquals},
	{text: "||=", style: styleEquals},
	{text: "+=", style: styleEquals},
	{text: ".=", style: styleEquals},
	{text: "?=", style: styleEquals},
	{text: "!=", style: styleDefault},
	{text: "===", style: styleEquals},
	{text: "==", style: styleEquals},
	{text: "=>", style: styleEquals},
	{text: "=", style: styleEquals},
	{text: "||", style: styleDefault},
	{text: "??", style: styleDefault},
	{text: "?:", style: styleDefault},
	{text: "<-", style: styleDefault},
	{text: "- ", style: styleDefault},
	{text: "(", style: styleDefault, holder: holderOnlyArgument},
	{text: "%3d", style: styleEquals, inURL: true},
	{text: "%3a", style: styleEquals, inURL: true},
	{text: ":-", style: styleEquals, inURL: true}, // ${NAME:-value}, a default of the shell and of compose
	{text: "::", style: styleColon},
	{text: ":", style: styleColon},
	{text: ">", style: styleXML},
}

// defaultOperators join a call that reads a setting and what is taken where there is none: getenv("NAME") ?? "value".
var defaultOperators = []string{"||", "??", "?:", "or"}

// definers end the words before a name and its value that stand apart by blanks only: #define, Dockerfile's ENV.
var definers = []string{"define", "env", "arg", "setx", "param", "defaults"}

// readSign reads what joins the name of a to its value: quotes, brackets, blanks, a type, the sign itself. It sets the
// place of the value and how it is joined, and reports whether there is a value.
func (p *pass) readSign(a *assignment) bool {
	b, at := p.b, a.nameEnd
	if q := quoteAt(b, at); q.found() {
		at = q.end
		a.form = nameQuoted
		if p.encoding == jsonText && q.char == '"' && q.depth == 0 {
			a.form = nameKey
		}
	}
	if a.form != nameBare {
		if value := defaultOfCall(b, at); value > 0 {
			a.value = value
			a.style = styleDefault
			a.form = nameQuoted
			return a.isQuoted(b)
		}
	}

	isListed := at < len(b) && b[at] == ']' // PHP's print_r: [password] => value
	if isListed {
		at++
	}
	at = skipColour(b, at)

	blank := isBlank
	if a.form == nameKey {
		blank = isSpace // line breaks too, as JSON allows them
	}
	signStart := runEnd(b, at, blank)
	if signStart == len(b) {
		return false
	}
	a.spaced = signStart > at && !isListed

	s := findSign(b, signStart, a)
	if s == nil || s.style == styleColon {
		if value := typedValue(b, signStart); value > 0 {
			a.value = value
			a.style = styleEquals
			a.spaced = true
			return true
		}
	}
	if s == nil {
		return p.readUnsigned(a, at, signStart)
	}
	return a.join(b, s, signStart, blank)
}

// join sets how a is joined to its value by the sign at b[at]. It reports whether that is one.
func (a *assignment) join(b []byte, s *sign, at int, blank func(byte) bool) bool {
	a.style = s.style
	a.holder = s.holder
	a.inURL = a.inURL || s.inURL

	if a.style == styleXML && !opensTag(b, a.name) {
		// The name is what an element is called by an attribute.
		if a.form == nameBare || !endsNamingAttribute(b[:a.name]) {
			return false
		}
		a.holder = holderElement
	}

	signEnd := at + len(s.text)
	a.value = runEnd(b, signEnd, blank)
	if a.style == styleColon {
		a.spaced = a.value > signEnd
	}
	a.value = skipColour(b, a.value)
	return a.style != styleDefault || a.isQuoted(b)
}

// findSign returns the sign at b[at], nil if there is none that joins the name of a to a value.
func findSign(b []byte, at int, a *assignment) *sign {
	if isAlnum(b[at]) {
		return nil // most names are words of a text
	}

	for i := range signs {
		s := &signs[i]
		if !hasPrefixFold(b[at:], s.text) {
			continue
		}
		switch s.text {
		case "::":
			return nil
		case "- ":
			if !a.spaced {
				return nil
			}
		case "(":
			if a.spaced || a.form != nameBare {
				return nil
			}
		case ":-":
			isExpansion := a.name > 0 && b[a.name-1] == '{'
			if !isExpansion {
				continue
			}
		}
		return s
	}
	return nil
}

// defaultOfCall returns the offset of the value in getenv("NAME") ?? "value", where b[at] follows the name's quote; 0 if
// it is no such call.
func defaultOfCall(b []byte, at int) int {
	if !hasPrefix(b[at:], ") ") {
		return 0
	}
	at += len(") ")
	for _, operator := range defaultOperators {
		if hasPrefix(b[at:], operator) && hasPrefix(b[at+len(operator):], " ") {
			return at + len(operator) + len(" ")
		}
	}
	return 0
}

// maxType bounds a type between a name and its value, in bytes.
const maxType = 32

// typedValue returns the offset of the text after a type: apiKey: string = "…", token: &'static str = "…",
// char pass[] = "…", apiToken As String = "…"; 0 if there is none.
func typedValue(b []byte, at int) int {
	end := at
	for end < len(b) && end < at+maxType && isTypeByte(b[end]) {
		end++
	}
	if end == at || end+1 >= len(b) || b[end] != '=' {
		return 0
	}
	isComparison := b[end+1] == '>' || b[end+1] == '='
	if isComparison {
		return 0
	}

	isApart := isBlank(b[end-1]) || hasSuffixFold(b[at:end], "str") // or it is a text in base64, or another name
	value := skipBlanks(b, end+1)
	if !isApart || !quoteAt(b, value).found() {
		return 0
	}
	return value
}

func isTypeByte(c byte) bool { return isNameByte(c) || isBlank(c) || oneOf(c, "&'<>[]?|.:") }

// opensTag reports whether the name around at stands after < or a namespace.
func opensTag(b []byte, at int) bool {
	from := nameStart(b, at)
	return from > 0 && oneOf(b[from-1], "<:")
}

// endsNamingAttribute reports whether b ends with an attribute that names an element, up to its value: <entry key=".
func endsNamingAttribute(b []byte) bool {
	attribute := bytes.TrimRight(b, "\"'`\\=")
	return hasSuffixFold(attribute, " name") || hasSuffixFold(attribute, " key")
}

// readUnsigned reads on where no sign follows the name of a: name/value pairs, the second argument of a call, a flag, a
// definition. The name ends with its quote at nameEnd; next is after the blanks that follow it.
func (p *pass) readUnsigned(a *assignment, nameEnd, next int) bool {
	b := p.b
	if value := pairedElement(b, nameEnd); value > 0 {
		a.value = value
		a.style = styleXML
		return true
	}
	if value := pairedValue(b, nameEnd); value > 0 {
		a.value = value
		a.style = stylePair
		a.spaced = true
		return true
	}
	if a.form != nameBare {
		return a.readSecondArgument(b, next)
	}
	if tabEnd := escapedTabEnd(b, next); tabEnd > 0 {
		return p.readLoose(a, skipBlanks(b, tabEnd))
	}
	if next == nameEnd {
		return false
	}
	if isOption(b[:a.name]) || isDefined(b[:a.name]) {
		a.value = next
		a.style = styleFlag
		return true
	}
	return p.readLoose(a, next)
}

// readSecondArgument reads the comma at b[at] and the value in define("NAME", "value").
func (a *assignment) readSecondArgument(b []byte, at int) bool {
	a.value = skipBlanks(b, at+1)
	a.form = nameQuoted
	a.style = styleDefault
	a.holder = holderSecondArgument

	beforeQuote := bytes.TrimRight(b[:a.name], "\"'` \t\\")
	isCall := b[at] == ',' && bytes.HasSuffix(beforeQuote, []byte("("))
	return isCall && a.isQuoted(b)
}

// escapedTabEnd returns the offset behind an escaped tab at b[at], 0 if there is none.
func escapedTabEnd(b []byte, at int) int {
	letter := at + backslashRun(b, at)
	if letter == at || letter+1 >= len(b) || b[letter] != 't' {
		return 0
	}
	return letter + 1
}

// isOption reports whether the dash of an option ends before: --name, not some-name.
func isOption(before []byte) bool {
	last := len(before) - 1
	if last < 0 || before[last] != '-' {
		return false
	}
	return last == 0 || !isAlnum(before[last-1])
}

// isDefined reports whether before ends with a word that defines the next one, and blanks.
func isDefined(before []byte) bool {
	words := bytes.TrimRight(before, " \t")
	if len(words) == len(before) {
		return false
	}
	return slices.ContainsFunc(definers, func(definer string) bool { return hasSuffixFold(words, definer) })
}

// maxTag bounds the closing tag of a pair's name, in bytes.
const maxTag = 24

// pairedElement returns the offset of the value in <key>NAME</key> <string>… and <name>NAME</name><value>…; 0 if there
// is none.
func pairedElement(b []byte, at int) int {
	if !hasPrefix(b[at:], "</") {
		return 0
	}
	tagEnd := bytes.IndexByte(b[at:min(at+maxTag, len(b))], '>')
	if tagEnd < 0 {
		return 0
	}

	at = skipSpace(b, at+tagEnd+1)
	for _, tag := range []string{"<string>", "<value>", "<data>"} {
		if hasPrefixFold(b[at:], tag) {
			return at + len(tag)
		}
	}
	return 0
}

// maxPairGap bounds what stands between a pair's name and the word value, in bytes.
const maxPairGap = maxLinePrefix + 40

// pairedValue returns the offset of the value in {"name": "API_TOKEN", "value": "…"} and its YAML form; 0 if there is
// none.
func pairedValue(b []byte, at int) int {
	at = skipPairGap(b, at)
	if !hasPrefixFold(b[at:], "value") {
		return 0
	}

	at = quoteAt(b, at+len("value")).end
	at = skipBlanks(b, at)
	if at < len(b) && oneOf(b[at], ":=") {
		return skipBlanks(b, at+1)
	}
	return 0
}

// skipPairGap skips what stands between a pair's name and the word value: quotes, commas, line breaks and what listings
// write before a line.
func skipPairGap(b []byte, at int) int {
	limit := min(at+maxPairGap, len(b))
	for at < limit {
		isBreak := b[at] == '\n' || isEscapeLetter(b, at)
		if !isBreak && !isSpace(b[at]) && !oneOf(b[at], `,"\`) {
			break
		}
		at++
		if isBreak {
			at = skipLinePrefix(b, at)
		}
	}
	return at
}

package redact

import (
	"bytes"
	"regexp"
)

// isExpression reports whether an unquoted value is source code rather than text.
func (p *pass) isExpression(a assignment, at, end int) bool {
	v := p.b[at:min(end, at+128)]
	next := byte(0)
	if end < len(p.b) {
		next = p.b[end]
	}
	l := look(v)
	constant := a.spaced && l.lower == 0 && l.upper > 0 && l.joint > 0 && l.other == 0
	word := l.other == 0 && l.space == 0 && l.digit == 0 && !bytes.ContainsRune(v, '-')
	switch {
	case a.upper && !a.spaced && a.style == styleEquals:
		return l.digit == 0 && bytes.IndexByte(v, '(') > 0
	case next == '(' || next == '[':
		return true
	case a.query || a.style == styleFlag:
		return word && !a.query && isPlainWord(v)
	case bytes.ContainsAny(v, "(){}"), oneOf(v[0], "&*!"):
		return true
	case isDotted(v), constant:
		return true
	case !word:
		least := 12
		if a.kind == "password" && !oneOf(next, ",;)]}&>") {
			least = 8 // user:app password:hunter2x9, and no member of an object
		}
		return a.style == styleColon && !a.spaced && (l.digit == 0 || l.letters() == 0 || l.n < least)
	}
	return !p.wholeLine(a, at, end) || l.upper > 0
}

// dotted matches a path of identifiers such as config.auth.token2.
var dotted = regexp.MustCompile(`^[A-Za-z_][\w?]{0,39}(\.[A-Za-z_][\w?]{0,39})+$`)

// isDotted reports whether v is a path of identifiers.
func isDotted(v []byte) bool { return len(v) <= 96 && bytes.IndexByte(v, '.') > 0 && dotted.Match(v) }

// wholeLine reports whether nothing follows the value on its line, and for YAML nothing precedes the name. A
// word of letters alone is a value there, and prose or a variable elsewhere.
func (p *pass) wholeLine(a assignment, at, end int) bool {
	last := end == len(p.b) || oneOf(p.b[end], "\n\r") || p.b[end] == '\\' && endsWord(p.b, end) || p.json && p.b[end] == '"'
	if a.style == styleColon {
		return last && p.firstOnLine(at)
	}
	return last && (!a.spaced || a.upper && a.kind == "password" && p.firstOnLine(a.name))
}

// firstOnLine reports whether only one word and its sign stand before at on its line. It looks at most one name back.
func (p *pass) firstOnLine(at int) bool {
	i := at - 1
	for i >= 0 && (isBlank(p.b[i]) || p.b[i] == ':') {
		i--
	}
	for low := max(0, i-maxName); i >= low && isPartByte(p.b[i]) && !isEscapeLetter(p.b, i); {
		i--
	}
	for low := max(0, i-maxName); i >= low && isBlank(p.b[i]); {
		i--
	}
	line := i + 1
	for line > 0 && i-line < maxPrefix+maxName && p.b[line-1] != '\n' && p.b[line-1] != '"' && !(p.b[line-1] == 'n' && isEscapeLetter(p.b, line-1)) {
		line--
	}
	return line == i+1 || isQuote(p.b[i]) || isEscapeLetter(p.b, i) || skipLead(p.b, line) > i
}

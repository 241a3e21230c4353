package redact

import (
	"bytes"
	"regexp"
)

// isExpression reports whether the unquoted value between at and end is source code rather than text.
func (p *pass) isExpression(a assignment, at, end int) bool {
	v := p.b[at:min(end, at+maxLook)]
	next := byte(0)
	if end < len(p.b) {
		next = p.b[end]
	}
	l := look(v)

	if a.isVariable() {
		return l.digit == 0 && bytes.IndexByte(v, '(') > 0
	}
	if next == '(' || next == '[' {
		return true
	}

	isLetters := l.other == 0 && l.space == 0 && l.digit == 0 && !bytes.ContainsRune(v, '-')
	if a.inURL {
		return false
	}
	if a.style == styleFlag {
		return isLetters && isPlainWord(v)
	}

	if bytes.ContainsAny(v, "(){}") || oneOf(v[0], "&*!") || isDotted(v) {
		return true
	}
	isConstant := l.lower == 0 && l.upper > 0 && l.joint > 0 && l.other == 0
	if a.spaced && isConstant {
		return true
	}
	if isLetters {
		return !p.wholeLine(a, at, end) || l.upper > 0
	}

	minLength := 12
	isMember := oneOf(next, ",;)]}&>") // of an object or a list
	if a.kind == kindPassword && !isMember {
		minLength = 8 // user:app password:hunter2x9
	}
	isWeak := l.digit == 0 || l.letters() == 0 || l.n < minLength
	return a.hasColon() && !a.spaced && isWeak
}

// dotted matches a path of identifiers such as config.auth.token2.
var dotted = regexp.MustCompile(`^[A-Za-z_][\w?]{0,39}(\.[A-Za-z_][\w?]{0,39})+$`)

// isDotted reports whether v is a path of identifiers.
func isDotted(v []byte) bool { return len(v) <= 96 && bytes.IndexByte(v, '.') > 0 && dotted.Match(v) }

// wholeLine reports whether nothing follows the value between at and end on its line, and for YAML nothing precedes the
// name. A word of letters alone is a value there, and prose or a variable elsewhere.
func (p *pass) wholeLine(a assignment, at, end int) bool {
	if !p.endsLine(end) {
		return false
	}
	if a.hasColon() {
		return p.firstOnLine(at)
	}
	if !a.spaced {
		return true
	}
	return a.upper && a.kind == kindPassword && p.firstOnLine(a.name)
}

// endsLine reports whether a line of the text, or the JSON string it stands in, ends at b[at].
func (p *pass) endsLine(at int) bool {
	if at == len(p.b) {
		return true
	}
	switch p.b[at] {
	case '\n', '\r':
		return true
	case '\\':
		return endsWord(p.b, at)
	case '"':
		return p.encoding == jsonText
	}
	return false
}

// firstOnLine reports whether only one word and its sign stand before b[at] on its line. It looks at most one name back.
func (p *pass) firstOnLine(at int) bool {
	i := at - 1
	for i >= 0 && (isBlank(p.b[i]) || p.b[i] == ':') {
		i--
	}
	for low := max(0, i-maxName); i >= low && isPathByte(p.b[i]) && !isEscapeLetter(p.b, i); {
		i--
	}
	for low := max(0, i-maxName); i >= low && isBlank(p.b[i]); {
		i--
	}

	line := p.lineStart(i + 1)
	if line == i+1 {
		return true
	}
	return isQuote(p.b[i]) || isEscapeLetter(p.b, i) || skipLinePrefix(p.b, line) > i
}

// lineStart walks back from b[at] to where its line begins, or the string it stands in, as far as a line's prefix and a
// name are long.
func (p *pass) lineStart(at int) int {
	start := at
	for start > 0 && at-1-start < maxLinePrefix+maxName {
		before := p.b[start-1]
		if before == '\n' || before == '"' {
			break
		}
		if before == 'n' && isEscapeLetter(p.b, start-1) {
			break
		}
		start--
	}
	return start
}

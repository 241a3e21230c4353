package redact

import "math"

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isLower(c byte) bool  { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool  { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isAlnum(c byte) bool  { return isLetter(c) || isDigit(c) }
func isSpace(c byte) bool  { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
func isBlank(c byte) bool  { return c == ' ' || c == '\t' }
func isQuote(c byte) bool  { return c == '"' || c == '\'' || c == '`' }

// oneOf reports whether c occurs in set. It is a loop, which is inlined: strings.IndexByte takes twice as long where a
// line is walked byte by byte.
func oneOf(c byte, set string) bool {
	for i := range len(set) {
		if set[i] == c {
			return true
		}
	}
	return false
}

// runEnd returns the end of the run of bytes that begins at b[at] and for which belongs is true.
func runEnd(b []byte, at int, belongs func(byte) bool) int {
	for at < len(b) && belongs(b[at]) {
		at++
	}
	return at
}

// hexValue returns the value of a hexadecimal digit, -1 for another byte.
func hexValue(c byte) int {
	if isDigit(c) {
		return int(c - '0')
	}
	if folded := c | 0x20; 'a' <= folded && folded <= 'f' {
		return int(folded-'a') + 10
	}
	return -1
}

func lower(c byte) byte {
	if isUpper(c) {
		return c | 0x20
	}
	return c
}

func hasPrefix(b []byte, word string) bool {
	return len(b) >= len(word) && string(b[:len(word)]) == word
}

// hasPrefixFold reports whether b begins with the lower-case word, in any case.
func hasPrefixFold(b []byte, word string) bool {
	if len(b) < len(word) {
		return false
	}
	for i := range len(word) {
		if lower(b[i]) != word[i] {
			return false
		}
	}
	return true
}

// hasSuffixFold reports whether b ends with the lower-case word, in any case.
func hasSuffixFold(b []byte, word string) bool {
	return len(b) >= len(word) && hasPrefixFold(b[len(b)-len(word):], word)
}

// skipBlanks skips blanks, but no line breaks.
func skipBlanks(b []byte, at int) int { return runEnd(b, at, isBlank) }

// skipSpace skips blanks and line breaks, also escaped ones.
func skipSpace(b []byte, at int) int {
	for at < len(b) {
		if isSpace(b[at]) {
			at++
			continue
		}

		backslashes := backslashRun(b, at)
		if backslashes == 0 || !isEscapeLetter(b, at+backslashes) {
			break
		}
		at += backslashes + 1
	}
	return at
}

// backslashRun returns the number of backslashes from b[at] on.
func backslashRun(b []byte, at int) int {
	n := 0
	for at+n < len(b) && b[at+n] == '\\' {
		n++
	}
	return n
}

// backslashesBefore returns the number of backslashes right before b[at].
func backslashesBefore(b []byte, at int) int {
	n := 0
	for n < at && b[at-1-n] == '\\' {
		n++
	}
	return n
}

// quoteMark is a quote with the backslashes before it.
type quoteMark struct {
	char  byte // 0 for none
	depth int  // of its escaping: the number of backslashes
	end   int  // offset behind it; where there is none, the offset that was looked at
}

// found reports whether there is a quote.
func (q quoteMark) found() bool { return q.char != 0 }

// quoteAt reads a quote, perhaps escaped, at b[at].
func quoteAt(b []byte, at int) quoteMark {
	i := at + backslashRun(b, at)
	if i == len(b) || !isQuote(b[i]) {
		return quoteMark{end: at}
	}
	return quoteMark{char: b[i], depth: i - at, end: i + 1}
}

// isEscapeLetter reports whether b[at] is the letter of \n, \r, \t, \b, \f, so that it belongs to no word.
func isEscapeLetter(b []byte, at int) bool {
	if at < 1 || at >= len(b) || b[at-1] != '\\' {
		return false
	}
	c := b[at]
	return c == 'n' || c == 'r' || c == 't' || c == 'b' || c == 'f' // no call: it is inlined, and called for each byte
}

// beginsWord reports whether a token may begin at b[at]: not in the middle of a word. An escape (\\n, \\u0000, \\x1b),
// a percent-encoded byte (%3D) and a terminal's control sequence (ESC [31m, ESC [K) before it are no part of the word.
func beginsWord(b []byte, at int) bool {
	if at == 0 || !isAlnum(b[at-1]) || isEscapeLetter(b, at-1) {
		return true
	}
	if endsHexEscape(b[:at]) {
		return true
	}

	isNull := b[at-1] == '0' && at >= 2 && b[at-2] == '\\'
	return isNull || endsControl(b[:at])
}

// endsHexEscape reports whether b ends with a byte as %3D, \x1b or \u001b.
func endsHexEscape(b []byte) bool {
	n := len(b)
	if n < 3 || hexValue(b[n-2]) < 0 || hexValue(b[n-1]) < 0 {
		return false
	}

	if b[n-3] == '%' {
		return true
	}
	if b[n-3] == 'x' && n >= 4 && b[n-4] == '\\' {
		return true
	}
	return n >= 6 && b[n-5] == 'u' && b[n-6] == '\\'
}

// maxControl bounds a terminal's control sequence, in bytes.
const maxControl = 16

// endsControl reports whether b ends with the parameters and the letter of a terminal's control sequence: [0;31m.
func endsControl(b []byte) bool {
	last := len(b) - 1
	if !isLetter(b[last]) {
		return false
	}

	i := last - 1
	for i >= 0 && i > last+1-maxControl && isControlParameter(b[i]) {
		i--
	}
	return i >= 0 && b[i] == '['
}

func isControlParameter(c byte) bool { return isDigit(c) || c == ';' }

// skipColour skips a terminal's control sequence: ESC [31m, as it is or as JSON and shells write it.
func skipColour(b []byte, at int) int {
	from := at + max(0, backslashRun(b, at)-1)
	for _, begin := range []string{"\x1b[", `\u001b[`, `\x1b[`, `\033[`, `\e[`} {
		if !hasPrefixFold(b[from:], begin) {
			continue
		}
		end := runEnd(b, from+len(begin), isControlParameter)
		if end < len(b) && isLetter(b[end]) {
			return end + 1
		}
		break
	}
	return at
}

// maxLook is how many bytes of a value are counted: enough to judge, and a limit on the work per hit.
const maxLook = 128

// looks counts the sorts of bytes in the first 128 bytes of a value.
type looks struct {
	n                   int // the length of the whole value
	lower, upper, digit int
	space               int
	joint               int // _, - and .
	other               int
}

func (l looks) letters() int { return l.lower + l.upper }

// sorts of bytes
const (
	sortOther = iota
	sortLower
	sortUpper
	sortDigit
	sortSpace
	sortJoint
)

// byteSorts is the sort of each byte.
var byteSorts = func() (sorts [256]uint8) {
	for i := range sorts {
		c := byte(i)
		switch {
		case isLower(c):
			sorts[i] = sortLower
		case isUpper(c):
			sorts[i] = sortUpper
		case isDigit(c):
			sorts[i] = sortDigit
		case c == ' ':
			sorts[i] = sortSpace
		case c == '_' || c == '-' || c == '.':
			sorts[i] = sortJoint
		}
	}
	return sorts
}()

// look counts the sorts of bytes in v.
func look(v []byte) looks {
	var counts [8]int
	for _, c := range v[:min(len(v), maxLook)] {
		counts[byteSorts[c]&7]++ // the mask saves a bounds check
	}
	return looks{
		n:     len(v),
		lower: counts[sortLower],
		upper: counts[sortUpper],
		digit: counts[sortDigit],
		space: counts[sortSpace],
		joint: counts[sortJoint],
		other: counts[sortOther],
	}
}

// entropy returns Shannon's entropy of the first 128 bytes of v, in bits per byte.
func entropy(v []byte) float64 {
	v = v[:min(len(v), maxLook)]
	var counts [256]uint8
	for _, c := range v {
		counts[c]++
	}

	total, n := 0.0, float64(len(v))
	for _, count := range counts {
		if count > 0 {
			share := float64(count) / n
			total -= share * math.Log2(share)
		}
	}
	return total
}

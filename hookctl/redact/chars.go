package redact

import "math"

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isUpper(c byte) bool  { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isAlnum(c byte) bool  { return isLetter(c) || isDigit(c) }
func isSpace(c byte) bool  { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
func isBlank(c byte) bool  { return c == ' ' || c == '\t' }
func isQuote(c byte) bool  { return c == '"' || c == '\'' || c == '`' }

// oneOf is a loop, which is inlined: strings.IndexByte takes twice as long where a line is walked byte by byte.
func oneOf(c byte, of string) bool {
	for i := range len(of) {
		if of[i] == c {
			return true
		}
	}
	return false
}

// runEnd is where the run of such bytes ends that begins at b[at].
func runEnd(b []byte, at int, such func(byte) bool) int {
	for at < len(b) && such(b[at]) {
		at++
	}
	return at
}

func hexValue(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

func lower(c byte) byte {
	if isUpper(c) {
		return c | 0x20
	}
	return c
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

// isEscapeLetter reports whether b[at] is the letter of \n, \r, \t, \b, \f, so that it belongs to no word.
func isEscapeLetter(b []byte, at int) bool {
	if at < 1 || at >= len(b) || b[at-1] != '\\' {
		return false
	}
	c := b[at]
	return c == 'n' || c == 'r' || c == 't' || c == 'b' || c == 'f' // plain enough to be inlined: it is called for each byte
}

// isFresh reports whether a token may begin at b[at]: not in the middle of a word. An escape (\\n, \\u0000, \\x1b),
// a percent-encoded byte (%3D) and a terminal's control sequence (ESC [31m, ESC [K) before it are no part of the word.
func isFresh(b []byte, at int) bool {
	if at == 0 || !isAlnum(b[at-1]) || isEscapeLetter(b, at-1) {
		return true
	}
	hex := at >= 3 && hexValue(b[at-2]) >= 0 && hexValue(b[at-1]) >= 0
	switch {
	case hex && (b[at-3] == '%' || b[at-3] == 'x' && at >= 4 && b[at-4] == '\\'):
		return true
	case hex && at >= 6 && b[at-5] == 'u' && b[at-6] == '\\', b[at-1] == '0' && at >= 2 && b[at-2] == '\\':
		return true
	case !isLetter(b[at-1]):
		return false
	}
	i := at - 2
	for ; i > at-16 && i >= 0 && (isDigit(b[i]) || b[i] == ';'); i-- {
	}
	return i >= 0 && b[i] == '['
}

// skipColour skips a terminal's control sequence: ESC [31m, as it is or as JSON and shells write it.
func skipColour(b []byte, at int) int {
	i := at + max(0, backslashRun(b, at)-1)
	for _, esc := range []string{"\x1b[", `\u001b[`, `\x1b[`, `\033[`, `\e[`} {
		if !hasPrefixFold(b[i:], esc) {
			continue
		}
		for i += len(esc); i < len(b) && (isDigit(b[i]) || b[i] == ';'); i++ {
		}
		if i < len(b) && isLetter(b[i]) {
			return i + 1
		}
		break
	}
	return at
}

// hasSuffixFold reports whether b ends with the lower-case word, in any case.
func hasSuffixFold(b []byte, word string) bool {
	return len(b) >= len(word) && hasPrefixFold(b[len(b)-len(word):], word)
}

// looks is what a value is made of. Only its first 128 bytes are counted: enough to judge, and a limit on the
// work per hit.
type looks struct{ n, lower, upper, digit, space, joint, other int }

// byteKinds sorts bytes into other, lower case, upper case, digit, blank and joint (_, -, .).
var byteKinds = func() (kinds [256]uint8) {
	for i := range kinds {
		switch c := byte(i); {
		case 'a' <= c && c <= 'z':
			kinds[i] = 1
		case isUpper(c):
			kinds[i] = 2
		case isDigit(c):
			kinds[i] = 3
		case c == ' ':
			kinds[i] = 4
		case c == '_' || c == '-' || c == '.':
			kinds[i] = 5
		}
	}
	return kinds
}()

func look(v []byte) looks {
	var n [8]int
	for _, c := range v[:min(len(v), 128)] {
		n[byteKinds[c]&7]++
	}
	return looks{n: len(v), other: n[0], lower: n[1], upper: n[2], digit: n[3], space: n[4], joint: n[5]}
}

func (l looks) letters() int { return l.lower + l.upper }

// entropy is Shannon's, in bits per byte, of the first 128 bytes.
func entropy(v []byte) float64 {
	v = v[:min(len(v), 128)]
	var count [256]uint8
	for _, c := range v {
		count[c]++
	}
	h, n := 0.0, float64(len(v))
	for _, k := range count {
		if k > 0 {
			f := float64(k) / n
			h -= f * math.Log2(f)
		}
	}
	return h
}

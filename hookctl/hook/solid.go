package hook

import (
	"encoding/binary"
	"math/bits"
)

// solidDepth bounds the levels of nesting that [solid] follows; hooks have about five.
const solidDepth = 64

// solid tells that b is one JSON value without white space outside of its strings, which is how the client sends
// its hooks. encoding/json takes 20 µs to say so of 2 KB, a byte at a time, and copies them. False says nothing:
// encoding/json decides then.
func solid(b []byte) bool {
	var objects uint64 // a bit for each level, the innermost lowest: 1 for an object
	depth, i := 0, 0
	for i >= 0 && i < len(b) {
		switch b[i] { // a value begins
		case '{', '[':
			if depth++; depth > solidDepth {
				return false
			}
			objects <<= 1
			if b[i] == '[' {
				i++
				if i < len(b) && b[i] == ']' {
					break
				}
				continue
			}
			objects |= 1
			if i++; i < len(b) && b[i] == '}' {
				break
			}
			i = nameEnd(b, i)
			continue
		default:
			if i = scalarEnd(b, i); i < 0 {
				return false
			}
		}
		for depth > 0 && i < len(b) && b[i] == closer(objects) {
			objects >>= 1
			depth--
			i++
		}
		switch {
		case depth == 0:
			return i == len(b)
		case i >= len(b) || b[i] != ',':
			return false
		}
		if i++; objects&1 == 1 {
			i = nameEnd(b, i)
		}
	}
	return false
}

// closer is the bracket that ends the innermost level.
func closer(objects uint64) byte {
	if objects&1 == 1 {
		return '}'
	}
	return ']'
}

// nameEnd is the index behind a member's name and its colon, -1 where there is none.
func nameEnd(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	if i = textEnd(b, i+1); i < 0 || i >= len(b) || b[i] != ':' {
		return -1
	}
	return i + 1
}

// scalarEnd is the index behind a string, a number or a literal, -1 where there is none.
func scalarEnd(b []byte, i int) int {
	switch c := b[i]; {
	case c == '"':
		return textEnd(b, i+1)
	case c == '-' || '0' <= c && c <= '9':
		return numberEnd(b, i)
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if end := i + len(word); end <= len(b) && string(b[i:end]) == word {
			return end
		}
	}
	return -1
}

// numberEnd: -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
func numberEnd(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	whole := digits(b, i)
	if whole == i || b[i] == '0' && whole > i+1 {
		return -1
	}
	if i = whole; i < len(b) && b[i] == '.' {
		end := digits(b, i+1)
		if end == i+1 {
			return -1
		}
		i = end
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		end := digits(b, i)
		if end == i {
			return -1
		}
		i = end
	}
	return i
}

func digits(b []byte, i int) int {
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	return i
}

// textEnd is the index behind the closing quote of a string whose content begins at i, -1 where it does not end,
// has a control character or an escape that JSON does not know.
func textEnd(b []byte, i int) int {
	for i = odd(b, i); i < len(b); i = odd(b, i) {
		switch {
		case b[i] == '"':
			return i + 1
		case b[i] != '\\' || i+1 >= len(b):
			return -1
		}
		switch b[i+1] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			i += 2
		case 'u':
			if i+6 > len(b) || !hexDigits(b[i+2:i+6]) {
				return -1
			}
			i += 6
		default:
			return -1
		}
	}
	return -1
}

func hexDigits(b []byte) bool {
	for _, c := range b {
		if l := c | 0x20; (c < '0' || c > '9') && (l < 'a' || l > 'f') {
			return false
		}
	}
	return true
}

// odd is the index of the first quote, backslash or control character at or behind i, at least len(b) where there
// is none. It looks at eight bytes at a time: in a word the lowest byte whose highest bit the subtraction sets, and
// which had it unset, is below the number that was subtracted; bytes above it may be marked in error.
func odd(b []byte, i int) int {
	const (
		ones  = 0x0101010101010101
		highs = 0x80 * ones
	)
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		quote, slash := w^'"'*ones, w^'\\'*ones
		if hit := ((quote-ones)&^quote | (slash-ones)&^slash | (w-' '*ones)&^w) & highs; hit != 0 {
			return i + bits.TrailingZeros64(hit)/8
		}
	}
	for i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= ' ' {
		i++
	}
	return i
}

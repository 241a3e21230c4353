package events

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Strings and members of JSON that is known to be valid.

// Text decodes a JSON string; of any other value it makes "".
func Text(raw json.RawMessage) string {
	s, _ := decodeText(raw)
	return s
}

// decodeText is [Text], and false for what is no string.
func decodeText(raw []byte) (string, bool) {
	if end, plain := literal(raw, 0); end > 0 && end == len(raw) {
		if s, ok := unescape(raw[1:end-1], plain); ok {
			return s, true
		}
	}
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil { // bytes that are not UTF-8, surrogates
		return "", false
	}
	return s, true
}

// MemberText is the text of a member of a JSON object, "" where there is none or it is no string.
func MemberText(object json.RawMessage, name string) string { return Text(Member(object, name)) }

// Member is the raw value of the first member of that name of a JSON object, nil where there is none.
// Other values are skipped without being decoded. A name with an escape in it is never found.
func Member(object json.RawMessage, name string) (found json.RawMessage) {
	members(object, func(key, value []byte, _ bool) bool {
		if string(key) == name {
			found = value
		}
		return found == nil
	})
	return found
}

// StringEnd is the index of the quote that closes the JSON string which begins at i, len(b) where none does.
func StringEnd(b []byte, i int) int {
	end, _ := literal(b, i)
	if end < 0 {
		return len(b)
	}
	return end - 1
}

// literal gives the index after the string that begins at i, -1 when there is none, and whether it
// is plain: no escape in it.
func literal(b []byte, i int) (end int, plain bool) {
	if i >= len(b) || b[i] != '"' {
		return -1, false
	}
	for at := i + 1; ; at++ {
		n := bytes.IndexByte(b[at:], '"')
		if n < 0 {
			return -1, false
		}
		at += n
		if body := b[i+1 : at]; !escaped(body) {
			return at + 1, bytes.IndexByte(body, '\\') < 0
		}
	}
}

// escaped reports whether what follows in the string is the second half of an escape.
func escaped(before []byte) bool {
	n := len(before)
	for n > 0 && before[n-1] == '\\' {
		n--
	}
	return (len(before)-n)%2 == 1
}

// unescape decodes what stands between the quotes of a JSON string.
func unescape(body []byte, plain bool) (string, bool) {
	if !utf8.Valid(body) {
		return "", false
	}
	if plain {
		return string(body), true
	}
	var out strings.Builder
	out.Grow(len(body))
	for {
		n := bytes.IndexByte(body, '\\')
		if n < 0 {
			out.Write(body)
			return out.String(), true
		}
		out.Write(body[:n])
		r, size := escape(body[n:])
		if size == 0 {
			return "", false
		}
		out.WriteRune(r)
		body = body[n+size:]
	}
}

// escape decodes the escape that b begins with, and says how long it is; 0 for one that it leaves alone.
func escape(b []byte) (rune, int) {
	if len(b) < 2 {
		return 0, 0
	}
	switch b[1] {
	case '"', '\\', '/':
		return rune(b[1]), 2
	case 'n':
		return '\n', 2
	case 't':
		return '\t', 2
	case 'r':
		return '\r', 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'u':
		if len(b) < 6 {
			return 0, 0
		}
		n, err := strconv.ParseUint(string(b[2:6]), 16, 16)
		if err != nil || n >= 0xD800 && n < 0xE000 {
			return 0, 0
		}
		return rune(n), 6
	}
	return 0, 0
}

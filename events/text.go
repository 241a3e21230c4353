package events

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
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

// folderChange is the change to another folder before what a command line runs there.
var folderChange = regexp.MustCompile(`^cd ("[^"]*"|\S+) *(&&|;|\n)\s*`)

// WithoutFolder is a command line without the change to another folder at its beginning, unless nothing else is in it.
func WithoutFolder(line string) string {
	at := folderChange.FindStringIndex(line)
	if at == nil || at[1] == len(line) {
		return line
	}
	return line[at[1]:]
}

// Clip is at most the first n bytes of a text, without half a character.
func Clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "")
}

// Below is a path below a folder, or as it is where it lies elsewhere.
func Below(root, file string) string {
	if root == "" {
		return file
	}
	return strings.TrimPrefix(file, strings.TrimSuffix(root, "/")+"/")
}

// Short is at most n characters of a text, on one line, without control characters; what is cut ends in "…".
func Short(text string, n int) string {
	blank := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	runes := []rune(strings.Join(strings.FieldsFunc(Clip(text, 16*n), blank), " "))
	if len(runes) <= n {
		return string(runes)
	}
	return string(runes[:n-1]) + "…"
}

// Take is a copy of a list without the entry that is looked for, and that entry, the zero value where there is none.
func Take[T any](list []T, is func(T) bool) (rest []T, found T) {
	for _, x := range list {
		if is(x) {
			found = x
		} else {
			rest = append(rest, x)
		}
	}
	return rest, found
}

// Push is a copy of a list with an entry more, without what is above n entries at its beginning.
func Push[T any](list []T, v T, n int) []T {
	list = append(slices.Clip(list), v)
	return list[max(0, len(list)-n):]
}

// Newest is a copy of the last n entries of a list, or the list where it has no more.
func Newest[T any](list []T, n int) []T {
	if len(list) <= n {
		return list
	}
	return slices.Clone(list[len(list)-n:])
}

// LastCounts are the last n places of a text, in its order, where a number, a blank and a word stand, such as "3 passed".
// The form is matched at the number and ends within 40 bytes after it; it begins with ^\d+ and a blank. A search for the
// form itself would try every byte.
func LastCounts(text string, form *regexp.Regexp, n int) (found []string) {
	for end := len(text); len(found) < n; {
		blank := strings.LastIndexByte(text[:end], ' ')
		if blank < 0 {
			break
		}
		end = blank

		begin := blank
		for begin > 0 && '0' <= text[begin-1] && text[begin-1] <= '9' {
			begin--
		}
		if begin == blank || begin > 0 && WordByte(text[begin-1]) {
			continue
		}
		if m := form.FindString(text[begin:min(len(text), blank+40)]); m != "" {
			found = append(found, m)
		}
	}
	slices.Reverse(found)
	return found
}

// WordByte reports whether a byte is a letter, a digit or an underscore of ASCII.
func WordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

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

package settings

import "bytes"

// tooDeep returns the offset at which nesting passes maxDepth, or -1.
func tooDeep(body []byte) int {
	depth := 0
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '"':
			i = skipString(body, i)
		case '/':
			i += max(0, commentLen(body[i:])-1)
		case '{', '[':
			if depth++; depth > maxDepth {
				return i
			}
		case '}', ']':
			depth--
		}
	}
	return -1
}

// skipString returns the offset of the quote that ends the string begun at i.
func skipString(body []byte, i int) int {
	for i++; i < len(body) && body[i] != '"'; i++ {
		if body[i] == '\\' {
			i++
		}
	}
	return i
}

// commentLen returns the length of the comment that b begins with, without the line end of a
// line comment; 0 if it begins with none.
func commentLen(b []byte) int {
	switch {
	case bytes.HasPrefix(b, []byte("//")):
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			return i
		}
		return len(b)
	case bytes.HasPrefix(b, []byte("/*")):
		if i := bytes.Index(b[2:], []byte("*/")); i >= 0 {
			return i + 4
		}
		return len(b)
	}
	return 0
}

// endsInLineComment tells whether text after this would be part of a comment. It takes white
// space, comments and commas.
func endsInLineComment(extra []byte) bool {
	line := false
	for i := 0; i < len(extra); i++ {
		if n := commentLen(extra[i:]); n > 0 {
			line = extra[i+1] == '/' && i+n == len(extra)
			i += n - 1
		}
	}
	return line
}

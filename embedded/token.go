package embedded

import (
	"fmt"
	"strings"
)

const hexDigits = "0123456789ABCDEF"

// escape makes a subject token or a bucket key of any text: bytes that plain refuses become "=XX",
// and nothing at all becomes "=". It is injective ([unescape] undoes it), and works byte by byte.
func escape(text string, plain func(i int) bool) string {
	if text == "" {
		return "="
	}
	clean := true
	for i := 0; i < len(text) && clean; i++ {
		clean = plain(i)
	}
	if clean {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + 8)
	for i := 0; i < len(text); i++ {
		if c := text[i]; plain(i) {
			b.WriteByte(c)
		} else {
			b.WriteByte('=')
			b.WriteByte(hexDigits[c>>4])
			b.WriteByte(hexDigits[c&15])
		}
	}
	return b.String()
}

// unescape undoes [escape]; text that escape cannot have made is an error.
func unescape(text string) (string, error) {
	if text == "=" {
		return "", nil
	}
	if !strings.Contains(text, "=") {
		return text, nil
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] != '=' {
			out = append(out, text[i])
			continue
		}
		if i+2 >= len(text) {
			return "", fmt.Errorf("token %q ends within an escape", text)
		}
		hi, lo := strings.IndexByte(hexDigits, text[i+1]), strings.IndexByte(hexDigits, text[i+2])
		if hi < 0 || lo < 0 {
			return "", fmt.Errorf("token %q has an escape that is not hexadecimal", text)
		}
		out = append(out, byte(hi<<4|lo))
		i += 2
	}
	return string(out), nil
}

func wordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

// token escapes one token of a subject.
func token(text string) string {
	return escape(text, func(i int) bool { return wordByte(text[i]) })
}

// bucketKey escapes a cell's key for a bucket. Dots stay, for people who look with the nats tool,
// but where a bucket forbids them: at either end and after another dot. Slashes stay.
func bucketKey(key string) string {
	return escape(key, func(i int) bool {
		if key[i] == '.' {
			return i > 0 && i < len(key)-1 && key[i-1] != '.'
		}
		return wordByte(key[i]) || key[i] == '/'
	})
}

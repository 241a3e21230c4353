package embedded

import (
	"fmt"
	"strconv"
	"strings"

	"hookline/events/wording"
)

// escape makes a subject token or a bucket key of any text: bytes that plain refuses become "=XX",
// and nothing at all becomes "=". It is injective ([unescape] undoes it), and works byte by byte.
func escape(text string, plain func(i int) bool) string {
	if text == "" {
		return "="
	}
	var b strings.Builder
	b.Grow(len(text) + 8)
	for i := range len(text) {
		if plain(i) {
			b.WriteByte(text[i])
		} else {
			fmt.Fprintf(&b, "=%02X", text[i])
		}
	}
	return b.String()
}

// unescape undoes [escape]; text with a part that is no escape is an error.
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
		c, err := strconv.ParseUint(text[i+1:i+3], 16, 8)
		if err != nil {
			return "", fmt.Errorf("token %q: %w", text, err)
		}
		out = append(out, byte(c))
		i += 2
	}
	return string(out), nil
}

func wordByte(c byte) bool {
	return c == '-' || wording.WordByte(c)
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

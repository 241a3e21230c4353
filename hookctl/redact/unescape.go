package redact

import (
	"bytes"
	"sort"
)

// decodedText is a text with \u00XX escapes of printable characters resolved, and the way back to the raw offsets.
type decodedText struct {
	text []byte
	gaps []gap
}

// gap says that text[text:] comes from the raw bytes at raw, up to the next gap.
type gap struct{ text, raw int }

// rawOffset returns the raw offset of an offset into the text.
func (d decodedText) rawOffset(at int) int {
	i := sort.Search(len(d.gaps), func(i int) bool { return d.gaps[i].text > at })
	if i == 0 {
		return at
	}
	before := d.gaps[i-1]
	return before.raw + at - before.text
}

// entities are HTML's for a quote. All are read as single quotes, which mean nothing to JSON.
var entities = []string{"&quot;", "&#34;", "&#39;", "&apos;", "&#x27;", "&#x22;"}

// findEscape notes a \u00XX or \/ that hides a character from the keywords: some encoders write &, <, >, =, '
// or / so. The scan then starts again on the decoded text.
func findEscape(p *pass, _ *rule, start, _ int) {
	if p.escapes == escapesResolved {
		return
	}
	if p.b[start+1] == '/' && backslashesBefore(p.b, start)%2 == 1 {
		return // \\/ is a backslash before a slash, frequent in source code
	}
	if _, n := decodeEscape(p.b, start); n > 0 {
		p.escapes = escapesSeen
	}
}

// unescape decodes a text. Quotes and backslashes stay escaped, or strings would end elsewhere.
func unescape(b []byte) decodedText {
	d := decodedText{
		text: make([]byte, 0, len(b)),
		gaps: make([]gap, 0, bytes.Count(b, []byte(`\u00`))),
	}
	for at := 0; at < len(b); {
		plain := bytes.IndexAny(b[at:], `\&`)
		if plain < 0 {
			d.text = append(d.text, b[at:]...)
			break
		}
		d.text = append(d.text, b[at:at+plain]...)
		at += plain

		// Of several backslashes only the last can begin an escape that is decoded.
		end := max(at+1, at+backslashRun(b, at))
		c, n := decodeEscape(b, end-1)
		if n == 0 {
			d.text = append(d.text, b[at:end]...)
			at = end
			continue
		}
		d.text = append(d.text, c)
		at = end - 1 + n
		d.gaps = append(d.gaps, gap{text: len(d.text), raw: at})
	}
	return d
}

// decodeEscape decodes the escape of a printable character or blank at b[at]; n is its length, 0 if it is none.
func decodeEscape(b []byte, at int) (c byte, n int) {
	if b[at] == '&' {
		for _, entity := range entities {
			if hasPrefixFold(b[at:], entity) {
				return '\'', len(entity)
			}
		}
		return 0, 0
	}
	if at+1 < len(b) && b[at+1] == '/' {
		return '/', len(`\/`)
	}

	const size = len(`\u0000`)
	if at+size > len(b) || !hasPrefix(b[at+1:], "u00") {
		return 0, 0
	}
	high, low := hexValue(b[at+4]), hexValue(b[at+5])
	if high < 0 || low < 0 {
		return 0, 0
	}
	c = byte(high<<4 | low)

	isPrintable := ' ' <= c && c <= '~'
	if c == '"' || c == '\\' || !isPrintable && !isSpace(c) {
		return 0, 0
	}
	return c, size
}

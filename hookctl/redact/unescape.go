package redact

import (
	"bytes"
	"sort"
)

// view is a text with \u00XX escapes of printable characters resolved, and the way back to the raw offsets.
type view struct {
	text []byte
	gaps []gap
}

// gap says that text[text:] comes from the raw bytes at raw, up to the next gap.
type gap struct{ text, raw int }

// raw returns the raw offset of an offset into the view.
func (v view) raw(at int) int {
	i := sort.Search(len(v.gaps), func(i int) bool { return v.gaps[i].text > at })
	if i == 0 {
		return at
	}
	g := v.gaps[i-1]
	return g.raw + at - g.text
}

// entities are a quote in HTML. All are read as single quotes, which mean nothing to JSON.
var entities = []string{"&quot;", "&#34;", "&#39;", "&apos;", "&#x27;", "&#x22;"}

// findCoded notes a \u00XX or \/ that hides a character from the keywords: some encoders write &, <, >, =, '
// or / so. The scan then starts again on the view.
func findCoded(p *pass, _ *matcher, start, _ int) {
	if p.plain || p.b[start+1] == '/' && backslashes(p.b, start)%2 == 1 {
		return // \\/ is a backslash before a slash, frequent in source code
	}
	if _, n := decodeUnit(p.b, start); n > 0 {
		p.coded = true
	}
}

// unescape makes the view. Quotes and backslashes stay escaped, or strings would end elsewhere.
func unescape(b []byte) view {
	v := view{text: make([]byte, 0, len(b)), gaps: make([]gap, 0, bytes.Count(b, []byte(`\u00`)))}
	for at := 0; at < len(b); {
		run := bytes.IndexAny(b[at:], `\&`)
		if run < 0 {
			v.text = append(v.text, b[at:]...)
			break
		}
		run += at
		v.text = append(v.text, b[at:run]...)
		at = run
		for run++; run < len(b) && b[run] == '\\' && b[at] == '\\'; {
			run++
		}
		c, n := decodeUnit(b, run-1)
		if n == 0 {
			v.text = append(v.text, b[at:run]...)
			at = run
			continue
		}
		v.text = append(v.text, c)
		at = run - 1 + n
		v.gaps = append(v.gaps, gap{len(v.text), at})
	}
	return v
}

// decodeUnit decodes the escape of a printable character or blank at b[at]; n is its length, 0 if it is none.
func decodeUnit(b []byte, at int) (c byte, n int) {
	if b[at] == '&' {
		for _, e := range entities {
			if hasPrefixFold(b[at:], e) {
				return '\'', len(e)
			}
		}
		return 0, 0
	}
	if at+1 < len(b) && b[at+1] == '/' {
		return '/', 2
	}
	if at+6 > len(b) || b[at+1] != 'u' || b[at+2] != '0' || b[at+3] != '0' {
		return 0, 0
	}
	hi, lo := hexValue(b[at+4]), hexValue(b[at+5])
	if hi < 0 || lo < 0 {
		return 0, 0
	}
	c = byte(hi<<4 | lo)
	if c == '"' || c == '\\' || c > 0x7e || c < ' ' && !isSpace(c) {
		return 0, 0
	}
	return c, 6
}

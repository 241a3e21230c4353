package redact

import (
	"bytes"
	"unicode/utf8"
)

// maxDash bounds the label between the dashes of a BEGIN line.
const maxDash = 64

// maxPrefix bounds what stands before a line of a block, maxRest a block without its first line.
const (
	maxPrefix = 96
	maxRest   = 8192
)

// findBlock takes a private key that is written as a block: from its BEGIN line to its END line, or as far as
// the lines look like one if it was cut. It reads real and escaped line breaks, the prefixes of diffs and line
// numbers, and blocks whose lines are separate strings. A BEGIN line without a body is only talk of a key.
func findBlock(p *pass, m *matcher, start, end int) {
	if start < p.blockEnd {
		return
	}
	var from int
	body := end
	if p.b[start]|0x20 == 'p' && hasPrefixFold(p.b[start:], "private-lines:") {
		for body < len(p.b) && (isBlank(p.b[body]) || isDigit(p.b[body])) {
			body++
		}
		from = body
	} else {
		if from = bytes.LastIndex(p.b[max(0, start-maxDash):start], []byte("-----BEGIN ")); from < 0 {
			p.blockRest(m, start)
			return
		}
		from += max(0, start-maxDash)
		dash := bytes.Index(p.b[end:min(end+16, len(p.b))], []byte("-----"))
		if dash < 0 {
			return
		}
		body = end + dash + 5
	}
	if stop := p.blockBody(body); stop > body {
		p.blockEnd, p.tokenEnd, p.valueEnd = stop, max(p.tokenEnd, stop), max(p.valueEnd, stop)
		p.add(span{start: from, end: stop, kind: m.kind, rule: m.id})
	}
}

// blockBody walks the lines of a block and returns where they end, or at if there are none.
func (p *pass) blockBody(at int) int {
	b, end, headers := p.b, at, 0
	for {
		at = skipFiller(b, at)
		if bytes.HasPrefix(b[at:], []byte("-----END ")) {
			return p.blockTail(at, end)
		}
		run := at
		for run < len(b) && isBase64(b[run]) {
			run++
		}
		switch {
		case run-at >= 16 && !p.isKeyAt(run):
			end, at = run, run
		case run > at && (run == len(b) || p.lastLine(run)) && end > at-8:
			return run
		case run > at && run-at <= 6 && allDigits(b[at:run]):
			at = run // a line number
		case headers < 8 && isHeader(b, at):
			headers++
			for at < len(b) && b[at] != '\n' && b[at] != '"' && !(b[at] == '\\' && endsWord(b, at)) {
				at++
			}
		default:
			next := linePrefix(b, at)
			if next == at {
				return end
			}
			at = next
		}
	}
}

// linePrefix skips what grep and container logs write before a line of a block: path:12:, web_1  |.
func linePrefix(b []byte, at int) int {
	for i := at; i < min(at+maxPrefix, len(b)); i++ {
		switch c := b[i]; {
		case c == '\n' || c == '\\' || isQuote(c):
			return at
		case c != ':' && c != '|' && !(c == '-' && i > at && isDigit(b[i-1])):
			continue
		}
		next := skipBlanks(b, i+1, false)
		run := next
		for run < len(b) && isBase64(b[run]) {
			run++
		}
		if run-next >= 16 || bytes.HasPrefix(b[next:], []byte("-----END ")) {
			return next
		}
	}
	return at
}

// skipLead skips what a listing writes before a line's own text: the signs of a diff, the number of a read file, the path
// that grep names, the name of a container; and the blanks behind.
func skipLead(b []byte, at int) int {
	from := skipBlanks(b, at, false)
	end := from
	for end < len(b) && end < from+maxPrefix && (isNameByte(b[end]) || b[end] == '.' || b[end] == '/') {
		end++
	}
	next := skipBlanks(b, end, false)
	number := end > from && allDigits(b[from:end])
	switch {
	case end == len(b):
		return from
	case from == at && (b[at] == '+' || b[at] == '-' || b[at] == '>'):
		return skipBlanks(b, at+1, false)
	case number && (hasPrefix(b[end:], "\u2192") || b[end] == '\t' || b[end] == ':'):
		_, size := utf8.DecodeRune(b[end:])
		return skipBlanks(b, end+size, false)
	case number && end+1 < len(b) && b[end] == '\\' && b[end+1] == 't':
		return skipBlanks(b, end+2, false)
	case next < len(b) && b[next] == '|' && next > end:
		return skipBlanks(b, next+1, false)
	}
	for i := from + 1; i <= end; i++ { // path:12: and path-12-
		to := i + 1
		for to < min(len(b), i+12) && isDigit(b[to]) {
			to++
		}
		if (b[i] == ':' || b[i] == '-') && to > i+1 && to < len(b) && b[to] == b[i] {
			return skipBlanks(b, to+1, false)
		}
	}
	return from
}

// lineStart is where the line around at begins, looking back as far as a listing's prefix and a name are long.
func lineStart(b []byte, at int) int {
	for low := max(0, at-maxPrefix-maxName); at > low; at-- {
		if c := b[at-1]; c == '\n' || c == '"' || isEscapeLetter(b, at-1) && c == 'n' {
			break
		}
	}
	return at
}

// blockRest takes what is left of a block whose BEGIN line was cut off: the lines before its END line.
func (p *pass) blockRest(m *matcher, start int) {
	b := p.b
	end := bytes.LastIndex(b[max(0, start-maxDash):start], []byte("-----END "))
	if end < 0 {
		return
	}
	end += max(0, start-maxDash)
	if bytes.ContainsAny(b[end+9:start], "-\n\\") {
		return // of another block
	}
	from := end
	for low := max(end-maxRest, p.blockEnd); from > low; {
		at := from
		for at > low && (isSpace(b[at-1]) || isEscapeLetter(b, at-1) || b[at-1] == '\\') {
			at--
		}
		run := at
		for run > low && isBase64(b[run-1]) && !isEscapeLetter(b, run-1) {
			run--
		}
		if at == from || at-run < 16 && from != end || run == at {
			break
		}
		from = run
	}
	if end-from < 24 {
		return
	}
	p.blockEnd = end
	p.add(span{start: from, end: p.blockTail(end, end), kind: m.kind, rule: m.id})
}

// blockTail ends a block at its END line; a block without a body is none.
func (p *pass) blockTail(at, end int) int {
	tail := bytes.Index(p.b[at+9:min(at+9+maxDash, len(p.b))], []byte("-----"))
	if tail < 0 {
		return max(at, end)
	}
	return at + 9 + tail + 5
}

// lastLine reports whether the END line, or the end of the text or string, follows a short run: then it is the
// block's last line.
func (p *pass) lastLine(at int) bool {
	next := skipFiller(p.b, at)
	return next == len(p.b) || bytes.HasPrefix(p.b[next:], []byte("-----END ")) || p.b[next] == '=' && next > at
}

// isKeyAt reports whether a quote and a colon follow: a JSON key, not a line of a block.
func (p *pass) isKeyAt(at int) bool {
	_, quote, after := quoteAt(p.b, at)
	return quote != 0 && after < len(p.b) && p.b[after] == ':'
}

// skipFiller skips what stands between the lines of a block: line breaks, quotes, the signs of diffs and of
// string concatenation, the arrow of numbered listings.
func skipFiller(b []byte, at int) int {
	for at < len(b) {
		switch c := b[at]; {
		case isSpace(c), c == ',', c == '|', c == '>', c == '#', c == '*', isQuote(c), c == '+' && (at+1 == len(b) || !isBase64(b[at+1]) || at > 0 && !isBase64(b[at-1])):
			at++
		case c == '\\':
			for at < len(b) && b[at] == '\\' {
				at++
			}
			if at < len(b) && isEscapeLetter(b, at) {
				at++
			}
		case c == '-' && !bytes.HasPrefix(b[at:], []byte("-----")):
			at++
		case c == 0xE2 && at+2 < len(b) && b[at+1] == 0x86 && b[at+2] == 0x92:
			at += 3
		default:
			return at
		}
	}
	return at
}

// isHeader knows the header lines of PEM and OpenPGP armour.
func isHeader(b []byte, at int) bool {
	for _, h := range []string{"proc-type:", "dek-info:", "version:", "comment:", "hash:", "charset:", "messageid:", "key-info:"} {
		if hasPrefixFold(b[at:], h) {
			return true
		}
	}
	return false
}

func isBase64(c byte) bool { return isAlnum(c) || c == '+' || c == '/' || c == '=' }

func allDigits(v []byte) bool {
	for _, c := range v {
		if !isDigit(c) {
			return false
		}
	}
	return true
}

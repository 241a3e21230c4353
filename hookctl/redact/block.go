package redact

import (
	"bytes"
	"unicode/utf8"
)

// The bounds of a block, in bytes.
const (
	maxDash   = 64   // of the label between the dashes of its first and last line
	maxPrefix = 96   // of what stands before a line of it
	maxHeader = 256  // of what stands before its first line: names and values
	maxRest   = 8192 // of a block without its first line
	leastRun  = 16   // of a line of it; the last one may be shorter
	firstRun  = 40   // of its first line
)

// findBlock takes a private key that is written as a block: from its BEGIN line to its END line, or as far as
// the lines look like one if it was cut. It reads real and escaped line breaks, what diffs, listings, grep and container
// logs write before a line, and blocks whose lines are separate strings. A BEGIN line without a body is only talk of a key.
func findBlock(p *pass, m *matcher, start, end int) {
	if start < p.blockEnd {
		return
	}
	from, body := end, end
	if !hasPrefixFold(p.b[start:], "private-lines:") {
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
		if _, quote, after := quoteAt(p.b, body); quote != 0 && (after == len(p.b) || p.b[after] != ',') {
			return // the line alone, in code that looks for it
		}
	}
	if stop := p.blockBody(body); stop > body {
		p.blockEnd, p.tokenEnd, p.valueEnd = stop, max(p.tokenEnd, stop), max(p.valueEnd, stop)
		p.add(span{start: from, end: stop, kind: m.kind, rule: m.id})
	}
}

// blockBody returns where the block ends whose first line is behind at; at if there is none.
func (p *pass) blockBody(at int) int {
	end, reach, least := at, maxHeader, firstRun
	for i := at; i < len(p.b) && i <= end+reach; i++ {
		run := i
		for run < len(p.b) && isBase64(p.b[run]) {
			run++
		}
		switch {
		case run-i >= least && (end > at || !isDigest(p.b[i:run])):
			end, reach, least = run, maxPrefix, leastRun
		case bytes.HasPrefix(p.b[i:], []byte("-----")):
			if end > at && bytes.HasPrefix(p.b[i:], []byte("-----END ")) {
				return p.blockTail(i)
			}
			return end
		case bytes.HasPrefix(p.b[i:], []byte(`":`)):
			return end // a key of JSON
		}
		i = max(i, run-1)
	}
	return end
}

// blockRest takes what is left of a block whose BEGIN line was cut off: the lines before its END line.
func (p *pass) blockRest(m *matcher, start int) {
	b := p.b
	low := max(0, start-maxDash)
	end := bytes.LastIndex(b[low:start], []byte("-----END "))
	if end < 0 {
		return
	}
	end += low
	if bytes.ContainsAny(b[end+9:start], "-\n\\") {
		return // of another block
	}
	from := end
	low = max(end-maxRest, p.blockEnd)
	for at := end; at > low && from-at <= maxPrefix && !bytes.HasPrefix(b[at:], []byte(`":`)); at-- {
		run := at
		for run > low && isBase64(b[run-1]) && !isEscapeLetter(b, run-1) {
			run--
		}
		if at-run >= leastRun {
			from = run
		}
		at = min(at, run+1)
	}
	if from < end {
		p.blockEnd = end
		p.add(span{start: from, end: p.blockTail(end), kind: m.kind, rule: m.id})
	}
}

// blockTail is behind the dashes of the END line at.
func (p *pass) blockTail(at int) int {
	from := at + len("-----END ")
	tail := bytes.Index(p.b[from:min(from+maxDash, len(p.b))], []byte("-----"))
	if tail < 0 {
		return at
	}
	return from + tail + 5
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

func isBase64(c byte) bool { return isAlnum(c) || c == '+' || c == '/' || c == '=' }

func allDigits(v []byte) bool {
	for _, c := range v {
		if !isDigit(c) {
			return false
		}
	}
	return true
}

package redact

import "bytes"

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

// blockBody returns where the block ends whose first line comes after at; at if there is none.
func (p *pass) blockBody(at int) int {
	end, reach, least := at, maxHeader, firstRun
	for i := at; i < len(p.b) && i <= end+reach; i++ {
		run := runEnd(p.b, i, isBase64)
		switch {
		case run-i >= least:
			end, reach, least = run, maxPrefix, leastRun
		case hasPrefix(p.b[i:], "-----"):
			if end > at && hasPrefix(p.b[i:], "-----END ") {
				return p.blockTail(i)
			}
			return end
		case hasPrefix(p.b[i:], `":`):
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
	for at := end; at > low && from-at <= maxPrefix && !hasPrefix(b[at:], `":`); at-- {
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

// blockTail is after the dashes of the END line at.
func (p *pass) blockTail(at int) int {
	from := at + len("-----END ")
	tail := bytes.Index(p.b[from:min(from+maxDash, len(p.b))], []byte("-----"))
	if tail < 0 {
		return at
	}
	return from + tail + 5
}

// skipLead skips what a listing writes before a line's own text: the signs of a diff, the number of a read file, the path
// and the number that grep names, the name of a container; and the blanks after it.
func skipLead(b []byte, at int) int {
	from := skipBlanks(b, at)
	if from == at && at < len(b) && oneOf(b[at], "+->") {
		return skipBlanks(b, at+1)
	}
	end := from
	for end < len(b) && end < from+maxPrefix && (isNameByte(b[end]) || oneOf(b[end], "./:")) {
		end++
	}
	if bar := skipBlanks(b, end); bar > end && bar < len(b) && b[bar] == '|' {
		return skipBlanks(b, bar+1)
	}

	for i := from; i < end; i++ {
		to := runEnd(b[:end], i, isDigit)
		if to == i || i > from && b[i-1] != ':' && b[i-1] != '-' {
			continue
		}
		for _, sign := range []string{":", "-", "\u2192", "\t", `\t`} {
			if hasPrefix(b[to:], sign) {
				return skipBlanks(b, to+len(sign))
			}
		}
	}
	return from
}

func isBase64(c byte) bool { return isAlnum(c) || c == '+' || c == '/' || c == '=' }

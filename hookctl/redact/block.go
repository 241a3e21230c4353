package redact

import "bytes"

// The bounds of a block, in bytes.
const (
	maxLabel      = 64   // of the label between the dashes of its first and last line
	maxLinePrefix = 96   // of what stands before a line of it
	maxHeader     = 256  // of what stands before its first line: names and values
	maxRest       = 8192 // of a block without its first line
	minLine       = 16   // of a line of it; the last one may be shorter
	minFirstLine  = 40   // of its first line
)

const (
	dashes     = "-----"
	beginLabel = "-----BEGIN "
	endLabel   = "-----END "
)

// findBlock takes a private key that is written as a block: from its BEGIN line to its END line, or as far as
// the lines look like one if it was cut. It reads real and escaped line breaks, what diffs, listings, grep and container
// logs write before a line, and blocks whose lines are separate strings. A BEGIN line without a body is only talk of a key.
func findBlock(p *pass, r *rule, start, end int) {
	if start < p.blockEnd {
		return
	}
	isPutty := hasPrefixFold(p.b[start:], "private-lines:")
	if isPutty {
		p.takeBlock(r, end, end)
		return
	}

	low := max(0, start-maxLabel)
	begin := bytes.LastIndex(p.b[low:start], []byte(beginLabel))
	if begin < 0 {
		p.takeRestOfBlock(r, start)
		return
	}
	label := bytes.Index(p.b[end:min(end+16, len(p.b))], []byte(dashes))
	if label < 0 {
		return
	}

	body := end + label + len(dashes)
	if q := quoteAt(p.b, body); q.found() && !hasPrefix(p.b[q.end:], ",") {
		return // the line alone, in code that looks for it
	}
	p.takeBlock(r, low+begin, body)
}

// takeBlock takes the block that begins at start, if there are lines from body on.
func (p *pass) takeBlock(r *rule, start, body int) {
	end := p.blockBody(body)
	if end == body {
		return
	}
	p.blockEnd = end
	p.tokenEnd = max(p.tokenEnd, end)
	p.valueEnd = max(p.valueEnd, end)
	p.add(span{start: start, end: end, kind: r.kind, rule: r.id})
}

// blockBody returns where the block ends whose first line comes after at; at if there is none.
func (p *pass) blockBody(at int) int {
	end, maxGap, minRun := at, maxHeader, minFirstLine
	for i := at; i < len(p.b) && i <= end+maxGap; i++ {
		run := runEnd(p.b, i, isBase64)
		if run-i >= minRun {
			end, maxGap, minRun = run, maxLinePrefix, minLine
			i = run - 1
			continue
		}

		if hasPrefix(p.b[i:], dashes) {
			if end > at && hasPrefix(p.b[i:], endLabel) {
				return p.endLineEnd(i)
			}
			return end
		}
		isKey := hasPrefix(p.b[i:], `":`) // of JSON
		if isKey {
			return end
		}
		i = max(i, run-1)
	}
	return end
}

// takeRestOfBlock takes what is left of a block whose BEGIN line was cut off: the lines before its END line.
func (p *pass) takeRestOfBlock(r *rule, start int) {
	low := max(0, start-maxLabel)
	end := bytes.LastIndex(p.b[low:start], []byte(endLabel))
	if end < 0 {
		return
	}
	end += low
	isOther := bytes.ContainsAny(p.b[end+len(endLabel):start], "-\n\\") // the end of another block
	if isOther {
		return
	}

	from := p.restStart(end)
	if from == end {
		return
	}
	p.blockEnd = end
	p.add(span{start: from, end: p.endLineEnd(end), kind: r.kind, rule: r.id})
}

// restStart returns where the lines of a block begin that stand before b[end]; end if there are none.
func (p *pass) restStart(end int) int {
	b := p.b
	from := end
	low := max(end-maxRest, p.blockEnd)
	for at := end; at > low && from-at <= maxLinePrefix; at-- {
		isKey := hasPrefix(b[at:], `":`) // of JSON
		if isKey {
			break
		}

		run := at
		for run > low && isBase64(b[run-1]) && !isEscapeLetter(b, run-1) {
			run--
		}
		if at-run >= minLine {
			from = run
		}
		at = min(at, run+1)
	}
	return from
}

// endLineEnd returns the offset behind the dashes that close the END line at b[at]; at if there are none.
func (p *pass) endLineEnd(at int) int {
	from := at + len(endLabel)
	label := bytes.Index(p.b[from:min(from+maxLabel, len(p.b))], []byte(dashes))
	if label < 0 {
		return at
	}
	return from + label + len(dashes)
}

// skipLinePrefix skips what a listing writes before a line's own text: the signs of a diff, the number of a read file,
// the path and the number that grep names, the name of a container; and the blanks after it.
func skipLinePrefix(b []byte, at int) int {
	from := skipBlanks(b, at)
	isDiff := from == at && at < len(b) && oneOf(b[at], "+->")
	if isDiff {
		return skipBlanks(b, at+1)
	}

	end := from
	for end < len(b) && end < from+maxLinePrefix && (isNameByte(b[end]) || oneOf(b[end], "./:")) {
		end++
	}
	bar := skipBlanks(b, end)
	isContainer := bar > end && bar < len(b) && b[bar] == '|'
	if isContainer {
		return skipBlanks(b, bar+1)
	}

	if numberEnd := lineNumberEnd(b, from, end); numberEnd > 0 {
		return skipBlanks(b, numberEnd)
	}
	return from
}

// lineNumberEnd returns the offset behind the first line number in b[from:end] and the sign that follows it; 0 if there
// is none.
func lineNumberEnd(b []byte, from, end int) int {
	for i := from; i < end; i++ {
		digitsEnd := runEnd(b[:end], i, isDigit)
		isNumber := digitsEnd > i && (i == from || b[i-1] == ':' || b[i-1] == '-')
		if !isNumber {
			continue
		}
		for _, sign := range []string{":", "-", "\u2192", "\t", `\t`} {
			if hasPrefix(b[digitsEnd:], sign) {
				return digitsEnd + len(sign)
			}
		}
	}
	return 0
}

func isBase64(c byte) bool { return isAlnum(c) || c == '+' || c == '/' || c == '=' }

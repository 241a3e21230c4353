package redact

// fit appends s to out, cut so that replacing it keeps JSON valid: it neither begins nor ends inside an escape
// and holds no unescaped quote. A secret that goes on through several strings (the lines of a patch, each its
// own string) becomes one marker in each.
func fit(b []byte, s span, out []span) []span {
	if s.bare {
		return append(out, s)
	}
	inside, first := true, len(out)
	from := skipEscape(b, s.start)
	at := from
	for at < s.end {
		switch c := b[at]; {
		case c == '"':
			if inside {
				out = appendPart(out, s, from, at, first)
			}
			inside = !inside
			from = at + 1
			at++
		case c == '\\' && inside:
			at += escapeLen(b, at)
		default:
			at++
		}
	}
	if inside {
		out = appendPart(out, s, from, min(at, len(b)), first)
	}
	return out
}

func appendPart(out []span, s span, from, to, first int) []span {
	if from >= to {
		return out
	}
	s.start, s.end, s.part = from, to, len(out) > first
	return append(out, s)
}

// escapeLen is the length of the escape that begins at b[at].
func escapeLen(b []byte, at int) int {
	if at+1 < len(b) && b[at+1] == 'u' {
		return 6
	}
	return 2
}

// skipEscape returns at, or the end of the escape that at lies inside of.
func skipEscape(b []byte, at int) int {
	if backslashes(b, at)%2 == 1 {
		return at - 1 + escapeLen(b, at-1)
	}
	for d := 1; d <= 4 && at-d > 0; d++ {
		if b[at-d] == 'u' && backslashes(b, at-d)%2 == 1 {
			return at - d + 5
		}
	}
	return at
}

// backslashes counts the backslashes right before at.
func backslashes(b []byte, at int) int {
	n := 0
	for n < at && b[at-1-n] == '\\' {
		n++
	}
	return n
}

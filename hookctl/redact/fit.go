package redact

// fit appends s to fitted, cut so that replacing it keeps JSON valid: it neither begins nor ends inside an escape
// and holds no unescaped quote. A secret that goes on through several strings (the lines of a patch, each its
// own string) becomes one marker in each.
func fit(b []byte, s span, fitted []span) []span {
	if s.needsQuotes {
		return append(fitted, s)
	}

	inString := true
	from := skipEscape(b, s.start)
	at := from
	part := s // what is left of s; all but the first part continue it
	for at < s.end {
		if b[at] == '\\' && inString {
			at += escapeLen(b, at)
			continue
		}
		if b[at] == '"' {
			if inString && from < at {
				part.start, part.end = from, at
				fitted = append(fitted, part)
				part.continues = true
			}
			inString = !inString
			from = at + 1
		}
		at++
	}

	end := min(at, len(b))
	if inString && from < end {
		part.start, part.end = from, end
		fitted = append(fitted, part)
	}
	return fitted
}

// escapeLen returns the length of the escape that begins at b[at].
func escapeLen(b []byte, at int) int {
	if at+1 < len(b) && b[at+1] == 'u' {
		return len(`\u0000`)
	}
	return len(`\n`)
}

// skipEscape returns at, or the end of the escape that at lies inside of.
func skipEscape(b []byte, at int) int {
	if backslashesBefore(b, at)%2 == 1 {
		return at - 1 + escapeLen(b, at-1)
	}

	// The digits of \u0000 are up to four bytes behind its letter.
	for u := at - 1; u >= at-4 && u > 0; u-- {
		if b[u] == 'u' && backslashesBefore(b, u)%2 == 1 {
			return u + len("u0000")
		}
	}
	return at
}

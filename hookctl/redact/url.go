package redact

import "bytes"

// maxUserInfo bounds the part of a URL before the @, in bytes. Passwords in URLs are percent-encoded and short; tokens
// used as such are below a kilobyte.
const maxUserInfo = 1024

// findUserInfo takes the password of scheme://user:PASS@host, and a token that stands in the user's place.
func findUserInfo(p *pass, r *rule, start, end int) {
	hasScheme := start >= 2 && isAlnum(p.b[start-1])
	if !hasScheme || end < p.urlEnd || hasPrefixFold(p.b[end:], "[redacted:") {
		return
	}
	colon, at := p.userInfo(end)
	if at <= end {
		return
	}

	from := max(end, colon+1)
	v := p.b[from:at]
	if len(v) == 0 || isPlaceholder(v) {
		return
	}
	if colon < 0 && !isUserToken(v) {
		return
	}
	p.add(span{start: from, end: at, kind: r.kind, rule: r.id, vague: true})
}

// isUserToken reports whether the user of a URL without a password looks like a token.
func isUserToken(v []byte) bool {
	l := look(v)
	hasBoth := l.digit > 0 && l.letters() > 0
	return l.n >= 20 && hasBoth && l.other == 0 && !isDotted(v)
}

// userInfo finds the first colon and the last @ of what may stand before a host, -1 for none; no colon where it is the
// port's.
func (p *pass) userInfo(from int) (colon, at int) {
	colon, at = -1, -1
	limit := min(from+maxUserInfo, len(p.b))
	i := from
	for ; i < limit; i++ {
		c := p.b[i]
		if c == ':' && colon < 0 { // an @ before it is the user's: smtp://a@example.com:PASS@host
			colon = i
			continue
		}
		if c == '@' {
			at = i
			continue
		}
		if c == '/' && colon > 0 && at < 0 && !isPort(p.b[colon+1:i]) {
			continue // a slash in a password; what follows a port is a path
		}
		if c <= ' ' || isQuote(c) || oneOf(c, `/?\<>`) {
			break
		}
	}
	p.urlEnd = i

	if at < colon {
		colon = -1
	}
	return colon, at
}

// isPort reports whether v has nothing but digits.
func isPort(v []byte) bool { return len(bytes.Trim(v, "0123456789")) == 0 }

package redact

import "bytes"

// maxUserInfo bounds the part of a URL before the @. Passwords in URLs are percent-encoded and short; tokens
// used as such are below a kilobyte.
const maxUserInfo = 1024

// findUserInfo takes the password of scheme://user:PASS@host, and a token that stands in the user's place.
func findUserInfo(p *pass, m *matcher, start, end int) {
	if start < 2 || !isAlnum(p.b[start-1]) || end < p.urlEnd || hasPrefixFold(p.b[end:], "[redacted:") {
		return
	}
	colon, at := p.userInfo(end)
	if at <= end {
		return
	}
	v := p.b[max(end, colon+1):at]
	l := look(v)
	token := l.n >= 20 && l.digit > 0 && l.letters() > 0 && l.other == 0 && !isDotted(v)
	if len(v) > 0 && !isPlaceholder(v) && (colon >= 0 || token) {
		p.add(span{start: at - len(v), end: at, kind: m.kind, rule: m.id, byName: true})
	}
}

// userInfo finds the first colon and the last @ of what may stand before a host, -1 for none; no colon where it is the port's.
func (p *pass) userInfo(from int) (colon, at int) {
	colon, at = -1, -1
	limit := min(from+maxUserInfo, len(p.b))
	i := from
scan:
	for ; i < limit; i++ {
		switch c := p.b[i]; {
		case c == ':' && colon < 0: // an @ before it is the user's: smtp://a@example.com:PASS@host
			colon = i
		case c == '@':
			at = i
		case c == '/' && colon > 0 && at < 0 && len(bytes.Trim(p.b[colon+1:i], "0123456789")) > 0:
			// A slash in a password. What follows a port is a path.
		case c <= ' ', isQuote(c), oneOf(c, `/?\<>`):
			break scan
		}
	}
	p.urlEnd = i
	if at < colon {
		colon = -1
	}
	return colon, at
}

package redact

import "bytes"

// schemes are the words before the credentials of an Authorization header, with the blank after them.
var schemes = []string{"bearer ", "basic ", "digest ", "token ", "apikey ", "bot ", "negotiate ", "ssws ", "aws4-hmac-sha256 ", "key "}

// scheme is the length of the scheme an Authorization value begins with, blanks included; 0 without one. What
// follows a scheme is a credential, whatever it looks like.
func (a *assignment) scheme(v []byte) int {
	if a.kind != "authorization" {
		return 0
	}
	for _, s := range schemes {
		if hasPrefixFold(v, s) {
			a.grade = gradeStrong
			return skipBlanks(v, len(s))
		}
	}
	return 0
}

// findBearer takes the credential after the word Bearer, in any place.
func findBearer(p *pass, m *matcher, start, end int) {
	if start < p.valueEnd || start < p.blockEnd || !isFresh(p.b, start) {
		return
	}
	a := assignment{naming: naming{kind: "bearer-token", grade: gradeMedium}, style: styleFlag}
	if at := skipBlanks(p.b, end); at < len(p.b) {
		p.unquoted(m, a, at)
	}
}

// cookies takes the values of a Cookie or Set-Cookie header, each by itself, so that the names stay readable. Short values
// and settings (lang=en) stay. The header ends with its line or at a quote.
func (p *pass) cookies(m *matcher, a assignment) {
	if !a.header && a.style != styleFlag {
		return
	}
	from := a.value
	depth, quote, after := quoteAt(p.b, from)
	if !a.outer && p.ends(depth, quote) {
		return
	}
	if quote != 0 {
		from = after
	}
	to := len(p.b)
	if n := bytes.IndexAny(p.b[from:], "\n\r\"'`\\"); n >= 0 {
		to = from + n
	}
	p.valueEnd = max(p.valueEnd, to)

	a.grade = gradeMedium
	for part := range bytes.SplitSeq(p.b[from:to], []byte{';'}) {
		name, v, _ := bytes.Cut(part, []byte{'='})
		if len(v) > 0 && !isPlaceholder(v) && !bytes.ContainsAny(v, "({") && a.fits(v, false) {
			p.addNamed(m, a, from+len(name)+1, from+len(part))
		}
		from += len(part) + 1
	}
}

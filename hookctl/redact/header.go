package redact

import "bytes"

// schemes are the words before the credentials of an Authorization header, with the blank after them.
var schemes = []string{
	"bearer ", "basic ", "digest ", "token ", "apikey ", "bot ", "negotiate ", "ssws ", "aws4-hmac-sha256 ", "key ",
}

// readScheme returns the length of the scheme that an Authorization value begins with, blanks included; 0 without one.
// It raises the grade of a: what follows a scheme is a credential, whatever it looks like.
func (a *assignment) readScheme(v []byte) int {
	if a.kind != kindAuthorization {
		return 0
	}
	for _, scheme := range schemes {
		if hasPrefixFold(v, scheme) {
			a.grade = gradeStrong
			return skipBlanks(v, len(scheme))
		}
	}
	return 0
}

// findBearer takes the credential after the word Bearer, in any place.
func findBearer(p *pass, r *rule, start, end int) {
	if start < p.valueEnd || start < p.blockEnd || !beginsWord(p.b, start) {
		return
	}

	at := skipBlanks(p.b, end)
	if at < len(p.b) {
		p.takeUnquoted(r, assignment{
			naming: naming{kind: "bearer-token", grade: gradeMedium},
			style:  styleFlag,
			value:  at,
		})
	}
}

// takeCookies takes the values of a Cookie or Set-Cookie header, each by itself, so that the names stay readable. Short
// values and settings (lang=en) stay. The header ends with its line or at a quote.
func (p *pass) takeCookies(r *rule, a assignment) {
	if a.style != styleColon && a.style != styleFlag {
		return
	}
	q := quoteAt(p.b, a.value)
	if a.form != nameKey && p.endsString(q) {
		return
	}

	from, to := q.end, len(p.b)
	if n := bytes.IndexAny(p.b[from:], "\n\r\"'`\\"); n >= 0 {
		to = from + n
	}
	p.valueEnd = max(p.valueEnd, to)

	a.grade = gradeMedium
	for cookie := range bytes.SplitSeq(p.b[from:to], []byte{';'}) {
		name, v, _ := bytes.Cut(cookie, []byte{'='})
		isCode := bytes.ContainsAny(v, "({")
		if len(v) > 0 && !isCode && !isPlaceholder(v) && a.fits(v) {
			p.addNamed(r, a, from+len(name)+1, from+len(cookie))
		}
		from += len(cookie) + 1
	}
}

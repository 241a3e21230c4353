package redact

import "bytes"

// schemes are the words before the credentials of an Authorization header, with the blank behind them.
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
			return skipBlanks(v, len(s), false)
		}
	}
	return 0
}

// findBearer takes the credential behind the word Bearer, wherever it stands.
func findBearer(p *pass, m *matcher, start, end int) {
	if start < p.valueEnd || start < p.blockEnd || !isFresh(p.b, start) {
		return
	}
	a := assignment{naming: naming{kind: "bearer-token", grade: gradeMedium}, style: styleFlag}
	at := skipBlanks(p.b, end, false)
	if at < len(p.b) && !isPlaceholder(p.b[at:min(at+64, len(p.b))]) {
		stop := p.wordEnd(a, at)
		if a.fits(p.b[at:stop], false) && !isDotted(p.b[at:stop]) {
			p.addNamed(m, a, at, stop)
		}
	}
}

// cookies takes the values of a Cookie or Set-Cookie header, each by itself, so that the names stay readable.
func (p *pass) cookies(m *matcher, a assignment) {
	if !a.header && a.style != styleFlag {
		return
	}
	from := a.value
	depth, quote, after := quoteAt(p.b, from)
	if p.json && !a.outer && quote == '"' && depth%2 == 0 {
		return
	}
	if quote != 0 {
		from = after
	}
	to := p.headerEnd(from, depth, quote)
	p.valueEnd = max(p.valueEnd, to)
	for part := range bytes.SplitSeq(p.b[from:to], []byte{';'}) {
		p.cookie(m, a, from, from+len(part))
		from += len(part) + 1
		if a.kind == "set-cookie" {
			return
		}
	}
}

// headerEnd is where a header's value ends: its quote, or the line.
func (p *pass) headerEnd(from, depth int, quote byte) int {
	if quote != 0 {
		return closing(p.b, from, depth, quote, p.json)
	}
	for i := from; i < len(p.b); i++ {
		switch p.b[i] {
		case '\n', '\r', '"', '\'':
			return i
		case '\\':
			if endsWord(p.b, i) {
				return i
			}
		}
	}
	return len(p.b)
}

// cookie takes one name=value. Short values and settings (lang=en) stay.
func (p *pass) cookie(m *matcher, a assignment, from, to int) {
	equals := bytes.IndexByte(p.b[from:to], '=')
	if equals < 0 {
		return
	}
	from += equals + 1
	v := p.b[from:to]
	l := look(v)
	plain := l.n < 8 || l.space > 0 || l.n < 20 && (l.digit == 0 || l.letters() == 0)
	if !plain && !isPlaceholder(v) && !bytes.ContainsAny(v[:min(l.n, 128)], `\({`) {
		a.kind = "cookie"
		p.addNamed(m, a, from, to)
	}
}

package redact

import "bytes"

// Values that follow their name without a sign, as people write them: the api key x7…, password is "…", TOKEN x7….

// minLoose is the least length of such a value where nothing but the name says that it is one.
const minLoose = 16

// loosely reports whether a value follows the name after blanks at i, perhaps after "is".
func (p *pass) loosely(a *assignment, i int) bool {
	for _, word := range []string{"is ", "was "} {
		if hasPrefixFold(p.b[i:], word) {
			i = skipBlanks(p.b, i+len(word))
			a.said = true
			break
		}
	}

	a.said = a.said || p.firstOnLine(a.name) // as Gradle's: password 'x'

	if i < len(p.b) && p.b[i] == '|' {
		i = skipBlanks(p.b, i+1) // the columns of a table
	}
	_, quote, after := quoteAt(p.b, i)
	a.said = a.said || quote == '\'' && string(p.b[a.name:a.nameEnd]) == "PASSWORD" // of SQL
	a.style, a.value = styleLoose, i
	return quote == 0 || after < len(p.b)
}

// loose takes the value of a name that it follows without a sign. The word before the name says what key it is.
func (p *pass) loose(m *matcher, a assignment) {
	from := p.wordBefore(a.name)
	a.naming = classify(p.b[from:a.nameEnd])
	if from < p.valueEnd { // the word before may be the end of a value
		alone := classify(p.b[a.name:a.nameEnd])
		if alone.grade > a.grade {
			a.naming = alone
		}
	}
	switch a.kind {
	case "password", "secret", "token", "api-key", "aws-secret-key":
	default:
		return
	}
	if a.grade == gradeNone {
		return
	}

	start := a.value
	depth, quote, after := quoteAt(p.b, start)
	end := looseEnd(p.b, start)
	if quote != 0 {
		start, end = after, closing(p.b, after, depth, quote, p.json)
	}
	v := p.b[start:max(start, end)]
	said := a.said && a.kind == "password"
	word := said && quote != 0 && len(v) <= 64 && bytes.IndexByte(v, ' ') < 0
	if !word && !isMixed(v, minLoose) && !(said && isMixed(v, 8)) {
		return
	}
	if !word {
		a.grade = gradeMedium
	}
	if !isPlaceholder(v) && a.fits(v, word) {
		p.addNamed(m, a, start, end)
		p.spans[len(p.spans)-1].order = maxRules // a token's own form names it better
	}
}

// wordBefore is where the word before a name begins, as that of api key; the name's own start where there is none.
func (p *pass) wordBefore(name int) int {
	if name > 1 && p.b[name-1] == ' ' && isAlnum(p.b[name-2]) {
		return nameStart(p.b, name-2)
	}
	return name
}

// looseEnd is where a run of the bytes that tokens are made of ends.
func looseEnd(b []byte, at int) int {
	return runEnd(b, at, func(c byte) bool { return isAlnum(c) || oneOf(c, "_-+=~") })
}

// isMixed reports whether v has n bytes of those that tokens are made of, and looks random; a short one only has letters
// and more than one digit.
func isMixed(v []byte, n int) bool {
	if len(v) < n || looseEnd(v, 0) != len(v) {
		return false
	}
	if l := look(v); n < minLoose {
		return l.digit > 1 && l.digit < l.n
	}
	return isRandom(v)
}

// isRandom reports whether letters and digits change so often in v, or there are so many digits, that it is no identifier
// with a number in it.
func isRandom(v []byte) bool {
	changes, turns, digits := 0, 0, 0
	for i, c := range v {
		if isDigit(c) {
			digits++
		}
		if i > 0 && isDigit(c) != isDigit(v[i-1]) {
			changes++
		}
		if i > 0 && byteKinds[c] != byteKinds[v[i-1]] && isAlnum(c) && isAlnum(v[i-1]) {
			turns++
		}
	}
	switch {
	case changes >= 5, changes >= 2 && turns*5 >= len(v)*2: // words in camel case turn less often
	case changes == 0 || digits < 6 || len(v) < 20 && digits < 8:
		return false
	}
	return entropy(v) >= 2.5
}

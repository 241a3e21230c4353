package redact

import "bytes"

// Values that follow their name without a sign, as people write them: the api key x7…, password is "…", TOKEN x7….

// minLoose is the least length of such a value where nothing but the name says that it is one.
const minLoose = 16

// minShort is the least length of a value that has to look random where more than the name says that it is one.
const minShort = 8

// readLoose reads a value that follows the name of a after the blanks before b[at], perhaps after "is". It reports
// whether there is one.
func (p *pass) readLoose(a *assignment, at int) bool {
	b := p.b
	isStated := false
	for _, verb := range []string{"is ", "was "} {
		if hasPrefixFold(b[at:], verb) {
			at = skipBlanks(b, at+len(verb))
			isStated = true
			break
		}
	}
	isStated = isStated || p.firstOnLine(a.name) // as Gradle's: password 'x'

	if at < len(b) && b[at] == '|' {
		at = skipBlanks(b, at+1) // the columns of a table
	}
	q := quoteAt(b, at)
	isSQL := q.char == '\'' && string(b[a.name:a.nameEnd]) == "PASSWORD"

	a.value = at
	a.style = styleLoose
	if isStated || isSQL {
		a.style = styleStated
	}
	return !q.found() || q.end < len(b)
}

// takeLoose takes the value of a name that it follows without a sign. The word before the name says what key it is.
func (p *pass) takeLoose(r *rule, a assignment) {
	a.naming = p.nameWithWordBefore(a)
	switch a.kind {
	case kindPassword, kindSecret, kindToken, kindAPIKey, kindAWSSecretKey:
	default:
		return
	}
	if a.grade == gradeNone {
		return
	}

	start := a.value
	end := looseEnd(p.b, start)
	q := quoteAt(p.b, start)
	if q.found() {
		start = q.end
		end = closing(p.b, q, p.encoding)
	}
	v := p.b[start:max(start, end)]

	isStatedPassword := a.style == styleStated && a.kind == kindPassword
	isQuotedWord := q.found() && len(v) <= 64 && bytes.IndexByte(v, ' ') < 0
	if isStatedPassword && isQuotedWord {
		if !isPlaceholder(v) && a.fitsQuoted(v) {
			p.addLoose(r, a, start, end)
		}
		return
	}

	looksRandom := isMixed(v, minLoose) || isStatedPassword && isMixed(v, minShort)
	if !looksRandom {
		return
	}
	a.grade = gradeMedium
	if !isPlaceholder(v) && a.fits(v) {
		p.addLoose(r, a, start, end)
	}
}

// addLoose notes a value. A token's own form names it better than any name that it follows.
func (p *pass) addLoose(r *rule, a assignment, start, end int) {
	p.addNamed(r, a, start, end)
	p.spans[len(p.spans)-1].order = maxRules
}

// nameWithWordBefore returns what the name of a says together with the word before it: api key.
func (p *pass) nameWithWordBefore(a assignment) naming {
	from := p.wordBefore(a.name)
	two := classify(p.b[from:a.nameEnd])
	if from >= p.valueEnd {
		return two
	}

	// The word before may be the end of a value.
	alone := classify(p.b[a.name:a.nameEnd])
	if alone.grade > two.grade {
		return alone
	}
	return two
}

// wordBefore returns where the word before a name begins, as that of api key; the name's own start where there is none.
func (p *pass) wordBefore(name int) int {
	if name > 1 && p.b[name-1] == ' ' && isAlnum(p.b[name-2]) {
		return nameStart(p.b, name-2)
	}
	return name
}

// looseEnd returns where a run of the bytes that tokens are made of ends.
func looseEnd(b []byte, at int) int {
	return runEnd(b, at, func(c byte) bool { return isAlnum(c) || oneOf(c, "_-+=~") })
}

// isMixed reports whether v has at least n bytes, all of those that tokens are made of, and looks random. Of a short one
// it is enough that it has more than one digit and something else.
func isMixed(v []byte, n int) bool {
	if len(v) < n || looseEnd(v, 0) != len(v) {
		return false
	}
	if n < minLoose {
		l := look(v)
		return l.digit > 1 && l.digit < l.n
	}
	return isRandom(v)
}

// isRandom reports whether letters and digits change so often in v, or there are so many digits, that it is no
// identifier with a number in it.
func isRandom(v []byte) bool {
	changes := 0 // between digits and other bytes
	turns := 0   // between lower case, upper case and digits
	digits := 0
	for i, c := range v {
		if isDigit(c) {
			digits++
		}
		if i == 0 {
			continue
		}
		before := v[i-1]
		if isDigit(c) != isDigit(before) {
			changes++
		}
		if byteSorts[c] != byteSorts[before] && isAlnum(c) && isAlnum(before) {
			turns++
		}
	}

	alternates := changes >= 5 || changes >= 2 && turns*5 >= len(v)*2 // words in camel case turn less often
	if !alternates {
		if changes == 0 || digits < 6 {
			return false
		}
		if len(v) < 20 && digits < 8 {
			return false
		}
	}
	return entropy(v) >= 2.5
}

package redact

// grade is how sure a name makes us that its value is a secret, and so what the value must look like.
type grade uint8

const (
	gradeNone   grade = iota
	gradeWeak         // a key of some sort: only a value that looks random
	gradeMedium       // a value with letters and digits, or a long one
	gradeStrong       // whatever is no placeholder and no expression
)

// naming is what a name says.
type naming struct {
	kind  string
	grade grade
	lone  bool // the word stands alone: token, secret
	upper bool // an environment variable's spelling
}

// maxName bounds how much of a name is read.
const maxName = 64

// classify returns what a name says. It splits the name at _, -, . and at camel case, takes the last word that
// names a secret, and weighs it by the words before and after it.
func classify(name []byte) naming {
	if len(name) > maxName {
		name = name[len(name)-maxName:]
	}
	var buf [maxName]byte
	var ends [maxName + 1]uint8 // ends[i+1]: where the i-th word ends in buf
	n, words := split(name, &buf, &ends)
	upper := n > 0 && look(name).lower == 0
	word := func(i int) []byte {
		if i < 0 {
			return nil
		}
		return buf[ends[i]:ends[i+1]]
	}

	got, ok := wholeNames[string(buf[:n])]
	for i := words - 1; i >= 0 && !ok; i-- {
		if got, ok = secretWord(word(i)); !ok {
			continue
		}
		got.upper = upper
		got = got.behind(word(i-1), i)
		for j := i + 1; j < words; j++ { // a word after the secret word
			tail := word(j)
			switch {
			case tailWords[string(trimDigits(tail))]:
				got.grade = gradeNone
			case plainTails[string(tail)] || isDigit(tail[0]):
			case got.grade > gradeWeak && !upper:
				got.grade--
			}
		}
	}
	got.upper, got.lone = upper && ok, words == 1 && ok
	return got
}

func secretWord(word []byte) (naming, bool) {
	word = trimDigits(word)
	if got, ok := secretWords[string(word)]; ok {
		return got, true
	}
	for end := range gluedEnds {
		if len(word) > len(end) && hasSuffixFold(word, end) {
			return secretWords[end], true
		}
	}
	return naming{}, false
}

// trimDigits drops a number at the end: token2 is a token.
func trimDigits(word []byte) []byte {
	for len(word) > 1 && isDigit(word[len(word)-1]) {
		word = word[:len(word)-1]
	}
	return word
}

// behind takes the word before the secret word into account.
func (g naming) behind(head []byte, at int) naming {
	h, known := headWords[string(head)]
	switch {
	case at == 0 && (g.kind == "token" || g.kind == "secret"): // common by itself
		g.grade = min(g.grade, gradeMedium)
	case at == 0 && g.kind == "api-key" && g.grade == gradeWeak:
		g.grade = gradeNone
	case at == 0:
	case known && h.grade == gradeNone:
		if g.kind == "token" || g.kind == "api-key" {
			g.grade = gradeNone
		}
	case known && g.grade == gradeWeak && g.kind == "api-key":
		g.grade = h.grade
	case g.grade == gradeWeak && g.kind == "api-key" && g.upper:
		g.grade = gradeMedium
	}
	return g
}

// split copies the name in lower case without separators and notes where its words end.
func split(name []byte, buf *[maxName]byte, ends *[maxName + 1]uint8) (n, words int) {
	closeWord := func() {
		if n > int(ends[words]) {
			words++
			ends[words] = uint8(n)
		}
	}
	for i, c := range name {
		if !isAlnum(c) {
			closeWord()
			continue
		}
		if isUpper(c) && i > 0 && (!isUpper(name[i-1]) || i+1 < len(name) && 'a' <= name[i+1] && name[i+1] <= 'z') {
			closeWord()
		}
		buf[n] = lower(c)
		n++
	}
	closeWord()
	return n, words
}

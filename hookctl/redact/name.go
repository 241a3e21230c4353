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

// maxName bounds how much of a name is read, in bytes.
const maxName = 64

// classify returns what a name says. It splits the name at _, -, . and at camel case, takes the last word that
// names a secret, and weighs it by the words before and after it.
func classify(name []byte) naming {
	if len(name) > maxName {
		name = name[len(name)-maxName:]
	}
	var words nameWords
	words.split(name)
	upper := words.size > 0 && look(name).lower == 0

	if got, ok := wholeNames[string(words.text[:words.size])]; ok {
		got.upper = upper
		got.lone = words.count == 1
		return got
	}

	for i := words.count - 1; i >= 0; i-- {
		got, ok := secretWord(words.word(i))
		if !ok {
			continue
		}
		got.upper = upper
		got.lone = words.count == 1
		got.weighHead(words.word(i-1), i == 0)
		for j := i + 1; j < words.count; j++ {
			got.weighTail(words.word(j))
		}
		return got
	}
	return naming{}
}

// secretWord returns what a word says that names a secret: password, token2, mypassword.
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

// weighHead takes the word before the secret word into account; isFirst says that there is none.
func (n *naming) weighHead(head []byte, isFirst bool) {
	isWeakKey := n.kind == kindAPIKey && n.grade == gradeWeak
	if isFirst {
		if isWeakKey {
			n.grade = gradeNone
		}
		if n.kind == kindToken || n.kind == kindSecret { // common by itself
			n.grade = min(n.grade, gradeMedium)
		}
		return
	}

	known, ok := headWords[string(head)]
	if ok && known.grade == gradeNone {
		if n.kind == kindToken || n.kind == kindAPIKey {
			n.grade = gradeNone
		}
		return
	}
	if !isWeakKey {
		return
	}
	if ok {
		n.grade = known.grade
	} else if n.upper {
		n.grade = gradeMedium
	}
}

// weighTail takes a word after the secret word into account.
func (n *naming) weighTail(tail []byte) {
	if tailWords[string(trimDigits(tail))] {
		n.grade = gradeNone
		return
	}
	saysNothing := plainTails[string(tail)] || isDigit(tail[0])
	if !saysNothing && n.grade > gradeWeak && !n.upper {
		n.grade--
	}
}

// nameWords are the words of a name in lower case, without what separates them.
type nameWords struct {
	text  [maxName]byte
	size  int                // of the text
	ends  [maxName + 1]uint8 // ends[i+1] is where the i-th word ends in the text
	count int                // of the words
}

// word returns the i-th word, nil for the one before the first.
func (w *nameWords) word(i int) []byte {
	if i < 0 {
		return nil
	}
	return w.text[w.ends[i]:w.ends[i+1]]
}

// split reads the words of a name of at most maxName bytes.
func (w *nameWords) split(name []byte) {
	for i, c := range name {
		if !isAlnum(c) {
			w.endWord()
			continue
		}
		if beginsCamel(name, i) {
			w.endWord()
		}
		w.text[w.size] = lower(c)
		w.size++
	}
	w.endWord()
}

func (w *nameWords) endWord() {
	if w.size > int(w.ends[w.count]) {
		w.count++
		w.ends[w.count] = uint8(w.size)
	}
}

// beginsCamel reports whether a word begins with the capital name[i]: apiKey, APIKey.
func beginsCamel(name []byte, i int) bool {
	if i == 0 || !isUpper(name[i]) {
		return false
	}
	if !isUpper(name[i-1]) {
		return true
	}
	return i+1 < len(name) && isLower(name[i+1])
}

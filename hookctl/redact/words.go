package redact

import (
	_ "embed" // the words are data
	"strings"
)

//go:embed words.txt
var wordData string

// words are the tables of words.txt by table and by what it says, such as "before strong".
var words = func() map[string]map[string]bool {
	tables := map[string]map[string]bool{}
	for line := range strings.Lines(wordData) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 3 {
			continue
		}
		set := map[string]bool{}
		for word := range strings.FieldsSeq(fields[2]) {
			set[word] = true
		}
		tables[fields[0]+" "+fields[1]] = set
	}
	return tables
}()

var (
	secretWords = gradedWords("secret ") // that name a secret, as the last part of a name
	headWords   = gradedWords("before ") // before the secret word: they change what it says
	wholeNames  = gradedWords("whole ")  // that say something else than their last word
	gluedEnds   = words["glued -"]       // that name a secret at the end of a word: mypassword
	tailWords   = words["behind about"]  // behind the secret word: the value is about the secret, not the secret
	plainTails  = words["behind same"]   // behind the secret word: they change nothing
	plainWords  = words["value -"]       // stand where a value would: types, states, words of forms and schemas
)

// gradedWords are the words of tables whose names end with a grade, and before it a kind.
func gradedWords(prefix string) map[string]naming {
	grades := map[string]grade{"none": gradeNone, "weak": gradeWeak, "medium": gradeMedium, "strong": gradeStrong}
	all := map[string]naming{}
	for table, set := range words {
		says, ok := strings.CutPrefix(table, prefix)
		if !ok {
			continue
		}
		at := strings.LastIndexByte(says, ' ')
		n := naming{kind: says[:max(at, 0)], grade: grades[says[at+1:]]}
		for word := range set {
			all[word] = n
		}
	}
	return all
}

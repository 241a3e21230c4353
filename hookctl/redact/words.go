package redact

import (
	_ "embed" // the words are data
	"strings"
)

//go:embed words.txt
var wordData string

// words are the tables of words.txt by table and by what it says, such as "before strong".
var words = parseWords(wordData)

var (
	secretWords = gradedWords("secret ") // name a secret, as the last part of a name
	headWords   = gradedWords("before ") // stand before the secret word and change what it says
	wholeNames  = gradedWords("whole ")  // are names that say something else than their last word
	gluedEnds   = words["glued -"]       // name a secret at the end of a word: mypassword
	tailWords   = words["behind about"]  // stand behind the secret word: the value is about the secret, not the secret
	plainTails  = words["behind same"]   // stand behind the secret word and change nothing
	plainWords  = words["value -"]       // stand where a value would: types, states, words of forms and schemas
)

func parseWords(data string) map[string]map[string]bool {
	tables := map[string]map[string]bool{}
	for line := range strings.Lines(data) {
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
}

// gradedWords returns the words of the tables whose names begin with prefix and end with a grade, perhaps with a kind
// between: "secret token strong".
func gradedWords(prefix string) map[string]naming {
	grades := map[string]grade{"none": gradeNone, "weak": gradeWeak, "medium": gradeMedium, "strong": gradeStrong}

	all := map[string]naming{}
	for table, set := range words {
		says, ok := strings.CutPrefix(table, prefix)
		if !ok {
			continue
		}

		fields := strings.Fields(says)
		last := len(fields) - 1
		said := naming{grade: grades[fields[last]]}
		if last > 0 {
			said.kind = fields[0]
		}
		for word := range set {
			all[word] = said
		}
	}
	return all
}

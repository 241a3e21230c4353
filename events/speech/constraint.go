package speech

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hookline/events/wording"
)

// Constraints: sentences by which a user says what always, never or only is to be done. An order is meant, not a description:
// "never delete a row" and "do not touch the schema", but neither "it never ends" nor "I don't know" nor "it must be the cache".
// Precision counts more than recall, because what is kept is told as the user's rule for days.
//
// The words of an order are looked for where an order has them: at the beginning of a sentence or of a clause, or behind
// "you". Words of other languages are found by lists in languages.go.

// Bounds of the constraints of one prompt.
const (
	maxConstraints   = 20
	maxConstraint    = 400  // characters
	maxStated        = 1000 // characters of a request; the sentences of a longer one specify the work, or somebody else wrote them
	leastInSentence  = 3    // words of a constraint
	leastCharacters  = 4    // of one in a script without blanks
	maxSentence      = 1200 // bytes
	maxSentencesRead = 200
)

// Constraints returns the sentences of a user's prompt that say what is always, never or only to be done, as they were written:
// at most 20 of 400 characters, on one line each. A long request has none: its sentences specify the work at hand. What is quoted or pasted is nobody's constraint, and a plan that is to be
// carried out was written by an agent.
func Constraints(prompt string) []string {
	prompt = strings.TrimSpace(prompt)
	if planned.MatchString(prompt) || strings.HasPrefix(prompt, "/") {
		return nil
	}

	request := Request(prompt)
	if utf8.RuneCountInString(request) > maxStated {
		return nil
	}

	var list []string
	for _, s := range sentences(request) {
		if len(list) == maxConstraints {
			break
		}
		text := wording.Short(s.text, maxConstraint)
		if s.isConstraint() && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// sentence is a sentence of a request.
type sentence struct {
	text     string // as it was written, without the mark of a list
	own      string // the same in lower case, with what it quotes blanked
	question bool
}

// sentenceEnd matches what ends a sentence: a mark with white space behind it, a mark of Chinese, or the end of a line.
var sentenceEnd = regexp.MustCompile(`[.!?…]+["')\]]*(?:\s+|$)|[。！？；]+|\n+`)

// itemMark matches the mark of a list at the beginning of a sentence, and words in bold before a colon.
var itemMark = regexp.MustCompile(`^(?:[-*+•>]+|\d{1,3}[.)]|\(?[a-zA-Z][.)]|#{1,6})\s+`)

// sentences returns the sentences of a request, the first ones of a long one. A sentence may go on in the next line.
func sentences(request string) []sentence {
	request = unwrappedLines(request)
	own := wording.OwnWords(request)

	var list []sentence
	begin := 0
	ends := append(sentenceEnd.FindAllStringIndex(own, maxSentencesRead), []int{len(own), len(own)})
	for _, end := range ends {
		text, part := request[begin:end[1]], own[begin:end[1]]
		begin = end[1]
		if strings.TrimSpace(part) == "" || len(text) > maxSentence {
			continue
		}
		mark := strings.TrimSpace(own[end[0]:end[1]])
		list = append(list, sentence{
			text:     strings.TrimSpace(itemMark.ReplaceAllString(strings.TrimSpace(text), "")),
			own:      plain(part),
			question: strings.ContainsAny(mark, "?？"),
		})
	}
	return list
}

// plain returns a sentence in the form that is looked at: lower case, one blank between words, straight apostrophes, without the mark
// of a list and marks of Markdown.
func plain(text string) string {
	text = strings.NewReplacer("’", "'", "*", "", "_", " ", "`", " ").Replace(strings.ToLower(text))
	text = itemMark.ReplaceAllString(strings.TrimSpace(text), "")
	return strings.Trim(wording.Flat(text), " .!…()")
}

// unwrappedLines joins a line that goes on in the next one: it is long and ends without a mark, and the next one begins in lower
// case.
func unwrappedLines(text string) string {
	lines := strings.Split(text, "\n")
	var out strings.Builder
	for i, line := range lines {
		out.WriteString(line)
		if i == len(lines)-1 {
			break
		}
		if goesOnIn(line, lines[i+1]) {
			out.WriteByte(' ')
		} else {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// wrappedAt is the number of bytes from which on a line may have been broken by an editor.
const wrappedAt = 40

// goesOnIn reports whether a sentence goes on in the next line.
func goesOnIn(line, next string) bool {
	line = strings.TrimRight(line, " ")
	if len(line) < wrappedAt || strings.ContainsAny(line[len(line)-1:], ".!?:;") || listItem.MatchString(next) {
		return false
	}
	for _, first := range strings.TrimLeft(next, " ") {
		return unicode.IsLower(first)
	}
	return false
}

// isConstraint reports whether a sentence says what is always, never or only to be done.
func (s sentence) isConstraint() bool {
	announcesList := strings.HasSuffix(strings.TrimRight(s.text, " *_"), ":") // what it orders stands in the list alone
	if s.question || announcesList || !hasWords(s.own) {
		return false
	}
	for _, clause := range clausesOf(s.own) {
		if isEnglishOrder(clause) || isForeignOrder(clause) {
			return true
		}
	}
	return isOrderAsAWhole(s.own) || isChineseOrder(s.own)
}

// hasWords reports whether a sentence has as many words as a constraint.
func hasWords(own string) bool {
	if len(strings.Fields(own)) >= leastInSentence {
		return true
	}
	characters := 0
	for _, r := range own {
		if isCJK(r) {
			characters++
		}
	}
	return characters >= leastCharacters
}

// clauseEnd matches what stands between the clauses of a sentence.
var clauseEnd = regexp.MustCompile(`[,;:]+\s+|\s\(|\s+[-–—]+\s+|\.\s+`)

// joint matches words that join a clause to the one before, or stand before an order.
var joint = regexp.MustCompile(`^(?:(?:and|but|so|then|also|please|pls|just|again|remember|reminder|note|important|nb|caution|warning|however|though|although|instead|otherwise|plus|ps|now|ok|okay|yes|no|well|to|be careful|that|` +
	`und|aber|bitte|also|dabei|dann|sondern|außerdem|wichtig|ja|nein|denk dran|` +
	`y|pero|por favor|entonces|además|importante|ojo|sí|e|mas|porém|então|além disso|atenção|` +
	`et|mais|s'il te plaît|s'il vous plaît|stp|svp|donc|attention|alors|aussi|surtout|merci de)\s+)+`)

// conjunction matches where an order begins behind a word that joins it.
var conjunction = regexp.MustCompile(`\s+(?:and|but|then|so|und|aber|sondern|y|pero|et|mais|e|mas)\s+`)

// toldDoing matches a subject whose doing is told, and a purpose: what is joined to it by a word is no order.
var toldDoing = regexp.MustCompile(`\b(?:i|i'll|i'm|i've|we|we'll|we're|they|he|she|who|where|which|this would|it would|that would|would|ich|wir|yo|nosotros|je|nous|eu|nós)\b|^(?:to|if|um|para|pour) `)

// wished matches words by which somebody tells what they want to be done.
var wished = regexp.MustCompile(`\b(?:you|want|need|like|please)\b`)

// clausesOf returns the beginnings of a sentence's clauses in which an order may stand: each with what follows it, without the words
// that join it.
func clausesOf(own string) []string {
	var list []string
	add := func(from int) {
		rest := own[from:]
		list = append(list, rest)
		if cut := joint.FindString(rest); cut != "" && cut != rest {
			list = append(list, rest[len(cut):])
		}
	}

	add(0)
	for _, at := range clauseEnd.FindAllStringIndex(own, maxClauses) {
		add(at[1])
	}
	for _, at := range conjunction.FindAllStringIndex(own, maxClauses) {
		before := own[:at[0]]
		if n := strings.LastIndexAny(before, ",;:"); n >= 0 {
			before = strings.TrimSpace(before[n+1:])
		}
		if !toldDoing.MatchString(before) || wished.MatchString(before) {
			add(at[1])
		}
	}
	return list
}

// maxClauses bounds the clauses of a sentence that are looked at.
const maxClauses = 20

// passing matches words by which a constraint holds for the moment: until the next request.
var passing = regexp.MustCompile(`(?i)\b(?:yet|for now|right now|at the moment|this time|noch nicht|erst ?mal|vorerst|por ahora|pour l'instant|por enquanto)\b|todavía|aún|pas encore|ainda|先不要|暂时|まだ|아직`)

// Passing reports whether a constraint holds for the moment only: "don't push yet".
func Passing(constraint string) bool { return passing.MatchString(constraint) }

// standing matches words by which a constraint holds beyond the work at hand.
var standing = regexp.MustCompile(`(?i)\b(?:never|always|nie|niemals|immer|nunca|jamás|siempre|jamais|toujours|sempre)\b|永远|始终|一律|绝不|必ず|絶対|절대|반드시`)

// Standing reports whether a constraint holds beyond the work at hand: "never push to main".
func Standing(constraint string) bool { return standing.MatchString(constraint) }

// SameConstraint reports whether two texts are one constraint, but for case, marks and white space.
func SameConstraint(one, other string) bool { return letters(one) == letters(other) }

// letters returns the letters and digits of a text in lower case, with one blank between words.
func letters(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}

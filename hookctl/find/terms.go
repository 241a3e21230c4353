package find

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hookline/events/wording"
)

// A word is a run of letters and digits of any script, in lower case; every other character separates words. In scripts
// that put no blanks between words each sign is a word. Of a longer word the first maxWord bytes count.
const maxWord = 64

// signScripts lists the scripts in which each sign is a word. Their first character is U+0E00.
var signScripts = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

func isSeparator(r rune) bool {
	return r == utf8.RuneError || !unicode.In(r, unicode.L, unicode.N, unicode.M)
}

func isSign(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, signScripts...)
}

// eachWord calls fn for every word of s with its place in s, until fn returns true.
func eachWord(s string, fn func(word string, from, to int) (stop bool)) {
	start := -1 // of the word that is being read
	flush := func(end int) (stop bool) {
		if start < 0 {
			return false
		}
		from := start
		start = -1
		return fn(strings.ToLower(wording.Clip(s[from:end], maxWord)), from, end)
	}

	for i, r := range s {
		if isSeparator(r) {
			if flush(i) {
				return
			}
			continue
		}
		if isSign(r) {
			if flush(i) {
				return
			}
			start = i
			if flush(i + utf8.RuneLen(r)) {
				return
			}
			continue
		}
		if start < 0 {
			start = i
		}
	}
	flush(len(s))
}

// Normalize returns the words of a text with a blank between them.
func Normalize(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	eachWord(s, func(word string, _, _ int) bool {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word)
		return false
	})
	return b.String()
}

// Term is a condition of a query: words that must stand side by side in one text of a document.
type Term struct {
	Kinds  []Kind // of the text; nil means any
	Words  []string
	Prefix bool // the last word may be the beginning of a longer one
}

// Bounds of a query.
const (
	maxTerms     = 16
	maxTermBytes = 256
)

// Terms returns the conditions of a query's words. A text without a letter or a digit makes no term.
func (q Query) Terms() []Term {
	var terms []Term
	add := func(text string, kinds ...Kind) {
		t := parseTerm(text, kinds)
		if len(t.Words) > 0 && len(terms) < maxTerms {
			terms = append(terms, t)
		}
	}

	for _, w := range q.Words {
		add(w)
	}
	add(q.File, Path)
	add(q.Command, Command)
	add(q.Error, Error)

	return terms
}

// parseTerm reads words, with * behind the last for a prefix. Other signs count as blanks, so that no text of a person
// has a meaning to the index.
func parseTerm(text string, kinds []Kind) Term {
	text = wording.Clip(text, maxTermBytes)
	t := Term{Kinds: kinds}
	end := 0
	eachWord(text, func(word string, _, to int) bool {
		t.Words = append(t.Words, word)
		end = to
		return false
	})
	t.Prefix = strings.HasPrefix(text[end:], "*")

	return t
}

// MatchAll tells whether a document has all of the terms.
func MatchAll(terms []Term, d Doc) bool {
	return !slices.ContainsFunc(terms, func(t Term) bool { return !t.Match(d) })
}

// Match tells whether a document has the term. The index knows the kind of text that a word stands in, not its place,
// so words side by side are looked for in the text itself.
func (t Term) Match(d Doc) bool {
	for kind, text := range d.Text {
		if _, ok := t.find(Kind(kind), text); ok {
			return true
		}
	}
	return false
}

// span is a part of a text, in bytes.
type span struct{ from, to int }

// find returns the first place of the term in a text of a kind.
func (t Term) find(kind Kind, s string) (span, bool) {
	if len(t.Kinds) > 0 && !slices.Contains(t.Kinds, kind) {
		return span{}, false
	}

	wanted := strings.Join(t.Words, " ")
	var place span
	found := false

	// The last words of the text, as many as the term has, and where each begins.
	var window []string
	var starts []int
	eachWord(s, func(word string, from, to int) bool {
		window = append(window, word)
		starts = append(starts, from)
		if len(window) > len(t.Words) {
			window = window[1:]
			starts = starts[1:]
		}
		if len(window) < len(t.Words) {
			return false
		}

		joined := strings.Join(window, " ")
		found = joined == wanted || t.Prefix && strings.HasPrefix(joined, wanted)
		place = span{from: starts[0], to: to}
		return found
	})
	return place, found
}

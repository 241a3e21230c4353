package find

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hookline/events/wording"
)

// Words are runs of letters and digits of any script, in lower case; everything else parts them. Scripts that put no
// blanks between words have a word for each sign. Of a longer word the first 64 bytes count.
const mostWord = 64

// scripts have words of one sign each.
var scripts = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// each calls fn for every word of s with its place, until fn says stop.
func each(s string, fn func(word string, from, to int) (stop bool)) {
	from := -1
	end := func(to int) bool {
		if from < 0 {
			return false
		}
		at := from
		from = -1
		return fn(strings.ToLower(wording.Clip(s[at:to], mostWord)), at, to)
	}
	for i, r := range s {
		switch {
		case r == utf8.RuneError || !unicode.In(r, unicode.L, unicode.N, unicode.M):
			if end(i) {
				return
			}
		case r >= 0x0E00 && unicode.In(r, scripts...):
			if end(i) {
				return
			}
			from = i
			if end(i + utf8.RuneLen(r)) {
				return
			}
		case from < 0:
			from = i
		}
	}
	end(len(s))
}

// Fold is the words of a text, with a blank between them.
func Fold(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	each(s, func(word string, _, _ int) bool {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word)
		return false
	})
	return b.String()
}

// Term is one thing that must stand in a document: words side by side, in one text.
type Term struct {
	Kinds  []int // where; nil means anywhere
	Words  []string
	Prefix bool // the last word may go on
}

// Bounds of what may be asked for.
const (
	mostTerms = 16
	mostTerm  = 256
)

// Terms are what a query's words ask for. Signs that no word holds count as blanks, so that no text has a meaning of
// its own; what has no word in it is left out.
func (q Query) Terms() []Term {
	var out []Term
	add := func(text string, kinds ...int) {
		t := Term{Kinds: kinds}
		end := 0
		text = wording.Clip(text, mostTerm)
		each(text, func(word string, _, to int) bool {
			t.Words = append(t.Words, word)
			end = to
			return false
		})
		t.Prefix = strings.HasPrefix(text[end:], "*")
		if len(t.Words) > 0 && len(out) < mostTerms {
			out = append(out, t)
		}
	}
	for _, w := range q.Words {
		add(w)
	}
	add(q.File, Path)
	add(q.Command, Command)
	add(q.Error, Error)
	return out
}

// Hold says whether a document has all of the terms.
func Hold(terms []Term, d Doc) bool {
	return !slices.ContainsFunc(terms, func(t Term) bool { return !t.Holds(d) })
}

// Holds says whether a document has the term. The index has in which kind of text a word stands, not where in it, so
// words side by side are looked for in the text itself.
func (t Term) Holds(d Doc) bool {
	for kind, text := range d.Text {
		if t.find(kind, text) != nil {
			return true
		}
	}
	return false
}

// find gives the place of the term in a text of a kind, nil where it is not.
func (t Term) find(kind int, s string) []int {
	if len(t.Kinds) > 0 && !slices.Contains(t.Kinds, kind) {
		return nil
	}
	wanted := strings.Join(t.Words, " ")
	var begins []int // of the last words
	var held []string
	var place []int
	each(s, func(word string, from, to int) bool {
		begins = append(begins, from)
		held = append(held, word)
		if n := len(t.Words); len(held) > n {
			begins, held = begins[1:], held[1:]
		}
		joined := strings.Join(held, " ")
		if joined == wanted || t.Prefix && len(held) == len(t.Words) && strings.HasPrefix(joined, wanted) {
			place = []int{begins[0], to}
		}
		return place != nil
	})
	return place
}

// Snippet is a part of a text around what was found in it.
type Snippet struct {
	Kind  string `json:"kind" jsonschema_description:"of text: prompt, words, command, path, error, output or note"`
	Text  string `json:"text" jsonschema_description:"one line, with … where the text goes on"`
	Marks []Mark `json:"marks,omitempty" jsonschema_description:"what was found, in bytes of text"`
}

// Mark is a part of a snippet.
type Mark struct {
	From int `json:"from" jsonschema_description:"first byte"`
	To   int `json:"to" jsonschema_description:"behind the last byte"`
}

// Around is how much of a text stands before what was found.
const around = 60

// SnippetOf is the part of a document that shows what was found: the text with the most terms, from shortly before the
// first of them on. Without terms it is the beginning of the first text. It has at most size bytes.
func SnippetOf(d Doc, terms []Term, size int) Snippet {
	best, most, first := -1, -1, 0
	for kind, text := range d.Text {
		n, begin := 0, len(text)
		for _, t := range terms {
			if place := t.find(kind, text); place != nil {
				n++
				begin = min(begin, place[0])
			}
		}
		if text != "" && n > most {
			best, most, first = kind, n, begin
		}
	}
	if best < 0 {
		return Snippet{}
	}

	s := Snippet{Kind: KindNames[best], Text: line(d.Text[best], first, size)}
	for _, t := range terms {
		if place := t.find(best, s.Text); place != nil {
			s.Marks = append(s.Marks, Mark{place[0], place[1]})
		}
	}
	slices.SortFunc(s.Marks, func(x, y Mark) int { return x.From - y.From })
	return s
}

// line is one line of a text from shortly before a place on.
func line(text string, first, size int) string {
	begin := 0
	if first < len(text) && first > around {
		begin = first - around
		for !utf8.RuneStart(text[begin]) {
			begin--
		}
		if blank := strings.IndexAny(text[begin:first], " \n\t"); blank >= 0 {
			begin += blank + 1
		}
	}
	flat := wording.Flat(wording.Clip(text[begin:], 2*size))
	out := wording.Clip(flat, size)
	if begin > 0 {
		out = "… " + out
	}
	if len(flat) > size || begin+2*size < len(text) {
		out += " …"
	}
	return out
}

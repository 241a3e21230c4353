package find

import (
	"slices"
	"strings"
	"unicode/utf8"

	"hookline/events/wording"
)

// Snippet is the part of a text around the words that a search has found.
type Snippet struct {
	Kind  string `json:"kind" jsonschema_description:"the kind of text: prompt, words, command, path, error, output or note"`
	Text  string `json:"text" jsonschema_description:"the words in one line, with … where the text goes on"`
	Marks []Mark `json:"marks,omitempty" jsonschema_description:"the places of the found words in the text, in bytes"`
}

// Mark is a place in a snippet.
type Mark struct {
	From int `json:"from" jsonschema_description:"the offset of the first byte"`
	To   int `json:"to" jsonschema_description:"the offset behind the last byte"`
}

// contextBefore is the number of bytes of a text that a snippet shows before the first word that was found.
const contextBefore = 60

// SnippetOf returns the part of a document that shows the terms: that of the text with the most terms, from shortly
// before the first of them on. Without terms it is the beginning of the first text. It has about size bytes.
func SnippetOf(d Doc, terms []Term, size int) Snippet {
	best := Kind(-1)
	bestHits := -1
	bestStart := 0
	for k, text := range d.Text {
		kind := Kind(k)
		hits, start := countHits(kind, text, terms)
		if text != "" && hits > bestHits {
			best, bestHits, bestStart = kind, hits, start
		}
	}
	if best < 0 {
		return Snippet{}
	}

	s := Snippet{Kind: KindNames[best], Text: excerpt(d.Text[best], bestStart, size)}
	for _, t := range terms {
		if place, ok := t.find(best, s.Text); ok {
			s.Marks = append(s.Marks, Mark{From: place.from, To: place.to})
		}
	}
	slices.SortFunc(s.Marks, func(x, y Mark) int { return x.From - y.From })

	return s
}

// countHits returns the number of terms that a text has, and where the first begins.
func countHits(kind Kind, text string, terms []Term) (hits, start int) {
	start = len(text)
	for _, t := range terms {
		if place, ok := t.find(kind, text); ok {
			hits++
			start = min(start, place.from)
		}
	}
	return hits, start
}

// excerpt returns a text on one line, from shortly before the given offset on.
func excerpt(text string, offset, size int) string {
	begin := 0
	if offset < len(text) && offset > contextBefore {
		begin = offset - contextBefore
		for !utf8.RuneStart(text[begin]) {
			begin--
		}
		if blank := strings.IndexAny(text[begin:offset], " \n\t"); blank >= 0 {
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
